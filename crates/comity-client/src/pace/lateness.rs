//! Measures how late the requests of this process are, and adjusts the window of their slots. The window is the time
//! after the start of a slot in which its request may begin.
//!
//! A wide window delays all later requests to the origin. With a narrow window, a late request misses its slot and
//! needs another one. So the window widens at once when a request is late, and narrows slowly.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Minimum window. Timers have a resolution of a millisecond, and end up to two milliseconds late.
const MIN_WINDOW: Duration = Duration::from_millis(5);

/// Divisor for narrowing. If the window is wider than a request needed, the difference is divided by this number, and
/// the window is reduced by the result.
const NARROWING: u64 = 16;

#[derive(Debug)]
pub(super) struct Lateness {
    /// Maximum window, in nanoseconds.
    widest: u64,
    /// Current window, in nanoseconds.
    window: AtomicU64,
}

impl Lateness {
    pub(super) fn new(slack: Duration) -> Self {
        let widest = nanos(slack.max(MIN_WINDOW));
        Lateness { widest, window: AtomicU64::new(widest.min(2 * nanos(MIN_WINDOW))) }
    }

    /// Returns the current window.
    pub(super) fn window(&self) -> Duration {
        Duration::from_nanos(self.window.load(Ordering::Relaxed))
    }

    /// Returns the maximum window.
    pub(super) fn widest(&self) -> Duration {
        Duration::from_nanos(self.widest)
    }

    /// Records how late a request was.
    pub(super) fn note(&self, late: Duration) {
        let needed = nanos(late).saturating_mul(2).clamp(nanos(MIN_WINDOW), self.widest);
        // If two tasks call this function at once, one update may be lost. The next late request corrects the window.
        let window = self.window.load(Ordering::Relaxed);
        let next = if needed >= window { needed } else { window - (window - needed).div_ceil(NARROWING) };
        if next != window {
            self.window.store(next, Ordering::Relaxed);
        }
    }
}

fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn window_widens_at_once_and_narrows_slowly_within_bounds() {
        let milli = Duration::from_millis;
        let lateness = Lateness::new(milli(50));
        assert_eq!(lateness.window(), milli(10));
        lateness.note(milli(20));
        assert_eq!(lateness.window(), milli(40));
        lateness.note(Duration::MAX);
        assert_eq!(lateness.window(), milli(50));
        lateness.note(milli(1));
        assert!((milli(45)..milli(50)).contains(&lateness.window()), "{:?}", lateness.window());
        for _ in 0..1000 {
            lateness.note(milli(1));
        }
        assert_eq!(lateness.window(), MIN_WINDOW);
        assert_eq!(Lateness::new(Duration::ZERO).window(), MIN_WINDOW);
    }
}
