//! `comity watch`: requests the robots.txt of sites in intervals, and reports what a change means.

mod args;
mod compare;
mod history;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io::Write as _;
use std::pin::pin;
use std::process::Stdio;
use std::time::{Duration, Instant};

use comity::robots::RobotsTxt;
use comity_client::robots_cache::RobotsFile;
use comity_client::{Cause, Client, Origin};
use futures_util::{StreamExt, stream};
use jiff::{SignedDuration, Timestamp};
use tokio::io::AsyncWriteExt;
use tokio::process::Command;
use url::Url;

pub(crate) use self::args::WatchArgs;
use self::compare::Differences;
use self::history::{AtTime, History};
use crate::args::values::origin;
use crate::exit::{Exit, Failure, reason};
use crate::input::{Line, Source};
use crate::output::Output;
use crate::sites::Session;
use crate::sites::failure::SiteFailure;
use crate::text::Printer;
use crate::text::watch::row::{Event, Version, WatchRow};

/// Maximum number of sites that are requested at once.
const AT_ONCE: usize = 16;
/// Time within which a version that returns is not reported again.
const DAMPED: SignedDuration = SignedDuration::from_hours(24);
/// Maximum time for the program of `--exec`.
const PROGRAM_LIMIT: Duration = Duration::from_secs(60);
/// Maximum number of sitemaps of a site that are requested.
const MAX_SITEMAPS: usize = 20;
/// Minimum number of unreachable sites before the network of this machine is suspected.
const SUSPICIOUS: usize = 3;

/// Watches sites.
pub(crate) fn run(args: &WatchArgs, output: &mut Output) -> Result<Exit, Failure> {
    if let Some(time) = args.at {
        return print_version(args, time, output);
    }
    let sites = sites(args)?;
    let history = History::open(&args.state)?;
    let session = Session::new(&args.network, output)?;
    let printer = Printer::new::<WatchRow>(args.format.get(), output)?;
    let mut watch = Watch { args, client: session.client().clone(), history, printer, exit: Exit::Success };
    let result = session.wait(async {
        loop {
            let started = Instant::now();
            watch.round(&sites, output).await?;
            if args.once {
                return Ok(watch.exit);
            }
            tokio::time::sleep(args.every.saturating_sub(started.elapsed())).await;
        }
    });
    session.finish();
    result
}

/// Prints the stored robots.txt of the site as of a time.
fn print_version(args: &WatchArgs, time: Timestamp, output: &mut Output) -> Result<Exit, Failure> {
    let [site] = args.given.as_slice() else { return Err(Failure::new("--at prints the file of one site")) };
    let AtTime { readable, failing } = history::at(&args.state, site.as_str(), time)?;
    let Some(version) = readable else {
        let folder = args.state.display();
        return Err(Failure::new(format!("`{folder}` has no answer of {site} before {time}")));
    };
    let text = history::text(&args.state, &version).map_err(|error| {
        Failure::new(format!("{site}: the version of {} cannot be read: {}", version.time, reason(&error)))
    })?;
    let Some(text) = text else {
        let status = version.status.map_or_else(String::new, |status| format!(", status {status}"));
        return Err(Failure::new(format!(
            "{site} had no robots.txt at {time}{status}, since {}",
            version.time
        )));
    };
    if let Some(failing) = failing {
        output.warning(&format!(
            "{site}: requests failed from {} on; this is the last version before",
            failing.time
        ));
    }
    output.write_all(&text)?;
    Ok(Exit::Success)
}

/// Returns the sites of the arguments and of the list, without duplicates.
fn sites(args: &WatchArgs) -> Result<Vec<Origin>, Failure> {
    let mut sites = args.given.clone();
    if let Some(path) = &args.sites {
        let mut lines = Source::new(path).lines()?;
        let mut line = Vec::new();
        loop {
            match lines.next(&mut line)? {
                Line::Text => {}
                Line::TooLong => {
                    return Err(Failure::new(format!("{}: the line is too long", lines.place())));
                }
                Line::End => break,
            }
            let text = line.trim_ascii();
            if text.is_empty() || text.starts_with(b"#") {
                continue;
            }
            let site = origin(&String::from_utf8_lossy(text));
            sites.push(site.map_err(|error| Failure::new(format!("{}: {error}", lines.place())))?);
        }
    }
    sites.sort();
    sites.dedup();
    if sites.is_empty() {
        return Err(Failure::new("no site is named").hint("name them as arguments or with --sites"));
    }
    Ok(sites)
}

/// The state of the command.
struct Watch<'a> {
    args: &'a WatchArgs,
    client: Client,
    history: History,
    printer: Printer,
    exit: Exit,
}

/// The answer of a site.
struct Answer {
    version: Version,
    text: Option<Vec<u8>>,
}

impl Watch<'_> {
    /// Requests the robots.txt of every site once.
    async fn round(&mut self, sites: &[Origin], output: &mut Output) -> Result<(), Failure> {
        let client = self.client.clone();
        let with_sitemaps = self.args.sitemaps;
        let answers =
            stream::iter(sites).map(|site| ask(&client, site, with_sitemaps)).buffer_unordered(AT_ONCE);
        let mut answers = pin!(answers);
        let mut unreached = Vec::new();
        while let Some(answer) = answers.next().await {
            match answer {
                Ok(answer) if answer.version.failure.is_some() => unreached.push(answer),
                Ok(answer) => self.take(answer, output).await?,
                Err(failure) => {
                    output.error(&failure.line());
                    self.exit = Exit::Error;
                }
            }
        }
        if unreached.len() >= SUSPICIOUS && unreached.len() * 2 > sites.len() {
            let (number, of) = (unreached.len(), sites.len());
            output.error(&format!(
                "{number} of {of} sites cannot be reached, so this machine may have no network; these failures are not stored"
            ));
            self.exit = Exit::Error;
            return Ok(());
        }
        for answer in unreached {
            self.take(answer, output).await?;
        }
        Ok(())
    }

    /// Compares an answer with the versions before. Stores and prints it if it is news.
    async fn take(&mut self, answer: Answer, output: &mut Output) -> Result<(), Failure> {
        let Answer { mut version, text } = answer;
        let past = self.history.of(&version.origin);
        version.event = event(past, &version);
        let is_reset = past.last().is_some_and(|last| last.event == Event::Failing);
        let before = past.iter().rfind(|version| version.is_readable).cloned();
        let failed_before = before.as_ref().and_then(|before| before.failed_sitemaps.as_deref());
        let failed_now = version.failed_sitemaps.as_deref();
        let is_first_request = failed_now.is_some() && failed_before.is_none();
        let (stopped_sitemaps, restored_sitemaps) = match (failed_before, failed_now) {
            (Some(before), Some(now)) => (without(now, before), without(before, now)),
            _ => Default::default(),
        };
        let differs = !stopped_sitemaps.is_empty() || !restored_sitemaps.is_empty();
        if version.event == Event::Unchanged && differs {
            version.event = Event::Sitemaps;
        }
        if version.event == Event::Unchanged && !is_reset && !is_first_request {
            return Ok(());
        }
        let mut differences = Differences::default();
        if let (Event::Changed, Some(before)) = (version.event, &before) {
            match self.history.text(before) {
                Ok(old) => {
                    let (old, new) = (old.unwrap_or_default(), text.as_deref().unwrap_or_default());
                    differences = Differences::new(&old, new, self.client.preset().dialect());
                    if differences.is_same() && version.answer == before.answer {
                        version.event = Event::Layout;
                    }
                }
                Err(error) => {
                    output.warning(&format!(
                        "{}: the version of {} cannot be read, so this one is stored as the first: {}",
                        version.origin,
                        before.time,
                        reason(&error)
                    ));
                    version.event = Event::First;
                }
            }
        }
        if let Some(text) = &text {
            version.body_file = Some(self.history.write_text(&version, text)?);
        }
        if let Some(error) = &differences.too_large {
            output.warning(&format!("{}: {error}", version.origin));
        }
        self.history.add(version.clone())?;
        let Differences { access, changes, new_findings, resolved_findings, .. } = differences;
        let row = WatchRow {
            version,
            before,
            access,
            changes,
            new_findings,
            resolved_findings,
            stopped_sitemaps,
            restored_sitemaps,
        };
        self.printer.print(&row, &mut (), output)?;
        output.flush()?;
        if row.version.event.is_reported() {
            self.exit = self.exit.max(Exit::Objection);
            if let Some(program) = &self.args.exec
                && let Err(problem) = run_program(program, &row).await
            {
                output.error(&format!("`{}`: {problem}", program.to_string_lossy()));
                self.exit = Exit::Error;
            }
        }
        Ok(())
    }
}

/// Returns the texts that `others` lacks.
fn without(texts: &[String], others: &[String]) -> Vec<String> {
    texts.iter().filter(|text| !others.contains(text)).cloned().collect()
}

/// Requests the robots.txt of a site, and optionally its sitemaps. A stored answer is not used.
async fn ask(client: &Client, site: &Origin, with_sitemaps: bool) -> Result<Answer, SiteFailure> {
    let url = site.robots_txt();
    let failed = |cause: &Cause| SiteFailure::new(url.as_str(), cause);
    client.forget(site).await.map_err(|error| failed(&Cause::Store(error)))?;
    let file = client.robots_txt(&url).await.map_err(|cause| failed(&cause))?;
    let is_readable = matches!(file, RobotsFile::Present { .. } | RobotsFile::Absent { .. });
    let (evidence, text) = match file {
        RobotsFile::Present { evidence, body } => (evidence, Some(body.to_vec())),
        RobotsFile::Absent { evidence } | RobotsFile::Unreachable { evidence, .. } => (evidence, None),
        other => return Err(SiteFailure::plain(format!("`{url}`: {}", other.reason()))),
    };
    let time = Timestamp::try_from(evidence.fetched_at()).unwrap_or_default();
    let failed_sitemaps = match &text {
        Some(text) if with_sitemaps => Some(failed_sitemaps(client, text).await),
        _ => None,
    };
    let version = Version {
        origin: site.as_str().to_owned(),
        time: time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
        event: Event::Unchanged,
        answer: evidence.kind(),
        is_readable,
        status: evidence.status(),
        failure: evidence.failure(),
        digest: evidence.digest().map(str::to_owned),
        body_file: None,
        failed_sitemaps,
    };
    Ok(Answer { version, text })
}

/// Requests the sitemaps of a robots.txt, and returns those without a 2xx answer. Sitemaps that may not be requested are
/// omitted, and so are lines that are not http or https URLs.
async fn failed_sitemaps(client: &Client, text: &[u8]) -> Vec<String> {
    let robots = RobotsTxt::parse_as(text, client.preset().dialect());
    let is_url = |url: &String| Url::parse(url).is_ok_and(|url| matches!(url.scheme(), "http" | "https"));
    let listed: BTreeSet<String> = robots.sitemaps().map(Cow::into_owned).filter(is_url).collect();
    let mut options = client.fetch_options().clone();
    // Only the status matters.
    options.max_bytes = 1;
    let mut failed = Vec::new();
    for url in listed.into_iter().take(MAX_SITEMAPS) {
        let is_failed = match client.fetch_with(&url, &options).await {
            Ok(page) => !page.status().is_success(),
            Err(error) => !error.is_refusal(),
        };
        if is_failed {
            failed.push(url);
        }
    }
    failed
}

/// Returns the meaning of an answer after the versions before. A different text counts as a change of meaning.
fn event(past: &[Version], new: &Version) -> Event {
    let Some(last) = past.last() else { return Event::First };
    if !new.is_readable {
        return match last.event {
            _ if last.is_readable => Event::Failing,
            Event::Failing => Event::Unreachable,
            _ => Event::Unchanged,
        };
    }
    let Some(before) = past.iter().rfind(|version| version.is_readable) else { return Event::First };
    if new.is_same(before) {
        let was_reported = !last.is_readable && last.event != Event::Failing;
        return if was_reported { Event::Recovered } else { Event::Unchanged };
    }
    let time = |version: &Version| version.time.parse::<Timestamp>().unwrap_or_default();
    let is_recent = |version: &Version| time(new).duration_since(time(version)) <= DAMPED;
    let is_back =
        past.iter().any(|version| version.is_readable && new.is_same(version) && is_recent(version));
    if is_back { Event::Returned } else { Event::Changed }
}

/// Runs the program of `--exec` with the row on its standard input.
async fn run_program(program: &OsStr, row: &WatchRow) -> Result<(), String> {
    let json = serde_json::to_vec(row).map_err(|error| error.to_string())?;
    let run = async {
        let mut child = Command::new(program).stdin(Stdio::piped()).kill_on_drop(true).spawn()?;
        if let Some(mut input) = child.stdin.take() {
            // A program need not read the report.
            let _ = input.write_all(&json).await;
        }
        child.wait().await
    };
    match tokio::time::timeout(PROGRAM_LIMIT, run).await {
        Err(_) => Err(format!("it was ended after {} s", PROGRAM_LIMIT.as_secs())),
        Ok(Err(error)) => Err(reason(&error)),
        Ok(Ok(status)) if !status.success() => Err(status.to_string()),
        Ok(Ok(_)) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use comity::policy::AnswerKind;

    use super::*;

    /// Returns the events of answers, one per hour: a letter is a text, `-` a failure, `!` a 404.
    fn events(answers: &str) -> Vec<Event> {
        let mut past: Vec<Version> = Vec::new();
        for (hour, letter) in answers.chars().enumerate() {
            let time = Timestamp::UNIX_EPOCH + SignedDuration::from_hours(hour as i64);
            let mut version = Version {
                origin: "https://a.example".to_owned(),
                time: time.to_string(),
                event: Event::Unchanged,
                answer: if letter == '!' { AnswerKind::OtherClientError } else { AnswerKind::Success },
                is_readable: letter != '-',
                status: None,
                failure: None,
                digest: letter.is_alphabetic().then(|| letter.to_string()),
                body_file: None,
                failed_sitemaps: None,
            };
            version.event = event(&past, &version);
            past.push(version);
        }
        past.iter().map(|version| version.event).collect()
    }

    #[test]
    fn answers_in_sequence_have_their_events() {
        use Event::{Changed, Failing, First, Recovered, Returned, Unchanged, Unreachable};

        assert_eq!(events("aab"), [First, Unchanged, Changed]);
        assert_eq!(events("a!"), [First, Changed]);
        assert_eq!(events("a-a"), [First, Failing, Unchanged]);
        assert_eq!(events("a---a"), [First, Failing, Unreachable, Unchanged, Recovered]);
        assert_eq!(events("a--b"), [First, Failing, Unreachable, Changed]);
        assert_eq!(events("--a"), [First, Unchanged, First]);
        assert_eq!(events("abab"), [First, Changed, Returned, Returned]);
        let day = format!("a{}a", "b".repeat(25));
        assert_eq!(events(&day).last(), Some(&Changed));
    }
}
