//! The results of waiting: a turn, or an error if the wait would be too long.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::OwnedSemaphorePermit;

use super::interval::IntervalReason;
use super::lanes::{HolderEntry, Lane};
use crate::store::{self, StoreError};
use crate::{Moment, Origin};

/// The right to make one request now. It holds one of the origin's permits until it is dropped. Drop it when the body
/// has been read or abandoned.
#[derive(Debug)]
#[must_use = "the next request to the origin may begin when the turn is dropped"]
pub struct Turn {
    pub(super) wait: Wait,
    /// Start of the turn.
    pub(super) begun: Moment,
    /// The origin under which the pace is stored, and the lane.
    pub(super) key: (Origin, store::Lane),
    pub(super) interval: Duration,
    /// Distance of the next page from a robots.txt request; zero if the request is for a page.
    pub(super) page_hold: Duration,
    pub(super) _permit: OwnedSemaphorePermit,
    /// Keeps the lane, with its permits, alive.
    pub(super) lane: Arc<Lane>,
}

impl Turn {
    /// Returns the length of the wait, and its reason.
    pub fn wait(&self) -> Wait {
        self.wait
    }

    /// Names the call that holds the turn in the log of requests that wait for it, until the entry is dropped.
    pub(crate) fn hold_for(&self, call: String, url: String) -> HolderEntry {
        self.lane.hold_for(call, url)
    }

    /// Returns the length of the wait.
    pub fn waited(&self) -> Duration {
        self.wait.duration
    }

    /// Returns the reason for most of the wait, or `None` if there was no wait.
    pub fn reason(&self) -> Option<WaitReason> {
        self.wait.reason
    }
}

/// A wait for a turn.
///
/// As JSON it has the fields `duration_seconds`, `reason` and `late_seconds`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "WaitLength"))]
#[non_exhaustive]
pub struct Wait {
    /// The length of the wait.
    #[serde(rename = "duration_seconds", with = "crate::seconds")]
    #[cfg_attr(feature = "schema", schemars(with = "f64"))]
    pub duration: Duration,
    /// The reason for most of it, as far as this process knows; null if there was no wait.
    pub reason: Option<WaitReason>,
    /// The time after its slot at which the request begins, if that is more than the setting `slack` and other
    /// slots did not help. A request of another process may be that much closer.
    #[serde(rename = "late_seconds", with = "crate::seconds::option")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<f64>"))]
    pub late: Option<Duration>,
}

comity::words! {
    /// The reason for a wait.
    #[derive(serde::Serialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
    #[serde(rename_all = "snake_case")]
    #[non_exhaustive]
    pub enum WaitReason {
        /// Other requests of this process to the origin are in flight.
        Concurrency = "concurrency" => "requests in flight",
        /// The configured interval.
        Configured = "configured" => "the configured interval",
        /// The interval that `Crawl-delay` asks for.
        CrawlDelay = "crawl_delay" => "its Crawl-delay",
        /// The interval that `Request-rate` asks for.
        RequestRate = "request_rate" => "its Request-rate",
        /// An answer with `Retry-After`.
        RetryAfter = "retry_after" => "its Retry-After",
        /// The robots.txt of the origin: another task requests it, or it waits for its own turn.
        RobotsTxt = "robots_txt" => "its robots.txt",
    }
}

impl From<IntervalReason> for WaitReason {
    fn from(reason: IntervalReason) -> Self {
        match reason {
            IntervalReason::Configured => WaitReason::Configured,
            IntervalReason::CrawlDelay => WaitReason::CrawlDelay,
            IntervalReason::RequestRate => WaitReason::RequestRate,
        }
    }
}

/// The error for a turn that is further off than the longest wait of the caller. No slot was taken.
///
/// As JSON it has the fields `origin`, `needed_seconds`, `allowed_seconds` and `reason`.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, thiserror::Error)]
#[error(
    "{origin}: waiting for {} takes {}, but at most {:.1} s are allowed; allow a longer wait, or retry later",
    reason.label(),
    wait_text(*needed),
    allowed.as_secs_f64()
)]
#[non_exhaustive]
pub struct TooLong {
    /// The origin.
    pub origin: Origin,
    /// Minimum wait that would have been needed in total; `None` if it depends on requests in flight.
    #[serde(rename = "needed_seconds", with = "crate::seconds::option")]
    pub needed: Option<Duration>,
    /// The longest wait that was allowed.
    #[serde(rename = "allowed_seconds", with = "crate::seconds")]
    pub allowed: Duration,
    /// The reason for the wait, from the local state of this process.
    pub reason: WaitReason,
}

/// Returns the length of a wait, for messages.
fn wait_text(needed: Option<Duration>) -> String {
    needed.map_or("longer".to_owned(), |needed| format!("{:.1} s", needed.as_secs_f64()))
}

/// The reason why there is no turn.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PaceError {
    /// The wait would be too long.
    #[error(transparent)]
    TooLong(TooLong),
    /// The store failed, so the time of the next request is unknown.
    #[error(transparent)]
    Store(StoreError),
}

impl From<TooLong> for PaceError {
    fn from(error: TooLong) -> Self {
        PaceError::TooLong(error)
    }
}

impl From<StoreError> for PaceError {
    fn from(error: StoreError) -> Self {
        PaceError::Store(error)
    }
}
