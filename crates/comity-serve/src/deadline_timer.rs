//! Cheap time limits: all limits of a connection share one timer of the runtime.
//!
//! A request has three time limits: on its head, its body and its answer. Nearly every limit is removed shortly after
//! it was set. With a separate timer for each limit, every limit would be inserted into the timer table that all
//! threads share, and removed again. The shared timer stays in the table. It fires at the earliest deadline that was
//! set since it last fired. A future with a later deadline then sets the timer again.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use hyper::rt::Timer;
use tokio::time::{Instant, Sleep};

/// Longest time limit. A deadline further off could exceed the range of an [`Instant`].
pub(crate) const LONGEST: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// Returns the end of a time limit that begins now. The limit is at most [`LONGEST`].
pub(crate) fn deadline(limit: Duration) -> Instant {
    Instant::now() + limit.min(LONGEST)
}

/// The timer of one task. Clones share the timer. Only this task may poll them, because the timer wakes only the task
/// that polled it last.
#[derive(Clone, Debug)]
pub(crate) struct DeadlineTimer(Arc<Mutex<Pin<Box<Sleep>>>>);

impl DeadlineTimer {
    /// Creates a timer that is not set.
    pub(crate) fn new() -> Self {
        DeadlineTimer(Arc::new(Mutex::new(Box::pin(tokio::time::sleep(Duration::MAX)))))
    }

    /// Returns the output of a future, or `None` if it takes longer than `limit`.
    pub(crate) async fn within<F: Future + Unpin>(&self, limit: Duration, future: F) -> Option<F::Output> {
        let mut future = future;
        let mut until = None;
        poll_fn(|context| {
            // Most futures are ready at the first poll, and need no timer.
            if let Poll::Ready(value) = Pin::new(&mut future).poll(context) {
                return Poll::Ready(Some(value));
            }
            let until = until.get_or_insert_with(|| self.until(deadline(limit)));
            Pin::new(until).poll(context).map(|()| None)
        })
        .await
    }

    fn until(&self, deadline: Instant) -> Deadline {
        Deadline { deadline_timer: self.clone(), deadline }
    }
}

/// A future that is ready at a deadline.
#[derive(Debug)]
struct Deadline {
    deadline_timer: DeadlineTimer,
    deadline: Instant,
}

impl Future for Deadline {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        // No code panics while it holds the lock.
        let mut sleep = self.deadline_timer.0.lock().unwrap_or_else(PoisonError::into_inner);
        if self.deadline < sleep.deadline() {
            sleep.as_mut().reset(self.deadline);
        }
        loop {
            ready!(sleep.as_mut().poll(context));
            if self.deadline <= Instant::now() {
                return Poll::Ready(());
            }
            sleep.as_mut().reset(self.deadline);
        }
    }
}

impl hyper::rt::Sleep for Deadline {}

impl Timer for DeadlineTimer {
    fn sleep(&self, duration: Duration) -> Pin<Box<dyn hyper::rt::Sleep>> {
        Box::pin(self.until(deadline(duration)))
    }

    fn sleep_until(&self, deadline: std::time::Instant) -> Pin<Box<dyn hyper::rt::Sleep>> {
        Box::pin(self.until(deadline.into()))
    }

    fn now(&self) -> std::time::Instant {
        Instant::now().into()
    }
}

#[cfg(test)]
mod tests {
    use std::future::pending;
    use std::pin::pin;

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[tokio::test(start_paused = true)]
    async fn limit_set_after_removed_limits_ends_in_time() {
        let deadline_timer = DeadlineTimer::new();
        let begin = Instant::now();
        // Two limits that are removed before they end: their deadlines are before and after the deadline of the last
        // limit.
        for removed in [SECOND / 2, SECOND * 9] {
            let sleep = pin!(tokio::time::sleep(SECOND / 4));
            assert_eq!(deadline_timer.within(removed, sleep).await, Some(()));
        }
        assert_eq!(deadline_timer.within(SECOND * 3, pending::<()>()).await, None);
        assert_eq!(begin.elapsed().as_secs(), 3);
    }

    #[tokio::test(start_paused = true)]
    async fn longest_possible_limit_is_capped() {
        let deadline_timer = DeadlineTimer::new();
        let _sleep = deadline_timer.sleep(Duration::MAX);
        let future = pin!(tokio::time::sleep(SECOND));
        assert_eq!(deadline_timer.within(Duration::MAX, future).await, Some(()));
    }

    #[tokio::test(start_paused = true)]
    async fn nested_limits_end_in_order_of_their_deadlines() {
        for (outer, inner, expected) in [(9, 2, Some(None)), (2, 9, None)] {
            let deadline_timer = DeadlineTimer::new();
            let begin = Instant::now();
            let waits = pin!(deadline_timer.within(SECOND * inner, pending::<()>()));
            assert_eq!(deadline_timer.within(SECOND * outer, waits).await, expected);
            assert_eq!(begin.elapsed().as_secs(), 2);
        }
        let deadline_timer = DeadlineTimer::new();
        let begin = Instant::now();
        let both = async {
            deadline_timer.within(SECOND * 2, pending::<()>()).await;
            pending::<()>().await;
        };
        assert_eq!(deadline_timer.within(SECOND * 5, pin!(both)).await, None);
        assert_eq!(begin.elapsed().as_secs(), 5);
    }
}
