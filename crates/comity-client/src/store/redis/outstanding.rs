//! Local record of the server's state: the slots that tasks wait for, the server's time, and the end of the last slot
//! that was handed on to another program.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::store::table::Table;

/// Longest time for which the server's time is estimated.
const GUESSED: Duration = Duration::from_secs(600);

/// Assumed drift of clocks: a constant, and one part in this number of the elapsed time.
const DRIFT: (Duration, u32) = (Duration::from_millis(100), 1000);

/// Time after which a slot that is neither confirmed nor given back is removed.
const FORGOTTEN: Duration = Duration::from_secs(86_400);

#[derive(Debug, Default)]
pub(super) struct Outstanding {
    slots: Mutex<Table<u64, (Taken, Instant)>>,
    /// A time on the server in µs, and a time here that was no later.
    heard: Mutex<Option<(i64, Instant)>>,
    reach: Mutex<Option<Reach>>,
}

/// The end of the last slot that was handed on. It is sent to a server that has lost it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reach {
    /// The epoch in which the server had all of them.
    pub(super) epoch: i64,
    /// The end of the last of them, or later.
    pub(super) until: Instant,
}

/// A slot on the server, in µs.
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

    /// Records the server's time, with the local time at which the request was sent.
    pub(super) fn heard(&self, time: i64, sent: Instant) {
        *open(&self.heard) = Some((time, sent));
    }

    /// Returns the end of the last slot that was handed on, to send it to the server.
    pub(super) fn reach(&self) -> Option<Reach> {
        *open(&self.reach)
    }

    /// Records the end that the server returned, after `told` was sent to it.
    pub(super) fn heard_of(&self, heard: Reach, told: Option<Reach>) {
        let mut known = open(&self.reach);
        *known = match *known {
            Some(known) if known.epoch == heard.epoch => {
                Some(Reach { until: known.until.max(heard.until), ..known })
            }
            // The server lost its data, and `told` is older than the local record. The next request sends the record.
            Some(known) if told != Some(known) && known.epoch < heard.epoch => Some(known),
            // A late answer from before the server lost its data. The next request sends the end from that answer.
            Some(known) if told != Some(known) => {
                Some(Reach { until: known.until.max(heard.until), ..heard })
            }
            _ => Some(heard),
        };
    }

    /// Returns the latest server time at which the answer to a request sent now is still useful, or `None` if the
    /// server's time is unknown.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_slot_is_lost_while_answers_of_two_epochs_come_in() {
        let (outstanding, now) = (Outstanding::default(), Instant::now());
        let reach = |epoch, seconds| Reach { epoch, until: now + Duration::from_secs(seconds) };
        outstanding.heard_of(reach(1, 5), None);
        outstanding.heard_of(reach(1, 3), None);
        let told = outstanding.reach();
        assert_eq!(told, Some(reach(1, 5)));
        // The server loses its data and receives the end again.
        outstanding.heard_of(reach(2, 5), told);
        assert_eq!(outstanding.reach(), Some(reach(2, 5)));
        // A late answer from before the loss. Its end was not sent to the server, nor in the request made meanwhile.
        outstanding.heard_of(reach(1, 9), told);
        let all = outstanding.reach();
        assert_eq!(all, Some(reach(1, 9)));
        outstanding.heard_of(reach(2, 11), told);
        assert_eq!(outstanding.reach(), all, "the server knows of its own slots");
        outstanding.heard_of(reach(2, 11), all);
        assert_eq!(outstanding.reach(), Some(reach(2, 11)));
    }
}
