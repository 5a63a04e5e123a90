//! The result of a wait: a turn, or an error if the wait would be too long.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::OwnedSemaphorePermit;

use super::holder::Holder;
use super::interval::IntervalReason;
use super::lanes::Lane;
use crate::store::{self, StoreError};
use crate::{Moment, Origin};

/// The permission to send one request now. It holds one of the permits of the origin until it is dropped. Drop it after
/// the body has been read or abandoned.
#[derive(Debug)]
#[must_use = "the next request to the origin may begin when the turn is dropped"]
pub struct Turn {
    pub(super) wait: Wait,
    /// Start of the turn.
    pub(super) begun: Moment,
    /// The origin under which the pace is stored, and the lane.
    pub(super) key: (Origin, store::Lane),
    pub(super) interval: Duration,
    /// Time after a request for robots.txt during which page requests are held; zero if the request is for a page.
    pub(super) page_hold: Duration,
    pub(super) _permit: OwnedSemaphorePermit,
    /// The entry among the holders of permits.
    pub(super) holder: Arc<Holder>,
    /// Keeps the lane, with its permits, alive.
    pub(super) lane: Arc<Lane>,
}

impl Turn {
    /// Returns the length of the wait, and its reason.
    pub fn wait(&self) -> Wait {
        self.wait
    }

    /// Sets the URL without credentials, and the call that has to release the permit.
    pub(crate) fn describe(&self, url: String, call: Cow<'static, str>) {
        self.holder.describe(url, call);
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
/// Its JSON fields are `duration_seconds`, `reason` and `late_seconds`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "WaitLength"))]
#[non_exhaustive]
pub struct Wait {
    /// The length of the wait.
    #[serde(rename = "duration_seconds", with = "crate::seconds")]
    #[cfg_attr(feature = "schema", schemars(with = "f64"))]
    pub duration: Duration,
    /// The reason for most of the wait, as far as this process knows; null if there was no wait.
    pub reason: Option<WaitReason>,
    /// The time from the start of the slot to the start of the request, if it exceeds the window of a slot even after
    /// new slots. The interval to a request of another process may be shorter by this time.
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
    pub enum WaitReason as "reason for a wait" {
        /// Other requests of this process to the origin are in flight.
        Concurrency = "concurrency" => "requests in flight",
        /// The configured interval.
        Configured = "configured" => "the configured interval",
        /// The interval in `Crawl-delay`.
        CrawlDelay = "crawl_delay" => "its Crawl-delay",
        /// The interval in `Request-rate`.
        RequestRate = "request_rate" => "its Request-rate",
        /// An answer with `Retry-After`.
        RetryAfter = "retry_after" => "its Retry-After",
        /// The robots.txt of the origin: another task is requesting it, or its request waits for a turn.
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

/// The error for a turn that is further off than the caller's maximum wait. No slot was reserved.
///
/// Its JSON fields are `origin`, `needed_seconds`, `allowed_seconds` and `reason`.
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
    /// Minimum total wait that would be needed; `None` if it depends on requests in flight.
    #[serde(rename = "needed_seconds", with = "crate::seconds::option")]
    pub needed: Option<Duration>,
    /// The maximum wait of the caller.
    #[serde(rename = "allowed_seconds", with = "crate::seconds")]
    pub allowed: Duration,
    /// The reason for the wait, from the local state of this process.
    pub reason: WaitReason,
}

/// Returns the length of a wait, for messages.
fn wait_text(needed: Option<Duration>) -> String {
    needed.map_or("longer".to_owned(), |needed| format!("{:.1} s", needed.as_secs_f64()))
}

/// The error of a wait without a turn.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PaceError {
    /// The wait would be too long.
    #[error(transparent)]
    TooLong(#[from] TooLong),
    /// The store failed, so the time of the next slot is unknown.
    #[error(transparent)]
    Store(#[from] StoreError),
}
