//! Shows the progress of the job: a bar, or with `--follow` the report so far.
//!
//! On a terminal, the report is redrawn in place. `--format json` prints the row of a crawler again when its counts
//! have changed. `--output` replaces the report file atomically.

use std::collections::BTreeMap;
use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use comity_logs::{LogsEvent, LogsProgress, LogsSummary, UnreadableVersion};
use indicatif::HumanCount;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::request::REPAIR;
use super::text::{self, Look};
use super::{LogsArgs, to_file, uncounted};
use crate::exit::Failure;
use crate::output::{Output, Progress};
use crate::render;
use crate::signals;

/// Time between two redraws of the report on a terminal.
const GLANCE: Duration = Duration::from_secs(1);

/// Maximum number of unreadable versions that are reported individually.
const MAX_REPORTED: usize = 5;

/// Observer of the job.
pub(super) struct Watch<'a> {
    args: &'a LogsArgs,
    cancel: &'a CancellationToken,
    output: &'a mut Output,
    /// The progress bar, or with `--follow` the report that is redrawn in place. `None` if the report has no terminal, or
    /// if rows scroll on it.
    board: Option<Progress>,
    /// The last printed row of each crawler and identity.
    printed: BTreeMap<(String, &'static str), String>,
    glanced: Option<Instant>,
    reported: Option<Instant>,
    lines_reported: u64,
    /// True after the note about requests that count only in the totals was printed.
    has_noted_uncounted: bool,
    failure: Option<Failure>,
    /// While it exists, signals cancel the job.
    _signals: Option<DropGuard>,
}

impl<'a> Watch<'a> {
    /// Creates an observer. With `--follow`, the first SIGINT or SIGTERM from now on cancels the job.
    pub(super) fn new(
        args: &'a LogsArgs,
        cancel: &'a CancellationToken,
        output: &'a mut Output,
    ) -> Result<Self, Failure> {
        // Scrolling rows and a report that is redrawn in place cannot share a terminal.
        let is_scrolling = args.format.is_json() && args.output.is_none() && output.is_terminal;
        let board = match args.follow {
            true => (!is_scrolling && io::stderr().is_terminal()).then(|| output.board()),
            false => Some(output.progress(None, "lines")),
        };
        let signals = if args.follow { Some(signals::cancel_on_signal(cancel)?) } else { None };
        Ok(Watch {
            args,
            cancel,
            output,
            board,
            printed: BTreeMap::new(),
            glanced: None,
            reported: None,
            lines_reported: 0,
            has_noted_uncounted: false,
            failure: None,
            _signals: signals,
        })
    }

    /// Handles an event. An error while writing cancels the job.
    pub(super) fn take(&mut self, event: LogsEvent<'_>) {
        match event {
            LogsEvent::Progress(progress) if self.args.follow => {
                if let Err(failure) = self.follow(&progress) {
                    self.failure.get_or_insert(failure);
                    self.cancel.cancel();
                }
            }
            LogsEvent::Progress(progress) => self.board.iter().for_each(|bar| bar.at(progress.lines())),
            LogsEvent::Unreadable(error) => self.note(&format!("{error}; the read is retried")),
            LogsEvent::Readable(name) => self.note(&format!("{name} can be read again")),
            LogsEvent::Truncated(name) => {
                self.note(&format!("{name} was truncated, and is read from its beginning"));
            }
            LogsEvent::UnreadableVersions(versions) => self.report_unreadable(versions),
            _ => {}
        }
    }

    /// Prints the last changed rows. Returns the error that cancelled the job, if any.
    pub(super) fn finish(mut self, summary: &LogsSummary) -> Result<(), Failure> {
        match self.failure.take() {
            Some(failure) => Err(failure),
            None if self.args.follow && self.args.output.is_none() => self.report(summary),
            None => Ok(()),
        }
    }

    fn note(&mut self, message: &str) {
        let output = &mut *self.output;
        match &self.board {
            Some(board) => board.hide_while(|| output.note(message)),
            None => output.note(message),
        }
    }

    fn report_unreadable(&mut self, versions: &[UnreadableVersion]) {
        let path = self.args.robots.to_string_lossy();
        let shown = render::text(path.strip_prefix("git:").unwrap_or(&path).as_bytes()).into_owned();
        let mut problems = Vec::new();
        let mut older = None;
        for UnreadableVersion { commit, reason, .. } in versions {
            match commit {
                Some(commit) => problems.push(format!("cannot read `{shown}` of commit {commit}: {reason}")),
                None => older = Some(format!("cannot list older versions of `{shown}`: {reason}")),
            }
        }
        if problems.len() > MAX_REPORTED {
            let more = problems.split_off(MAX_REPORTED).len();
            problems.push(format!("cannot read `{shown}` of {more} more commits"));
        }
        problems.extend(older);
        let Some(last) = problems.pop() else { return };
        problems.iter().for_each(|problem| self.output.error(problem));
        let last = format!("{last}; requests while such a version was in force count as unknown");
        self.output.failure(&Failure::new(last).hint(REPAIR));
    }

    /// Shows and writes the new counts, if the interval has passed.
    fn follow(&mut self, progress: &LogsProgress<'_>) -> Result<(), Failure> {
        if self.glanced.is_none_or(|at| at.elapsed() >= GLANCE) {
            self.glanced = Some(Instant::now());
            let summary = progress.summary();
            if !self.has_noted_uncounted && summary.uncounted > 0 {
                self.has_noted_uncounted = true;
                self.note(&format!("{}; --follow continues", uncounted(&summary)));
            }
            self.show(&summary)?;
        }
        if self.reported.is_none_or(|at| at.elapsed() >= self.args.every) {
            self.reported = Some(Instant::now());
            if progress.lines() != self.lines_reported || progress.lines() == 0 {
                self.lines_reported = progress.lines();
                self.report(&progress.summary())?;
            }
        }
        Ok(())
    }

    /// Redraws the report in place.
    fn show(&mut self, summary: &LogsSummary) -> Result<(), Failure> {
        let Some(board) = &self.board else { return Ok(()) };
        let look = Look { palette: self.output.err_palette, width: self.output.width };
        let faint = look.palette.faint;
        let mut text = Vec::new();
        text::print(summary, self.args.all, look, &mut text)?;
        let text = String::from_utf8_lossy(&text);
        let lines = HumanCount(summary.lines.lines);
        board.show(&format!(
            "{faint}{lines} lines so far; Ctrl-C prints the whole report and ends{faint:#}\n{text}"
        ));
        Ok(())
    }

    /// Writes the report to the file, or prints the changed rows.
    fn report(&mut self, summary: &LogsSummary) -> Result<(), Failure> {
        if self.args.output.is_some() || !self.args.format.is_json() {
            return to_file(self.args, summary);
        }
        for row in &summary.rows {
            let text = serde_json::to_string(row)?;
            let printed = self.printed.entry((row.agent.clone(), row.identity.as_str())).or_default();
            if *printed != text {
                self.output.json_line(row)?;
                *printed = text;
            }
        }
        self.output.flush()
    }
}
