//! Stores: one suite for all of them, and what is special about each.

mod suite;

#[cfg(feature = "embedded")]
mod embedded;
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
mod redis;

use comity_client::Origin;

/// The origin of a host.
fn origin(host: &str) -> Origin {
    Origin::of(&format!("https://{host}/").parse().unwrap()).unwrap()
}
