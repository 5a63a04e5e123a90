//! A running job: its counts, observer and cancellation token.

use std::time::{Duration, Instant};

use comity_formats::ArchiveError;
use comity_formats::logs::{LogLine, LogLines, LogReader, NextLine};
use tokio_util::sync::CancellationToken;

use crate::counter::Counter;
use crate::event::{LogsEvent, LogsProgress};
use crate::summary::LogsSummary;

/// Number of lines between two progress events.
const LINES_PER_EVENT: u64 = 256;

/// Minimum time between two reads of robots.txt.
const REFRESH: Duration = Duration::from_secs(1);

/// A running job.
pub(crate) struct Job<'a> {
    counter: Counter,
    observer: &'a mut dyn FnMut(LogsEvent<'_>),
    cancel: &'a CancellationToken,
    /// The time of the last read of robots.txt.
    refreshed: Instant,
}

impl<'a> Job<'a> {
    pub(crate) fn new(
        counter: Counter,
        observer: &'a mut dyn FnMut(LogsEvent<'_>),
        cancel: &'a CancellationToken,
    ) -> Job<'a> {
        Job { counter, observer, cancel, refreshed: Instant::now() }
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancel.is_cancelled()
    }

    /// Counts lines up to the end of a log, or up to the current end of a growing log. Stops when the job is cancelled. Returns
    /// true if there was a line.
    pub(crate) fn count_lines(
        &mut self,
        lines: &mut LogLines,
        reader: &mut LogReader,
    ) -> Result<bool, ArchiveError> {
        let mut has_lines = false;
        while !self.is_cancelled() {
            match lines.next()? {
                NextLine::End => break,
                NextLine::TooLong => self.counter.add(LogLine::Damaged, b"a line of more than 64 KiB"),
                NextLine::Line(line) => self.counter.add(reader.read(line), line),
            }
            has_lines = true;
            if self.counter.lines().is_multiple_of(LINES_PER_EVENT) {
                self.report_progress();
            }
        }
        Ok(has_lines)
    }

    /// Reports the counts so far. Before that, reads robots.txt again, at most once a second.
    pub(crate) fn report_progress(&mut self) {
        if self.refreshed.elapsed() >= REFRESH {
            self.refreshed = Instant::now();
            self.counter.refresh_robots();
        }
        self.counter.count_resolved();
        (self.observer)(LogsEvent::Progress(LogsProgress(&self.counter)));
    }

    pub(crate) fn report(&mut self, event: LogsEvent<'_>) {
        (self.observer)(event);
    }

    /// Waits for pending look-ups of names, unless the job is cancelled. Returns the summary.
    pub(crate) fn finish(mut self) -> LogsSummary {
        while !self.is_cancelled() && self.counter.wait_for_names() {}
        self.counter.abandon_names();
        LogsSummary { is_cancelled: self.cancel.is_cancelled(), ..self.counter.summary() }
    }
}
