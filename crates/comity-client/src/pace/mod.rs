//! When the next request to an origin may begin.
//!
//! A request waits for its turn: first for one of the origin's permits (how many requests are under way at once), then
//! for a slot that the [`Store`] hands out (how far apart they begin). An [`Interval`] says how far, a [`RetryAfter`]
//! that nobody comes at all for a while.
//!
//! # What is promised
//!
//! "Begin" is when [`Pace::enter`] is done.
//!
//! - **Within a process**, whatever the concurrency and however late tasks are woken: no begin is closer to the one
//!   before than its interval, and none is within a `Retry-After` that this process has seen, even if its slot was taken
//!   before.
//! - **Across processes that share a store**: the same, as long as requests begin on time. Slots are apart by the
//!   interval and [`PaceConfig::slack`]; a request that comes later than the slack lets its slot go and takes another, so
//!   that begins are never closer than the interval. Only one that is late three times in a row (a store that takes
//!   longer than the slack to answer, a machine that cannot keep up) begins nevertheless: it then tells the store, so
//!   that slots yet to be taken keep their distance, and says so in [`Wait::late`]. Whoever had a slot already when a
//!   `Retry-After` came to another process still uses it.
//!
//! Slots that are not used, because the wait was cancelled or came too late, leave a gap. Nobody ever moves up.

use std::sync::Arc;
use std::time::Duration;

use crate::store::{Store, StoreError};
use crate::{Clock, Origin};

mod config;
mod interval;
mod lanes;
mod retry_after;
mod turn;
mod waiting;

use lanes::Lanes;
use waiting::Waiting;

pub use config::PaceConfig;
pub use interval::{Interval, IntervalReason};
pub use retry_after::RetryAfter;
pub use turn::{PaceError, TooLong, Turn, Wait, WaitReason};

/// Timers go by the millisecond and are up to two late.
const LEAST_SLACK: Duration = Duration::from_millis(5);

/// Gives requests their turn. See the [module](self).
#[derive(Debug)]
pub struct Pace {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    lanes: Lanes,
    slack: Duration,
}

impl Pace {
    /// A pace that all who share the store keep together.
    pub fn new(store: Arc<dyn Store>, clock: Arc<dyn Clock>, config: &PaceConfig) -> Self {
        Pace { store, clock, lanes: Lanes::new(config.concurrency), slack: config.slack.max(LEAST_SLACK) }
    }

    /// Waits until the next request to an origin may begin, but no longer than `max_wait`. Dropping the future ends the
    /// wait and gives back what it had, save its slot.
    ///
    /// # Errors
    ///
    /// [`PaceError::TooLong`] if the turn is further off than `max_wait`, which is known at once, save for permits; no
    /// slot is taken then. [`PaceError::Store`] if the store fails: the request must not begin.
    pub async fn enter(
        &self,
        origin: &Origin,
        interval: &Interval,
        max_wait: Duration,
    ) -> Result<Turn, PaceError> {
        let lane = self.lanes.of(origin, self.clock.now());
        let mut waiting = Waiting::new(self, origin, &lane, interval, max_wait);
        let permit = waiting.permit().await?;
        let queued = waiting.spent();
        let late = waiting.slot().await?;

        let wait = Wait { duration: waiting.spent(), reason: waiting.reason(queued), late };
        if let Some(reason) = wait.reason {
            tracing::debug!(%origin, duration = ?wait.duration, %reason, "waited");
        }
        Ok(Turn { wait, _permit: permit, _lane: lane })
    }

    /// Keeps every request to an origin back: what an answer that just came asks for.
    ///
    /// # Errors
    ///
    /// If the store fails. This process keeps away nevertheless.
    pub async fn hold(&self, origin: &Origin, retry_after: &RetryAfter) -> Result<(), StoreError> {
        let now = self.clock.now();
        self.lanes.of(origin, now).hold(retry_after.duration, now);
        tracing::debug!(%origin, duration = ?retry_after.duration, asked = ?retry_after.asked, "held by Retry-After");
        self.store.hold(origin, retry_after.duration, now).await
    }
}
