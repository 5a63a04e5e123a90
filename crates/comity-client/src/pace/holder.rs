//! The holder of a permit, for warnings about permits that are held for a long time.

use std::borrow::Cow;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use crate::{Moment, Origin};

/// Minimum length of a wait that is logged. A wait for a permit is logged after this time.
pub(super) const LONG_WAIT: Duration = Duration::from_secs(1);

/// The request that holds a permit.
#[derive(Debug)]
pub(super) struct Holder {
    since: Moment,
    request: Mutex<Option<HeldRequest>>,
}

#[derive(Clone, Debug)]
struct HeldRequest {
    url: String,
    /// The operation that holds the permit, as the caller knows it: `Client::fetch`, `a response of requests`.
    operation: Cow<'static, str>,
    /// True if a program with its own HTTP stack has to release the permit.
    is_admission: bool,
}

impl Holder {
    /// Sets the URL without credentials, the operation, and whether it is an admission.
    pub(super) fn describe(&self, url: String, operation: Cow<'static, str>, is_admission: bool) {
        *lock(&self.request) = Some(HeldRequest { url, operation, is_admission });
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
        let holder = Arc::new(Holder { since, request: Mutex::default() });
        let mut list = lock(&self.list);
        list.retain(|holder| holder.strong_count() > 0);
        list.push(Arc::downgrade(&holder));
        holder
    }

    /// Logs the request that has held a permit for longest. It is a warning if the program has to release the permit.
    pub(super) fn log(&self, origin: &Origin, waited: Duration, now: Moment) {
        let list = lock(&self.list);
        let Some(holder) = list.iter().find_map(Weak::upgrade) else { return };
        drop(list);
        let request = lock(&holder.request).clone();
        let (held, seconds) = (now.since(holder.since).as_secs_f64(), waited.as_secs_f64());
        match request {
            Some(HeldRequest { url, operation, is_admission: true }) => tracing::warn!(
                target: "comity_client::pace",
                %origin,
                url,
                holder = &*operation,
                held_seconds = held,
                seconds,
                "a request waits because {operation} ({url}) is open: read the response to its end, or close it"
            ),
            request => tracing::info!(
                target: "comity_client::pace",
                %origin,
                url = request.as_ref().map_or("", |request| &*request.url),
                holder = request.as_ref().map_or("Pace::enter", |request| &*request.operation),
                held_seconds = held,
                seconds,
                "a request waits for a request in flight"
            ),
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
