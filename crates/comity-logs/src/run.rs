//! Runs a log analysis on complete logs, or follows growing logs.

use std::time::Duration;

use comity_formats::logs::LogLines;
use tokio_util::sync::CancellationToken;

use crate::counter::Counter;
use crate::error::{LogsError, shown_path};
use crate::event::LogsEvent;
use crate::history::History;
use crate::input::{self, Input};
use crate::job::Job;
use crate::request::{LogFormat, LogsRequest, RobotsSource};
use crate::stream::Stream;
use crate::summary::LogsSummary;
use crate::tail::Tails;

/// Time between two checks of logs without new lines.
const PAUSE: Duration = Duration::from_millis(250);

/// Reads logs, and decides the requests of crawlers by the robots.txt in force at the time of each request.
///
/// `observer` receives an event after every 256 lines, after each check of growing logs, and when the state of a
/// growing log changes. After cancellation, the function returns the counts so far. The function blocks. It checks for
/// cancellation before each line, and while it waits for lines of followed logs. It cannot cancel a read of another
/// log, or a look-up of a name.
///
/// # Errors
///
/// Returns [`LogsError`] if the format is invalid, if a log or a robots.txt cannot be read, or if all logs to be followed are
/// compressed.
pub fn run(
    mut request: LogsRequest,
    observer: &mut dyn FnMut(LogsEvent<'_>),
    cancel: &CancellationToken,
) -> Result<LogsSummary, LogsError> {
    let (format, follows) = (std::mem::take(&mut request.format), request.follows);
    // Rejects an invalid format before any log is opened.
    input::reader(&format)?;
    let mut robots = std::mem::replace(&mut request.robots, RobotsSource::text("", ""));
    if let (RobotsSource::Text { file, .. }, false) = (&mut robots, follows) {
        *file = None;
    }
    let history = History::new(robots, request.dialect)?;
    if !history.unreadable().is_empty() {
        observer(LogsEvent::UnreadableVersions(history.unreadable()));
    }
    let logs = input::in_order(std::mem::take(&mut request.logs), &format)?;
    let mut job = Job::new(Counter::new(request, history), observer, cancel);
    if follows {
        follow(logs, &format, &mut job)?;
    } else {
        for log in logs {
            if job.is_cancelled() {
                break;
            }
            job.count_lines(&mut log.lines()?, &mut input::reader(&format)?)?;
        }
    }
    Ok(job.finish())
}

/// Follows logs until the job is cancelled. If no log is a growing file, also returns when all streams have ended.
fn follow(logs: Vec<Input>, format: &LogFormat, job: &mut Job<'_>) -> Result<(), LogsError> {
    let mut tails = Tails::new(format);
    let mut streams = Vec::new();
    for log in logs {
        match log {
            Input::File(file) => {
                let (path, handle) = file.open()?;
                match input::may_grow(handle.as_file()).map_err(|error| LogsError::read(&path, error))? {
                    true => tails.add(path, handle)?,
                    false => {
                        let mut lines = LogLines::new(input::lines_input(&path, handle.as_file())?)?;
                        job.count_lines(&mut lines, &mut input::reader(format)?)?;
                    }
                }
            }
            Input::Pipe(path) => {
                let name = shown_path(&path);
                let open = move || Ok(Box::new(std::fs::File::open(path)?) as _);
                streams.push((Stream::start(name, open), input::reader(format)?));
            }
            Input::Stream { name, bytes } => {
                streams.push((Stream::start(name, || Ok(bytes)), input::reader(format)?));
            }
        }
    }
    if tails.is_empty() && streams.is_empty() {
        return Err(LogsError::NothingGrows);
    }
    while !job.is_cancelled() {
        let mut has_lines = tails.read(job)?;
        let mut open = Vec::new();
        for (mut stream, mut reader) in streams {
            let end = stream.end();
            has_lines |= job.count_lines(&mut stream.lines, &mut reader)?;
            match end {
                None => open.push((stream, reader)),
                Some(end) => {
                    end?;
                    stream.lines.end();
                    job.count_lines(&mut stream.lines, &mut reader)?;
                }
            }
        }
        streams = open;
        job.report_progress();
        if tails.is_empty() && streams.is_empty() {
            break;
        }
        if !has_lines && !job.is_cancelled() {
            std::thread::sleep(PAUSE);
        }
    }
    Ok(())
}
