//! One wait for a turn.
//!
//! The one idea to know: a slot is a time, but what must keep its distance is the begin, and a task may be woken late. So
//! slots are asked for with some slack between them, and who comes later than the slack does not begin but asks for
//! another slot, behind all that others have already.

use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use futures_util::future::{Either, select};
use tokio::sync::{AcquireError, OwnedSemaphorePermit};

use super::lanes::{Lane, Rest};
use super::turn::{PaceError, TooLong, WaitReason};
use super::{Interval, Pace};
use crate::Origin;
use crate::store::Slot;

/// For how many slots a request may come too late before it begins late.
const SLOTS: u32 = 3;

/// Somebody who waits.
#[derive(Debug)]
pub(super) struct Waiting<'a> {
    pace: &'a Pace,
    origin: &'a Origin,
    lane: &'a Arc<Lane>,
    interval: &'a Interval,
    max_wait: Duration,
    since: SystemTime,
    /// What keeps it back is `Retry-After`, not the interval.
    is_held: bool,
}

impl<'a> Waiting<'a> {
    pub(super) fn new(
        pace: &'a Pace,
        origin: &'a Origin,
        lane: &'a Arc<Lane>,
        interval: &'a Interval,
        max_wait: Duration,
    ) -> Self {
        Waiting { pace, origin, lane, interval, max_wait, since: pace.clock.now(), is_held: false }
    }

    /// How long it has been so far.
    pub(super) fn spent(&self) -> Duration {
        self.since(self.since)
    }

    /// What most of the wait was for, of which `queued` was for a permit.
    pub(super) fn reason(&self, queued: Duration) -> Option<WaitReason> {
        let spent = self.spent();
        match spent.saturating_sub(queued) {
            _ if spent.is_zero() => None,
            slot if slot < queued => Some(WaitReason::Concurrency),
            _ => Some(self.slot_reason()),
        }
    }

    fn slot_reason(&self) -> WaitReason {
        if self.is_held { WaitReason::RetryAfter } else { self.interval.reason.into() }
    }

    /// Waits for one of the origin's permits; they are given in the order in which they are asked for.
    pub(super) async fn permit(&self) -> Result<OwnedSemaphorePermit, PaceError> {
        let permits = &self.lane.permits;
        if let Ok(permit) = Arc::clone(permits).try_acquire_owned() {
            return Ok(permit);
        }
        let permit = pin!(Arc::clone(permits).acquire_owned());
        match select(permit, self.pace.clock.sleep(self.max_wait)).await {
            Either::Left((permit, _)) => Ok(never_closed(permit)),
            Either::Right(_) => Err(self.too_long(None, WaitReason::Concurrency)),
        }
    }

    /// Waits for a slot, and begins. Says how late, if that is later than it should be.
    pub(super) async fn slot(&mut self) -> Result<Option<Duration>, PaceError> {
        let mut late = Duration::ZERO;
        for _ in 0..SLOTS {
            late = self.take_slot().await?;
            if late > self.pace.slack && !self.interval.duration.is_zero() {
                tracing::debug!(origin = %self.origin, ?late, "came too late for its slot");
                continue;
            }
            match self.begin() {
                Ok(()) => return Ok(None),
                Err(rest) => tracing::debug!(origin = %self.origin, ?rest, "its slot is too early"),
            }
        }
        self.begin_late(late).await
    }

    /// Takes a slot and waits for it. Says how long ago it was, at most.
    async fn take_slot(&mut self) -> Result<Duration, PaceError> {
        let asked = self.pace.clock.now();
        let spent = self.spent();
        let left = self.max_wait.saturating_sub(spent);
        self.is_held = !self.lane.held(asked).is_zero();
        let wait = match self.pace.store.reserve(self.origin, self.spacing(), left, asked).await? {
            Slot::Taken(wait) => wait,
            Slot::TooFar(wait) => {
                return Err(self.too_long(Some(spent.saturating_add(wait)), self.slot_reason()));
            }
        };
        if !wait.is_zero() {
            self.pace.clock.sleep(wait).await;
        }
        // A slot is that long after the store was asked or after it answered, or between: the answer does not say.
        Ok(self.since(asked).saturating_sub(wait))
    }

    /// Begins though it is late, as soon as this process may. Before, it sees to it that no slot is handed out any more
    /// that is too close.
    async fn begin_late(&mut self, late: Duration) -> Result<Option<Duration>, PaceError> {
        let missed = self.pace.clock.now();
        loop {
            self.pace.store.hold(self.origin, self.spacing(), self.pace.clock.now()).await?;
            let Err(rest) = self.begin() else { break };
            let needed = self.spent().saturating_add(rest.duration());
            if needed > self.max_wait {
                return Err(self.too_long(Some(needed), self.slot_reason()));
            }
            self.pace.clock.sleep(rest.duration()).await;
        }
        let late = late.saturating_add(self.since(missed));
        tracing::warn!(origin = %self.origin, ?late, "begins after its slot; `slack_seconds` may be too small");
        Ok((late > self.pace.slack).then_some(late))
    }

    fn begin(&mut self) -> Result<(), Rest> {
        let begun = self.lane.begin(self.interval.duration, self.pace.clock.now());
        self.is_held |= matches!(begun, Err(Rest::Held(_)));
        begun
    }

    /// How far apart slots are: whoever had the one before may begin later by the slack.
    fn spacing(&self) -> Duration {
        match self.interval.duration {
            Duration::ZERO => Duration::ZERO,
            interval => interval.saturating_add(self.pace.slack),
        }
    }

    /// None if the clock was set back.
    fn since(&self, time: SystemTime) -> Duration {
        self.pace.clock.now().duration_since(time).unwrap_or_default()
    }

    fn too_long(&self, needed: Option<Duration>, reason: WaitReason) -> PaceError {
        let origin = self.origin.clone();
        TooLong { origin, needed, allowed: self.max_wait, reason }.into()
    }
}

#[allow(clippy::unwrap_used, reason = "nobody closes the semaphore of a lane")]
fn never_closed(permit: Result<OwnedSemaphorePermit, AcquireError>) -> OwnedSemaphorePermit {
    permit.unwrap()
}
