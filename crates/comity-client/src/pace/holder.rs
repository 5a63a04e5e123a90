//! The holder of a permit, for warnings about permits that are held for a long time.

use std::borrow::Cow;
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

use crate::lock::lock;
use crate::{Moment, Origin};

/// Minimum length of a wait that is logged. A wait for a permit is logged after this time.
pub(super) const LONG_WAIT: Duration = Duration::from_secs(1);

/// The holder of a permit.
#[derive(Debug)]
pub(super) struct Holder {
    since: Moment,
    /// The request whose permit the program has to release; `None` if the client releases the permit.
    admission: Mutex<Option<HeldAdmission>>,
}

#[derive(Clone, Debug)]
struct HeldAdmission {
    url: String,
    /// The call that holds the permit, such as `a response of requests`.
    call: Cow<'static, str>,
}

impl Holder {
    /// Sets the URL without credentials, and the call of the program.
    pub(super) fn describe(&self, url: String, call: Cow<'static, str>) {
        *lock(&self.admission) = Some(HeldAdmission { url, call });
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
        let holder = Arc::new(Holder { since, admission: Mutex::default() });
        let mut list = lock(&self.list);
        list.retain(|holder| holder.strong_count() > 0);
        list.push(Arc::downgrade(&holder));
        holder
    }

    /// Logs the request that has held a permit for longest, as a warning if the program has to release the permit.
    pub(super) fn log(&self, origin: &Origin, waited: Duration, now: Moment) {
        let list = lock(&self.list);
        let Some(holder) = list.iter().find_map(Weak::upgrade) else { return };
        drop(list);
        let admission = lock(&holder.admission).clone();
        let (held_seconds, seconds) = (now.since(holder.since).as_secs_f64(), waited.as_secs_f64());
        match admission {
            Some(HeldAdmission { url, call }) => tracing::warn!(
                target: "comity_client::pace",
                %origin,
                url,
                holder = &*call,
                held_seconds,
                seconds,
                "a request waits because {call} ({url}) is open: read the response to its end, or close it"
            ),
            None => tracing::info!(
                target: "comity_client::pace",
                %origin,
                held_seconds,
                seconds,
                "a request waits for a request in flight"
            ),
        }
    }
}
