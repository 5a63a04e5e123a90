//! What this process knows about the server between two requests: the slots that it waits for, the server's time, and
//! how far slots reach that were handed on to other programs.

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
    reach: Mutex<Option<Reach>>,
}

/// How far slots reach that were handed on. A server that has forgotten them is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reach {
    /// The epoch in which the server knew of all of them.
    pub(super) epoch: i64,
    /// The end of the last of them, or later.
    pub(super) until: Instant,
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

    /// Returns how far slots reach that were handed on, to tell the server.
    pub(super) fn reach(&self) -> Option<Reach> {
        *open(&self.reach)
    }

    /// Notes how far they reach as the server says, after it was told what was known here.
    pub(super) fn heard_of(&self, heard: Reach, told: Option<Reach>) {
        let mut known = open(&self.reach);
        *known = match *known {
            Some(known) if known.epoch == heard.epoch => {
                Some(Reach { until: known.until.max(heard.until), ..known })
            }
            // The server has forgotten, and was told of less than is known by now. The next request tells it.
            Some(known) if told != Some(known) && known.epoch < heard.epoch => Some(known),
            // An answer from before the server forgot comes late. The next request tells what the server knew then.
            Some(known) if told != Some(known) => {
                Some(Reach { until: known.until.max(heard.until), ..heard })
            }
            _ => Some(heard),
        };
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
        // The server forgets, and is told.
        outstanding.heard_of(reach(2, 5), told);
        assert_eq!(outstanding.reach(), Some(reach(2, 5)));
        // An answer from before comes late. The server has not been told of it, and neither has who was asked meanwhile.
        outstanding.heard_of(reach(1, 9), told);
        let all = outstanding.reach();
        assert_eq!(all, Some(reach(1, 9)));
        outstanding.heard_of(reach(2, 11), told);
        assert_eq!(outstanding.reach(), all, "the server knows of its own slots");
        outstanding.heard_of(reach(2, 11), all);
        assert_eq!(outstanding.reach(), Some(reach(2, 11)));
    }
}
