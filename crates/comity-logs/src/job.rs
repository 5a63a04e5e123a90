//! A job that goes on: its counts, its observer, its cancellation.

use std::time::{Duration, Instant};

use comity_formats::ArchiveError;
use comity_formats::logs::{LogLine, LogLines, LogReader, NextLine};
use tokio_util::sync::CancellationToken;

use crate::counter::Counter;
use crate::event::{LogsEvent, LogsProgress};
use crate::summary::LogsSummary;

/// Number of lines between two events.
const STRIDE: u64 = 256;

/// Minimum time between two readings of robots.txt.
const REFRESH: Duration = Duration::from_secs(1);

pub(crate) struct Job<'a> {
    counter: Counter,
    observer: &'a mut dyn FnMut(LogsEvent<'_>),
    cancel: &'a CancellationToken,
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

    /// Reads lines up to the end, or up to the end for now of a log that grows, unless the job is cancelled. Returns true if there
    /// was any line.
    pub(crate) fn drain(
        &mut self,
        lines: &mut LogLines,
        reader: &mut LogReader,
    ) -> Result<bool, ArchiveError> {
        let mut is_any = false;
        while !self.is_cancelled() {
            match lines.next()? {
                NextLine::End => break,
                NextLine::TooLong => self.counter.take(LogLine::Damaged),
                NextLine::Line(line) => self.counter.take(reader.read(line)),
            }
            is_any = true;
            if self.counter.lines().is_multiple_of(STRIDE) {
                self.report_progress();
            }
        }
        Ok(is_any)
    }

    /// Reports the counts so far, by the robots.txt of now.
    pub(crate) fn report_progress(&mut self) {
        if self.refreshed.elapsed() >= REFRESH {
            self.refreshed = Instant::now();
            self.counter.refresh_robots();
        }
        self.counter.settle();
        (self.observer)(LogsEvent::Progress(LogsProgress(&self.counter)));
    }

    pub(crate) fn report(&mut self, event: LogsEvent<'_>) {
        (self.observer)(event);
    }

    /// Waits for names of addresses unless the job is cancelled, and returns the counts.
    pub(crate) fn finish(mut self) -> LogsSummary {
        while !self.is_cancelled() && self.counter.wait_for_names() {}
        self.counter.abandon_names();
        LogsSummary { is_cancelled: self.cancel.is_cancelled(), ..self.counter.summary() }
    }
}
