//! Transports send requests: one hop, no redirects, no retries, no policy.
//!
//! All decisions are made before a transport is called, and all dialling is done by one. A transport that resolves
//! names by itself must let [`Guard`](crate::guard::Guard) check the addresses, and dial no others; [`HttpTransport`]
//! does so.

use std::fmt;
use std::net::SocketAddr;
use std::time::Duration;

use bytes::Bytes;
use comity::policy::Failure;
use http::{HeaderMap, Method, StatusCode};
use url::Url;

use crate::BoxFuture;
use crate::guard;

#[cfg(feature = "http")]
mod body;
#[cfg(feature = "http")]
pub mod coding;
#[cfg(feature = "http")]
mod connect;
#[cfg(feature = "http")]
mod cookies;
#[cfg(feature = "http")]
mod failure;
#[cfg(feature = "http")]
mod http_transport;
mod options;
#[cfg(feature = "http")]
mod pool;
#[cfg(feature = "http")]
mod proxy;
#[cfg(feature = "http")]
mod tls;

#[cfg(feature = "http")]
pub use http_transport::HttpTransport;
pub use options::NetworkOptions;

/// Sends requests, and returns answers as they come, redirects included.
pub trait Transport: fmt::Debug + Send + Sync + 'static {
    /// Sends a request. The future completes when the header of the answer has come.
    fn send(&self, request: Request) -> BoxFuture<'_, Result<Response, TransportError>>;
}

/// One request, one hop.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Request {
    /// `GET` or `HEAD`.
    pub method: Method,
    /// The URL.
    pub url: Url,
    /// The header fields, `User-Agent` included.
    pub headers: HeaderMap,
    /// How long to wait for the header of the answer, connecting included.
    pub timeout: Duration,
    /// Whether cookies may be sent and kept. Requests for robots.txt have none, since its answer is for everybody.
    pub cookies: bool,
    /// Whether the transport may send it again, on another connection, if the first one ended in good order without an
    /// answer.
    pub may_resend: bool,
}

impl Request {
    /// Creates a `GET` request without cookies, which may be sent again.
    pub fn get(url: Url, headers: HeaderMap, timeout: Duration) -> Self {
        Request { method: Method::GET, url, headers, timeout, cookies: false, may_resend: true }
    }
}

/// The header of an answer, with its body to be read.
#[derive(Debug)]
#[non_exhaustive]
pub struct Response {
    /// The status code.
    pub status: StatusCode,
    /// The header fields.
    pub headers: HeaderMap,
    /// The address that was dialled, if the transport knows it.
    pub remote: Option<SocketAddr>,
    /// The body, with content codings undone.
    pub body: Box<dyn Body>,
    /// How long it took before the request was sent: name look-up, connecting, TLS. Zero on a connection that existed
    /// already.
    pub connecting: Duration,
    /// Whether the request was sent twice, because the first connection ended in good order without an answer.
    pub was_resent: bool,
}

impl Response {
    /// Creates an answer.
    pub fn new(status: StatusCode, headers: HeaderMap, body: impl Body) -> Self {
        let connecting = Duration::ZERO;
        Response { status, headers, remote: None, body: Box::new(body), connecting, was_resent: false }
    }

    /// Sets the address that was dialled.
    #[must_use]
    pub fn from_remote(self, remote: Option<SocketAddr>) -> Self {
        Response { remote, ..self }
    }

    /// Sets the time that passed before the request was sent.
    #[must_use]
    pub fn connected_in(self, connecting: Duration) -> Self {
        Response { connecting, ..self }
    }

    /// Marks it as the answer to a request that was sent twice.
    #[must_use]
    pub fn resent(self) -> Self {
        Response { was_resent: true, ..self }
    }
}

/// A body, read piece by piece.
pub trait Body: fmt::Debug + Send + 'static {
    /// Returns the next piece, or `None` at the end.
    fn chunk(&mut self) -> BoxFuture<'_, Option<Result<Bytes, TransportError>>>;
}

/// A body in memory: one piece, or none if it is empty.
impl Body for Bytes {
    fn chunk(&mut self) -> BoxFuture<'_, Option<Result<Bytes, TransportError>>> {
        let piece = std::mem::take(self);
        Box::pin(async move { (!piece.is_empty()).then_some(Ok(piece)) })
    }
}

/// The reason why there is no answer, or no more of it.
#[derive(Debug)]
pub struct TransportError {
    failure: Failure,
    message: String,
    refusal: Option<guard::GuardRefusal>,
    was_resent: bool,
}

impl TransportError {
    /// Creates an error of this kind, with the transport's message.
    pub fn new(failure: Failure, message: impl Into<String>) -> Self {
        TransportError { failure, message: message.into(), refusal: None, was_resent: false }
    }

    /// Creates the error for a refusal by the guard.
    pub fn refused(refusal: guard::GuardRefusal) -> Self {
        let message = refusal.to_string();
        TransportError { refusal: Some(refusal), ..TransportError::new(Failure::Guard, message) }
    }

    /// Returns the kind of failure.
    pub fn failure(&self) -> Failure {
        self.failure
    }

    /// Returns true if the request may have reached the server before it failed.
    pub(crate) fn may_have_arrived(&self) -> bool {
        !matches!(self.failure, Failure::Dns | Failure::Tls | Failure::Guard | Failure::Local)
    }

    /// Marks it as the error of a request that was sent twice.
    #[must_use]
    pub fn resent(self) -> Self {
        TransportError { was_resent: true, ..self }
    }

    /// Returns true if the request was sent twice, because the first connection ended in good order without an answer.
    pub fn was_resent(&self) -> bool {
        self.was_resent
    }

    /// Returns the refusal, if the guard refused.
    pub fn refusal(&self) -> Option<&guard::GuardRefusal> {
        self.refusal.as_ref()
    }
}

/// A name that does not exist is the site's failure. A name server that cannot be asked is a local one.
impl From<guard::ResolveError> for TransportError {
    fn from(error: guard::ResolveError) -> Self {
        use guard::ResolveError::{Dns, NotFound, Refused, Timeout, Unavailable};
        let failure = match error {
            Refused(refusal) => return TransportError::refused(refusal),
            NotFound(_) | Dns(_) => Failure::Dns,
            Timeout | Unavailable(_) => Failure::Local,
        };
        TransportError::new(failure, error.to_string())
    }
}

impl fmt::Display for TransportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for TransportError {}
