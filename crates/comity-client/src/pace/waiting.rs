//! The wait of one task for its turn.
//!
//! A slot is a window of time in which a request must begin. A task may wake late. If it wakes after the end of its
//! slot, its request would be too close to the next one. So the task does not begin its request, and gets a new slot
//! after all reserved slots.

use std::convert::Infallible;
use std::future::pending;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{Either, select};
use tokio::sync::OwnedSemaphorePermit;

use super::claim::Claim;
use super::first_slot::FirstSlot;
use super::holder::LONG_WAIT;
use super::lanes::{Lane, RemainingWait};
use super::turn::{PaceError, TooLong, Wait, WaitReason};
use super::{Interval, Pace};
use crate::job::{Job, OriginWait, never_closed};
use crate::store::{self, Slot, SlotRequest, SlotStatus, StoreError};
use crate::{Moment, Origin};

/// Number of slots that a request may miss before it begins late.
const MAX_MISSED_SLOTS: u32 = 3;

/// Minimum delay before another attempt after the store has reported that a slot is too far off.
const RETRY_DELAY: Duration = Duration::from_millis(50);

/// A task that waits for its turn.
#[derive(Debug)]
pub(super) struct TurnWait<'a> {
    pace: &'a Pace,
    job: &'a Job,
    origin: &'a Origin,
    kind: store::Lane,
    lane: &'a Arc<Lane>,
    interval: &'a Interval,
    /// Maximum wait of the caller.
    allowed: Duration,
    /// Maximum wait, extended by the maximum window of a slot. Without the extension, a URL that waits exactly the
    /// longest interval would be refused because of a few milliseconds.
    max_wait: Duration,
    /// The earlier wait of the job in the queue of its origin.
    before: OriginWait,
    /// Start of the wait. Waits for a job permit move it later, since the origin does not cause them.
    since: Moment,
    /// Length of the last wait for a job permit.
    job_wait: Duration,
    /// True if `Retry-After` is the reason for the wait, false if the interval is.
    is_held: bool,
    /// Time from the start of the slot during which page requests are held; zero for no hold.
    page_hold: Duration,
    /// True if the store has already added this hold.
    pub(super) is_page_held: bool,
    /// A slot that was reserved earlier, and the time at which it was requested.
    taken: Option<(Claim, Slot, Moment)>,
}

impl<'a> TurnWait<'a> {
    pub(super) fn new(
        pace: &'a Pace,
        job: &'a Job,
        (origin, kind): (&'a Origin, store::Lane),
        lane: &'a Arc<Lane>,
        interval: &'a Interval,
        (since, allowed): (Moment, Duration),
    ) -> Self {
        // The earlier wait in the queue was for a page, so it does not count for robots.txt.
        let before = if kind == store::Lane::Pages { job.take_waited() } else { OriginWait::default() };
        let job_wait = Duration::ZERO;
        TurnWait {
            page_hold: Duration::ZERO,
            is_page_held: false,
            taken: None,
            pace,
            job,
            origin,
            kind,
            lane,
            interval,
            allowed,
            max_wait: pace.with_slack(allowed),
            before,
            since,
            job_wait,
            is_held: before.is_held,
        }
    }

    /// Adds a hold: page requests wait for this time from the start of the slot.
    pub(super) fn holding_pages(self, page_hold: Duration) -> Self {
        TurnWait { page_hold, ..self }
    }

    /// Returns the length of the wait so far.
    fn spent(&self) -> Duration {
        self.spent_at(self.pace.clock.moment())
    }

    fn spent_at(&self, now: Moment) -> Duration {
        self.before.duration.saturating_add(now.since(self.since))
    }

    /// Awaits a future. The job releases its permit during the wait.
    async fn without_permit<T>(&mut self, wait: impl Future<Output = T>) -> T {
        self.job.pause();
        let value = wait.await;
        let done = self.pace.clock.moment();
        self.job.resume().await;
        self.job_wait = self.pace.clock.moment().since(done);
        self.since = self.since + self.job_wait;
        value
    }

    /// Returns the total wait. `queued` is the time spent waiting for a permit of the origin.
    pub(super) fn ended(&self, queued: Duration, late: Option<Duration>) -> Wait {
        let spent = self.spent();
        let reason = match spent.saturating_sub(queued) {
            _ if spent.is_zero() => None,
            slot if slot < queued => Some(WaitReason::Concurrency),
            _ => Some(self.slot_reason()),
        };
        Wait { duration: spent, reason, late }
    }

    fn slot_reason(&self) -> WaitReason {
        if self.is_held { WaitReason::RetryAfter } else { self.interval.reason.into() }
    }

    /// Waits for one of the permits of the origin, which are granted in the order of the calls. Returns the permit, and
    /// the length of that wait. A task that already has a slot also has a permit.
    pub(super) async fn permit(
        &mut self,
        first: Option<FirstSlot>,
    ) -> Result<(OwnedSemaphorePermit, Duration), PaceError> {
        if let Some(FirstSlot { claim, permit, asked, slot: Some(slot), .. }) = first {
            self.taken = Some((claim, slot, asked));
            return Ok((permit, Duration::ZERO));
        }
        let permits = &self.lane.permits;
        if let Ok(permit) = Arc::clone(permits).try_acquire_owned() {
            return Ok((permit, Duration::ZERO));
        }
        let permit = pin!(Arc::clone(permits).acquire_owned());
        let arrived = self.spent();
        let patience = self.pace.clock.sleep(self.max_wait.saturating_sub(arrived));
        let (lane, origin, clock) = (self.lane, self.origin, &self.pace.clock);
        let reporting = async {
            clock.sleep(LONG_WAIT).await;
            lane.holders.log(origin, LONG_WAIT, clock.moment());
            pending::<Infallible>().await
        };
        match self.without_permit(select(select(permit, patience), pin!(reporting))).await {
            Either::Left((Either::Left((permit, _)), _)) => {
                Ok((never_closed(permit), self.spent().saturating_sub(arrived)))
            }
            Either::Left((Either::Right(_), _)) => Err(self.too_long(None, WaitReason::Concurrency)),
            Either::Right((never, _)) => match never {},
        }
    }

    /// Waits for a slot and begins the request. Returns the lateness if it exceeds the window of the slot.
    pub(super) async fn slot(&mut self) -> Result<Option<Duration>, PaceError> {
        if self.interval.duration.is_zero()
            && self.lane.is_free(self.pace.clock.moment())
            && self.begin().is_ok()
        {
            return Ok(None);
        }
        for left in self.lane.left() {
            self.pace.turns.give_back(self.origin, &left).await?;
        }
        let mut late = Duration::ZERO;
        for _ in 0..MAX_MISSED_SLOTS {
            let claim;
            (claim, late) = self.take_slot().await?;
            // The wait for a job permit does not count as lateness.
            self.pace.lateness.note(late.saturating_sub(self.job_wait));
            if late > claim.request.window && !self.interval.duration.is_zero() {
                tracing::debug!(origin = %self.origin, ?late, "the task woke too late for the slot");
                claim.give_back().await?;
                continue;
            }
            match self.begin() {
                Ok(()) => {
                    claim.forget();
                    return Ok(None);
                }
                Err(rest) => {
                    tracing::debug!(origin = %self.origin, ?rest, "the slot is too early for this process");
                    claim.give_back().await?;
                }
            }
        }
        self.begin_late(late).await
    }

    /// Reserves slots and waits for them, until a slot is still valid at its start. Returns the claim, and the maximum
    /// time since the start of the slot.
    async fn take_slot(&mut self) -> Result<(Claim, Duration), PaceError> {
        loop {
            let taken = self.taken.take();
            let asked = taken.as_ref().map_or_else(|| self.pace.clock.moment(), |(.., asked)| *asked);
            let spent = self.spent_at(asked);
            self.job_wait = Duration::ZERO;
            let left = self.max_wait.saturating_sub(spent);
            self.is_held = self.before.is_held || !self.lane.held(asked).is_zero();
            let (claim, slot) = match taken {
                Some((claim, slot, _)) => (claim, slot),
                None => {
                    let claim = self.claim(left);
                    let slot = self.reserve(&claim.request, asked).await?;
                    (claim, slot)
                }
            };
            self.is_page_held = slot.is_now();
            let wait = match slot {
                Slot::Taken(wait) => wait,
                Slot::TooFar(wait) if wait <= left => {
                    claim.forget();
                    let nap =
                        wait.saturating_sub(self.pace.furthest).max(self.interval.duration).max(RETRY_DELAY);
                    self.without_permit(self.pace.clock.sleep(nap.min(left))).await;
                    if self.spent() >= self.max_wait {
                        let needed = spent.saturating_add(wait);
                        return Err(self.too_long(Some(needed), self.slot_reason()));
                    }
                    continue;
                }
                Slot::TooFar(wait) => {
                    claim.forget();
                    return Err(self.too_long(Some(spent.saturating_add(wait)), self.slot_reason()));
                }
            };
            if wait.is_zero() && self.interval.duration.is_zero() {
                self.lane.set_free(asked);
            }
            if wait >= LONG_WAIT {
                let (seconds, reason) = (wait.as_secs_f64(), self.slot_reason().label());
                tracing::info!(origin = %self.origin, "waits {seconds:.1} s for {reason}");
            }
            if !wait.is_zero() {
                self.without_permit(self.pace.clock.sleep(wait)).await;
                let (turns, now) = (&self.pace.turns, self.pace.clock.moment());
                let status = turns.confirm(self.origin, &claim.request, asked, now).await?;
                // Several slots may lie within a hold. If their requests waited only for the end of the hold, all would
                // begin at the same time.
                if status != SlotStatus::Valid {
                    tracing::debug!(origin = %self.origin, ?status, "the store delayed or lost the slot");
                    claim.give_back().await?;
                    continue;
                }
            }
            // The wait is counted from an unknown time between the call of the store and its return. So use the time of
            // the call.
            let late = self.pace.clock.moment().since(asked).saturating_sub(wait);
            return Ok((claim, late));
        }
    }

    async fn reserve(&self, request: &SlotRequest, now: Moment) -> Result<Slot, StoreError> {
        let turns = &self.pace.turns;
        if self.page_hold.is_zero() {
            return turns.reserve(self.origin, request, now).await;
        }
        turns.reserve_and_hold(self.origin, request, (store::Lane::Pages, self.page_hold), now).await
    }

    fn claim(&self, max_wait: Duration) -> Claim {
        let interval = self.interval.duration;
        let request = SlotRequest {
            lane: self.kind,
            window: if interval.is_zero() { Duration::ZERO } else { self.pace.lateness.window() },
            furthest: self.pace.furthest,
            ..SlotRequest::new(interval, max_wait)
        };
        Claim::new(&self.pace.turns, self.origin, self.lane, request)
    }

    /// Begins the request late, as soon as the local state permits. First adds a hold in the store, so that later slots
    /// keep their interval.
    async fn begin_late(&mut self, late: Duration) -> Result<Option<Duration>, PaceError> {
        let missed = self.pace.clock.moment();
        loop {
            let now = self.pace.clock.moment();
            self.pace.turns.hold(self.origin, self.kind, self.interval.duration, now).await?;
            let Err(rest) = self.begin() else { break };
            let needed = self.spent().saturating_add(rest.duration());
            if needed > self.max_wait {
                return Err(self.too_long(Some(needed), self.slot_reason()));
            }
            self.without_permit(self.pace.clock.sleep(rest.duration())).await;
        }
        let late = late.saturating_add(self.pace.clock.moment().since(missed));
        tracing::warn!(origin = %self.origin, ?late, "the request begins after its slot; `slack_seconds` may be too small");
        Ok((late > self.pace.lateness.window()).then_some(late))
    }

    fn begin(&mut self) -> Result<(), RemainingWait> {
        let begun = self.lane.begin(self.interval.duration, self.pace.clock.moment());
        self.is_held |= matches!(begun, Err(RemainingWait::Held(_)));
        begun
    }

    fn too_long(&self, needed: Option<Duration>, reason: WaitReason) -> PaceError {
        let origin = self.origin.clone();
        TooLong { origin, needed, allowed: self.allowed, reason }.into()
    }
}
