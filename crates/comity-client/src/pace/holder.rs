//! The holder of a permit, for warnings about permits that are held for a long time.

use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};
use std::time::Duration;

use crate::{Moment, Origin};

/// Time after which a wait for a permit is reported.
pub(super) const LONG_WAIT: Duration = Duration::from_secs(30);

/// The request that holds a permit.
#[derive(Debug)]
pub(super) struct Holder {
    since: Moment,
    request: OnceLock<HeldRequest>,
}

#[derive(Debug)]
struct HeldRequest {
    url: String,
    /// The operation that holds the permit, as the caller knows it: `Client::admit`.
    operation: &'static str,
}

impl Holder {
    /// Sets the URL without credentials, and the operation.
    pub(super) fn describe(&self, url: String, operation: &'static str) {
        let _ = self.request.set(HeldRequest { url, operation });
    }
}

/// The holders of the permits of a lane, the oldest first.
#[derive(Debug, Default)]
pub(super) struct Holders {
    list: Mutex<Vec<Weak<Holder>>>,
}

impl Holders {
    /// Adds the holder of a permit that is taken now. It is removed when it is dropped.
    pub(super) fn add(&self, since: Moment) -> Arc<Holder> {
        let holder = Arc::new(Holder { since, request: OnceLock::new() });
        let mut list = self.list.lock().unwrap_or_else(PoisonError::into_inner);
        list.retain(|holder| holder.strong_count() > 0);
        list.push(Arc::downgrade(&holder));
        holder
    }

    /// Logs a warning that names the request that has held a permit for longest.
    pub(super) fn warn(&self, origin: &Origin, waited: Duration, now: Moment) {
        let list = self.list.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(holder) = list.iter().find_map(Weak::upgrade) else { return };
        drop(list);
        let (url, operation) = match holder.request.get() {
            Some(request) => (&*request.url, request.operation),
            None => ("", "Pace::enter"),
        };
        tracing::warn!(
            target: "comity_client::pace",
            %origin,
            url,
            holder = operation,
            held_seconds = now.since(holder.since).as_secs_f64(),
            seconds = waited.as_secs_f64(),
            "a request waits for the permit of another request; read or drop the body of its response"
        );
    }
}
