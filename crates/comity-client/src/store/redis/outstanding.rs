//! What this process knows about the server between two questions: which slots it waits for, and what time it is there.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::store::table::Table;

/// The server's time is guessed for no longer than this.
const GUESSED: Duration = Duration::from_secs(600);

/// Clocks drift: by so much at once, and by a part in so many of the time since.
const DRIFT: (Duration, u32) = (Duration::from_millis(100), 1000);

/// Whoever neither confirms a slot nor gives it back is forgotten, though not before this.
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

    /// What time it was on the server after a question was sent.
    pub(super) fn heard(&self, time: i64, sent: Instant) {
        *open(&self.heard) = Some((time, sent));
    }

    /// The latest time on the server at which the answer to a question that is sent now can still be of use; `None` if
    /// nobody knows what time it is there.
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
