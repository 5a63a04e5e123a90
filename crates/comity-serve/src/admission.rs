//! The steps of every request: authenticate the caller, check the limits, call the handler, record metrics and log.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Poll, ready};
use std::time::Instant;

use axum::body::Body;
use axum::extract::Request;
use axum::handler::Handler;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use http::header::{CACHE_CONTROL, HeaderName, X_CONTENT_TYPE_OPTIONS};
use http::{HeaderMap, HeaderValue, Method};
use hyper::body::{Body as HttpBody, Frame, SizeHint};
use tracing::Instrument as _;

use crate::access_control::{AccessControl, Peer};
use crate::body::{self, MediaType};
use crate::connections::ConnectionState;
use crate::context::{Context, Shared};
use crate::deadline_timer::DeadlineTimer;
use crate::fair::{Memory, Resource, Share};
use crate::log::Entry;
use crate::problem::{Kind, Problem};
use crate::span::RequestSpan;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The connection of a request.
#[derive(Clone, Debug)]
pub(crate) struct Arrival {
    pub(crate) peer: Peer,
    /// The timer of the task that answers the request.
    pub(crate) deadline_timer: DeadlineTimer,
    pub(crate) connection: Arc<ConnectionState>,
}

/// The access rule of a route: whether a token is required, and whether requests count against the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// Requires no token, and can be opened by a link on a page of another site. Requests do not count against the
    /// limit.
    Document,
    /// Requires no token. Requests do not count against the limit.
    Open,
    /// Requires a token. Requests do not count against the limit, because they cause no work.
    Token,
    /// Requires a token. Requests count against the limit and against the share of their caller.
    Counted,
}

/// A handler of a route, wrapped in the steps that run before and after every handler. The wrapped handler needs a
/// [`Context`], which only these steps create. So no route can skip the steps.
#[derive(Clone, Debug)]
pub(crate) struct AdmittedHandler<H> {
    /// Name of the route in metrics and logs.
    pub(crate) name: &'static str,
    pub(crate) access: Access,
    pub(crate) handler: H,
}

/// The future of an answer, on the heap. An enum of the futures of all handlers would have the size of the largest one,
/// and would be copied at each move.
pub(crate) type AnswerFuture = Pin<Box<dyn Future<Output = Response> + Send>>;

impl<H: Handler<T, Context, Future = AnswerFuture>, T> Handler<T, Arc<Shared>> for AdmittedHandler<H> {
    type Future = AnswerFuture;

    fn call(self, request: Request, shared: Arc<Shared>) -> AnswerFuture {
        let AdmittedHandler { name, access, handler } = self;
        let handler = move |request, context| handler.call(request, context);
        Box::pin(answer(name, access, Box::new(handler), request, shared))
    }
}

/// Answers a request and records the answer in the metrics and the log.
async fn answer(
    name: &'static str,
    access: Access,
    handler: Box<dyn FnOnce(Request, Context) -> AnswerFuture + Send>,
    mut request: Request,
    shared: Arc<Shared>,
) -> Response {
    let began = Instant::now();
    let Some(Arrival { peer, deadline_timer, connection }) = request.extensions_mut().remove() else {
        return Problem::new(Kind::Internal, "the request has no connection").into_response();
    };
    let id = request_id(request.headers());
    let method = request.method().clone();
    let mut caller = AccessControl::anonymous_caller(peer);
    let (mut busy, mut in_flight) = (None, None);
    let setup = shared.setup();
    let span = RequestSpan::new(name, &method, request.headers());
    let answered = async {
        setup.access_control.check_page(
            peer,
            request.uri(),
            request.headers(),
            access == Access::Document,
        )?;
        if matches!(access, Access::Token | Access::Counted) {
            caller = setup.access_control.caller(peer, request.headers())?;
        }
        let context = Context::new(Arc::clone(&shared), setup, caller, deadline_timer.clone());
        let memory = Arc::clone(&context.memory);
        if access == Access::Counted {
            // Until the first bytes of the body arrive, the connection is idle.
            request = context.receive_body_start(request).await?;
            in_flight = Some(InFlightRequest::begin(&context)?);
        }
        busy = Some(BusyConnection::begin(&connection));
        let limit = shared.options.answer_timeout;
        let answer = deadline_timer.within(limit, handler(request, context)).await;
        let late = || Problem::new(Kind::TooLate, format!("no answer within {} s", limit.as_secs()));
        let answer = answer.ok_or_else(late)?;
        let length = answer.body().size_hint().exact().unwrap_or(0);
        memory.at_least(usize::try_from(length).unwrap_or(usize::MAX))?;
        Ok::<_, Problem>(answer)
    }
    .instrument(span.span())
    .await;
    let mut response = answered.unwrap_or_else(IntoResponse::into_response);
    let took = began.elapsed();
    let status = response.status().as_u16();
    shared.metrics.answered(name, status, took);
    span.answered(caller, status);
    if let Some(log) = &shared.log {
        // A request ID consists of visible ASCII characters, so `to_str` does not fail.
        let request_id = id.to_str().unwrap_or_default().to_owned();
        let method = Entry::method(&method);
        if !log.push(Entry { request_id, caller, method, route: name, status, took }) {
            shared.metrics.log_dropped.fetch_add(1, Ordering::Relaxed);
        }
    }
    let headers = response.headers_mut();
    headers.insert(REQUEST_ID, id);
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    let _busy = busy.unwrap_or_else(|| BusyConnection::begin(&connection));
    response.map(|body| Body::new(CountedBody { body, rest: Bytes::new(), _busy, _in_flight: in_flight }))
}

impl Context {
    /// Waits until the first bytes of the body have arrived and returns the request. Returns immediately if the request is
    /// not a POST, or if its body is too long.
    async fn receive_body_start(&self, request: Request) -> Result<Request, Problem> {
        let options = &self.shared.options;
        let is_refused = body::announced(request.headers())
            .is_some_and(|length| length > options.body_bytes as u64)
            && MediaType::of(request.headers(), &[MediaType::Lines]).is_err();
        if request.method() != Method::POST || is_refused {
            return Ok(request);
        }
        let (parts, body) = request.into_parts();
        let wait = || self.shared.shares.take(self.memory.usage(), Resource::Waiting);
        let body = body::receive_body_start(body, &self.deadline_timer, options.body_timeout, wait).await?;
        Ok(Request::from_parts(parts, body))
    }
}

/// Returns the request ID that the caller sent, or a new ID if it sent no valid one.
fn request_id(headers: &HeaderMap) -> HeaderValue {
    let is_fit = |id: &str| {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b':');
        (1..=64).contains(&id.len()) && id.bytes().all(is_plain)
    };
    let given = headers.get(&REQUEST_ID).filter(|id| id.to_str().is_ok_and(is_fit));
    given.cloned().unwrap_or_else(|| {
        let number = fastrand::u64(..);
        let digits: [u8; 16] =
            std::array::from_fn(|at| b"0123456789abcdef"[(number >> (4 * at)) as usize & 15]);
        // Hexadecimal digits are always a valid header value.
        HeaderValue::from_bytes(&digits).unwrap_or(HeaderValue::from_static("-"))
    })
}

/// A request in flight on a connection, which is therefore not idle. It is dropped when the answer was sent or abandoned.
#[derive(Debug)]
struct BusyConnection(Arc<ConnectionState>);

impl BusyConnection {
    fn begin(connection: &Arc<ConnectionState>) -> Self {
        connection.begin();
        BusyConnection(Arc::clone(connection))
    }
}

impl Drop for BusyConnection {
    fn drop(&mut self) {
        self.0.end(Instant::now());
    }
}

/// The share of the caller and the memory of a request that counts against the limit, until its answer was sent or
/// abandoned.
#[derive(Debug)]
struct InFlightRequest {
    _place: Share,
    /// Memory reserved for the answer.
    _memory: Arc<Memory>,
}

impl InFlightRequest {
    /// Counts the start of a request. Returns a problem if the share of the caller is used up.
    fn begin(context: &Context) -> Result<Self, Problem> {
        let memory = Arc::clone(&context.memory);
        let _place = context.shared.shares.take(memory.usage(), Resource::Requests)?;
        Ok(InFlightRequest { _place, _memory: memory })
    }
}

/// The body of an answer, split into short frames. The connection polls for a frame only after it has written the
/// previous frame. So the request counts as in flight until nearly all of the body was written.
#[derive(Debug)]
struct CountedBody {
    body: Body,
    /// The rest of the current frame.
    rest: Bytes,
    _busy: BusyConnection,
    _in_flight: Option<InFlightRequest>,
}

impl HttpBody for CountedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut std::task::Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        const PIECE: usize = 64 << 10;
        if self.rest.is_empty() {
            match ready!(Pin::new(&mut self.body).poll_frame(context)) {
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(data) => self.rest = data,
                    Err(trailers) => return Poll::Ready(Some(Ok(trailers))),
                },
                ended => return Poll::Ready(ended),
            }
        }
        let length = self.rest.len().min(PIECE);
        Poll::Ready(Some(Ok(Frame::data(self.rest.split_to(length)))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let (mut hint, rest) = (self.body.size_hint(), self.rest.len() as u64);
        if let Some(upper) = hint.upper() {
            hint.set_upper(upper.saturating_add(rest));
        }
        hint.set_lower(hint.lower().saturating_add(rest));
        hint
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn valid_request_id_is_kept() {
        let id = |given: &'static [u8]| {
            let value = HeaderValue::from_bytes(given).unwrap();
            let id = request_id(&HeaderMap::from_iter([(REQUEST_ID, value)]));
            id.to_str().unwrap().to_owned()
        };
        for fit in ["a", "01-ab_c.D:9", "4bf92f3577b34da6a3ce929d0e0e4736"] {
            assert_eq!(id(fit.as_bytes()), fit);
        }
        for unfit in [b"".as_slice(), b"a b", b"<script>", b"\xE4", &[b'a'; 65]] {
            let unfit: &'static [u8] = unfit.to_vec().leak();
            let made = id(unfit);
            assert!(made.len() == 16 && made.bytes().all(|byte| byte.is_ascii_hexdigit()), "{made}");
        }
    }
}
