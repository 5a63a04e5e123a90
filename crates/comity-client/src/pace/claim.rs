//! A slot that was asked for and is not used yet: it is given back when nobody wants it any more.

use std::sync::Arc;

use futures_util::FutureExt;

use super::Pace;
use super::lanes::Lane;
use crate::Origin;
use crate::store::{SlotRequest, StoreError};

/// The claim to a slot, from before it is asked for: whoever is cancelled while the store is asked does not know whether
/// there is one. Dropping it gives the slot back.
#[derive(Debug)]
pub(super) struct Claim<'a> {
    pub(super) pace: &'a Pace,
    pub(super) origin: &'a Origin,
    pub(super) lane: &'a Arc<Lane>,
    pub(super) request: SlotRequest,
}

impl Claim<'_> {
    /// The slot is used, or there was none.
    pub(super) fn forget(self) {
        std::mem::forget(self);
    }

    /// Nobody uses the slot.
    pub(super) async fn give_back(self) -> Result<(), StoreError> {
        let (pace, origin, request) = (self.pace, self.origin, self.request);
        self.forget();
        pace.store.give_back(origin, &request).await
    }
}

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        let Ok(runtime) = tokio::runtime::Handle::try_current() else {
            // There is nobody here who could wait for a store.
            self.lane.leave(self.request);
            return;
        };
        let (store, origin, request) = (Arc::clone(&self.pace.store), self.origin.clone(), self.request);
        let mut giving = Box::pin(async move {
            if let Err(error) = store.give_back(&origin, &request).await {
                tracing::debug!(%origin, %error, "a slot could not be given back");
            }
        });
        // Some stores have done it before a task could begin.
        if giving.as_mut().now_or_never().is_none() {
            runtime.spawn(giving);
        }
    }
}
