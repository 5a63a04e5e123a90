//! Entries on their way into the store.
//!
//! Whoever asked for a robots.txt gets the rules as soon as they are read; that they are kept for others takes a moment
//! longer. Until then they are found here. A store that cannot keep them (a full disk) is told about once, not for every
//! origin, and the rules decide all the same.

use std::collections::HashMap;
use std::future::poll_fn;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;
use std::time::SystemTime;

use tracing::{debug, warn};

use crate::Origin;
use crate::store::{Entry, Lease, Store, StoreError};

/// What is being written.
#[derive(Clone, Debug, Default)]
pub(super) struct Writing {
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    entries: Mutex<HashMap<Origin, Entry>>,
    /// The last attempt failed, and that was told.
    is_failing: AtomicBool,
}

impl Writing {
    /// The entry of an origin that is on its way.
    pub(super) fn get(&self, origin: &Origin) -> Option<Entry> {
        self.entries().get(origin).cloned()
    }

    /// Writes an entry, which gives the lease back. Returns when the store has begun.
    pub(super) async fn put(
        &self,
        store: &Arc<dyn Store>,
        origin: &Origin,
        entry: Entry,
        lease: Lease,
        now: SystemTime,
    ) {
        self.entries().insert(origin.clone(), entry.clone());
        let (writing, store, origin) = (self.clone(), store.clone(), origin.clone());
        let mut put = Box::pin(async move {
            let written = store.put(&origin, &entry, Some(&lease), now).await;
            writing.done(&origin, &entry);
            if writing.told(&origin, written).is_err() {
                // Nobody waits for a lease that its holder is done with.
                let _ = store.release(lease).await;
            }
        });
        // A store that has begun ends by itself, so nothing is lost by the first step being taken here.
        let first = poll_fn(|context| Poll::Ready(put.as_mut().poll(context))).await;
        if first.is_pending() {
            tokio::spawn(put);
        }
    }

    /// An entry is no longer on its way, unless a later one took its place.
    fn done(&self, origin: &Origin, entry: &Entry) {
        let mut entries = self.entries();
        if entries.get(origin) == Some(entry) {
            entries.remove(origin);
        }
    }

    fn told(&self, origin: &Origin, written: Result<bool, StoreError>) -> Result<(), StoreError> {
        let was_failing = self.shared.is_failing.swap(written.is_err(), Ordering::Relaxed);
        match written {
            Ok(true) => Ok(()),
            Ok(false) => {
                debug!(%origin, "the lease ran out before robots.txt came; what was written since stands");
                Ok(())
            }
            Err(error) => {
                if was_failing {
                    debug!(%origin, %error, "robots.txt could not be kept");
                } else {
                    warn!(%origin, %error, "robots.txt could not be kept; the rules that were read count all the same");
                }
                Err(error)
            }
        }
    }

    fn entries(&self) -> MutexGuard<'_, HashMap<Origin, Entry>> {
        self.shared.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
