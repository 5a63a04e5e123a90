//! The slot of a robots.txt request that is reserved together with the lease. So the store is called once instead of
//! twice.

use std::time::Duration;

use tokio::sync::OwnedSemaphorePermit;

use super::Pace;
use super::claim::Claim;
use super::interval::Interval;
use crate::store::{FirstRequest, Lane, Slot, SlotRequest};
use crate::{Moment, Origin};

/// The permit and the slot of a robots.txt request. The permit is acquired before the slot is requested. Dropping this
/// value gives back the permit and the slot.
#[derive(Debug)]
pub(crate) struct FirstSlot {
    pub(super) claim: Claim,
    pub(super) permit: OwnedSemaphorePermit,
    /// Time at which the slot was requested.
    pub(super) asked: Moment,
    /// Time from `asked` during which page requests are held.
    pub(super) until_in: Duration,
    pub(super) slot: Option<Slot>,
    pace_of: Origin,
}

impl FirstSlot {
    /// Returns the slot request to pass to the store.
    pub(crate) fn request(&self) -> FirstRequest<'_> {
        let page_hold = (Lane::Pages, self.until_in);
        FirstRequest::new(&self.pace_of, self.claim.request, page_hold)
    }

    /// Records the answer of the store. Returns `None` if the slot was not reserved. The request must then wait for its
    /// turn.
    pub(crate) fn answered(self, slot: Option<Slot>) -> Option<FirstSlot> {
        match slot {
            Some(Slot::Taken(_)) => Some(FirstSlot { slot, ..self }),
            Some(Slot::TooFar(_)) | None => {
                self.claim.forget();
                None
            }
        }
    }
}

impl Pace {
    /// Acquires the permit and prepares the slot request. Returns `None` if the origin has no interval, if slots must
    /// be given back first, or if a request or a hold of this process delays the request.
    pub(crate) fn first(
        &self,
        origin: &Origin,
        interval: &Interval,
        max_wait: Duration,
    ) -> Option<FirstSlot> {
        let asked = self.clock.moment();
        let pace_of = self.key(origin);
        let lane = self.lanes.of(&pace_of, Lane::RobotsTxt, asked);
        let interval = self.longest(interval, &lane);
        let window = self.lateness.window();
        if interval.duration.is_zero() || lane.has_deferred() || lane.rest(window, asked).is_some() {
            return None;
        }
        let permit = lane.permits.clone().try_acquire_owned().ok()?;
        let request = SlotRequest {
            lane: Lane::RobotsTxt,
            window,
            furthest: self.furthest,
            ..SlotRequest::new(interval.duration, max_wait)
        };
        let until_in = interval.duration.saturating_add(window);
        let claim = Claim::new(&self.turns, &pace_of, &lane, request);
        Some(FirstSlot { claim, permit, asked, until_in, slot: None, pace_of })
    }
}
