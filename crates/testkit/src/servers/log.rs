//! The log of an origin: all requests, and the numbers of concurrent requests.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use tokio::sync::Notify;

/// A received request.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Seen {
    /// `GET`, `HEAD`, `CONNECT`, …
    pub method: String,
    /// The request target, unchanged: path and query, or a whole URL if the client uses the origin as a proxy.
    pub target: String,
    /// The path in the target, without the query.
    pub path: String,
    /// The header fields in their order, with unchanged names.
    pub headers: Vec<(String, String)>,
    /// The number of requests for this path so far, this one included.
    pub nth: usize,
    /// The time at which the head of the request was read.
    pub at: Instant,
    /// The address of the client.
    pub remote: SocketAddr,
    /// The local address of the connection. An origin on `0.0.0.0` accepts connections to many local addresses.
    pub local: SocketAddr,
    /// The number of the connection, counted from 1.
    pub connection: usize,
}

impl Seen {
    /// Returns the value of the first field with this name.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(other, _)| other.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }

    /// Returns true if the path equals `asked`, or, if `asked` contains a `?`, if the whole target equals it.
    pub(super) fn is_for(&self, asked: &str) -> bool {
        if asked.contains('?') { self.target == asked } else { self.path == asked }
    }
}

/// Returns the path in a request target.
pub(super) fn path_of(target: &str) -> &str {
    let after_scheme = target
        .split_once("://")
        .map_or(target, |(_, rest)| rest.find('/').map_or("/", |at| rest.split_at(at).1));
    after_scheme.split('?').next().unwrap_or_default()
}

/// The log of an origin.
#[derive(Debug, Default)]
pub(super) struct Log {
    state: Mutex<State>,
    /// Notified when a request begins or ends.
    pub(super) news: Notify,
}

#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) seen: Vec<Seen>,
    pub(super) connections: usize,
    pub(super) all: Load,
    pub(super) by_path: BTreeMap<String, Load>,
}

/// Counters of requests, for one path or for all paths.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Load {
    pub(super) requests: usize,
    /// Number of ongoing requests.
    pub(super) now: usize,
    /// Maximum number of concurrent requests so far.
    pub(super) most: usize,
    /// Number of bytes that were sent.
    pub(super) sent: u64,
}

impl Load {
    fn begin(&mut self) {
        self.requests += 1;
        self.now += 1;
        self.most = self.most.max(self.now);
    }
}

impl Log {
    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        // The state after a panic in a test is still valid.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a connection and returns its number.
    pub(super) fn connected(&self) -> usize {
        let mut state = self.state();
        state.connections += 1;
        state.connections
    }

    /// Records a request, which counts as ongoing until the returned guard is dropped.
    pub(super) fn begin(self: &Arc<Self>, mut seen: Seen) -> OngoingRequest {
        let mut state = self.state();
        state.all.begin();
        let load = state.by_path.entry(seen.path.clone()).or_default();
        load.begin();
        seen.nth = load.requests;
        state.seen.push(seen.clone());
        drop(state);
        self.news.notify_waiters();
        OngoingRequest { log: Arc::clone(self), seen }
    }
}

/// A request that is being answered.
#[derive(Debug)]
pub(super) struct OngoingRequest {
    log: Arc<Log>,
    pub(super) seen: Seen,
}

impl OngoingRequest {
    /// Counts bytes that were written to the connection.
    pub(super) fn sent(&self, bytes: usize) {
        self.each_load(|load| load.sent += bytes as u64);
    }

    fn each_load(&self, mut change: impl FnMut(&mut Load)) {
        let mut state = self.log.state();
        change(&mut state.all);
        state.by_path.get_mut(&self.seen.path).map(change);
    }
}

impl Drop for OngoingRequest {
    fn drop(&mut self) {
        self.each_load(|load| load.now -= 1);
        self.log.news.notify_waiters();
    }
}
