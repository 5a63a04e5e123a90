//! Tests of stores: the checks of `store::conformance`, and further tests of each store.

#[cfg(feature = "embedded")]
mod embedded;
#[cfg(feature = "embedded")]
mod entries;
#[cfg(all(feature = "embedded", feature = "redis"))]
mod forgetting;
#[cfg(all(feature = "embedded", unix))]
mod hard_times;
#[cfg(feature = "embedded")]
mod killed;
mod memory;
#[cfg(feature = "embedded")]
mod processes;
#[cfg(feature = "redis")]
pub(crate) mod redis;
#[cfg(feature = "redis")]
mod servers;

use std::time::Duration;

use comity_client::Origin;
use comity_client::store::SlotRequest;

/// Returns the `https` origin of a host.
fn origin(host: &str) -> Origin {
    Origin::of(&format!("https://{host}/").parse().unwrap()).unwrap()
}

/// Returns a slot request without a limit on the distance of the slot.
fn request(interval: Duration, max_wait: Duration) -> SlotRequest {
    let mut request = SlotRequest::new(interval, max_wait);
    request.furthest = Duration::MAX;
    request
}
