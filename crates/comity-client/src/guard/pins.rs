//! A cache of recently resolved names. With it, the check before a request and the connection of the request use the
//! same addresses.
//!
//! Safety does not depend on this cache, since [`Guard::resolve`](super::Guard::resolve) returns only checked
//! addresses. The cache saves queries: a thousand tasks for one host cause one query.

use std::fmt;
use std::future::Future;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use quick_cache::sync::Cache;
use tokio::time::Instant;

use super::ResolveError;

/// Time for which addresses and refusals are cached.
const TTL: Duration = Duration::from_secs(60);
/// Time for which a failure is cached. It is long enough that all tasks waiting for the name get the failure.
const FAILURE_TTL: Duration = Duration::from_secs(2);
/// Maximum number of cached names.
const MAX_NAMES: usize = 4096;

type Outcome = Result<Arc<[IpAddr]>, ResolveError>;

#[derive(Clone)]
struct Pin {
    outcome: Outcome,
    until: Instant,
}

/// Resolved names, with their addresses or the error.
pub(super) struct Pins {
    cache: Cache<String, Pin>,
}

impl Pins {
    /// Returns the cached outcome for a name, or runs `look_up`. Only one task at a time looks up a name. Other tasks
    /// wait for its outcome.
    pub(super) async fn get(&self, name: &str, look_up: impl Future<Output = Outcome>) -> Outcome {
        loop {
            match self.cache.get_value_or_guard_async(name).await {
                Ok(pin) if Instant::now() < pin.until => return pin.outcome,
                Ok(_) => {
                    self.cache.remove_if(name, |pin| pin.until <= Instant::now());
                }
                Err(place) => {
                    let outcome = look_up.await;
                    let checked = matches!(outcome, Ok(_) | Err(ResolveError::Refused(_)));
                    let until = Instant::now() + if checked { TTL } else { FAILURE_TTL };
                    // If the cache is full of lookups in progress, the outcome is not cached.
                    let _ = place.insert(Pin { outcome: outcome.clone(), until });
                    return outcome;
                }
            }
        }
    }
}

impl Default for Pins {
    fn default() -> Self {
        Pins { cache: Cache::new(MAX_NAMES) }
    }
}

impl fmt::Debug for Pins {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pins").field("names", &self.cache.len()).finish()
    }
}
