//! The slot of a request for robots.txt, taken together with the lease: one visit to the store instead of two.

use std::time::Duration;

use tokio::sync::OwnedSemaphorePermit;

use super::Pace;
use super::claim::Claim;
use super::interval::Interval;
use crate::store::{FirstRequest, Lane, Slot, SlotRequest};
use crate::{Moment, Origin};

/// What has to be had before a slot is asked for (a permit, and nothing that keeps the request back), and then the slot.
/// Dropping it gives back what it has.
#[derive(Debug)]
pub(crate) struct First {
    pub(super) claim: Claim,
    pub(super) permit: OwnedSemaphorePermit,
    /// When it was asked for.
    pub(super) asked: Moment,
    /// For how long pages are kept back from then on.
    pub(super) until_in: Duration,
    pub(super) slot: Option<Slot>,
    pace_of: Origin,
}

impl First {
    /// What to ask a store for.
    pub(crate) fn request(&self) -> FirstRequest<'_> {
        let apart = (Lane::Pages, self.until_in);
        FirstRequest::new(&self.pace_of, self.claim.request, apart)
    }

    /// The answer of the store. What was not taken has to be waited for in line.
    pub(crate) fn answered(self, slot: Option<Slot>) -> Option<First> {
        match slot {
            Some(Slot::Taken(_)) => Some(First { slot, ..self }),
            Some(Slot::TooFar(_)) | None => {
                self.claim.forget();
                None
            }
        }
    }
}

impl Pace {
    /// Gets a request for robots.txt ready to ask for its slot, if nothing in this process has to be waited for.
    pub(crate) fn first(&self, origin: &Origin, interval: &Interval, max_wait: Duration) -> Option<First> {
        let asked = self.clock.moment();
        let pace_of = self.key(origin);
        let lane = self.lanes.of(&pace_of, Lane::RobotsTxt, asked);
        let interval = self.longest(interval, &lane);
        let window = self.lateness.window();
        if interval.duration.is_zero() || lane.has_left() || lane.rest(window, asked).is_some() {
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
        let claim = Claim::new(&self.store, &pace_of, &lane, request);
        Some(First { claim, permit, asked, until_in, slot: None, pace_of })
    }
}
