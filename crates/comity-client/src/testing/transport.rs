//! A transport that returns replies from a table.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, Method};
use tokio::time::Instant;
use url::Url;

use super::reply::{FakeReplies, FakeReply};
use crate::BoxFuture;
use crate::transport::{Request, Response, Transport, TransportError};

/// A transport without sockets. It returns the replies in a table of URLs, and logs the requests. Clones share the
/// table and the log.
///
/// A URL that is not in the table gets a 404, or the replies of [`otherwise`](FakeTransport::otherwise). See the
/// [module](super) for an example.
#[derive(Clone, Debug)]
pub struct FakeTransport {
    state: Arc<Mutex<State>>,
    /// Start of the times in the log.
    begun: Instant,
}

#[derive(Debug)]
struct State {
    replies: HashMap<String, FakeReplies>,
    otherwise: FakeReplies,
    /// The number of requests since the replies were set, by URL.
    counts: HashMap<String, usize>,
    log: Vec<FakeRequest>,
}

/// A request that a [`FakeTransport`] received.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FakeRequest {
    /// The method.
    pub method: Method,
    /// The URL.
    pub url: Url,
    /// The header fields, including `User-Agent`.
    pub headers: HeaderMap,
    /// The body.
    pub body: Bytes,
    /// Time of arrival: time on tokio's clock since the transport was created.
    pub at: Duration,
}

impl Default for FakeTransport {
    fn default() -> Self {
        FakeTransport::new()
    }
}

impl FakeTransport {
    /// Creates a transport that replies 404 to every request.
    pub fn new() -> Self {
        let otherwise = FakeReply::status(404).into();
        let state = State { replies: HashMap::new(), otherwise, counts: HashMap::new(), log: Vec::new() };
        FakeTransport { state: Arc::new(Mutex::new(state)), begun: Instant::now() }
    }

    /// Sets the replies for a URL. URLs are compared in their serialized form.
    ///
    /// # Panics
    ///
    /// If the text is not a URL.
    pub fn on(&self, url: &str, replies: impl Into<FakeReplies>) -> &Self {
        let (url, mut state) = (key(url), self.state());
        state.counts.remove(&url);
        state.replies.insert(url, replies.into());
        drop(state);
        self
    }

    /// Sets the replies for all URLs that are not in the table.
    pub fn otherwise(&self, replies: impl Into<FakeReplies>) -> &Self {
        self.state().otherwise = replies.into();
        self
    }

    /// Returns the requests so far, in order.
    pub fn requests(&self) -> Vec<FakeRequest> {
        self.state().log.clone()
    }

    /// Returns the number of requests for a URL so far.
    ///
    /// # Panics
    ///
    /// If the text is not a URL.
    pub fn count(&self, url: &str) -> usize {
        self.times(url).len()
    }

    /// Returns the arrival times of requests for a URL, on tokio's clock since the transport was created.
    ///
    /// # Panics
    ///
    /// If the text is not a URL.
    pub fn times(&self, url: &str) -> Vec<Duration> {
        let url = key(url);
        self.state().log.iter().filter(|seen| seen.url.as_str() == url).map(|seen| seen.at).collect()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Logs a request, and returns its reply.
    fn reply(&self, request: &Request) -> FakeReply {
        let mut state = self.state();
        state.log.push(FakeRequest {
            method: request.method.clone(),
            url: request.url.clone(),
            headers: request.headers.clone(),
            body: request.body.clone(),
            at: self.begun.elapsed(),
        });
        let count = state.counts.entry(request.url.as_str().to_owned()).or_default();
        *count += 1;
        let index = *count - 1;
        state.replies.get(request.url.as_str()).unwrap_or(&state.otherwise).get(index)
    }
}

impl Transport for FakeTransport {
    fn send(&self, request: Request) -> BoxFuture<'_, Result<Response, TransportError>> {
        Box::pin(async move { self.reply(&request).send(&request).await })
    }
}

/// Returns a URL in its serialized form.
#[allow(clippy::panic, reason = "a test with a wrong URL must fail")]
fn key(url: &str) -> String {
    Url::parse(url).unwrap_or_else(|error| panic!("`{url}` is not a URL: {error}")).into()
}
