//! The trait for clocks, the clock of the system, and a virtual clock for tests.
//!
//! A clock returns two kinds of time. The time of day ([`SystemTime`]) is used for records and for the freshness of
//! answers. It may be set back or ahead at any time. A [`Moment`] is a reading of a monotonic clock and is used to
//! measure durations.

use std::fmt;
use std::ops::Add;
use std::time::{Duration, SystemTime};

use crate::BoxFuture;

/// A point in time on a monotonic clock. Waits, slots and leases use it.
///
/// ```
/// use std::time::Duration;
///
/// use comity_client::Moment;
///
/// let begun = Moment::after(Duration::from_secs(60));
/// let ended = begun + Duration::from_secs(5);
/// assert_eq!(ended.since(begun), Duration::from_secs(5));
/// assert_eq!(begun.since(ended), Duration::ZERO, "the duration is never negative");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Moment {
    since_zero: Duration,
}

impl Moment {
    /// Returns the moment this long after the clock's zero.
    pub const fn after(since_zero: Duration) -> Moment {
        Moment { since_zero }
    }

    /// Returns the time from the clock's zero to the moment.
    pub const fn since_zero(self) -> Duration {
        self.since_zero
    }

    /// Returns the time since `earlier`, or zero if `earlier` is after this moment.
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

/// A clock with timers.
pub trait Clock: fmt::Debug + Send + Sync + 'static {
    /// Returns the time of day, for freshness and records.
    fn now(&self) -> SystemTime;

    /// Returns the current moment, for waits, slots and leases. The moment advances evenly, even if the time of day is
    /// set. All processes of the machine that share a store must get the same moment.
    fn moment(&self) -> Moment;

    /// Waits for a duration. Dropping the future ends the wait.
    fn sleep(&self, duration: Duration) -> BoxFuture<'_, ()>;
}

/// The clock of the system. It waits with tokio's timer.
#[derive(Clone, Copy, Debug, Default)]
#[allow(clippy::exhaustive_structs, reason = "the type will never have fields")]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> SystemTime {
        SystemTime::now()
    }

    /// Returns the time since the machine was started, including sleep. On a system without such a clock, returns the
    /// time since 1970, which may be set. The [stores](crate::store) correct their times after such a change.
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

/// A clock that starts at a given time and follows tokio's timer. With `tokio::time::pause`, it is a virtual clock: as
/// soon as all tasks wait, the time jumps to the end of the next wait.
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
    /// Creates a clock whose current time is `start`.
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
