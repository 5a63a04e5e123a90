//! The progress of a crawl.

use std::sync::Arc;

use super::Jobs;

/// The progress of a crawl, in URLs. Each URL that was taken from the source is `queued`, `waiting`, `under_way`,
/// `done` or `failed`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct Progress {
    /// URLs whose fetch has not begun.
    pub queued: usize,
    /// URLs whose fetch has begun and waits for the turn at an origin, for another task's request for robots.txt, or
    /// for a retry. They hold no job.
    pub waiting: usize,
    /// URLs whose fetch is at work.
    pub under_way: usize,
    /// URLs that led to a page.
    pub done: u64,
    /// URLs that led to an error.
    pub failed: u64,
    /// How many results of `done` and `failed` were not taken yet.
    pub ready: usize,
}

impl Progress {
    /// Returns how many URLs were taken from the source.
    pub fn pulled(&self) -> u64 {
        let open = self.queued.saturating_add(self.waiting).saturating_add(self.under_way);
        self.done.saturating_add(self.failed).saturating_add(u64::try_from(open).unwrap_or(u64::MAX))
    }

    /// Returns how many results were taken.
    pub fn taken(&self) -> u64 {
        let ready = u64::try_from(self.ready).unwrap_or(u64::MAX);
        self.done.saturating_add(self.failed).saturating_sub(ready)
    }
}

/// Tells the progress of a crawl, from any thread and after its end.
#[derive(Clone, Debug)]
pub struct Watch {
    pub(crate) jobs: Arc<Jobs>,
}

impl Watch {
    /// Returns the progress now.
    pub fn progress(&self) -> Progress {
        self.jobs.progress()
    }
}
