//! How many sockets the process may have open at once.
//!
//! A crawler of many origins that opens one descriptor more than its limit fails at random places: a connection, a
//! look-up of a name, a file of the store. So connections and look-ups take a permit first, and whoever finds none left
//! waits for one. The limit of the process is read once, when the first of them is asked for; what is open by then and a
//! margin for everybody else are left alone. All clients of a process share the permits.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex, PoisonError, Weak};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// What may be taken at most, where the process has no limit.
const MOST: u64 = 1 << 20;

static PERMITS: LazyLock<Arc<Semaphore>> = LazyLock::new(|| Arc::new(Semaphore::new(budget())));
static WAITING: AtomicUsize = AtomicUsize::new(0);
static HOLDERS: Mutex<Vec<Weak<dyn Holder>>> = Mutex::new(Vec::new());

/// Someone who keeps descriptors that could be done without.
pub(crate) trait Holder: Send + Sync {
    /// Gives up one, the one that was used longest ago. Says whether there was one.
    fn give_up_one(&self) -> bool;
}

/// The right to have a descriptor open. Given back when it is dropped.
#[derive(Debug)]
pub(crate) struct Descriptor {
    _permit: Option<OwnedSemaphorePermit>,
}

/// Asks this holder, too, when descriptors run out.
#[cfg_attr(not(feature = "http"), allow(dead_code, reason = "only connections are kept"))]
pub(crate) fn register(holder: Weak<dyn Holder>) {
    let mut holders = HOLDERS.lock().unwrap_or_else(PoisonError::into_inner);
    holders.retain(|holder| holder.strong_count() > 0);
    holders.push(holder);
}

/// The right to open a descriptor, once there is one: what is kept for later is given up for it.
pub(crate) async fn acquire() -> Descriptor {
    if let Some(descriptor) = try_acquire() {
        return descriptor;
    }
    let _waiting = Waiting::begin();
    give_up_one();
    // The semaphore is never closed.
    Descriptor { _permit: PERMITS.clone().acquire_owned().await.ok() }
}

/// The same, if there is one at once.
pub(crate) fn try_acquire() -> Option<Descriptor> {
    let permit = PERMITS.clone().try_acquire_owned().ok()?;
    Some(Descriptor { _permit: Some(permit) })
}

/// Whether somebody waits for a descriptor, so that nobody should keep one without need.
#[cfg_attr(not(feature = "http"), allow(dead_code, reason = "only connections are kept"))]
pub(crate) fn are_wanted() -> bool {
    WAITING.load(Ordering::Relaxed) > 0
}

/// Has the holders give up a descriptor. Says whether one did.
pub(crate) fn give_up_one() -> bool {
    let holders: Vec<_> = {
        let holders = HOLDERS.lock().unwrap_or_else(PoisonError::into_inner);
        holders.iter().filter_map(Weak::upgrade).collect()
    };
    holders.iter().any(|holder| holder.give_up_one())
}

/// How many connections are sensible to keep without use: half of what there is.
#[cfg_attr(not(feature = "http"), allow(dead_code, reason = "only connections are kept"))]
pub(crate) fn worth_keeping() -> usize {
    static HALF: LazyLock<usize> = LazyLock::new(|| (PERMITS.available_permits() / 2).max(1));
    *HALF
}

/// Counted while it lives, however it ends.
struct Waiting;

impl Waiting {
    fn begin() -> Self {
        WAITING.fetch_add(1, Ordering::Relaxed);
        Waiting
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        WAITING.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The limit, less what is open already, less a margin: an eighth, 16 at least and 128 at most.
fn budget() -> usize {
    let Some(limit) = limit() else { return MOST as usize };
    let margin = (limit / 8).clamp(16, 128);
    let budget = limit.saturating_sub(open()).saturating_sub(margin).clamp(1, MOST);
    tracing::debug!(limit, budget, "descriptors");
    budget as usize
}

/// The soft limit of the process, if it has one.
#[cfg(unix)]
fn limit() -> Option<u64> {
    rustix::process::getrlimit(rustix::process::Resource::Nofile).current
}

#[cfg(not(unix))]
fn limit() -> Option<u64> {
    None
}

/// How many descriptors are open, where the system tells; else a guess.
fn open() -> u64 {
    let listed = ["/proc/self/fd", "/dev/fd"].iter().find_map(|folder| std::fs::read_dir(folder).ok());
    listed.map_or(32, |entries| entries.count() as u64)
}
