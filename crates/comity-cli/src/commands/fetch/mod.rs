//! `comity fetch`: fetches URLs through the client, and writes bodies and records.

mod args;
mod backlog;
mod dry;
mod earlier;
mod feed;
mod files;
mod result;
mod resume;
mod summary;

use comity_answers::schema::RowSchema;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use comity_client::crawl::Progress;
use comity_client::{Client, FetchOptions};
use futures_util::{StreamExt, stream};

pub(crate) use self::args::FetchArgs;
use self::backlog::{Backlog, pace_of};
use self::earlier::{EarlierRecord, EarlierReport, NeededBodies};
use self::feed::{BadUrl, Feed};
use self::files::{Folder, SavedFile};
use self::result::{FetchResult, PageForm, Report};
use self::resume::ResumedReport;
use self::summary::{Seconds, Summary, is_about_missing_content};
use crate::decisions::notices::warn_of_flag;
use crate::exit::{Exit, Failure, reason};
use crate::input::Source;
use crate::output::Output;
use crate::render;
use crate::sites::Network;

/// Number of pages that are converted at once: one for each thread.
const CONVERSIONS: usize = 2;

/// Fetches one URL, or many.
pub(crate) fn run(args: &FetchArgs, output: &mut Output) -> Result<Exit, Failure> {
    let mut feed = Feed::new(&args.urls)?;
    let mut resumed = args.resume.as_deref().map(ResumedReport::read).transpose()?;
    if let (Some(resumed), Some(report)) = (&mut resumed, &args.resume) {
        if let Some(note) = resumed.note(report).filter(|_| !args.quiet) {
            output.note(&note);
        }
        feed.done = std::mem::take(&mut resumed.done);
    }
    if feed.single().is_some_and(|url| url.is_ok_and(|url| feed.done.contains(url))) {
        return Ok(Exit::Success);
    }
    let live = Network::new(&args.network, args.overrides(), output)?;
    let client = live.client()?;
    warn_of_flag(&args.overrides(), client.agent(), output);
    if args.dry_run {
        let exit = live.wait(dry::run(&feed, &client, args.format.is_json(), output));
        live.finish();
        return exit;
    }
    let fetching = Fetcher::new(args, &feed, client)?;
    let mut sink = Sink::open(args, &feed, resumed.as_ref())?;
    let exit = match feed.single() {
        Some(url) => live.wait(single(url, &fetching, &mut sink, output)),
        None => {
            live.warn_if_anonymous(output);
            live.wait(many(&feed, &fetching, &mut sink, output))
        }
    };
    live.finish();
    exit
}

/// The client, its options for pages, and the requested form of bodies.
struct Fetcher {
    client: Client,
    options: FetchOptions,
    form: PageForm,
}

impl Fetcher {
    fn new(args: &FetchArgs, feed: &Feed, client: Client) -> Result<Fetcher, Failure> {
        let mut options = client.fetch_options().clone().prefers_markdown(args.markdown);
        let mut form = PageForm { markdown: args.markdown, earlier: None };
        if let Some(report) = &args.if_changed {
            let is_same = |other: &PathBuf| same_file(report, other);
            if args.report.as_ref().or(args.resume.as_ref()).is_some_and(is_same) {
                let name = render::text(report.as_os_str().as_encoded_bytes());
                return Err(Failure::new(format!("`{name}` is the earlier report and the new one")).hint(
                    "name another file for the new report; an interruption would lose the records of the earlier one",
                ));
            }
            let output = args.output.as_deref();
            let needed = NeededBodies {
                output,
                output_is_file: output.is_some_and(|path| is_file(path, feed)),
                has_text: has_text(args),
                form: PageForm::name(args.markdown),
            };
            let (earlier, answers) = EarlierReport::read(report, &needed)?;
            options = options.earlier(Some(Arc::new(answers)));
            form.earlier = Some(Arc::new(earlier));
        }
        Ok(Fetcher { client, options, form })
    }

    async fn fetch(&self, url: &str) -> FetchResult {
        FetchResult::of(self.client.fetch_with(url, &self.options).await, &self.form)
    }

    /// Returns the result for a text that is not a URL.
    fn refuse(&self, bad: &BadUrl) -> FetchResult {
        FetchResult::of(Err(self.client.refuse_url(&bad.text, bad.problem.as_str())), &self.form)
    }
}

/// Returns true if two paths name the same existing file.
fn same_file(one: &Path, other: &Path) -> bool {
    let (one, other) = (one.canonicalize(), other.canonicalize());
    one.is_ok_and(|one| other.is_ok_and(|other| one == other))
}

/// Returns true if `--output` names the file for the body of the only URL, and not a folder.
fn is_file(output: &Path, feed: &Feed) -> bool {
    let is_folder = output.is_dir() || output.as_os_str().as_encoded_bytes().ends_with(b"/");
    feed.single().is_some() && !is_folder
}

/// Returns true if records have the text of pages.
fn has_text(args: &FetchArgs) -> bool {
    args.include_body || args.markdown && (args.format.is_json() || args.report.is_some())
}

/// Fetches one URL and prints its body, without a summary.
async fn single(
    url: Result<&str, &BadUrl>,
    fetching: &Fetcher,
    sink: &mut Sink,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let waiting = output.waiting("fetching");
    let done = match url {
        Ok(url) => tokio::select! {
            done = fetching.fetch(url) => done,
            _ = tokio::signal::ctrl_c() => return Err(Failure::Interrupted),
        },
        Err(bad) => fetching.refuse(bad),
    };
    drop(waiting);
    let name = |text: &str| match url {
        Ok(url) => format!("{}: {text}", render::text(url.as_bytes())),
        Err(_) => text.to_owned(),
    };
    if sink.is_body_printed {
        if !sink.is_quiet {
            let warnings = &done.record.warnings;
            for (index, warning) in warnings.iter().enumerate() {
                // Several parts of a page can cause the same warning.
                if !warnings.iter().take(index).any(|earlier| earlier.message == warning.message) {
                    output.warning(&render::text(warning.message.as_bytes()));
                }
            }
        }
        if let Some(body) = &done.body {
            if body.bytes.contains(&0) && std::io::stdout().is_terminal() {
                return Err(Failure::new("the body is not text, and standard output is a terminal")
                    .hint("redirect it to a file with `>`, or name a file with --output"));
            }
            output.write_all(&body.bytes)?;
            if done.exit != Exit::Success && !sink.is_quiet {
                let delay = delay_of(&done).map(|delay| format!("; {delay}")).unwrap_or_default();
                output.warning(&name(&format!("the answer is {}{delay}", done.label)));
            }
        }
        if done.earlier.is_some() && !sink.is_quiet {
            output.note(&name(NOT_MODIFIED));
        }
    }
    sink.take(&done, output)?;
    if let Some(problem) = done.problem.filter(|_| sink.is_body_printed) {
        let failure = Failure::new(name(&problem.message));
        output.failure(&match problem.hint {
            Some(hint) => failure.hint(hint),
            None => failure,
        });
    }
    Ok(done.exit)
}

/// Fetches many URLs: prints a line per URL when it is done, and a summary.
async fn many(
    feed: &Feed,
    fetching: &Fetcher,
    sink: &mut Sink,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let progress = output.progress_below_lines();
    let (urls, mut complaints) = feed.open();
    let backlog = Arc::new(Mutex::new(Backlog::default()));
    let (read, ended) = (Arc::clone(&backlog), Arc::clone(&backlog));
    let urls = urls.inspect(move |url| locked(&read).add(url, Duration::ZERO));
    let end =
        stream::once(async move { locked(&ended).complete() }).filter_map(|()| std::future::ready(None));
    let options = fetching.client.crawl_options().clone().fetch(Some(fetching.options.clone()));
    let crawl = fetching.client.fetch_stream(urls.chain(end), options);
    let watch = crawl.watch();
    let form = fetching.form.clone();
    // Pages are converted and hashed on other threads, so that the conversion does not delay the next fetch.
    let mut results = crawl
        .map(|fetched| {
            let form = form.clone();
            tokio::spawn(async move { FetchResult::of(fetched.result, &form) })
        })
        .buffer_unordered(CONVERSIONS);
    let mut summary = Summary::new();
    let began = Instant::now();
    let (mut exit, mut done_with) = (Exit::Success, 0);
    let mut tick = tokio::time::interval(Duration::from_secs(1));
    // One future for all iterations, so that a signal between two of them is not lost.
    let mut interrupt = std::pin::pin!(tokio::signal::ctrl_c());
    for bad in &feed.bad {
        exit = Exit::Error;
        progress.hide_while(|| write_bad_url(bad, fetching, &mut summary, sink, output))?;
        locked(&backlog).add_finished();
    }
    loop {
        tokio::select! {
            ended = results.next() => {
                let Some(ended) = ended else { break };
                let done = ended.map_err(|error| Failure::new(format!("a fetch task failed: {error}")))?;
                done_with += 1;
                exit = exit.max(done.exit);
                summary.count(&done);
                locked(&backlog).finish(&done.record.requested_url, pace_of(&done.record));
                progress.hide_while(|| {
                    sink.take(&done, output)?;
                    output.flush()
                })?;
            }
            Some(complaint) = complaints.recv() => {
                exit = Exit::Error;
                progress.hide_while(|| write_list_problem(&complaint, fetching, &mut summary, sink, output))?;
            }
            // The slowest site is searched among all sites, so the text is not updated for every URL.
            _ = tick.tick() => progress.set_message(|| {
                progress_text(&locked(&backlog), watch.progress(), began.elapsed())
            }),
            _ = &mut interrupt => {
                let given = usize::try_from(watch.progress().pulled()).unwrap_or(usize::MAX);
                summary.left = given.max(feed.urls.len()) - done_with;
                exit = Exit::Interrupted;
                progress.hide_while(|| output.error("interrupted"));
                break;
            }
        }
        let backlog = locked(&backlog);
        progress.at(backlog.finished());
        if let Some(total) = backlog.total() {
            progress.set_total(total);
        }
    }
    drop(progress);
    summary.skipped = feed.skipped.load(Ordering::Relaxed);
    // Problems of the last lines can arrive after the last result.
    while let Ok(complaint) = complaints.try_recv() {
        exit = Exit::Error;
        write_list_problem(&complaint, fetching, &mut summary, sink, output)?;
    }
    sink.close(&summary, &fetching.client, output)?;
    Ok(exit)
}

/// Locks the backlog. No code panics while it holds the lock.
fn locked(backlog: &Mutex<Backlog>) -> MutexGuard<'_, Backlog> {
    backlog.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the text after the number of finished URLs: the rate, the time left, the slowest site, and the fetches.
fn progress_text(backlog: &Backlog, now: Progress, elapsed: Duration) -> String {
    let rate = backlog.finished() as f64 / elapsed.as_secs_f64().max(0.001);
    let mut text = format!("URLs, {rate:.1}/s");
    if let Some(left) = backlog.time_left(elapsed) {
        text.push_str(&format!(", {} left", Seconds(left)));
    }
    // A narrow terminal shows only the beginning of the text.
    if let Some(slowest) = backlog.slowest() {
        let site = slowest.origin.as_str();
        let site = site.split_once("://").map_or(site, |(_, host)| host);
        let site = render::short(site.as_bytes(), 40);
        text.push_str(&format!("; slowest {site}, {} URLs, {}", slowest.left, Seconds(slowest.time)));
    }
    text.push_str(&format!("; {} in flight, {} waiting", now.under_way, now.queued + now.waiting));
    text
}

/// Writes the row of a line that is not a URL, or the error of a list.
fn write_list_problem(
    complaint: &Result<BadUrl, Failure>,
    fetching: &Fetcher,
    summary: &mut Summary,
    sink: &mut Sink,
    output: &mut Output,
) -> Result<(), Failure> {
    match complaint {
        Ok(bad) => write_bad_url(bad, fetching, summary, sink, output),
        Err(failure) => {
            output.failure(failure);
            Ok(())
        }
    }
}

/// Writes the row of a text that is not a URL.
fn write_bad_url(
    bad: &BadUrl,
    fetching: &Fetcher,
    summary: &mut Summary,
    sink: &mut Sink,
    output: &mut Output,
) -> Result<(), Failure> {
    let done = fetching.refuse(bad);
    summary.count(&done);
    sink.take(&done, output)
}

/// The destination of results.
struct Sink {
    saving: Option<BodyTarget>,
    report: Option<ReportTarget>,
    /// True if the body of the only URL is printed to standard output.
    is_body_printed: bool,
    is_quiet: bool,
    /// True if the record has the text of each page.
    has_text: bool,
}

/// The destination of bodies.
enum BodyTarget {
    /// The file for the body of the only URL.
    File(PathBuf),
    Folder(Folder),
}

/// The destination of records.
enum ReportTarget {
    Stdout,
    File { name: String, file: std::io::LineWriter<std::fs::File> },
}

impl Sink {
    fn open(args: &FetchArgs, feed: &Feed, resumed: Option<&ResumedReport>) -> Result<Sink, Failure> {
        let report = match args.report.as_ref().or(args.resume.as_ref()) {
            None if args.format.is_json() => Some(ReportTarget::Stdout),
            None => None,
            Some(path) if path.as_os_str() == "-" => Some(ReportTarget::Stdout),
            Some(path) => {
                let name = render::text(path.as_os_str().as_encoded_bytes()).into_owned();
                let file = match resumed {
                    Some(resumed) => resumed.open(path)?,
                    None => comity_answers::files::growing(path).map_err(|error| {
                        Failure::new(format!("cannot write `{name}`: {}", reason(&error)))
                    })?,
                };
                Some(ReportTarget::File { name, file: std::io::LineWriter::new(file) })
            }
        };
        let saving = match args.output.as_deref() {
            Some(path) if is_file(path, feed) => Some(BodyTarget::File(path.to_owned())),
            Some(path) => Some(BodyTarget::Folder(Folder::open(path)?)),
            None => None,
        };
        let has_stdout = !matches!(report, Some(ReportTarget::Stdout));
        let is_body_printed = feed.single().is_some() && saving.is_none() && has_stdout;
        Ok(Sink { saving, report, is_body_printed, is_quiet: args.quiet, has_text: has_text(args) })
    }

    /// Writes body, record and line of one URL.
    fn take(&mut self, done: &FetchResult, output: &mut Output) -> Result<(), Failure> {
        let saved = self.save(done)?;
        let text = done.body.as_ref().filter(|_| self.has_text).map(|body| body.text.as_str());
        let row =
            Report { record: &done.record, robots_refused: done.robots_refused, saved: saved.clone(), text };
        let merged = done.earlier.as_ref().map(|earlier| earlier.merge(&row, self.has_text)).transpose()?;
        match &mut self.report {
            Some(ReportTarget::Stdout) => {
                match &merged {
                    Some(merged) => output.json_line(merged)?,
                    None => output.json_line(&row)?,
                }
                return output.flush();
            }
            Some(ReportTarget::File { name, file }) => {
                let line = match &merged {
                    Some(merged) => serde_json::to_vec(merged)?,
                    None => serde_json::to_vec(&row)?,
                };
                let written = file.write_all(&line).and_then(|()| file.write_all(b"\n"));
                written
                    .map_err(|error| Failure::new(format!("cannot write `{name}`: {}", reason(&error))))?;
            }
            None => {}
        }
        if self.is_quiet || self.is_body_printed {
            return output.flush();
        }
        print_line(done, saved.as_ref(), output)?;
        output.flush()
    }

    /// Writes the body to a file if the status is below 400.
    fn save(&self, done: &FetchResult) -> Result<Option<SavedFile>, Failure> {
        if let Some(earlier) = &done.earlier {
            return self.keep(&done.record.requested_url, earlier);
        }
        let (Some(saving), Some(body), true) = (&self.saving, &done.body, done.is_success()) else {
            return Ok(None);
        };
        let path = match saving {
            BodyTarget::Folder(folder) => {
                folder.write(&done.record.requested_url, &body.extension, &body.bytes)?
            }
            BodyTarget::File(path) => files::write(path, &body.bytes)?,
        };
        Ok(Some(SavedFile { path, bytes: body.bytes.len(), form: body.form }))
    }

    /// Returns the file with the body of a page that has not changed. Copies it if it was written for another URL, which
    /// led to the same page.
    fn keep(&self, url: &str, earlier: &EarlierRecord) -> Result<Option<SavedFile>, Failure> {
        let Some(saved) = &earlier.saved else { return Ok(None) };
        let Some(BodyTarget::Folder(folder)) = self.saving.as_ref().filter(|_| earlier.requested_url != url)
        else {
            return Ok(Some(saved.clone()));
        };
        let body = Source::File(saved.path.clone()).read()?;
        let extension = saved.path.extension().map(|own| own.to_string_lossy()).unwrap_or_default();
        Ok(Some(SavedFile { path: folder.write(url, &extension, &body)?, ..saved.clone() }))
    }

    fn close(&mut self, summary: &Summary, client: &Client, output: &mut Output) -> Result<(), Failure> {
        output.flush()?;
        if !self.is_quiet {
            output.note(&summary.text(client.counters()));
        }
        Ok(())
    }
}

/// The remark about a page that has not changed since the earlier report.
const NOT_MODIFIED: &str = "not modified";

/// Returns the delay that the answer requires before the next request, with its limit.
fn delay_of(done: &FetchResult) -> Option<String> {
    let attempt = done.record.hops.last()?.attempts.last()?;
    Some(attempt.retry_after?.to_string())
}

/// Prints the line of a URL, such as `200     12.3 kB    0.4 s  https://example.com/`. Without an answer, the line has
/// no size and no time, and ends in the reason.
fn print_line(done: &FetchResult, saved: Option<&SavedFile>, output: &mut Output) -> Result<(), Failure> {
    let palette = output.palette;
    let (style, faint) = (palette.verdict(done.exit == Exit::Success), palette.faint);
    let record = &done.record;
    let url = render::text(record.requested_url.as_bytes());
    let (bytes, seconds) = match &record.content {
        Some(_) if done.earlier.is_some() => (String::new(), Seconds(record.took).to_string()),
        Some(content) => (render::bytes(content.bytes), Seconds(record.took).to_string()),
        None => (String::new(), String::new()),
    };
    write!(output, "{style}{:<10}{style:#}  {bytes:>8}  {seconds:>8}  {url}", done.label)?;
    // Compared after normalization: `https://Example.com` equals `https://example.com/`.
    let is_elsewhere =
        record.requested_url.parse::<url::Url>().is_ok_and(|url| url.as_str() != record.final_url);
    if is_elsewhere && record.content.is_some() {
        write!(output, " {faint}=> {}{faint:#}", render::text(record.final_url.as_bytes()))?;
    }
    let unchanged = done.earlier.as_ref().map(|_| NOT_MODIFIED.to_owned());
    let missing = record.warnings.iter().filter(|warning| is_about_missing_content(warning));
    let remarks =
        unchanged.into_iter().chain(delay_of(done)).chain(missing.map(|warning| warning.message.clone()));
    for remark in remarks {
        write!(output, "  {faint}{}{faint:#}", render::text(remark.as_bytes()))?;
    }
    if let Some(problem) = &done.problem {
        let hint = problem.hint.as_ref().map(|hint| format!(" ({hint})")).unwrap_or_default();
        write!(output, "  {faint}{}{hint}{faint:#}", render::text(problem.message.as_bytes()))?;
    }
    if let Some(saved) = saved {
        write!(output, "  {faint}{}{faint:#}", render::text(saved.path.as_os_str().as_encoded_bytes()))?;
    }
    Ok(writeln!(output)?)
}

/// The rows of the command.
#[derive(schemars::JsonSchema)]
#[schemars(untagged)]
#[allow(dead_code, reason = "only its schema is used")]
enum Row {
    Fetched(Report<'static>),
    Planned(dry::Row<'static>),
}

pub(crate) const SCHEMA: RowSchema =
    RowSchema::new::<Row>("fetch", "a line of `comity fetch`, and of its --report");
