//! Time, as an argument: the system's, or a test's.
//!
//! There are two kinds of it. What time it is ([`SystemTime`]) may be set back or ahead at any moment; records and
//! freshness need it all the same. How long something takes goes by a [`Moment`], which nobody sets.

use std::fmt;
use std::ops::Add;
use std::time::{Duration, SystemTime};

use crate::BoxFuture;

/// A point in time on a clock that is never set: for waits, slots and leases.
///
/// ```
/// use std::time::Duration;
///
/// use comity_client::Moment;
///
/// let begun = Moment::after(Duration::from_secs(60));
/// let ended = begun + Duration::from_secs(5);
/// assert_eq!(ended.since(begun), Duration::from_secs(5));
/// assert_eq!(begun.since(ended), Duration::ZERO, "later is no time ago");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Moment {
    since_zero: Duration,
}

impl Moment {
    /// The moment that long after the clock's zero.
    pub const fn after(since_zero: Duration) -> Moment {
        Moment { since_zero }
    }

    /// How long after the clock's zero it is.
    pub const fn since_zero(self) -> Duration {
        self.since_zero
    }

    /// How long after an earlier moment it is; zero if that one is later.
    pub const fn since(self, earlier: Moment) -> Duration {
        self.since_zero.saturating_sub(earlier.since_zero)
    }
}

impl Add<Duration> for Moment {
    type Output = Moment;

    fn add(self, duration: Duration) -> Moment {
        Moment { since_zero: self.since_zero.saturating_add(duration) }
    }
}

/// What time it is, and waiting.
pub trait Clock: fmt::Debug + Send + Sync + 'static {
    /// The time by which freshness and records are told.
    fn now(&self) -> SystemTime;

    /// The moment by which waits, slots and leases are counted. Whatever happens to [`now`](Clock::now), it goes on
    /// evenly; and it is the same for all processes that share a store on this machine.
    fn moment(&self) -> Moment;

    /// Ends when the duration has gone by. Dropping the future ends the wait.
    fn sleep(&self, duration: Duration) -> BoxFuture<'_, ()>;
}

/// The system's clock, with tokio's timer.
#[derive(Clone, Copy, Debug, Default)]
#[allow(clippy::exhaustive_structs, reason = "there is nothing in it, and nothing will be")]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> SystemTime {
        SystemTime::now()
    }

    /// The time since the machine was started, sleep included. Where no such clock can be read, it is the time since
    /// 1970, and the rules of the [stores](crate::store) for a clock that is set apply.
    fn moment(&self) -> Moment {
        Moment::after(uptime())
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'_, ()> {
        Box::pin(tokio::time::sleep(duration))
    }
}

#[cfg(unix)]
fn uptime() -> Duration {
    use rustix::time::{ClockId, clock_gettime};

    #[cfg(any(target_os = "linux", target_os = "android"))]
    const UPTIME: ClockId = ClockId::Boottime;
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    const UPTIME: ClockId = ClockId::Monotonic;
    clock_gettime(UPTIME).try_into().unwrap_or_default()
}

#[cfg(not(unix))]
fn uptime() -> Duration {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default()
}

/// A clock that starts at a given time and goes by tokio's timer: with `tokio::time::pause`, a virtual clock, in which
/// hours pass as soon as everybody waits.
///
/// ```
/// use std::time::{Duration, SystemTime};
///
/// use comity_client::{Clock, TokioClock};
///
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() {
/// let clock = TokioClock::starting_at(SystemTime::UNIX_EPOCH);
/// clock.sleep(Duration::from_secs(86_400)).await;
/// assert!(clock.now() >= SystemTime::UNIX_EPOCH + Duration::from_secs(86_400));
/// # }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct TokioClock {
    start: SystemTime,
    begun: tokio::time::Instant,
}

impl TokioClock {
    /// A clock that shows `start` now.
    pub fn starting_at(start: SystemTime) -> Self {
        TokioClock { start, begun: tokio::time::Instant::now() }
    }
}

impl Clock for TokioClock {
    fn now(&self) -> SystemTime {
        self.start + self.begun.elapsed()
    }

    fn moment(&self) -> Moment {
        let start = self.start.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        Moment::after(start) + self.begun.elapsed()
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'_, ()> {
        Box::pin(tokio::time::sleep(duration))
    }
}
