//! The time at which the first byte of a request is sent: its departure.
//!
//! A request may be sent later than its turn begins, because of a new connection or a busy process. The interval to the
//! next request must then be counted from the later time. So the transport reports the departure before the answer
//! arrives: an answer may take longer than the interval.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;

/// Record of the time at which a request is sent. All clones share the record.
///
/// A [`Transport`](super::Transport) calls [`note`](Departure::note) when it writes the first byte of a request, if it
/// can detect that. Without the call, a request counts as sent after
/// [`Response::connecting`](super::Response::connecting).
#[derive(Clone, Debug)]
pub struct Departure {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    begun: Instant,
    /// Time from `begun` after which a departure is late.
    allowed: Duration,
    /// Nanoseconds from `begun` to the last departure, plus one; 0 before the first departure.
    left: AtomicU64,
    late: Notify,
}

impl Departure {
    /// Creates the record of a request that is late if it is sent after more than `allowed` from now.
    pub(crate) fn allowing(allowed: Duration) -> Departure {
        let (left, late) = (AtomicU64::new(0), Notify::new());
        Departure { inner: Arc::new(Inner { begun: Instant::now(), allowed, left, late }) }
    }

    /// Records that the request is sent now. A second call, for a resend, replaces the time.
    pub fn note(&self) {
        let Inner { begun, allowed, left, late } = &*self.inner;
        let after = begun.elapsed();
        let nanos = u64::try_from(after.as_nanos()).unwrap_or(u64::MAX);
        left.store(nanos.saturating_add(1), Ordering::Release);
        if after > *allowed {
            late.notify_one();
        }
    }

    /// Returns the time from the creation of the record to the departure, or `None` if no departure was recorded.
    pub(crate) fn after(&self) -> Option<Duration> {
        let nanos = self.inner.left.load(Ordering::Acquire).checked_sub(1)?;
        Some(Duration::from_nanos(nanos))
    }

    /// Completes when the request is sent late. For a request on time, it never completes.
    pub(crate) async fn is_late(&self) {
        self.inner.late.notified().await;
    }
}

impl Default for Departure {
    /// Creates a record without a limit: the request is never late.
    fn default() -> Self {
        Departure::allowing(Duration::MAX)
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn only_a_late_departure_notifies_and_the_last_one_is_recorded() {
        let departure = Departure::allowing(Duration::from_millis(10));
        assert_eq!(departure.after(), None);
        departure.note();
        assert_eq!(departure.after(), Some(Duration::ZERO));
        assert_eq!(departure.is_late().now_or_never(), None);
        tokio::time::sleep(Duration::from_millis(30)).await;
        departure.clone().note();
        assert_eq!(departure.is_late().now_or_never(), Some(()));
        assert_eq!(departure.after(), Some(Duration::from_millis(30)));
    }
}
