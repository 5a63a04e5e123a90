//! Progress events of a job.

use crate::counter::Counter;
use crate::error::LogsError;
use crate::git::UnreadableVersion;
use crate::summary::LogsSummary;

/// An event of a running job.
#[derive(Debug)]
#[non_exhaustive]
pub enum LogsEvent<'a> {
    /// Lines were read, or a growing log was checked for new lines.
    Progress(LogsProgress<'a>),
    /// A growing log cannot be read. Reading is retried.
    Unreadable(&'a LogsError),
    /// The log with this name is readable again.
    Readable(&'a str),
    /// The log with this name became shorter or begins with other bytes. It is read again from its beginning.
    Truncated(&'a str),
    /// Some versions of robots.txt cannot be read. Requests in their periods count as unknown.
    UnreadableVersions(&'a [UnreadableVersion]),
}

/// The counts of a running job.
#[derive(Debug)]
pub struct LogsProgress<'a>(pub(crate) &'a Counter);

impl LogsProgress<'_> {
    /// Returns the number of lines read so far.
    pub fn lines(&self) -> u64 {
        self.0.lines()
    }

    /// Returns a summary of the lines read so far.
    pub fn summary(&self) -> LogsSummary {
        self.0.summary()
    }
}
