//! A clock that tests can set.

use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use comity_client::{BoxFuture, Clock, Moment, SystemClock};

/// The clock of the system plus offsets that a test can change.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ahead(Arc<Mutex<Shift>>);

#[derive(Debug, Default)]
struct Shift {
    time: Duration,
    moment: Duration,
}

impl Ahead {
    pub(crate) fn pass(&self, hours: u64) {
        self.pass_seconds(hours * 3600);
    }

    pub(crate) fn pass_seconds(&self, seconds: u64) {
        let mut shift = self.0.lock().unwrap();
        shift.time += Duration::from_secs(seconds);
        shift.moment += Duration::from_secs(seconds);
    }

    /// Sets the time of day back. The monotonic clock is unchanged.
    pub(crate) fn back(&self, hours: u64) {
        self.0.lock().unwrap().time -= Duration::from_secs(hours * 3600);
    }
}

impl Clock for Ahead {
    fn now(&self) -> SystemTime {
        SystemClock.now() + self.0.lock().unwrap().time
    }

    fn moment(&self) -> Moment {
        SystemClock.moment() + self.0.lock().unwrap().moment
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'_, ()> {
        SystemClock.sleep(duration)
    }
}
