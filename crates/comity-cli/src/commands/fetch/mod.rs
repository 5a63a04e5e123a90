//! `comity fetch`: fetches URLs through the client, and writes bodies and records.

mod args;
mod dry;
mod feed;
mod files;
mod result;
mod resume;
mod summary;

use comity_answers::schema::RowSchema;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use comity_client::Client;
use futures_util::StreamExt;

pub(crate) use self::args::FetchArgs;
use self::feed::{BadUrl, Feed};
use self::files::Folder;
use self::result::{FetchResult, Report, SavedFile};
use self::resume::ResumedReport;
use self::summary::{Seconds, Summary};
use crate::decisions::notices::warn_of_flag;
use crate::exit::{Exit, Failure, reason};
use crate::output::Output;
use crate::render;
use crate::sites::Network;

/// Number of pages that are converted at once: one for each thread.
const CONVERSIONS: usize = 2;

/// Fetches one URL, or many.
pub(crate) fn run(args: &FetchArgs, output: &mut Output) -> Result<Exit, Failure> {
    let mut feed = Feed::new(&args.urls)?;
    let mut resumed = args.resume.as_deref().map(ResumedReport::read).transpose()?;
    if let Some(resumed) = &mut resumed {
        feed.done = std::mem::take(&mut resumed.urls);
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
    let mut sink = Sink::open(args, &feed, resumed.as_ref())?;
    let fetching = Fetcher { client: client.clone(), markdown: args.markdown };
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

/// The client, and the requested form of bodies.
struct Fetcher {
    client: Client,
    markdown: bool,
}

impl Fetcher {
    async fn fetch(&self, url: &str) -> FetchResult {
        FetchResult::of(self.client.fetch(url).await, self.markdown)
    }

    /// Returns the result for a text that is not a URL.
    fn refuse(&self, bad: &BadUrl) -> FetchResult {
        FetchResult::of(Err(self.client.refuse_url(&bad.text, bad.problem.as_str())), self.markdown)
    }
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
                output.warning(&name(&format!("the answer is {}", done.label)));
            }
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
    let total = (!feed.is_stream()).then_some(feed.arguments() as u64);
    let mut progress = output.progress_below_lines(total, "URLs");
    let (urls, mut complaints) = feed.open();
    let crawl = fetching.client.fetch_stream(urls, fetching.client.crawl_options().clone());
    let watch = crawl.watch();
    let markdown = fetching.markdown;
    // Pages are converted and hashed on other threads, so that the conversion does not delay the next fetch.
    let mut results = crawl
        .map(|fetched| tokio::spawn(async move { FetchResult::of(fetched.result, markdown) }))
        .buffer_unordered(CONVERSIONS);
    let mut summary = Summary::new();
    let (mut exit, mut done_with) = (Exit::Success, 0);
    let mut tick = tokio::time::interval(Duration::from_secs(1));
    // One future for all iterations, so that a signal between two of them is not lost.
    let mut interrupt = std::pin::pin!(tokio::signal::ctrl_c());
    for bad in &feed.bad {
        exit = Exit::Error;
        progress.hide_while(|| write_bad_url(bad, fetching, &mut summary, sink, output))?;
        progress.step();
    }
    loop {
        tokio::select! {
            ended = results.next() => {
                let Some(ended) = ended else { break };
                let done = ended.map_err(|error| Failure::new(format!("a fetch task failed: {error}")))?;
                done_with += 1;
                exit = exit.max(done.exit);
                summary.count(&done);
                progress.hide_while(|| {
                    sink.take(&done, output)?;
                    output.flush()
                })?;
                progress.step();
            }
            Some(complaint) = complaints.recv() => {
                exit = Exit::Error;
                progress.hide_while(|| write_list_problem(&complaint, fetching, &mut summary, sink, output))?;
            }
            _ = tick.tick() => {}
            _ = &mut interrupt => {
                let given = usize::try_from(watch.progress().pulled()).unwrap_or(usize::MAX);
                summary.left = given.max(feed.urls.len()) - done_with;
                exit = Exit::Interrupted;
                progress.hide_while(|| output.error("interrupted"));
                break;
            }
        }
        let now = watch.progress();
        progress.set_message(|| {
            format!("URLs, {} in flight, {} waiting", now.under_way, now.queued + now.waiting)
        });
    }
    drop(progress);
    // Problems of the last lines can arrive after the last result.
    while let Ok(complaint) = complaints.try_recv() {
        exit = Exit::Error;
        write_list_problem(&complaint, fetching, &mut summary, sink, output)?;
    }
    sink.close(&summary, &fetching.client, output)?;
    Ok(exit)
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
        let is_file = |path: &Path| {
            let is_folder = path.is_dir() || path.as_os_str().as_encoded_bytes().ends_with(b"/");
            feed.single().is_some() && !is_folder
        };
        let saving = match args.output.as_deref() {
            Some(path) if is_file(path) => Some(BodyTarget::File(path.to_owned())),
            Some(path) => Some(BodyTarget::Folder(Folder::open(path)?)),
            None => None,
        };
        let has_stdout = !matches!(report, Some(ReportTarget::Stdout));
        let is_body_printed = feed.single().is_some() && saving.is_none() && has_stdout;
        let has_text = args.include_body || args.markdown && (args.format.is_json() || args.report.is_some());
        Ok(Sink { saving, report, is_body_printed, is_quiet: args.quiet, has_text })
    }

    /// Writes body, record and line of one URL.
    fn take(&mut self, done: &FetchResult, output: &mut Output) -> Result<(), Failure> {
        let saved = self.save(done)?;
        let text = done.body.as_ref().filter(|_| self.has_text).map(|body| body.text.as_str());
        let row =
            Report { record: &done.record, robots_refused: done.robots_refused, saved: saved.clone(), text };
        match &mut self.report {
            Some(ReportTarget::Stdout) => {
                output.json_line(&row)?;
                return output.flush();
            }
            Some(ReportTarget::File { name, file }) => {
                let line = serde_json::to_vec(&row)?;
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

    fn close(&mut self, summary: &Summary, client: &Client, output: &mut Output) -> Result<(), Failure> {
        output.flush()?;
        if !self.is_quiet {
            output.note(&summary.text(client.counters()));
        }
        Ok(())
    }
}

/// Prints the line of a URL, such as `200     12.3 kB    0.4 s  https://example.com/`. Without an answer, the line has
/// no size and no time, and ends in the reason.
fn print_line(done: &FetchResult, saved: Option<&SavedFile>, output: &mut Output) -> Result<(), Failure> {
    let palette = output.palette;
    let (style, faint) = (palette.verdict(done.exit == Exit::Success), palette.faint);
    let record = &done.record;
    let url = render::text(record.requested_url.as_bytes());
    let (bytes, seconds) = match &record.content {
        Some(content) => (render::bytes(content.bytes), Seconds(record.seconds).to_string()),
        None => (String::new(), String::new()),
    };
    write!(output, "{style}{:<10}{style:#}  {bytes:>8}  {seconds:>8}  {url}", done.label)?;
    // Compared after normalization: a trailing slash and the case of the host make no difference.
    let is_elsewhere =
        record.requested_url.parse::<url::Url>().is_ok_and(|url| url.as_str() != record.final_url);
    if is_elsewhere && record.content.is_some() {
        write!(output, " {faint}=> {}{faint:#}", render::text(record.final_url.as_bytes()))?;
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
    Fetched(result::Report<'static>),
    Planned(dry::Row<'static>),
}

pub(crate) const SCHEMA: RowSchema =
    RowSchema::new::<Row>("fetch", "a line of `comity fetch`, and of its --report");
