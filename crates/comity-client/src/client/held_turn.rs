//! Turns that the program holds: those of admissions and of streamed bodies. They are released after a time limit, so
//! that a forgotten value does not block its origin.

use std::borrow::Cow;
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

use tokio::task::AbortHandle;

use super::Inner;
use crate::draining::InFlight;
use crate::lock::lock;
use crate::pace::Turn;

/// A turn and its operation in flight, until the turn is released.
#[derive(Debug)]
pub(super) struct HeldTurn {
    turn: Mutex<Option<(Turn, InFlight)>>,
    /// The task that releases the turn after the time limit.
    timer: AbortHandle,
}

impl HeldTurn {
    /// Holds a turn of a request for `url` for at most `bound`. `call` names the holder for the log.
    pub(super) fn new(
        client: &Inner,
        (url, call): (String, &'static str),
        turn: (Turn, InFlight),
        bound: Duration,
    ) -> Arc<Self> {
        turn.0.describe(url.clone(), call.into());
        let clock = Arc::clone(&client.clock);
        Arc::new_cyclic(|held: &Weak<HeldTurn>| {
            let held = Weak::clone(held);
            let timer = tokio::spawn(async move {
                clock.sleep(bound).await;
                let Some(turn) = held.upgrade().and_then(|held| held.take()) else { return };
                drop(turn);
                tracing::warn!(
                    target: "comity_client::pace",
                    url,
                    seconds = bound.as_secs_f64(),
                    "a permit was held for too long and is released; read or drop the body of the response"
                );
            });
            HeldTurn { turn: Mutex::new(Some(turn)), timer: timer.abort_handle() }
        })
    }

    /// Releases the turn, so that the next request to the origin may begin.
    pub(super) fn release(&self) {
        drop(self.take());
        self.timer.abort();
    }

    fn take(&self) -> Option<(Turn, InFlight)> {
        lock(&self.turn).take()
    }

    /// Sets the call that holds the turn, for the log.
    pub(super) fn describe(&self, url: String, call: Cow<'static, str>) {
        if let Some((turn, _)) = &*lock(&self.turn) {
            turn.describe(url, call);
        }
    }
}

impl Drop for HeldTurn {
    fn drop(&mut self) {
        self.timer.abort();
    }
}
