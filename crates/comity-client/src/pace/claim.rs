//! A guard that gives back a slot if the request is cancelled before it uses the slot.

use std::sync::Arc;

use futures_util::FutureExt;

use super::lanes::Lane;
use crate::Origin;
use crate::store::{SlotRequest, StoreError, Turns};

/// A guard for a slot that is requested from the store. It is created before the slot is requested, since a task that
/// is cancelled during the call does not know whether the slot was reserved. Dropping the guard gives the slot back.
#[derive(Debug)]
pub(super) struct Claim {
    pub(super) request: SlotRequest,
    turns: Arc<dyn Turns>,
    origin: Origin,
    lane: Arc<Lane>,
    is_over: bool,
}

impl Claim {
    pub(super) fn new(
        turns: &Arc<dyn Turns>,
        origin: &Origin,
        lane: &Arc<Lane>,
        request: SlotRequest,
    ) -> Self {
        Claim {
            request,
            turns: Arc::clone(turns),
            origin: origin.clone(),
            lane: Arc::clone(lane),
            is_over: false,
        }
    }

    /// Drops the guard without giving the slot back. Called when the slot is used or was not reserved.
    pub(super) fn forget(mut self) {
        self.is_over = true;
    }

    /// Gives the slot back.
    pub(super) async fn give_back(mut self) -> Result<(), StoreError> {
        self.is_over = true;
        self.turns.give_back(&self.origin, &self.request).await
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        if self.is_over {
            return;
        }
        let Ok(runtime) = tokio::runtime::Handle::try_current() else {
            // Without a runtime, this function cannot await the store, so the next task of the lane gives the slot
            // back.
            self.lane.defer_give_back(self.request);
            return;
        };
        let (turns, origin, request) = (Arc::clone(&self.turns), self.origin.clone(), self.request);
        let mut giving = Box::pin(async move {
            if let Err(error) = turns.give_back(&origin, &request).await {
                tracing::debug!(%origin, %error, "could not give back a slot");
            }
        });
        // Poll once, since some stores complete at once. Otherwise, a task completes the call.
        if giving.as_mut().now_or_never().is_none() {
            runtime.spawn(giving);
        }
    }
}
