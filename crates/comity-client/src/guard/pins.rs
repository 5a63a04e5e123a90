//! What was resolved a moment ago: the check before a request and the dialling after it go by one answer.
//!
//! Safety does not hang on it, since only checked addresses ever leave [`Guard::resolve`](super::Guard::resolve). It
//! spares the resolver, and makes a thousand tasks on one host ask once.

use std::fmt;
use std::future::Future;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use quick_cache::sync::Cache;
use tokio::time::Instant;

use super::ResolveError;

/// How long addresses and refusals stand.
const CHECKED: Duration = Duration::from_secs(60);
/// How long a failure stands: long enough for those who wait to share it.
const FAILED: Duration = Duration::from_secs(2);
/// Names that are remembered.
const NAMES: usize = 4096;

type Outcome = Result<Arc<[IpAddr]>, ResolveError>;

#[derive(Clone)]
struct Pin {
    outcome: Outcome,
    until: Instant,
}

/// Names and what they led to.
pub(super) struct Pins {
    cache: Cache<String, Pin>,
}

impl Pins {
    /// What the name led to a moment ago, or leads to now. One at a time looks up a name, the others wait for it.
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
                    let until = Instant::now() + if checked { CHECKED } else { FAILED };
                    // Full of names that are being looked up, it keeps nothing.
                    let _ = place.insert(Pin { outcome: outcome.clone(), until });
                    return outcome;
                }
            }
        }
    }
}

impl Default for Pins {
    fn default() -> Self {
        Pins { cache: Cache::new(NAMES) }
    }
}

impl fmt::Debug for Pins {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pins").field("names", &self.cache.len()).finish()
    }
}
