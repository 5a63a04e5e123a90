//! Test doubles for the pace: a source of turns, clocks that wake tasks late, and a log of request
//! starts.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use comity_client::store::{Lane, Slot, SlotRequest, SlotStatus, StoreError, Turns};
use comity_client::{BoxFuture, Clock, Moment, Origin, TokioClock};

pub(crate) const START: SystemTime = SystemTime::UNIX_EPOCH;

pub(crate) fn seconds(seconds: f64) -> Duration {
    Duration::from_secs_f64(seconds)
}

pub(crate) fn origin(name: &str) -> Origin {
    Origin::of(&format!("https://{name}.example/").parse().unwrap()).unwrap()
}

/// Slots and holds in memory, with their own clock and latency.
#[derive(Debug)]
pub(crate) struct Slots {
    clock: TokioClock,
    /// Maximum latency of a request to the store, and of its answer.
    latency: Duration,
    random: Mutex<fastrand::Rng>,
    origins: Mutex<HashMap<Origin, Known>>,
    pub(crate) is_down: Mutex<bool>,
    /// Number of requests for slots.
    pub(crate) asked: Mutex<u32>,
    /// Whether the store has lost all slots.
    pub(crate) has_forgotten: Mutex<bool>,
}

/// The state of an origin.
#[derive(Debug, Default)]
struct Known {
    /// The end of the last slot.
    last: Option<SystemTime>,
    /// The number of the request for the last slot.
    number: u64,
    /// The end of the slot before the last one.
    before: Option<SystemTime>,
    /// The end of the hold.
    held: Option<SystemTime>,
}

impl Slots {
    pub(crate) fn new(clock: TokioClock, latency: Duration) -> Arc<Self> {
        let random = Mutex::new(fastrand::Rng::with_seed(3));
        Arc::new(Slots {
            clock,
            latency,
            random,
            origins: Mutex::default(),
            is_down: Mutex::default(),
            asked: Mutex::default(),
            has_forgotten: Mutex::default(),
        })
    }

    async fn travel(&self) -> Result<(), StoreError> {
        if *self.is_down.lock().unwrap() {
            return Err(StoreError::new("the store is down"));
        }
        if !self.latency.is_zero() {
            let part = self.random.lock().unwrap().f64();
            self.clock.sleep(self.latency.mul_f64(part)).await;
        }
        Ok(())
    }
}

impl Turns for Slots {
    fn reserve<'a>(
        &'a self,
        origin: &'a Origin,
        request: &'a SlotRequest,
        _: Moment,
    ) -> BoxFuture<'a, Result<Slot, StoreError>> {
        Box::pin(async move {
            *self.asked.lock().unwrap() += 1;
            self.travel().await?;
            let slot = {
                let now = self.clock.now();
                let mut origins = self.origins.lock().unwrap();
                let known = origins.entry(origin.clone()).or_default();
                let free = known.last.map(|last| last + request.interval);
                let next = free.max(known.held).unwrap_or(now).max(now);
                let wait = next.duration_since(now).unwrap();
                if wait <= request.max_wait && wait + request.window <= request.furthest {
                    known.before = known.last;
                    known.last = Some(next + request.window);
                    known.number = request.number;
                    Slot::Taken(wait)
                } else {
                    Slot::TooFar(wait)
                }
            };
            self.travel().await?;
            Ok(slot)
        })
    }

    fn confirm<'a>(
        &'a self,
        origin: &'a Origin,
        _: &'a SlotRequest,
        _: Moment,
        _: Moment,
    ) -> BoxFuture<'a, Result<SlotStatus, StoreError>> {
        Box::pin(async move {
            self.travel().await?;
            if std::mem::take(&mut *self.has_forgotten.lock().unwrap()) {
                return Ok(SlotStatus::Forgotten);
            }
            let now = self.clock.now();
            let held = self.origins.lock().unwrap().get(origin).and_then(|known| known.held);
            Ok(match held.and_then(|held| held.duration_since(now).ok()) {
                Some(rest) if !rest.is_zero() => SlotStatus::Held(rest),
                _ => SlotStatus::Valid,
            })
        })
    }

    fn hold<'a>(
        &'a self,
        origin: &'a Origin,
        _: Lane,
        until_in: Duration,
        _: Moment,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(async move {
            self.travel().await?;
            {
                let until = self.clock.now() + until_in;
                let mut origins = self.origins.lock().unwrap();
                let known = origins.entry(origin.clone()).or_default();
                known.held = known.held.max(Some(until));
            }
            self.travel().await
        })
    }

    fn give_back<'a>(
        &'a self,
        origin: &'a Origin,
        request: &'a SlotRequest,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(async move {
            self.travel().await?;
            {
                let mut origins = self.origins.lock().unwrap();
                let known = origins.entry(origin.clone()).or_default();
                if known.number == request.number {
                    known.last = known.before;
                    known.number = 0;
                }
            }
            self.travel().await
        })
    }
}

/// A clock that wakes tasks slightly late. One time in `seldom`, it wakes a task up to `longest` late.
#[derive(Debug)]
pub(crate) struct Oversleeping {
    clock: TokioClock,
    seldom: u32,
    longest: Duration,
    random: Mutex<fastrand::Rng>,
}

impl Oversleeping {
    pub(crate) fn new(clock: TokioClock, seldom: u32, longest: Duration, seed: u64) -> Arc<Self> {
        Arc::new(Oversleeping { clock, seldom, longest, random: Mutex::new(fastrand::Rng::with_seed(seed)) })
    }
}

impl Clock for Oversleeping {
    fn now(&self) -> SystemTime {
        self.clock.now()
    }

    fn moment(&self) -> Moment {
        self.clock.moment()
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'_, ()> {
        let late = {
            let mut random = self.random.lock().unwrap();
            let longest = if random.u32(0..self.seldom) == 0 { self.longest } else { seconds(0.02) };
            longest.mul_f64(random.f64())
        };
        self.clock.sleep(duration.saturating_add(late))
    }
}

/// The start of a request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Begin {
    pub(crate) at: SystemTime,
    pub(crate) interval: Duration,
    pub(crate) late: Option<Duration>,
}

/// The starts of requests, by origin.
#[derive(Clone, Debug, Default)]
pub(crate) struct Log(Arc<Mutex<HashMap<Origin, Vec<Begin>>>>);

impl Log {
    pub(crate) fn add(&self, origin: &Origin, begin: Begin) {
        self.0.lock().unwrap().entry(origin.clone()).or_default().push(begin);
    }

    /// Returns all pairs of consecutive starts at the same origin.
    pub(crate) fn pairs(&self) -> Vec<(Begin, Begin)> {
        let log = self.0.lock().unwrap();
        log.values().flat_map(|begins| begins.windows(2).map(|pair| (pair[0], pair[1]))).collect()
    }

    /// Returns the number of starts at each origin.
    pub(crate) fn counts(&self) -> Vec<usize> {
        self.0.lock().unwrap().values().map(Vec::len).collect()
    }
}
