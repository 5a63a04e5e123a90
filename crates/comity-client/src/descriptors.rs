//! Bounds how many sockets the process has open at once.
//!
//! A crawler that opens one descriptor more than its limit fails at random places: a connection, a name look-up, a file
//! of the store. So connections and look-ups take a permit first, and wait if there is none. The limit of the process
//! is read once, when the first permit is taken. Descriptors that are open by then, and a margin for the rest of the
//! program, are left out. All clients of a process share the permits.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex, PoisonError, Weak};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The number of permits where the process has no limit.
const MOST: u64 = 1 << 20;

static PERMITS: LazyLock<Arc<Semaphore>> = LazyLock::new(|| Arc::new(Semaphore::new(budget())));
static WAITING: AtomicUsize = AtomicUsize::new(0);
static HOLDERS: Mutex<Vec<Weak<dyn Holder>>> = Mutex::new(Vec::new());

/// A holder of descriptors that it could do without.
pub(crate) trait Holder: Send + Sync {
    /// Closes the descriptor that was used longest ago. Returns false if there is none.
    fn give_up_one(&self) -> bool;
}

/// The right to have a descriptor open. Dropping it gives the right back.
#[derive(Debug)]
pub(crate) struct Descriptor {
    _permit: Option<OwnedSemaphorePermit>,
}

/// Registers a holder, which is asked when descriptors run out.
#[cfg_attr(not(feature = "http"), allow(dead_code, reason = "only connections are kept"))]
pub(crate) fn register(holder: Weak<dyn Holder>) {
    let mut holders = HOLDERS.lock().unwrap_or_else(PoisonError::into_inner);
    holders.retain(|holder| holder.strong_count() > 0);
    holders.push(holder);
}

/// Waits for the right to open a descriptor. Idle connections are closed for it.
pub(crate) async fn acquire() -> Descriptor {
    if let Some(descriptor) = try_acquire() {
        return descriptor;
    }
    let _waiting = Waiting::begin();
    give_up_one();
    // The semaphore is never closed.
    Descriptor { _permit: PERMITS.clone().acquire_owned().await.ok() }
}

/// Returns the right to open a descriptor if there is one at once.
pub(crate) fn try_acquire() -> Option<Descriptor> {
    let permit = PERMITS.clone().try_acquire_owned().ok()?;
    Some(Descriptor { _permit: Some(permit) })
}

/// Returns true if a task waits for a descriptor, so that none should be kept idle.
#[cfg_attr(not(feature = "http"), allow(dead_code, reason = "only connections are kept"))]
pub(crate) fn are_wanted() -> bool {
    WAITING.load(Ordering::Relaxed) > 0
}

/// Asks the holders to close a descriptor. Returns false if none did.
pub(crate) fn give_up_one() -> bool {
    let holders: Vec<_> = {
        let holders = HOLDERS.lock().unwrap_or_else(PoisonError::into_inner);
        holders.iter().filter_map(Weak::upgrade).collect()
    };
    holders.iter().any(|holder| holder.give_up_one())
}

/// Returns how many idle connections are sensible to keep: half of the permits.
#[cfg_attr(not(feature = "http"), allow(dead_code, reason = "only connections are kept"))]
pub(crate) fn worth_keeping() -> usize {
    static HALF: LazyLock<usize> = LazyLock::new(|| (PERMITS.available_permits() / 2).max(1));
    *HALF
}

/// Counts a waiting task for as long as it lives.
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

/// Returns the limit, less the descriptors that are open already, less a margin: an eighth, at least 16 and at most
/// 128.
fn budget() -> usize {
    let Some(limit) = limit() else { return MOST as usize };
    let margin = (limit / 8).clamp(16, 128);
    let budget = limit.saturating_sub(open()).saturating_sub(margin).clamp(1, MOST);
    tracing::debug!(limit, budget, "descriptors");
    budget as usize
}

/// Returns the soft limit of the process, if it has one.
#[cfg(unix)]
fn limit() -> Option<u64> {
    rustix::process::getrlimit(rustix::process::Resource::Nofile).current
}

#[cfg(not(unix))]
fn limit() -> Option<u64> {
    None
}

/// Returns how many descriptors are open, where the system says so, or a guess.
fn open() -> u64 {
    let listed = ["/proc/self/fd", "/dev/fd"].iter().find_map(|folder| std::fs::read_dir(folder).ok());
    listed.map_or(32, |entries| entries.count() as u64)
}
