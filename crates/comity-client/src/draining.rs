//! Drains a client: requests under way are finished, and none begins.

use std::pin::{Pin, pin};
use std::sync::Arc;

use futures_util::future::{Either, select};
use tokio::sync::watch;

/// The state of draining: whether it has begun, and how many pieces of work are under way. Clones share it.
#[derive(Clone, Debug)]
pub(crate) struct Draining {
    is_begun: Arc<watch::Sender<bool>>,
    under_way: Arc<watch::Sender<usize>>,
}

impl Default for Draining {
    fn default() -> Self {
        Draining { is_begun: Arc::new(watch::Sender::new(false)), under_way: Arc::new(watch::Sender::new(0)) }
    }
}

impl Draining {
    /// Counts a piece of work as under way until the returned guard is dropped.
    pub(crate) fn work(&self) -> UnderWay {
        self.under_way.send_modify(|count| *count += 1);
        UnderWay { under_way: Arc::clone(&self.under_way) }
    }

    /// Returns true if nothing new may begin.
    pub(crate) fn is_begun(&self) -> bool {
        *self.is_begun.borrow()
    }

    /// Goes on with a wait until it is over or draining begins. The wait is borrowed, since moving a future into
    /// another one makes that one larger by as much, and there are many.
    pub(crate) async fn unless_begun<T>(&self, wait: Pin<&mut impl Future<Output = T>>) -> Option<T> {
        if self.is_begun() {
            return None;
        }
        let begun = async {
            // The sender lives as long as `self`.
            let _ = self.is_begun.subscribe().wait_for(|is_begun| *is_begun).await;
        };
        match select(wait, pin!(begun)).await {
            Either::Left((done, _)) => Some(done),
            Either::Right(_) => None,
        }
    }

    /// Begins draining, and waits until nothing is under way.
    pub(crate) async fn drain(&self) {
        self.is_begun.send_replace(true);
        let _ = self.under_way.subscribe().wait_for(|count| *count == 0).await;
    }
}

/// A piece of work that is under way.
#[derive(Debug)]
pub(crate) struct UnderWay {
    under_way: Arc<watch::Sender<usize>>,
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.under_way.send_modify(|count| *count -= 1);
    }
}
