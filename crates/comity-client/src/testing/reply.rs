//! The replies of a fake transport.

use std::time::Duration;

use bytes::Bytes;
use comity::policy::Failure;
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};

use crate::BoxFuture;
use crate::transport::{Body, Request, Response, TransportError};

/// A reply of a [`FakeTransport`](super::FakeTransport): an answer, or a failure.
#[derive(Clone, Debug)]
pub struct FakeReply {
    end: ReplyEnd,
    headers: HeaderMap,
    body: FakeBody,
    /// Delay before the header of the answer, or before the failure.
    delay: Duration,
}

/// The outcome of a reply.
#[derive(Clone, Debug)]
enum ReplyEnd {
    Answer(StatusCode),
    Failure(Failure),
    Never,
}

impl FakeReply {
    fn new(end: ReplyEnd) -> Self {
        FakeReply { end, headers: HeaderMap::new(), body: FakeBody::default(), delay: Duration::ZERO }
    }

    fn of_type(content_type: &'static str, body: impl Into<Bytes>) -> Self {
        let mut reply = FakeReply::new(ReplyEnd::Answer(StatusCode::OK)).body(body);
        reply.headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
        reply
    }

    /// Creates a 200 with plain text in UTF-8, such as a robots.txt.
    pub fn text(body: impl Into<Bytes>) -> Self {
        FakeReply::of_type("text/plain; charset=utf-8", body)
    }

    /// Creates a 200 with HTML in UTF-8.
    pub fn html(body: impl Into<Bytes>) -> Self {
        FakeReply::of_type("text/html; charset=utf-8", body)
    }

    /// Creates an answer with this status and an empty body.
    ///
    /// # Panics
    ///
    /// If the status is not between 100 and 999.
    #[allow(clippy::expect_used, reason = "a test with a wrong status code must fail")]
    pub fn status(status: u16) -> Self {
        FakeReply::new(ReplyEnd::Answer(StatusCode::from_u16(status).expect("a status code")))
    }

    /// Creates a redirect to a URL or a path.
    ///
    /// # Panics
    ///
    /// If the status is not between 100 and 999, or the location is not a valid header value.
    pub fn redirect(status: u16, location: &str) -> Self {
        FakeReply::status(status).header("location", location)
    }

    /// Creates a failure without an answer, such as a reset connection or a timeout.
    pub fn failure(failure: Failure) -> Self {
        FakeReply::new(ReplyEnd::Failure(failure))
    }

    /// Creates a reply that never arrives. The request fails with a timeout.
    pub fn hang() -> Self {
        FakeReply::new(ReplyEnd::Never)
    }

    /// Sets the body.
    #[must_use]
    pub fn body(mut self, body: impl Into<Bytes>) -> Self {
        self.body.rest = body.into();
        self
    }

    /// Sets a header field, replacing fields of the same name.
    ///
    /// # Panics
    ///
    /// If the name or the value is not valid in a header.
    #[must_use]
    #[allow(clippy::expect_used, reason = "a test with a wrong header field must fail")]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        let name: HeaderName = name.parse().expect("a field's name");
        self.headers.insert(name, value.parse().expect("a field's value"));
        self
    }

    /// Sets all header fields.
    #[must_use]
    pub fn headers(self, headers: HeaderMap) -> Self {
        FakeReply { headers, ..self }
    }

    /// Sets the delay before the answer or the failure, on tokio's clock.
    #[must_use]
    pub fn after(self, delay: Duration) -> Self {
        FakeReply { delay, ..self }
    }

    /// Sends the body in pieces of at most `bytes` bytes, with a pause before each.
    #[must_use]
    pub fn in_pieces(mut self, bytes: usize, pause: Duration) -> Self {
        (self.body.piece, self.body.pause) = (bytes.max(1), pause);
        self
    }

    /// Adds a failure after the last byte of the body, as if the connection were lost.
    #[must_use]
    pub fn breaking_off(mut self) -> Self {
        self.body.breaks_off = true;
        self
    }

    /// Returns the sequence of this reply and `next`.
    #[must_use]
    pub fn then(self, next: impl Into<FakeReplies>) -> FakeReplies {
        FakeReplies::from(self).then(next)
    }

    /// Returns the reply to a request, or a timeout error if the reply takes too long.
    pub(super) async fn send(self, request: &Request) -> Result<Response, TransportError> {
        let reply = async {
            tokio::time::sleep(self.delay).await;
            match self.end {
                ReplyEnd::Answer(status) => {
                    let body = if request.method == Method::HEAD { FakeBody::default() } else { self.body };
                    Ok(Response::new(status, self.headers, body))
                }
                ReplyEnd::Failure(failure) => Err(TransportError::new(failure, "a fake failure")),
                ReplyEnd::Never => std::future::pending().await,
            }
        };
        let timed = tokio::time::timeout(request.timeout, reply).await;
        timed.unwrap_or_else(|_| {
            let seconds = request.timeout.as_secs_f64();
            Err(TransportError::new(Failure::Timeout, format!("no answer in {seconds} s")))
        })
    }
}

/// A sequence of replies to consecutive requests. The last reply is repeated for all further requests.
#[derive(Clone, Debug)]
pub struct FakeReplies {
    first: Vec<FakeReply>,
    last: FakeReply,
}

impl FakeReplies {
    /// Returns the sequence of these replies and `next`.
    #[must_use]
    pub fn then(mut self, next: impl Into<FakeReplies>) -> Self {
        let next = next.into();
        self.first.push(self.last);
        self.first.extend(next.first);
        FakeReplies { first: self.first, last: next.last }
    }

    /// Returns the reply to the request with this index.
    pub(super) fn get(&self, index: usize) -> FakeReply {
        self.first.get(index).unwrap_or(&self.last).clone()
    }
}

impl From<FakeReply> for FakeReplies {
    fn from(reply: FakeReply) -> Self {
        FakeReplies { first: Vec::new(), last: reply }
    }
}

/// The body of a fake reply.
#[derive(Clone, Debug)]
struct FakeBody {
    rest: Bytes,
    piece: usize,
    /// The pause before each piece.
    pause: Duration,
    breaks_off: bool,
}

impl Default for FakeBody {
    fn default() -> Self {
        FakeBody { rest: Bytes::new(), piece: usize::MAX, pause: Duration::ZERO, breaks_off: false }
    }
}

impl Body for FakeBody {
    fn chunk(&mut self) -> BoxFuture<'_, Option<Result<Bytes, TransportError>>> {
        Box::pin(async {
            if self.rest.is_empty() {
                let broken = || TransportError::new(Failure::Connection, "the fake connection was lost");
                return std::mem::take(&mut self.breaks_off).then(|| Err(broken()));
            }
            if !self.pause.is_zero() {
                tokio::time::sleep(self.pause).await;
            }
            Some(Ok(self.rest.split_to(self.piece.min(self.rest.len()))))
        })
    }
}
