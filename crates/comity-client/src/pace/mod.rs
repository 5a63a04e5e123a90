//! Decides when the next request to an origin may begin.
//!
//! A request waits for its turn. First it waits for one of the permits of its origin, which limit concurrent requests.
//! Then it waits for a slot from the store ([`Turns`]): the time at which it may begin. Slots are one [`Interval`]
//! apart. A [`RetryAfter`] delays all page requests for a while; this delay is called a hold.
//!
//! # Guarantees
//!
//! A request begins when [`Pace::enter`] returns. If it must connect first, or if the process is busy, it is sent
//! later, and the next request would follow too early. So [`Client`](crate::Client) records the
//! [departure](crate::transport::Departure) of each request, and reports a late request to the store at once. Later
//! slots then begin later by the delay. A task that already waits for a slot gets a new slot.
//!
//! - **Within a process**, a request begins at least its interval after the previous request, for any concurrency and
//!   even if tasks wake late. A page request never begins during a `Retry-After` that this process has received, even
//!   if its slot was reserved before.
//! - **Across processes that share a store**, this also applies to requests that begin on time. A slot has a window in
//!   which its request must begin. The next slot is one interval after the end of the window. A request that misses its
//!   window gives the slot back and gets a new one. The window adapts to the measured lateness of this process, up to
//!   [`PaceOptions::slack`]. If a request misses three slots in a row, because the store or the machine is too slow,
//!   it begins late and reports its lateness to the store, so that later slots keep their interval. [`Wait::late`]
//!   contains the lateness.
//! - **Holds apply to waiting requests**: when its slot begins, a request confirms the slot with the store. If a
//!   `Retry-After` or a late request of another process delays it, it gets a new slot after all reserved slots. So if
//!   the requests of several processes connect slowly, a site gets at most half of the requests that its pace allows.
//! - **If a clock is set**, waits are still limited: they are measured by a monotonic clock, each wait has a maximum,
//!   and the store reduces times of slots and holds to [`PaceOptions::furthest`].
//! - **If a store loses data**, [`Turns::confirm`] at the start of a slot reports that the slot is lost. Slots that
//!   [other programs use](SlotRequest::is_handed_on) are not confirmed, so the store keeps the end of the last such
//!   slot.
//!
//! # Scope of a pace
//!
//! All requests to an origin share a pace, or all requests to a host with any scheme and port ([`PacePer`]). The pace
//! of a host is stored under one of its origins. Host names with the same address do not share a pace, since thousands
//! of sites may use one address of a content delivery network.
//!
//! An unused slot is given back. If a later slot was reserved, the unused slot remains a gap, since a reserved slot
//! never moves to an earlier time.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{Either, join, select};

use crate::job::{Job, OriginWait};
use crate::store::{Lane, Slot, SlotRequest, StoreError, Turns};
use crate::transport::{Departure, Request, Response, Transport, TransportError};
use crate::{Clock, Origin};

mod claim;
mod first_slot;
mod holder;
mod interval;
mod lanes;
mod lateness;
mod options;
mod retry_after;
mod turn;
mod waiting;

use claim::Claim;
pub(crate) use first_slot::FirstSlot;
use lanes::{Lanes, RemainingWait};
use lateness::Lateness;
use waiting::TurnWait;

pub use interval::{Interval, IntervalReason};
pub use options::{PaceOptions, PacePer};
pub use retry_after::RetryAfter;
pub use turn::{PaceError, TooLong, Turn, Wait, WaitReason};

/// A slot that was reserved for a request of another program.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReservedSlot {
    /// The wait until the slot.
    pub wait: Wait,
    /// Maximum time from the start of the slot to the start of the request.
    pub window: Duration,
}

/// The scheduler of requests to origins. See the [module](self).
#[derive(Debug)]
pub struct Pace {
    turns: Arc<dyn Turns>,
    clock: Arc<dyn Clock>,
    lanes: Lanes,
    lateness: Lateness,
    furthest: Duration,
    per: PacePer,
}

impl Pace {
    /// Creates a pace that is shared by all users of the store.
    pub fn new(turns: Arc<dyn Turns>, clock: Arc<dyn Clock>, config: &PaceOptions) -> Self {
        Pace {
            turns,
            clock,
            lanes: Lanes::new(config.concurrency),
            lateness: Lateness::new(config.slack),
            furthest: config.furthest(),
            per: config.per.unwrap_or(PacePer::Origin),
        }
    }

    /// Returns the maximum wait, extended by the maximum window of a slot. A wait of zero stays zero.
    pub(crate) fn with_slack(&self, max_wait: Duration) -> Duration {
        if max_wait.is_zero() { max_wait } else { max_wait.saturating_add(self.lateness.widest()) }
    }

    /// Returns the origin under which an origin's pace is stored.
    fn key(&self, origin: &Origin) -> Origin {
        match self.per {
            PacePer::Origin => origin.clone(),
            PacePer::Host => origin.of_host(),
        }
    }

    /// Waits until the next request to an origin may begin, at most `max_wait`. Dropping the future ends the wait and
    /// gives back the permit and the slot.
    ///
    /// # Errors
    ///
    /// [`PaceError::TooLong`] if the turn is further off than `max_wait`. The error is usually returned at once, but
    /// not after a wait for a permit or for a lost slot. No slot is reserved. [`PaceError::Store`] if the store fails;
    /// then the request must not begin.
    pub async fn enter(
        &self,
        origin: &Origin,
        interval: &Interval,
        max_wait: Duration,
    ) -> Result<Turn, PaceError> {
        self.enter_as(&Job::default(), (origin, Lane::Pages), interval, max_wait).await
    }

    /// Waits for a turn in a lane as part of a job. The job is paused during the wait, and resumed before the request
    /// begins. The earlier wait of the job in the queue counts towards `max_wait`.
    pub(crate) async fn enter_as(
        &self,
        job: &Job,
        of: (&Origin, Lane),
        interval: &Interval,
        max_wait: Duration,
    ) -> Result<Turn, PaceError> {
        self.enter_and_hold_pages(job, of, interval, max_wait, (Duration::ZERO, None)).await
    }

    /// Waits for a turn in the lane of robots.txt, and adds a hold of one interval to the lane of pages. If `first`
    /// contains a reserved slot, no other slot is requested.
    pub(crate) async fn enter_for_robots_txt(
        &self,
        job: &Job,
        origin: &Origin,
        interval: &Interval,
        max_wait: Duration,
        first: Option<FirstSlot>,
    ) -> Result<Turn, PaceError> {
        let page_hold = (interval.duration, first);
        self.enter_and_hold_pages(job, (origin, Lane::RobotsTxt), interval, max_wait, page_hold).await
    }

    /// Returns the interval that applies in a lane.
    fn longest(&self, interval: &Interval, lane: &lanes::Lane) -> Interval {
        match self.per {
            PacePer::Origin => *interval,
            PacePer::Host => interval.at_least(lane.longest(interval.duration)),
        }
    }

    /// Reserves and returns the slot of a request that another program sends. Does not wait for the slot.
    ///
    /// The other program acts like another process that shares the store, with unknown lateness. So its slot has the
    /// maximum window. No permit is acquired, since the program does not report the end of its request.
    ///
    /// # Errors
    ///
    /// As for [`enter`](Pace::enter).
    pub(crate) async fn reserve(
        &self,
        origin: &Origin,
        interval: &Interval,
        max_wait: Duration,
    ) -> Result<ReservedSlot, PaceError> {
        let now = self.clock.moment();
        let key = self.key(origin);
        let here = self.lanes.of(&key, Lane::Pages, now);
        let interval = self.longest(interval, &here);
        let is_held = !here.held(now).is_zero();
        let reason = if is_held { WaitReason::RetryAfter } else { interval.reason.into() };
        let request = SlotRequest {
            window: if interval.duration.is_zero() { Duration::ZERO } else { self.lateness.widest() },
            furthest: self.furthest,
            is_handed_on: true,
            ..SlotRequest::new(interval.duration, max_wait)
        };
        let claim = Claim::new(&self.turns, &key, &here, request);
        match self.turns.reserve(&key, &claim.request, now).await? {
            Slot::Taken(wait) => {
                let window = claim.request.window;
                claim.forget();
                let late = None;
                let reason = (!wait.is_zero()).then_some(reason);
                Ok(ReservedSlot { wait: Wait { duration: wait, reason, late }, window })
            }
            Slot::TooFar(wait) => {
                claim.forget();
                let origin = origin.clone();
                Err(TooLong { origin, needed: Some(wait), allowed: max_wait, reason }.into())
            }
        }
    }

    /// Waits for a turn, and adds a hold of `page_hold` to the lane of pages.
    async fn enter_and_hold_pages(
        &self,
        job: &Job,
        (origin, lane): (&Origin, Lane),
        interval: &Interval,
        max_wait: Duration,
        (page_hold, first): (Duration, Option<FirstSlot>),
    ) -> Result<Turn, PaceError> {
        let now = first.as_ref().map_or_else(|| self.clock.moment(), |first| first.asked);
        let key = self.key(origin);
        let here = self.lanes.of(&key, lane, now);
        let interval = self.longest(interval, &here);
        // The store holds page requests only if the slot begins at once. Then the request begins at most one window
        // after the call of the store. So the hold is one window longer than the interval.
        let window = self.lateness.window();
        let until_in = if page_hold.is_zero() { page_hold } else { page_hold.saturating_add(window) };
        let mut waiting = TurnWait::new(self, job, (&key, lane), &here, &interval, (now, max_wait));
        waiting = waiting.holding_pages(until_in);
        let (permit, queued) = waiting.permit(first).await?;
        let late = waiting.slot().await?;

        let begun = self.clock.moment();
        let wait = waiting.ended(queued, late);
        if let Some(reason) = wait.reason {
            tracing::debug!(%origin, duration = ?wait.duration, %reason, "waited");
        }
        // The hold that the store added with the slot suffices if the request begins within the window. Otherwise, add
        // a hold now.
        let suffices = waiting.is_page_held && wait.duration <= window;
        if !(page_hold.is_zero() || suffices) {
            self.turns.hold(&key, Lane::Pages, page_hold, begun).await?;
        }
        let interval = interval.duration;
        let holder = here.holders.add(begun);
        Ok(Turn { wait, begun, key: (key, lane), interval, page_hold, _permit: permit, holder, lane: here })
    }

    /// Sends the request of a turn. If it is sent late, the interval of the next request counts from that time, and the
    /// delay is reported to the store at once.
    pub(crate) async fn send(
        &self,
        turn: &Turn,
        transport: &dyn Transport,
        mut request: Request,
    ) -> Result<Response, TransportError> {
        let before = self.clock.moment().since(turn.begun);
        let departure = Departure::allowing(self.lateness.window().saturating_sub(before));
        request.departure = departure.clone();
        let sending = transport.send(request);
        let (sent, reported) = match select(sending, pin!(departure.is_late())).await {
            Either::Left((sent, _)) => (sent, None),
            Either::Right(((), sending)) => {
                let left = departure.after();
                // Do not delay the answer if the store is slow.
                let noting = self.note_departure(turn, before.saturating_add(left.unwrap_or_default()));
                (join(sending, noting).await.0, left)
            }
        };
        let left = match (departure.after(), &sent) {
            (Some(left), _) => left,
            (None, Ok(response)) => response.connecting,
            // The request may have been sent just before the error.
            (None, Err(error)) if error.may_have_arrived() => self.clock.moment().since(turn.begun + before),
            (None, Err(_)) => Duration::ZERO,
        };
        if reported != Some(left) {
            self.note_departure(turn, before.saturating_add(left)).await;
        }
        sent
    }

    /// Records the delay between the start of a turn and the departure of its request.
    ///
    /// A delay shorter than the window of a slot is not reported to the store, since the window already includes it.
    async fn note_departure(&self, turn: &Turn, after: Duration) {
        if turn.interval.is_zero() || after <= self.lateness.window() {
            return;
        }
        let sent = turn.begun + after;
        turn.lane.sent(turn.interval, sent);
        let now = self.clock.moment();
        let (origin, lane) = &turn.key;
        // After a robots.txt request, the next request is usually for a page.
        let (lane, interval) = match turn.page_hold {
            Duration::ZERO => (lane, turn.interval),
            page_hold => (&Lane::Pages, page_hold),
        };
        let rest = interval.saturating_sub(now.since(sent));
        if !rest.is_zero()
            && let Err(error) = self.turns.hold(origin, *lane, rest, now).await
        {
            tracing::debug!(%origin, %error, "could not report to the store that a request was sent late");
        }
    }

    /// Returns the wait before the next request to an origin, from the local state of this process.
    pub(crate) fn rest(&self, origin: &Origin) -> OriginWait {
        let lane = self.lanes.known(&self.key(origin), Lane::Pages);
        let rest = lane.and_then(|lane| lane.rest(self.lateness.window(), self.clock.moment()));
        rest.map_or_else(OriginWait::default, |rest| OriginWait {
            duration: rest.duration(),
            is_held: matches!(rest, RemainingWait::Held(_)),
        })
    }

    /// Delays all page requests to an origin by the time in `retry_after`.
    ///
    /// # Errors
    ///
    /// An error if the store fails. This process applies the hold nevertheless.
    pub async fn hold(&self, origin: &Origin, retry_after: &RetryAfter) -> Result<(), StoreError> {
        let now = self.clock.moment();
        let key = self.key(origin);
        self.lanes.of(&key, Lane::Pages, now).hold(retry_after.duration, now);
        match retry_after.asked {
            Some(_) => tracing::info!(%origin, "{retry_after} by pace.max_retry_after_seconds"),
            None => tracing::info!(%origin, "{retry_after}"),
        }
        self.turns.hold(&key, Lane::Pages, retry_after.duration, now).await
    }
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use super::*;
    use crate::TokioClock;
    use crate::store::MemoryStore;

    const HOUR: Duration = Duration::from_secs(3600);
    const SECOND: Duration = Duration::from_secs(1);

    /// Returns a pace, an origin, and an interval of an hour.
    fn hourly() -> (Pace, Origin, Interval) {
        let config = PaceOptions { min_interval: HOUR, slack: Duration::ZERO, ..PaceOptions::default() };
        let clock = TokioClock::starting_at(SystemTime::UNIX_EPOCH);
        let pace = Pace::new(Arc::new(MemoryStore::new()), Arc::new(clock), &config);
        let origin = Origin::of(&"https://site.example/".parse().unwrap()).unwrap();
        (pace, origin, Interval::new(&config, None, SystemTime::UNIX_EPOCH))
    }

    #[tokio::test(start_paused = true)]
    async fn page_keeps_its_distance_from_robots_txt() {
        let (pace, origin, interval) = hourly();
        let job = Job::default();
        for waited in [Duration::ZERO, HOUR] {
            let turn = pace.enter_for_robots_txt(&job, &origin, &interval, 2 * HOUR, None).await.unwrap();
            assert!(turn.waited() >= waited && turn.waited() < waited + SECOND, "{turn:?}");
            let page = pace.enter(&origin, &interval, HOUR - SECOND).await;
            assert!(matches!(page, Err(PaceError::TooLong(_))), "{page:?}");
        }
        assert!(pace.enter(&origin, &interval, HOUR + SECOND).await.is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn refused_robots_txt_turn_does_not_delay_pages() {
        let (pace, origin, interval) = hourly();
        let other = pace
            .enter_as(&Job::default(), (&origin, Lane::RobotsTxt), &interval, Duration::ZERO)
            .await
            .unwrap();
        drop(other);
        let turn = pace.enter_for_robots_txt(&Job::default(), &origin, &interval, HOUR / 2, None).await;
        assert!(matches!(turn, Err(PaceError::TooLong(_))), "{turn:?}");
        assert_eq!(pace.enter(&origin, &interval, Duration::ZERO).await.unwrap().waited(), Duration::ZERO);
    }
}
