//! How far a crawl has come.

use std::sync::Arc;

use super::Jobs;

/// How far a crawl has come, in URLs. Those that were taken from the source are `queued`, `waiting`, `under_way`, `done`
/// or `failed`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct Progress {
    /// Those whose fetch has not begun.
    pub queued: usize,
    /// Those whose fetch has begun and waits, for the turn at an origin, for somebody else's request for robots.txt, or
    /// before a retry. They hold no job.
    pub waiting: usize,
    /// Those that are at work.
    pub under_way: usize,
    /// Those that led to a page.
    pub done: u64,
    /// Those that led to an error.
    pub failed: u64,
    /// How many of `done` and `failed` are not taken yet.
    pub ready: usize,
}

impl Progress {
    /// How many URLs were taken from the source.
    pub fn pulled(&self) -> u64 {
        let open = self.queued.saturating_add(self.waiting).saturating_add(self.under_way);
        self.done.saturating_add(self.failed).saturating_add(u64::try_from(open).unwrap_or(u64::MAX))
    }

    /// How many results were taken.
    pub fn taken(&self) -> u64 {
        let ready = u64::try_from(self.ready).unwrap_or(u64::MAX);
        self.done.saturating_add(self.failed).saturating_sub(ready)
    }
}

/// Tells how far a crawl has come, from any thread and after its end.
#[derive(Clone, Debug)]
pub struct Watch {
    pub(crate) jobs: Arc<Jobs>,
}

impl Watch {
    /// How far the crawl has come now.
    pub fn progress(&self) -> Progress {
        self.jobs.progress()
    }
}
