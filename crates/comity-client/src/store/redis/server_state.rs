//! State of the server as this process knows it: the slots that tasks wait for, the server's time, and the end of the
//! last handed-on slot. A handed-on slot is used by another program, which does not confirm it.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use crate::lock::lock;
use crate::store::table::Table;

/// Maximum age of a received server time from which the current server time is estimated.
const MAX_ESTIMATE: Duration = Duration::from_secs(600);

/// Assumed error of an estimated time: a constant duration, plus the elapsed time divided by a number.
const DRIFT: (Duration, u32) = (Duration::from_millis(100), 1000);

/// Time after which the record of a slot that was neither confirmed nor given back is removed.
const SLOT_TTL: Duration = Duration::from_secs(86_400);

#[derive(Debug, Default)]
pub(super) struct ServerState {
    slots: Mutex<Table<u64, (PendingSlot, Instant)>>,
    /// The server's time in µs, and the local time at which the request for it was sent.
    server_time: Mutex<Option<(i64, Instant)>>,
    handed_on_end: Mutex<Option<HandedOnEnd>>,
}

/// The end of the last slot that was handed on. It is sent to a server that has lost its data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct HandedOnEnd {
    /// Epoch of the server when it returned this end.
    pub(super) epoch: i64,
    /// End of the last handed-on slot, or a later time.
    pub(super) until: Instant,
}

/// A slot on the server that a task waits for. Both times are in µs of the server's clock.
#[derive(Clone, Copy, Debug)]
pub(super) struct PendingSlot {
    pub(super) epoch: i64,
    pub(super) end: i64,
}

impl ServerState {
    pub(super) fn add(&self, number: u64, taken: PendingSlot) {
        let mut slots = lock(&self.slots);
        slots.sweep(|(_, since)| since.elapsed() > SLOT_TTL);
        slots.rows.insert(number, (taken, Instant::now()));
    }

    pub(super) fn find(&self, number: u64) -> Option<PendingSlot> {
        lock(&self.slots).rows.get(&number).map(|(taken, _)| *taken)
    }

    pub(super) fn take(&self, number: u64) -> Option<PendingSlot> {
        lock(&self.slots).rows.remove(&number).map(|(taken, _)| taken)
    }

    /// Records the server's time, and the local time at which the request for it was sent.
    pub(super) fn record_time(&self, time: i64, sent: Instant) {
        *lock(&self.server_time) = Some((time, sent));
    }

    /// Returns the end of the last handed-on slot, which is sent to the server with each reservation.
    pub(super) fn handed_on_end(&self) -> Option<HandedOnEnd> {
        *lock(&self.handed_on_end)
    }

    /// Records the end that the server returned in answer to a reservation with the end `sent`.
    pub(super) fn record_handed_on(&self, received: HandedOnEnd, sent: Option<HandedOnEnd>) {
        let mut known = lock(&self.handed_on_end);
        *known = match *known {
            Some(known) if known.epoch == received.epoch => {
                Some(HandedOnEnd { until: known.until.max(received.until), ..known })
            }
            // The server has lost its data, and the reservation sent it an older end than the local record. The record
            // stays, so that the next reservation sends it.
            Some(known) if sent != Some(known) && known.epoch < received.epoch => Some(known),
            // The answer is late: it comes from before a loss of data that this process has already detected. The
            // record gets the old epoch and the later end, so that the next reservation sends that end.
            Some(known) if sent != Some(known) => {
                Some(HandedOnEnd { until: known.until.max(received.until), ..received })
            }
            _ => Some(received),
        };
    }

    /// Returns the deadline of a request that is sent now, in server time: after it, the caller no longer waits for the
    /// answer. Returns `None` if the server's time is unknown.
    pub(super) fn deadline(&self, now: Instant, timeout: Duration) -> Option<i64> {
        let (time, sent) = (*lock(&self.server_time))?;
        let since = now.saturating_duration_since(sent);
        let most = since + since / DRIFT.1 + DRIFT.0 + timeout;
        (since < MAX_ESTIMATE)
            .then(|| time.saturating_add(i64::try_from(most.as_micros()).unwrap_or(i64::MAX)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn latest_handed_on_end_is_kept_across_two_epochs() {
        let (server_state, now) = (ServerState::default(), Instant::now());
        let handed_on_end = |epoch, seconds| HandedOnEnd { epoch, until: now + Duration::from_secs(seconds) };
        server_state.record_handed_on(handed_on_end(1, 5), None);
        server_state.record_handed_on(handed_on_end(1, 3), None);
        let sent = server_state.handed_on_end();
        assert_eq!(sent, Some(handed_on_end(1, 5)));
        // The server loses its data and receives the end from this process.
        server_state.record_handed_on(handed_on_end(2, 5), sent);
        assert_eq!(server_state.handed_on_end(), Some(handed_on_end(2, 5)));
        // A late answer comes from before the loss. The server has not received the end in this answer since the loss.
        server_state.record_handed_on(handed_on_end(1, 9), sent);
        let all = server_state.handed_on_end();
        assert_eq!(all, Some(handed_on_end(1, 9)));
        server_state.record_handed_on(handed_on_end(2, 11), sent);
        assert_eq!(server_state.handed_on_end(), all, "the server has its own slots");
        server_state.record_handed_on(handed_on_end(2, 11), all);
        assert_eq!(server_state.handed_on_end(), Some(handed_on_end(2, 11)));
    }
}
