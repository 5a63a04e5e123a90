//! What carries a request: one hop, no redirects, no retries, no policy.
//!
//! Everything that decides stands before a transport; everything that dials is one. A transport that resolves names by
//! itself must let [`Guard`](crate::guard::Guard) check the addresses and dial no others: [`HttpTransport`] does.

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

/// Sends one request and hands over the answer as it comes, redirects included.
pub trait Transport: fmt::Debug + Send + Sync + 'static {
    /// Sends a request. Ends when the header of the answer is there.
    fn send(&self, request: Request) -> BoxFuture<'_, Result<Response, TransportError>>;
}

/// One request, one hop.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Request {
    /// `GET` or `HEAD`.
    pub method: Method,
    /// Where to.
    pub url: Url,
    /// The fields to send, `User-Agent` included.
    pub headers: HeaderMap,
    /// How long to wait for the header of the answer, connecting included.
    pub timeout: Duration,
    /// Whether cookies may go along and be kept. Requests for robots.txt do without: its answer is everybody's.
    pub cookies: bool,
    /// Whether the transport may send it again, on another connection, if the first ended in good order without an
    /// answer.
    pub may_resend: bool,
}

impl Request {
    /// A `GET` request without cookies, which may be sent again.
    pub fn get(url: Url, headers: HeaderMap, timeout: Duration) -> Self {
        Request { method: Method::GET, url, headers, timeout, cookies: false, may_resend: true }
    }
}

/// The header of an answer, and its body to come.
#[derive(Debug)]
#[non_exhaustive]
pub struct Response {
    /// The status code.
    pub status: StatusCode,
    /// The header fields.
    pub headers: HeaderMap,
    /// Who answered, if the transport knows: the address that was dialled.
    pub remote: Option<SocketAddr>,
    /// The body, content codings undone.
    pub body: Box<dyn Body>,
    /// How long it took before the request could go out: finding an address, connecting, TLS. Zero on a connection that
    /// was there already.
    pub connecting: Duration,
    /// Whether the request was sent twice, because the first connection ended in good order without an answer.
    pub was_resent: bool,
}

impl Response {
    /// An answer.
    pub fn new(status: StatusCode, headers: HeaderMap, body: impl Body) -> Self {
        let connecting = Duration::ZERO;
        Response { status, headers, remote: None, body: Box::new(body), connecting, was_resent: false }
    }

    /// With the address that was dialled.
    #[must_use]
    pub fn from_remote(self, remote: Option<SocketAddr>) -> Self {
        Response { remote, ..self }
    }

    /// With the time that it took before the request could go out.
    #[must_use]
    pub fn connected_in(self, connecting: Duration) -> Self {
        Response { connecting, ..self }
    }

    /// As the answer to a request that was sent twice.
    #[must_use]
    pub fn resent(self) -> Self {
        Response { was_resent: true, ..self }
    }
}

/// A body, piece by piece.
pub trait Body: fmt::Debug + Send + 'static {
    /// The next piece; `None` at the end.
    fn chunk(&mut self) -> BoxFuture<'_, Option<Result<Bytes, TransportError>>>;
}

/// A body that is there already: one piece, or none if it is empty.
impl Body for Bytes {
    fn chunk(&mut self) -> BoxFuture<'_, Option<Result<Bytes, TransportError>>> {
        let piece = std::mem::take(self);
        Box::pin(async move { (!piece.is_empty()).then_some(Ok(piece)) })
    }
}

/// Why there is no answer, or no more of it.
#[derive(Debug)]
pub struct TransportError {
    failure: Failure,
    message: String,
    refusal: Option<guard::Refusal>,
    was_resent: bool,
}

impl TransportError {
    /// A failure with the transport's own words for it.
    pub fn new(failure: Failure, message: impl Into<String>) -> Self {
        TransportError { failure, message: message.into(), refusal: None, was_resent: false }
    }

    /// The guard refused to dial.
    pub fn refused(refusal: guard::Refusal) -> Self {
        let message = refusal.to_string();
        TransportError { refusal: Some(refusal), ..TransportError::new(Failure::Guard, message) }
    }

    /// What kind of failure it is.
    pub fn failure(&self) -> Failure {
        self.failure
    }

    /// Whether the request may have reached the server before it failed.
    pub(crate) fn may_have_arrived(&self) -> bool {
        !matches!(self.failure, Failure::Dns | Failure::Tls | Failure::Guard | Failure::Local)
    }

    /// As the end of a request that was sent twice.
    #[must_use]
    pub fn resent(self) -> Self {
        TransportError { was_resent: true, ..self }
    }

    /// Whether the request was sent twice, because the first connection ended in good order without an answer.
    pub fn was_resent(&self) -> bool {
        self.was_resent
    }

    /// What the guard refused, if it did.
    pub fn refusal(&self) -> Option<&guard::Refusal> {
        self.refusal.as_ref()
    }
}

/// A name that does not exist is the site's affair; that nobody could be asked is ours.
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
