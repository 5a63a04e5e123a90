//! Drains a client: finishes the requests in flight, and rejects new requests.

use std::pin::{Pin, pin};
use std::sync::Arc;

use futures_util::future::{Either, select};
use tokio::sync::watch;

/// The state of draining: whether it has begun, and the number of operations in flight. Clones share it.
#[derive(Clone, Debug)]
pub(crate) struct Draining {
    is_begun: Arc<watch::Sender<bool>>,
    in_flight: Arc<watch::Sender<usize>>,
}

impl Default for Draining {
    fn default() -> Self {
        Draining { is_begun: Arc::new(watch::Sender::new(false)), in_flight: Arc::new(watch::Sender::new(0)) }
    }
}

impl Draining {
    /// Counts an operation as in flight until the returned guard is dropped.
    pub(crate) fn begin_operation(&self) -> InFlight {
        self.in_flight.send_modify(|count| *count += 1);
        InFlight { in_flight: Arc::clone(&self.in_flight) }
    }

    /// Returns true if new operations are rejected.
    pub(crate) fn is_begun(&self) -> bool {
        *self.is_begun.borrow()
    }

    /// Waits until draining begins.
    pub(crate) async fn begun(&self) {
        // The sender lives as long as `self`.
        let _ = self.is_begun.subscribe().wait_for(|is_begun| *is_begun).await;
    }

    /// Awaits a future until it completes or draining begins. The future is borrowed, since moving it in would enlarge
    /// this future, which exists once per waiting fetch.
    pub(crate) async fn unless_begun<T>(&self, wait: Pin<&mut impl Future<Output = T>>) -> Option<T> {
        if self.is_begun() {
            return None;
        }
        match select(wait, pin!(self.begun())).await {
            Either::Left((done, _)) => Some(done),
            Either::Right(_) => None,
        }
    }

    /// Begins draining, and waits until no operation is in flight.
    pub(crate) async fn drain(&self) {
        self.is_begun.send_replace(true);
        let _ = self.in_flight.subscribe().wait_for(|count| *count == 0).await;
    }
}

/// The guard of an operation in flight.
#[derive(Debug)]
pub(crate) struct InFlight {
    in_flight: Arc<watch::Sender<usize>>,
}

impl Drop for InFlight {
    fn drop(&mut self) {
        self.in_flight.send_modify(|count| *count -= 1);
    }
}
