//! The open connections, and the selection of a connection to close when their maximum number is reached.
//!
//! A connection is idle while it has no request in flight. At the maximum number, the connection that has been idle for
//! longest is closed, as in other web servers. So idle connections cannot block new callers.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use tokio::sync::Notify;

/// All open connections.
#[derive(Debug)]
pub(crate) struct Connections {
    /// The time from which times in microseconds are counted.
    began: Instant,
    open: Mutex<HashMap<u64, Arc<ConnectionState>>>,
    next: AtomicU64,
}

/// State of one connection.
#[derive(Debug)]
pub(crate) struct ConnectionState {
    /// The time from which times in microseconds are counted, as in [`Connections::began`].
    began: Instant,
    /// Number of requests in flight.
    requests: AtomicU32,
    /// End of the last request, or start of the connection if it had none, in microseconds since `began`.
    idle_since: AtomicU64,
    must_close: AtomicBool,
    close_request: Notify,
}

/// An entry in [`Connections`]. Dropping it removes the entry.
#[derive(Debug)]
pub(crate) struct OpenConnection {
    connections: Arc<Connections>,
    number: u64,
    usage: Arc<ConnectionState>,
}

impl Connections {
    pub(crate) fn new() -> Self {
        Connections { began: Instant::now(), open: Mutex::default(), next: AtomicU64::new(0) }
    }

    /// Registers a connection.
    pub(crate) fn open(self: &Arc<Self>) -> OpenConnection {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let usage = Arc::new(ConnectionState {
            began: self.began,
            requests: AtomicU32::new(0),
            idle_since: AtomicU64::new(micros(self.began, Instant::now())),
            must_close: AtomicBool::new(false),
            close_request: Notify::new(),
        });
        self.lock().insert(number, Arc::clone(&usage));
        OpenConnection { connections: Arc::clone(self), number, usage }
    }

    /// Marks the connection that has been idle for longest for closing. Returns false if no connection is idle.
    pub(crate) fn make_room(&self) -> bool {
        let open = self.lock();
        let idle = open.values().filter(|usage| usage.is_idle() && !usage.must_close());
        let Some(longest) = idle.min_by_key(|usage| usage.idle_since.load(Ordering::Relaxed)) else {
            return false;
        };
        longest.must_close.store(true, Ordering::Release);
        longest.close_request.notify_one();
        true
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<u64, Arc<ConnectionState>>> {
        // Each change is a single insertion or removal, so the map is consistent after a panic.
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ConnectionState {
    /// Creates the state for the connections of another server, which closes them itself.
    pub(crate) fn foreign() -> Self {
        let began = Instant::now();
        ConnectionState {
            began,
            requests: AtomicU32::new(0),
            idle_since: AtomicU64::new(0),
            must_close: AtomicBool::new(false),
            close_request: Notify::new(),
        }
    }

    /// Counts the start of a request.
    pub(crate) fn begin(&self) {
        self.requests.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts the end of a request.
    pub(crate) fn end(&self, time: Instant) {
        self.idle_since.store(micros(self.began, time), Ordering::Relaxed);
        self.requests.fetch_sub(1, Ordering::Relaxed);
    }

    pub(crate) fn is_idle(&self) -> bool {
        self.requests.load(Ordering::Relaxed) == 0
    }

    /// Returns true once the connection must close to make room.
    pub(crate) fn must_close(&self) -> bool {
        self.must_close.load(Ordering::Acquire)
    }

    /// Waits until the connection must close to make room.
    pub(crate) async fn until_must_close(&self) {
        self.close_request.notified().await;
    }
}

impl OpenConnection {
    pub(crate) fn usage(&self) -> &Arc<ConnectionState> {
        &self.usage
    }
}

impl Drop for OpenConnection {
    fn drop(&mut self) {
        self.connections.lock().remove(&self.number);
    }
}

fn micros(began: Instant, time: Instant) -> u64 {
    time.saturating_duration_since(began).as_micros().try_into().unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn connection_idle_for_longest_is_closed_for_a_new_one() {
        let connections = Arc::new(Connections::new());
        let [first, second, third] = std::array::from_fn(|_| connections.open());
        let later = |seconds| connections.began + Duration::from_secs(seconds);
        for connection in [&first, &second, &third] {
            connection.usage().begin();
        }
        assert!(!connections.make_room(), "all connections have requests in flight");
        second.usage().end(later(2));
        first.usage().end(later(3));
        assert!(connections.make_room());
        let close_request = || [&first, &second, &third].map(|connection| connection.usage().must_close());
        assert_eq!(close_request(), [false, true, false], "the connection with a request is not idle");
        assert!(connections.make_room());
        assert_eq!(close_request(), [true, true, false]);
        assert!(!connections.make_room(), "each connection is closed once");
    }

    #[test]
    fn closed_connection_is_not_closed_again() {
        let connections = Arc::new(Connections::new());
        drop(connections.open());
        assert!(!connections.make_room());
    }
}
