//! Keeps idle connections for later requests.
//!
//! An idle connection uses a descriptor here and another one at the server. So the number of idle connections is
//! limited, per origin and in total, and so is their age. The least recently used connection is closed first. If a
//! request waits for a descriptor, an idle connection is closed (`descriptors.rs`).
//!
//! A returned connection may not be free at once: a task must first skip the unread rest of the answer. Until then, the
//! connection is *settling*. A request to its origin waits for this connection, because waiting is faster than opening
//! a new one.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex, Weak};
use std::task::{Context, Poll};
use std::time::Duration;

use hyper::body::{Body as _, Incoming};
use hyper::client::conn::{http1, http2};
use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::Instant;

use super::traffic::Traffic;
use crate::descriptors;
use crate::lock::lock;

/// The body of a request: one frame, or none if it is empty.
#[derive(Debug, Default)]
pub(super) struct SentBody(pub(super) bytes::Bytes);

impl hyper::body::Body for SentBody {
    type Data = bytes::Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<hyper::body::Frame<Self::Data>, Self::Error>>> {
        let body = std::mem::take(&mut self.0);
        Poll::Ready((!body.is_empty()).then(|| Ok(hyper::body::Frame::data(body))))
    }

    fn is_end_stream(&self) -> bool {
        self.0.is_empty()
    }

    fn size_hint(&self) -> hyper::body::SizeHint {
        hyper::body::SizeHint::with_exact(self.0.len() as u64)
    }
}

/// The handle that sends requests over a connection. A separate task runs the connection, and ends when all senders are
/// dropped.
#[derive(Debug)]
pub(super) enum Sender {
    Http1(http1::SendRequest<SentBody>),
    Http2(http2::SendRequest<SentBody>),
}

/// A connection to an origin.
#[derive(Debug)]
pub(super) struct Connection {
    pub sender: Sender,
    /// The origin, which is the key of the connection in the pool.
    pub origin: Arc<str>,
    /// The address that was dialled.
    pub remote: Option<SocketAddr>,
    /// The traffic on the connection.
    pub traffic: Arc<Traffic>,
    /// True if another request was sent over the connection before.
    pub is_reused: bool,
}

impl Connection {
    fn is_ready(&self) -> bool {
        match &self.sender {
            Sender::Http1(sender) => sender.is_ready(),
            Sender::Http2(sender) => sender.is_ready(),
        }
    }

    fn is_closed(&self) -> bool {
        match &self.sender {
            Sender::Http1(sender) => sender.is_closed(),
            Sender::Http2(sender) => sender.is_closed(),
        }
    }

    /// Returns a second handle of the connection if it supports concurrent requests (HTTP/2).
    fn share(&self) -> Option<Connection> {
        match &self.sender {
            Sender::Http1(_) => None,
            Sender::Http2(sender) => Some(Connection {
                sender: Sender::Http2(sender.clone()),
                origin: self.origin.clone(),
                remote: self.remote,
                traffic: self.traffic.clone(),
                is_reused: true,
            }),
        }
    }

    async fn ready(&mut self) -> bool {
        match &mut self.sender {
            Sender::Http1(sender) => sender.ready().await.is_ok(),
            Sender::Http2(sender) => sender.ready().await.is_ok(),
        }
    }
}

/// The limits of the pool.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    pub per_origin: usize,
    pub in_all: usize,
    pub timeout: Duration,
}

/// A pool of idle connections.
pub(super) struct Pool {
    limits: Limits,
    /// Weak pointer to this pool, for the tasks that it spawns.
    itself: Weak<Pool>,
    kept: Mutex<IdleConnections>,
}

#[derive(Default)]
struct IdleConnections {
    /// Idle connections by origin. The most recently used connection is last.
    origins: HashMap<Arc<str>, Vec<Idle>>,
    /// Origins of the idle connections, by the number of their last use.
    order: BTreeMap<u64, Arc<str>>,
    /// Settling connections for which no request waits yet, by origin and number.
    settling: HashMap<Arc<str>, Vec<(u64, oneshot::Receiver<Connection>)>>,
    next: u64,
    reaper: Option<JoinHandle<()>>,
}

struct Idle {
    connection: Connection,
    since: Instant,
    number: u64,
}

/// Maximum time that a connection may take to settle. Beyond it, a new connection is faster.
const SETTLING: Duration = Duration::from_secs(1);

/// Maximum size of the unread rest of an answer, in bytes. Beyond it, a new connection is faster.
const REST: u64 = 64 * 1024;

impl Pool {
    pub(super) fn new(limits: Limits) -> Arc<Self> {
        let in_all = limits.in_all.min(descriptors::max_idle());
        let limits = Limits { in_all, ..limits };
        let pool = Arc::new_cyclic(|itself| Pool { limits, itself: itself.clone(), kept: Mutex::default() });
        let holder: Arc<dyn descriptors::DescriptorHolder> = pool.clone();
        descriptors::register(Arc::downgrade(&holder));
        pool
    }

    /// Returns an open idle connection to an origin. Without an idle connection, waits at most `max_wait` for a
    /// settling connection.
    pub(super) async fn take(&self, origin: &str, max_wait: Duration) -> Option<Connection> {
        let settling = match self.take_now(origin) {
            Ok(connection) => return Some(connection),
            Err(settling) => settling?,
        };
        // If the runtime of the settling task is shut down, the channel returns an error.
        let settled = tokio::time::timeout(max_wait.min(SETTLING), settling).await.ok()?.ok()?;
        Some(Connection { is_reused: true, ..settled })
    }

    /// Returns an idle connection. Without an idle connection, returns the receiver of a settling connection.
    fn take_now(&self, origin: &str) -> Result<Connection, Option<oneshot::Receiver<Connection>>> {
        let mut kept = lock(&self.kept);
        loop {
            let Some(idle) = kept.take(origin) else { return Err(kept.claim(origin)) };
            if idle.connection.is_closed() || !idle.connection.is_ready() {
                continue;
            }
            if idle.since.elapsed() >= self.limits.timeout {
                continue;
            }
            // An HTTP/2 connection stays in the pool for concurrent requests.
            if let Some(shared) = idle.connection.share() {
                kept.put(shared);
            }
            return Ok(Connection { is_reused: true, ..idle.connection });
        }
    }

    /// Adds a new connection to the pool for other requests, if it supports concurrent requests.
    pub(super) fn share(&self, connection: &Connection) {
        if let Some(shared) = connection.share() {
            self.keep(shared);
        }
    }

    /// Returns a connection to the pool after its request. `rest` is the unread rest of the answer.
    pub(super) fn give_back(&self, connection: Connection, rest: Option<Incoming>) {
        if connection.is_closed()
            || self.limits.per_origin == 0
            || matches!(connection.sender, Sender::Http2(_))
        {
            return;
        }
        if connection.is_ready() {
            return self.keep(connection);
        }
        if rest.as_ref().is_some_and(|rest| rest.size_hint().lower() > REST) {
            return;
        }
        if let Ok(runtime) = Handle::try_current() {
            runtime.spawn(self.settle(connection, rest));
        }
    }

    /// Registers a settling connection. The returned future skips the rest of the answer. Then it passes the connection
    /// to a waiting request, or adds it to the pool.
    fn settle(&self, mut connection: Connection, rest: Option<Incoming>) -> impl Future<Output = ()> + use<> {
        let (sender, receiver) = oneshot::channel();
        let (origin, itself) = (connection.origin.clone(), self.itself.clone());
        let number = lock(&self.kept).settle(origin.clone(), receiver);
        async move {
            let settled = async { skip_rest(rest).await && connection.ready().await };
            let is_free = tokio::time::timeout(SETTLING, settled).await.unwrap_or(false);
            let Some(pool) = itself.upgrade() else { return };
            let is_claimed = lock(&pool.kept).remove_settling(&origin, number).is_none();
            if !is_free {
                return;
            }
            let unclaimed = if is_claimed { sender.send(connection).err() } else { Some(connection) };
            if let Some(connection) = unclaimed {
                pool.keep(connection);
            }
        }
    }

    fn keep(&self, connection: Connection) {
        let Limits { per_origin, in_all, timeout } = self.limits;
        if per_origin == 0 {
            return;
        }
        let mut gone = Vec::new();
        {
            let mut kept = lock(&self.kept);
            if kept.origins.get(&connection.origin).is_some_and(|idle| idle.len() >= per_origin) {
                gone.extend(kept.oldest_of(&connection.origin));
            }
            kept.put(connection);
            while kept.order.len() > in_all {
                gone.extend(kept.oldest());
            }
            // The task that closes old connections ends when the pool is empty, or with its runtime.
            if kept.reaper.as_ref().is_none_or(JoinHandle::is_finished)
                && let Ok(runtime) = Handle::try_current()
            {
                kept.reaper = Some(runtime.spawn(reap(self.itself.clone(), timeout)));
            }
        }
        // Check after the insertion, since a request that began to wait before could not close this connection.
        if descriptors::has_waiters() {
            gone.extend(lock(&self.kept).oldest());
        }
        drop(gone);
    }
}

impl descriptors::DescriptorHolder for Pool {
    fn close_one(&self) -> bool {
        let oldest = lock(&self.kept).oldest();
        oldest.is_some()
    }
}

impl IdleConnections {
    /// Adds a settling connection and returns its number.
    fn settle(&mut self, origin: Arc<str>, settled: oneshot::Receiver<Connection>) -> u64 {
        let number = self.next;
        self.next += 1;
        self.settling.entry(origin).or_default().push((number, settled));
        number
    }

    /// Removes and returns the receiver of the connection to an origin that has been settling longest. A request then
    /// waits for it.
    fn claim(&mut self, origin: &str) -> Option<oneshot::Receiver<Connection>> {
        let (number, _) = self.settling.get(origin)?.first()?;
        self.remove_settling(origin, *number)
    }

    /// Removes a settling connection. Returns `None` if a request waits for the connection.
    fn remove_settling(&mut self, origin: &str, number: u64) -> Option<oneshot::Receiver<Connection>> {
        let all = self.settling.get_mut(origin)?;
        let index = all.iter().position(|(other, _)| *other == number);
        let settled = index.map(|index| all.remove(index).1);
        if all.is_empty() {
            self.settling.remove(origin);
        }
        settled
    }

    fn put(&mut self, connection: Connection) {
        let number = self.next;
        self.next += 1;
        self.order.insert(number, connection.origin.clone());
        let idle = Idle { since: Instant::now(), number, connection };
        self.origins.entry(idle.connection.origin.clone()).or_default().push(idle);
    }

    /// Removes and returns the most recently used connection to an origin.
    fn take(&mut self, origin: &str) -> Option<Idle> {
        let all = self.origins.get_mut(origin)?;
        let idle = all.pop();
        if all.is_empty() {
            self.origins.remove(origin);
        }
        let idle = idle?;
        self.order.remove(&idle.number);
        Some(idle)
    }

    /// Removes and returns the least recently used connection.
    fn oldest(&mut self) -> Option<Idle> {
        let (_, origin) = self.order.first_key_value()?;
        let origin = origin.clone();
        self.oldest_of(&origin)
    }

    fn oldest_of(&mut self, origin: &str) -> Option<Idle> {
        let all = self.origins.get_mut(origin)?;
        let idle = (!all.is_empty()).then(|| all.remove(0));
        if all.is_empty() {
            self.origins.remove(origin);
        }
        let idle = idle?;
        self.order.remove(&idle.number);
        Some(idle)
    }

    /// Returns the time of the last use of the least recently used connection.
    fn oldest_since(&self) -> Option<Instant> {
        let (number, origin) = self.order.first_key_value()?;
        let idle = self.origins.get(origin)?.iter().find(|idle| idle.number == *number)?;
        Some(idle.since)
    }
}

/// Reads and drops the rest of an answer. Returns false if the rest is too long or incomplete.
async fn skip_rest(rest: Option<Incoming>) -> bool {
    let Some(mut rest) = rest else { return true };
    let mut bytes = 0;
    while let Some(frame) = std::future::poll_fn(|context| Pin::new(&mut rest).poll_frame(context)).await {
        let Ok(frame) = frame else { return false };
        bytes += frame.data_ref().map_or(0, |data| data.len() as u64);
        if bytes > REST {
            return false;
        }
    }
    true
}

/// Closes connections that exceed the idle timeout, until the pool is empty.
async fn reap(pool: Weak<Pool>, timeout: Duration) {
    loop {
        let next = {
            let Some(pool) = pool.upgrade() else { return };
            let mut kept = lock(&pool.kept);
            while kept.oldest_since().is_some_and(|since| since.elapsed() >= timeout) {
                drop(kept.oldest());
            }
            let Some(since) = kept.oldest_since() else {
                kept.reaper = None;
                return;
            };
            // If the sum overflows, use an hour.
            since.checked_add(timeout).unwrap_or_else(|| since + Duration::from_secs(3600))
        };
        tokio::time::sleep_until(next).await;
    }
}

impl fmt::Debug for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pool")
            .field("limits", &self.limits)
            .field("kept", &lock(&self.kept).order.len())
            .finish()
    }
}
