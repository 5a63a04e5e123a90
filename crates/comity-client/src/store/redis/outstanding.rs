//! What this process knows about the server between two requests: the slots that it waits for, and the server's time.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::store::table::Table;

/// The longest time for which the server's time is estimated.
const GUESSED: Duration = Duration::from_secs(600);

/// The drift of clocks: this much at once, and a fraction of the time since.
const DRIFT: (Duration, u32) = (Duration::from_millis(100), 1000);

/// The time after which a slot that is neither confirmed nor given back is forgotten.
const FORGOTTEN: Duration = Duration::from_secs(86_400);

#[derive(Debug, Default)]
pub(super) struct Outstanding {
    slots: Mutex<Table<u64, (Taken, Instant)>>,
    /// A time on the server in µs, and a time here that was no later.
    heard: Mutex<Option<(i64, Instant)>>,
}

/// A slot as the server knows it, in µs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Taken {
    pub(super) epoch: i64,
    pub(super) end: i64,
}

impl Outstanding {
    pub(super) fn add(&self, number: u64, taken: Taken) {
        let mut slots = open(&self.slots);
        slots.sweep(|(_, since)| since.elapsed() > FORGOTTEN);
        slots.rows.insert(number, (taken, Instant::now()));
    }

    pub(super) fn take(&self, number: u64) -> Option<Taken> {
        open(&self.slots).rows.remove(&number).map(|(taken, _)| taken)
    }

    /// Notes the time on the server after a request was sent.
    pub(super) fn heard(&self, time: i64, sent: Instant) {
        *open(&self.heard) = Some((time, sent));
    }

    /// Returns the latest time on the server at which the answer to a request sent now can still be of use, or `None`
    /// if the server's time is not known.
    pub(super) fn deadline(&self, now: Instant, timeout: Duration) -> Option<i64> {
        let (time, sent) = (*open(&self.heard))?;
        let since = now.saturating_duration_since(sent);
        let most = since + since / DRIFT.1 + DRIFT.0 + timeout;
        (since < GUESSED).then(|| time.saturating_add(i64::try_from(most.as_micros()).unwrap_or(i64::MAX)))
    }
}

fn open<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
