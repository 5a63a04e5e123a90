//! Progress of the job.

use crate::counter::Counter;
use crate::error::LogsError;
use crate::git::UnreadableVersion;
use crate::summary::LogsSummary;

/// An event of a job that goes on.
#[derive(Debug)]
#[non_exhaustive]
pub enum LogsEvent<'a> {
    /// More lines were read, or a log that grows was looked at.
    Progress(LogsProgress<'a>),
    /// A log that grows cannot be read. It is tried again.
    Unreadable(&'a LogsError),
    /// The log with this name can be read again.
    Readable(&'a str),
    /// The log with this name became shorter or begins with other bytes. It is read from its beginning.
    Truncated(&'a str),
    /// Versions of robots.txt cannot be read. Requests under such versions are judged as unknown.
    UnreadableVersions(&'a [UnreadableVersion]),
}

/// The counts of a job that goes on.
#[derive(Debug)]
pub struct LogsProgress<'a>(pub(crate) &'a Counter);

impl LogsProgress<'_> {
    /// Returns the number of lines that were read.
    pub fn lines(&self) -> u64 {
        self.0.lines()
    }

    /// Returns the summary of these lines.
    pub fn summary(&self) -> LogsSummary {
        self.0.summary()
    }
}
