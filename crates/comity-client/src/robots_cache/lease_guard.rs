//! A guard that releases the lease of a task when the task ends or is cancelled.

use std::sync::Arc;

use futures_util::FutureExt;
use tracing::debug;

use crate::store::{Entries, Lease};

/// A lease that is released when this guard is dropped. So other tasks do not wait for a cancelled request, for example
/// when a runtime shuts down.
#[derive(Debug)]
pub(super) struct LeaseGuard {
    entries: Arc<dyn Entries>,
    /// `None` after the lease was released.
    lease: Option<Lease>,
}

impl LeaseGuard {
    pub(super) fn new(entries: Arc<dyn Entries>, lease: Lease) -> Self {
        LeaseGuard { entries, lease: Some(lease) }
    }

    /// Returns the lease.
    pub(super) fn lease(&self) -> Option<&Lease> {
        self.lease.as_ref()
    }

    /// Drops the guard without a release: the store released the lease when it accepted an entry.
    pub(super) fn forget(mut self) {
        self.lease = None;
    }

    /// Releases the lease. If the release fails, the lease stays until it expires.
    pub(super) async fn release(mut self) {
        // If this future is cancelled, `drop` must release the lease. So keep the lease until the store has released
        // it.
        let Some(lease) = self.lease.clone() else { return };
        if let Err(error) = self.entries.release(lease).await {
            debug!(%error, "could not release a lease");
        }
        self.lease = None;
    }
}

impl Drop for LeaseGuard {
    fn drop(&mut self) {
        let Some(lease) = self.lease.take() else { return };
        let entries = Arc::clone(&self.entries);
        let mut giving = Box::pin(async move {
            if let Err(error) = entries.release(lease).await {
                debug!(%error, "could not release a lease");
            }
        });
        // Some stores release the lease, or record the release, at the first poll. So poll once before spawning a task:
        // a runtime that shuts down starts no new tasks.
        if giving.as_mut().now_or_never().is_none()
            && let Ok(runtime) = tokio::runtime::Handle::try_current()
        {
            runtime.spawn(giving);
        }
    }
}
