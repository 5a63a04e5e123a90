//! Time, as an argument: the system's, or a test's.

use std::fmt;
use std::time::{Duration, SystemTime};

use crate::BoxFuture;

/// What time it is, and waiting.
pub trait Clock: fmt::Debug + Send + Sync + 'static {
    /// The time by which freshness, waits and records are told.
    fn now(&self) -> SystemTime;

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

    fn sleep(&self, duration: Duration) -> BoxFuture<'_, ()> {
        Box::pin(tokio::time::sleep(duration))
    }
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

    fn sleep(&self, duration: Duration) -> BoxFuture<'_, ()> {
        Box::pin(tokio::time::sleep(duration))
    }
}
