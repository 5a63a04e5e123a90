//! A slot that was asked for and is not used yet: it is given back when nobody wants it any more.

use std::sync::Arc;

use futures_util::FutureExt;

use super::lanes::Lane;
use crate::Origin;
use crate::store::{SlotRequest, Store, StoreError};

/// The claim to a slot, from before it is asked for: whoever is cancelled while the store is asked does not know whether
/// there is one. Dropping it gives the slot back.
#[derive(Debug)]
pub(super) struct Claim {
    pub(super) request: SlotRequest,
    store: Arc<dyn Store>,
    origin: Origin,
    lane: Arc<Lane>,
    is_over: bool,
}

impl Claim {
    pub(super) fn new(
        store: &Arc<dyn Store>,
        origin: &Origin,
        lane: &Arc<Lane>,
        request: SlotRequest,
    ) -> Self {
        Claim {
            request,
            store: Arc::clone(store),
            origin: origin.clone(),
            lane: Arc::clone(lane),
            is_over: false,
        }
    }

    /// The slot is used, or there was none.
    pub(super) fn forget(mut self) {
        self.is_over = true;
    }

    /// Nobody uses the slot.
    pub(super) async fn give_back(mut self) -> Result<(), StoreError> {
        self.is_over = true;
        self.store.give_back(&self.origin, &self.request).await
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        if self.is_over {
            return;
        }
        let Ok(runtime) = tokio::runtime::Handle::try_current() else {
            // There is nobody here who could wait for a store.
            self.lane.leave(self.request);
            return;
        };
        let (store, origin, request) = (Arc::clone(&self.store), self.origin.clone(), self.request);
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
