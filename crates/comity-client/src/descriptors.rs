//! Limits the number of sockets that the clients of the process have open.
//!
//! A crawler that exceeds its limit of descriptors fails at an arbitrary operation: a connection, a name lookup, or an
//! access to the store. So each connection and each lookup first acquires a permit, and waits until a permit is free.
//! The limit of the process is read once, for the first permit. Descriptors that are already open, and a margin for the
//! rest of the program, are subtracted. All clients of a process share the permits.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex, Weak};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::lock::lock;

/// Maximum number of permits. A process without a limit has this number.
const MOST: u64 = 1 << 20;

static PERMITS: LazyLock<Arc<Semaphore>> = LazyLock::new(|| Arc::new(Semaphore::new(budget())));
static WAITING: AtomicUsize = AtomicUsize::new(0);
static HOLDERS: Mutex<Vec<Weak<dyn DescriptorHolder>>> = Mutex::new(Vec::new());

/// An owner of idle descriptors, such as a connection pool, that can close them on demand.
pub(crate) trait DescriptorHolder: Send + Sync {
    /// Closes the least recently used descriptor. Returns false if the holder has no descriptor.
    fn close_one(&self) -> bool;
}

/// A permit for an open descriptor. Dropping this value releases the permit.
#[derive(Debug)]
pub(crate) struct Descriptor {
    _permit: Option<OwnedSemaphorePermit>,
}

/// Registers a holder, which closes a descriptor whenever no permit is free.
#[cfg_attr(not(feature = "http"), allow(dead_code, reason = "only the connection pool uses it"))]
pub(crate) fn register(holder: Weak<dyn DescriptorHolder>) {
    let mut holders = lock(&HOLDERS);
    holders.retain(|holder| holder.strong_count() > 0);
    holders.push(holder);
}

/// Waits for a permit for a descriptor. Closes an idle connection if no permit is free.
pub(crate) async fn acquire() -> Descriptor {
    if let Some(descriptor) = try_acquire() {
        return descriptor;
    }
    let _waiting = Waiter::begin();
    close_one();
    // The semaphore is never closed.
    Descriptor { _permit: PERMITS.clone().acquire_owned().await.ok() }
}

/// Returns a permit for a descriptor if one is free.
pub(crate) fn try_acquire() -> Option<Descriptor> {
    let permit = PERMITS.clone().try_acquire_owned().ok()?;
    Some(Descriptor { _permit: Some(permit) })
}

/// Returns true if a task waits for a descriptor, so that idle descriptors should be closed.
#[cfg_attr(not(feature = "http"), allow(dead_code, reason = "only the connection pool uses it"))]
pub(crate) fn has_waiters() -> bool {
    WAITING.load(Ordering::Relaxed) > 0
}

/// Closes a descriptor of one of the holders. Returns false if the holders have no descriptors.
pub(crate) fn close_one() -> bool {
    let holders: Vec<_> = {
        let holders = lock(&HOLDERS);
        holders.iter().filter_map(Weak::upgrade).collect()
    };
    holders.iter().any(|holder| holder.close_one())
}

/// Returns the maximum number of idle connections: half of the permits that were free at the first call.
#[cfg_attr(not(feature = "http"), allow(dead_code, reason = "only the connection pool uses it"))]
pub(crate) fn max_idle() -> usize {
    static HALF: LazyLock<usize> = LazyLock::new(|| (PERMITS.available_permits() / 2).max(1));
    *HALF
}

/// Counts one waiting task until this value is dropped.
struct Waiter;

impl Waiter {
    fn begin() -> Self {
        WAITING.fetch_add(1, Ordering::Relaxed);
        Waiter
    }
}

impl Drop for Waiter {
    fn drop(&mut self) {
        WAITING.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Returns the number of permits: the limit of the process, minus the open descriptors and a margin. The margin is an
/// eighth of the limit, at least 16 and at most 128.
fn budget() -> usize {
    let Some(limit) = limit() else { return MOST as usize };
    let margin = (limit / 8).clamp(16, 128);
    let budget = limit.saturating_sub(open()).saturating_sub(margin).clamp(1, MOST);
    tracing::debug!(limit, budget, "descriptors");
    budget as usize
}

/// Returns the soft limit of the process for descriptors, if it has one.
#[cfg(unix)]
fn limit() -> Option<u64> {
    rustix::process::getrlimit(rustix::process::Resource::Nofile).current
}

#[cfg(not(unix))]
fn limit() -> Option<u64> {
    None
}

/// Returns the number of open descriptors, or an estimate if the system does not list them.
fn open() -> u64 {
    let listed = ["/proc/self/fd", "/dev/fd"].iter().find_map(|folder| std::fs::read_dir(folder).ok());
    listed.map_or(32, |entries| entries.count() as u64)
}
