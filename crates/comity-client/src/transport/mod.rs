//! Transports, which send single HTTP requests. They do not follow redirects, retry, or apply policies.
//!
//! All decisions are made before a transport is called. A transport that resolves names itself must check the addresses
//! with [`Guard`](crate::guard::Guard) and dial only these addresses, as [`HttpTransport`] does.

use std::borrow::Cow;
use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use comity::policy::{CertificateFault, Evidence, Failure};
use http::uri::PathAndQuery;
use http::{HeaderMap, HeaderValue, Method, StatusCode};
use url::{Position, Url};

use crate::signing::{CannotSign, Challenge, SignatureFields, Signer};
use crate::{BoxFuture, Origin, guard};

#[cfg(feature = "http")]
mod body;
#[cfg(feature = "http")]
pub mod coding;
#[cfg(feature = "http")]
mod connect;
#[cfg(feature = "http")]
mod cookies;
mod departure;
pub(crate) mod encoding_words;
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
mod traffic;

pub use departure::Departure;
#[cfg(feature = "http")]
pub use http_transport::HttpTransport;
pub use options::NetworkOptions;

/// A transport, which sends requests and returns the answers of servers, including redirects.
pub trait Transport: fmt::Debug + Send + Sync + 'static {
    /// Sends a request. The future completes when the header of the answer has arrived.
    fn send(&self, request: Request) -> BoxFuture<'_, Result<Response, TransportError>>;

    /// Returns the `Cookie` field that a request for a URL would have now. A transport with cookies must implement it:
    /// a redirect to a visited URL is followed only if the cookies have changed.
    fn cookies(&self, _url: &Url) -> Option<HeaderValue> {
        None
    }
}

/// A request to send.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Request {
    /// The method.
    pub method: Method,
    /// The URL.
    pub url: Url,
    /// The header fields, including `User-Agent`.
    pub headers: HeaderMap,
    /// The body; empty for most methods.
    pub body: Bytes,
    /// Timeout for the header of the answer, including connecting.
    pub timeout: Duration,
    /// Whether cookies may be sent and stored. Requests for robots.txt have no cookies, since their answers are shared.
    pub cookies: bool,
    /// Whether the transport may send the request again, on another connection, if the first one was closed gracefully
    /// without an answer. A request whose method is not idempotent is sent again only if none of it was sent (RFC 9110
    /// §9.2.2).
    pub may_resend: bool,
    /// Record of the time at which the request is sent, for the pace.
    pub departure: Departure,
    /// The signer of the request, which also signs a resend.
    signing: Option<RequestSigner>,
}

/// The signer of a request, and the challenge that the signature answers.
#[derive(Clone, Debug)]
struct RequestSigner {
    signer: Arc<Signer>,
    challenge: Option<Challenge>,
}

impl Request {
    /// Creates a `GET` request without cookies, which may be sent again.
    pub fn get(url: Url, headers: HeaderMap, timeout: Duration) -> Self {
        Request {
            method: Method::GET,
            url,
            headers,
            body: Bytes::new(),
            timeout,
            cookies: false,
            may_resend: true,
            departure: Departure::default(),
            signing: None,
        }
    }

    /// Signs the request if requests to its origin are signed, or if the origin has sent a challenge.
    pub(crate) fn sign(
        &mut self,
        signer: Option<&Arc<Signer>>,
        origin: &Origin,
        challenge: Option<Challenge>,
    ) -> Result<Option<SignatureFields>, TransportError> {
        let Some(signer) =
            signer.filter(|signer| challenge.is_some() || signer.signs_without_challenge(origin))
        else {
            return Ok(None);
        };
        self.signing = Some(RequestSigner { signer: Arc::clone(signer), challenge });
        self.sign_again()
    }

    /// Signs the request again, if it was signed, since a site may reject replays of a signature.
    fn sign_again(&mut self) -> Result<Option<SignatureFields>, TransportError> {
        let Some(RequestSigner { signer, challenge }) = &self.signing else { return Ok(None) };
        let authority = &self.url[Position::BeforeHost..Position::BeforePath];
        let target = (self.url.scheme(), authority, &*path_of(&self.url));
        Ok(signer.sign(&self.method, target, &mut self.headers, challenge.as_ref())?)
    }

    /// Returns the request for a resend, with a new signature.
    #[cfg(feature = "http")]
    fn again(&self) -> Result<Request, TransportError> {
        let mut again = self.clone();
        again.sign_again()?;
        Ok(again)
    }
}

/// Returns the path and query of a URL in the form in which they are sent.
fn path_of(url: &Url) -> Cow<'_, str> {
    let path = &url[Position::BeforePath..Position::AfterQuery];
    if path.parse::<PathAndQuery>().is_ok() { Cow::Borrowed(path) } else { Cow::Owned(encoded(path)) }
}

/// Percent-encodes the characters that the URL standard keeps but HTTP does not allow.
fn encoded(text: &str) -> String {
    let encode = |character: char| match character {
        '"' | '<' | '>' | '\\' | '^' | '`' | '{' | '|' | '}' => format!("%{:02X}", u32::from(character)),
        character => character.to_string(),
    };
    text.chars().map(encode).collect()
}

/// The answer of a server: its header and its unread body.
#[derive(Debug)]
#[non_exhaustive]
pub struct Response {
    /// The status code.
    pub status: StatusCode,
    /// The header fields.
    pub headers: HeaderMap,
    /// The dialled address, if the transport reports it.
    pub remote: Option<SocketAddr>,
    /// The body, with content codings decoded.
    pub body: Box<dyn Body>,
    /// Time before the request was sent: name lookup, connecting, TLS. After a resend, it includes the first attempt.
    pub connecting: Duration,
    /// Whether the request was sent twice, because the first connection was closed gracefully without an answer.
    pub was_resent: bool,
}

impl Response {
    /// Creates an answer.
    pub fn new(status: StatusCode, headers: HeaderMap, body: impl Body) -> Self {
        let connecting = Duration::ZERO;
        Response { status, headers, remote: None, body: Box::new(body), connecting, was_resent: false }
    }

    /// Sets the time that passed before the request was sent.
    #[must_use]
    pub fn connected_in(self, connecting: Duration) -> Self {
        Response { connecting, ..self }
    }

    /// Marks this as the answer to a request that was sent twice.
    #[must_use]
    pub fn resent(self) -> Self {
        Response { was_resent: true, ..self }
    }
}

/// A body, read in chunks.
pub trait Body: fmt::Debug + Send + 'static {
    /// Returns the next chunk, or `None` at the end.
    fn chunk(&mut self) -> BoxFuture<'_, Option<Result<Bytes, TransportError>>>;
}

/// A body in memory: one chunk, or zero if it is empty.
impl Body for Bytes {
    fn chunk(&mut self) -> BoxFuture<'_, Option<Result<Bytes, TransportError>>> {
        let piece = std::mem::take(self);
        Box::pin(async move { (!piece.is_empty()).then_some(Ok(piece)) })
    }
}

/// The error of a request without an answer, or of an incomplete body.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct TransportError {
    failure: Failure,
    message: String,
    refusal: Option<guard::GuardRefusal>,
    certificate: Option<CertificateFault>,
    was_resent: bool,
}

impl TransportError {
    /// Creates an error of this kind, with the transport's message.
    pub fn new(failure: Failure, message: impl Into<String>) -> Self {
        TransportError {
            failure,
            message: message.into(),
            refusal: None,
            certificate: None,
            was_resent: false,
        }
    }

    /// Creates the error for a time limit that has passed. `what` ends before the length of the limit.
    pub(crate) fn late(what: &str, limit: Duration) -> Self {
        TransportError::new(Failure::Timeout, format!("{what} {} s", limit.as_secs_f64()))
    }

    /// Creates the error for a refusal by the guard.
    pub fn refused(refusal: guard::GuardRefusal) -> Self {
        let message = refusal.to_string();
        TransportError { refusal: Some(refusal), ..TransportError::new(Failure::Guard, message) }
    }

    /// Creates the error for a rejected certificate, with the reason as a sentence.
    pub fn of_certificate(fault: CertificateFault, message: impl Into<String>) -> Self {
        TransportError { certificate: Some(fault), ..TransportError::new(Failure::Tls, message) }
    }

    /// Returns the error of a request for robots.txt, or `None` if the request got an answer.
    pub(crate) fn of_evidence(evidence: &Evidence) -> Option<Self> {
        let message = evidence.error().unwrap_or_else(|| evidence.kind().label());
        let error = TransportError::new(evidence.failure()?, message);
        Some(TransportError { certificate: evidence.certificate(), ..error })
    }

    /// Returns the kind of failure.
    pub fn failure(&self) -> Failure {
        self.failure
    }

    /// Returns true if the request may have reached the server before it failed.
    pub(crate) fn may_have_arrived(&self) -> bool {
        !matches!(self.failure, Failure::Dns | Failure::Tls | Failure::Guard | Failure::Local)
    }

    /// Marks the error as the error of a request that was sent twice.
    #[must_use]
    pub fn resent(self) -> Self {
        TransportError { was_resent: true, ..self }
    }

    /// Returns true if the request was sent twice, because the first connection was closed gracefully without an
    /// answer.
    pub fn was_resent(&self) -> bool {
        self.was_resent
    }

    /// Returns the reason why the server's certificate was rejected, if it was.
    pub fn certificate(&self) -> Option<CertificateFault> {
        self.certificate
    }

    /// Returns the refusal, if the guard is the cause.
    pub fn refusal(&self) -> Option<&guard::GuardRefusal> {
        self.refusal.as_ref()
    }
}

/// Converts a signing failure into a local failure: no request is sent.
impl From<CannotSign> for TransportError {
    fn from(error: CannotSign) -> Self {
        TransportError::new(Failure::Local, error.to_string())
    }
}

/// Converts a resolver error. A name that does not exist is a failure of the site. A name server that cannot be queried
/// is a local failure.
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
