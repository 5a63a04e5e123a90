//! A lease that a task holds. It is given back however the task ends.

use std::sync::Arc;

use futures_util::FutureExt;
use tracing::debug;

use crate::store::{Lease, Store};

/// A lease that is held. Dropping it gives it back, so that nobody waits for a request that was cut off, as happens
/// when a runtime ends.
#[derive(Debug)]
pub(super) struct Held {
    store: Arc<dyn Store>,
    /// `None` after it was given back.
    lease: Option<Lease>,
}

impl Held {
    pub(super) fn new(store: &Arc<dyn Store>, lease: Lease) -> Self {
        Held { store: Arc::clone(store), lease: Some(lease) }
    }

    /// Returns the lease.
    pub(super) fn lease(&self) -> Option<&Lease> {
        self.lease.as_ref()
    }

    /// Notes that the store has the lease back, since it accepted an entry.
    pub(super) fn forget(mut self) {
        self.lease = None;
    }

    /// Gives the lease back. If that fails, the lease expires.
    pub(super) async fn release(mut self) {
        // It stays here until the store has answered, since this may be cut off, too.
        let Some(lease) = self.lease.clone() else { return };
        if let Err(error) = self.store.release(lease).await {
            debug!(%error, "a lease could not be given back");
        }
        self.lease = None;
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let Some(lease) = self.lease.take() else { return };
        let store = Arc::clone(&self.store);
        let mut giving = Box::pin(async move {
            if let Err(error) = store.release(lease).await {
                debug!(%error, "a lease could not be given back");
            }
        });
        // Some stores give it back, or note it, before a task could begin. A runtime that ends begins no tasks.
        if giving.as_mut().now_or_never().is_none()
            && let Ok(runtime) = tokio::runtime::Handle::try_current()
        {
            runtime.spawn(giving);
        }
    }
}
