//! Decides when the next request to an origin may begin.
//!
//! A request waits for its turn: first for one of the origin's permits (how many requests may be under way at once),
//! then for a slot from the [`Store`] (how far apart requests begin). The distance is an [`Interval`]. A [`RetryAfter`]
//! keeps every request away for a while.
//!
//! # What is promised
//!
//! A request begins when [`Pace::enter`] returns. If it has to connect first, or if the process is busy, it leaves later
//! than that, and the next one would come too close behind it. So [`Client`](crate::Client) notes when each request
//! [leaves](crate::transport::Departure), and tells the store at once of one that leaves late. Slots that are not taken
//! yet move by as much; whoever has one already and waits for it takes another.
//!
//! - **Within a process**, whatever the concurrency and however late tasks are woken: no request begins less than its
//!   interval after the one before, and none begins within a `Retry-After` that this process has seen, even if its slot
//!   was taken before.
//! - **Across processes that share a store**, the same holds as long as requests begin on time. A slot is a window:
//!   from when a request may begin until when it has to have begun. The next slot is an interval behind the end of the
//!   window. A request that is later than its window gives the slot up and takes another. The window follows how late
//!   requests of this process really are, up to [`PaceOptions::slack`]. A request that is late three times in a row
//!   (because the store answers more slowly than the slack, or the machine cannot keep up) begins nevertheless: it
//!   tells the store, so that later slots keep their distance, and [`Wait::late`] reports it.
//! - **Whoever waits learns what came meanwhile**: when the time of a slot has come, the store is asked whether a
//!   `Retry-After` or a late request of another process keeps it back. Then it takes another slot behind those
//!   that are taken: a site to which each request of several processes connects slowly gets up to half of its pace.
//! - **Whatever clocks do**, waits are measured by a clock that nobody sets, every wait has its longest wait, and a
//!   slot or hold that is further off than [`PaceOptions::furthest`] is not believed.
//! - **With a store that forgets**, the same question ([`Store::confirm`]) tells that the slot no longer counts. Slots
//!   that other programs use are not confirmed: [until when they reach](SlotRequest::is_handed_on) is not forgotten.
//!
//! # Whose requests share a pace
//!
//! Those of an origin, or of a host with all its schemes and ports ([`PacePer`]). The pace of a host is kept under the
//! name of one of its origins. Names that share an address do not share a pace, since thousands of sites can be behind
//! one address of a content network.
//!
//! A slot that is not used is given back, unless a later one was taken after it. In that case it leaves a gap: a slot
//! that was taken never moves forward.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{Either, join, select};

use crate::job::{Job, Waited};
use crate::store::{Lane, Slot, SlotRequest, Store, StoreError};
use crate::transport::{Departure, Request, Response, Transport, TransportError};
use crate::{Clock, Origin};

mod claim;
mod first;
mod interval;
mod lanes;
mod lateness;
mod options;
mod retry_after;
mod turn;
mod waiting;

use claim::Claim;
pub(crate) use first::First;
use lanes::{Lanes, Rest};
use lateness::Lateness;
use waiting::Waiting;

pub use interval::{Interval, IntervalReason};
pub use options::{PaceOptions, PacePer};
pub use retry_after::RetryAfter;
pub use turn::{PaceError, TooLong, Turn, Wait, WaitReason};

/// A slot that was taken for a request of another program.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReservedSlot {
    /// How long it is until then.
    pub wait: Wait,
    /// How much later the request may begin.
    pub window: Duration,
}

/// Gives requests their turns. See the [module](self).
#[derive(Debug)]
pub struct Pace {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    lanes: Lanes,
    lateness: Lateness,
    furthest: Duration,
    per: PacePer,
}

impl Pace {
    /// Creates a pace that all users of the store share.
    pub fn new(store: Arc<dyn Store>, clock: Arc<dyn Clock>, config: &PaceOptions) -> Self {
        Pace {
            store,
            clock,
            lanes: Lanes::new(config.concurrency),
            lateness: Lateness::new(config.slack),
            furthest: config.furthest(),
            per: config.per.unwrap_or(PacePer::Origin),
        }
    }

    /// Returns the origin under whose name an origin's pace is kept.
    fn key(&self, origin: &Origin) -> Origin {
        match self.per {
            PacePer::Origin => origin.clone(),
            PacePer::Host => origin.of_host(),
        }
    }

    /// Waits until the next request to an origin may begin, but no longer than `max_wait`. Dropping the future ends the
    /// wait and gives back the permit and the slot.
    ///
    /// # Errors
    ///
    /// [`PaceError::TooLong`] if the turn is further off than `max_wait`. That is known at once, except for waits for
    /// permits, and no slot is taken. [`PaceError::Store`] if the store fails; the request must not begin.
    pub async fn enter(
        &self,
        origin: &Origin,
        interval: &Interval,
        max_wait: Duration,
    ) -> Result<Turn, PaceError> {
        self.enter_lane(origin, Lane::Pages, interval, max_wait).await
    }

    /// Works like [`enter`](Pace::enter), in a lane. Each lane has permits and a pace of its own.
    ///
    /// # Errors
    ///
    /// As for [`enter`](Pace::enter).
    pub async fn enter_lane(
        &self,
        origin: &Origin,
        lane: Lane,
        interval: &Interval,
        max_wait: Duration,
    ) -> Result<Turn, PaceError> {
        self.enter_as(&Job::default(), (origin, lane), interval, max_wait).await
    }

    /// Works like [`enter_lane`](Pace::enter_lane), as part of a job. The job is paused while it waits, and resumed
    /// before the request begins. The job's earlier wait for the origin counts.
    pub(crate) async fn enter_as(
        &self,
        job: &Job,
        of: (&Origin, Lane),
        interval: &Interval,
        max_wait: Duration,
    ) -> Result<Turn, PaceError> {
        self.enter_apart(job, of, interval, max_wait, (Duration::ZERO, None)).await
    }

    /// Works like [`enter_as`](Pace::enter_as), in the lane of robots.txt, and keeps the next page an interval from the
    /// request. A slot that was already taken is not requested again.
    pub(crate) async fn enter_for_robots_txt(
        &self,
        job: &Job,
        origin: &Origin,
        interval: &Interval,
        max_wait: Duration,
        first: Option<First>,
    ) -> Result<Turn, PaceError> {
        let apart = (interval.duration, first);
        self.enter_apart(job, (origin, Lane::RobotsTxt), interval, max_wait, apart).await
    }

    /// Returns the interval that counts in a lane.
    fn longest(&self, interval: &Interval, lane: &lanes::Lane) -> Interval {
        match self.per {
            PacePer::Origin => *interval,
            PacePer::Host => interval.at_least(lane.longest(interval.duration)),
        }
    }

    /// Takes the slot of a request that another program sends, and does not wait for it. Returns the slot.
    ///
    /// That program is like another process that shares the store, and one whose lateness is not known. So its slot is as
    /// wide as one can be. It takes no permit, since nobody says when its request is over.
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
        let claim = Claim::new(&self.store, &key, &here, request);
        match self.store.reserve(&key, &claim.request, now).await? {
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

    /// Waits for a turn, and keeps the next page at this distance from it.
    async fn enter_apart(
        &self,
        job: &Job,
        (origin, lane): (&Origin, Lane),
        interval: &Interval,
        max_wait: Duration,
        (apart, first): (Duration, Option<First>),
    ) -> Result<Turn, PaceError> {
        let now = first.as_ref().map_or_else(|| self.clock.moment(), |first| first.asked);
        let key = self.key(origin);
        let here = self.lanes.of(&key, lane, now);
        let interval = self.longest(interval, &here);
        // Most slots are free at once, and then the request begins within a window from when the store is asked.
        let window = self.lateness.window();
        let until_in = if apart.is_zero() { apart } else { apart.saturating_add(window) };
        let mut waiting = Waiting::new(self, job, (&key, lane), &here, &interval, (now, max_wait));
        waiting = waiting.apart_from_pages(until_in);
        let (permit, queued) = waiting.permit(first).await?;
        let late = waiting.slot().await?;

        let begun = self.clock.moment();
        let wait = waiting.ended(queued, late);
        if let Some(reason) = wait.reason {
            tracing::debug!(%origin, duration = ?wait.duration, %reason, "waited");
        }
        // A request that begins later has to tell the store.
        let is_said = waiting.is_apart && wait.duration <= window;
        if !(apart.is_zero() || is_said) {
            self.store.hold(&key, Lane::Pages, apart, begun).await?;
        }
        let interval = interval.duration;
        Ok(Turn { wait, begun, key: (key, lane), interval, apart, _permit: permit, lane: here })
    }

    /// Sends the request of a turn. A request that leaves late keeps back the next one from when it left, and the store is
    /// told of it as soon as it has left.
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
        let (sent, told) = match select(sending, pin!(departure.is_late())).await {
            Either::Left((sent, _)) => (sent, None),
            Either::Right(((), sending)) => {
                let left = departure.after();
                // A slow store does not keep the answer.
                let telling = self.note_departure(turn, before.saturating_add(left.unwrap_or_default()));
                (join(sending, telling).await.0, left)
            }
        };
        let left = match (departure.after(), &sent) {
            (Some(left), _) => left,
            (None, Ok(response)) => response.connecting,
            // It may have left at the last moment.
            (None, Err(error)) if error.may_have_arrived() => self.clock.moment().since(turn.begun + before),
            (None, Err(_)) => Duration::ZERO,
        };
        if told != Some(left) {
            self.note_departure(turn, before.saturating_add(left)).await;
        }
        sent
    }

    /// Notes that the request of a turn left so long after the turn began.
    ///
    /// The store is not told of a delay that is shorter than a slot is wide, since slots are that much further apart
    /// anyway.
    async fn note_departure(&self, turn: &Turn, after: Duration) {
        if turn.interval.is_zero() || after <= self.lateness.window() {
            return;
        }
        let sent = turn.begun + after;
        turn.lane.sent(turn.interval, sent);
        let now = self.clock.moment();
        let (origin, lane) = &turn.key;
        // Pages follow a request for robots.txt, and hardly ever another request for it.
        let (lane, interval) = match turn.apart {
            Duration::ZERO => (lane, turn.interval),
            apart => (&Lane::Pages, apart),
        };
        let rest = interval.saturating_sub(now.since(sent));
        if !rest.is_zero()
            && let Err(error) = self.store.hold(origin, *lane, rest, now).await
        {
            tracing::debug!(%origin, %error, "the store could not be told that a request went out late");
        }
    }

    /// Returns how long the next request to an origin has to wait, as far as this process knows.
    pub(crate) fn rest(&self, origin: &Origin) -> Waited {
        let lane = self.lanes.known(&self.key(origin), Lane::Pages);
        let rest = lane.and_then(|lane| lane.rest(self.lateness.window(), self.clock.moment()));
        rest.map_or_else(Waited::default, |rest| Waited {
            duration: rest.duration(),
            is_held: matches!(rest, Rest::Held(_)),
        })
    }

    /// Keeps every request to an origin back for as long as an answer asked for.
    ///
    /// # Errors
    ///
    /// An error if the store fails. This process stays away nevertheless.
    pub async fn hold(&self, origin: &Origin, retry_after: &RetryAfter) -> Result<(), StoreError> {
        let now = self.clock.moment();
        let key = self.key(origin);
        self.lanes.of(&key, Lane::Pages, now).hold(retry_after.duration, now);
        tracing::debug!(%origin, duration = ?retry_after.duration, asked = ?retry_after.asked, "held by Retry-After");
        self.store.hold(&key, Lane::Pages, retry_after.duration, now).await
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

    /// A pace, an origin, and an interval of an hour.
    fn hourly() -> (Pace, Origin, Interval) {
        let config = PaceOptions { min_interval: HOUR, slack: Duration::ZERO, ..PaceOptions::default() };
        let clock = TokioClock::starting_at(SystemTime::UNIX_EPOCH);
        let pace = Pace::new(Arc::new(MemoryStore::new()), Arc::new(clock), &config);
        let origin = Origin::of(&"https://site.example/".parse().unwrap()).unwrap();
        (pace, origin, Interval::new(&config, None, SystemTime::UNIX_EPOCH))
    }

    #[tokio::test(start_paused = true)]
    async fn a_page_keeps_its_distance_from_robots_txt_at_once_or_after_a_wait() {
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
    async fn a_robots_txt_that_is_not_asked_for_keeps_no_page_back() {
        let (pace, origin, interval) = hourly();
        let other = pace.enter_lane(&origin, Lane::RobotsTxt, &interval, Duration::ZERO).await.unwrap();
        drop(other);
        let turn = pace.enter_for_robots_txt(&Job::default(), &origin, &interval, HOUR / 2, None).await;
        assert!(matches!(turn, Err(PaceError::TooLong(_))), "{turn:?}");
        assert_eq!(pace.enter(&origin, &interval, Duration::ZERO).await.unwrap().waited(), Duration::ZERO);
    }
}
