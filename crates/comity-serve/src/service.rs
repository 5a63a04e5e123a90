//! A request on its way: who asks, is there room, the answer, and what is noted of it.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Poll, ready};
use std::time::Instant;

use axum_core::body::Body;
use axum_core::response::IntoResponse;
use bytes::Bytes;
use comity_client::Client;
use http::header::{CACHE_CONTROL, HeaderName};
use http::request::Parts;
use http::{HeaderMap, HeaderValue, Method, Request};
use hyper::body::{Body as HttpBody, Frame, SizeHint};

use crate::alarm::Alarm;
use crate::body::{self, MediaType, RequestBody};
use crate::connections::Use;
use crate::context::{Context, Shared};
use crate::door::{Door, Peer};
use crate::fair::{Memory, Resource, Share};
use crate::log::Entry;
use crate::options::ServiceOptions;
use crate::page::{self, File};
use crate::problem::{Kind, Problem};
use crate::routes::{Presence, Route};

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The service: a client, and how it may be used. Clones share everything.
#[derive(Clone, Debug)]
pub struct Service {
    pub(crate) shared: Arc<Shared>,
}

impl Service {
    /// Creates a service that answers with a client. Where strangers ask, the client should be built with
    /// [`ClientBuilder::on_web_ports`](comity_client::ClientBuilder::on_web_ports), so that nobody can use the service to look
    /// for open ports.
    pub fn new(client: Client, options: ServiceOptions) -> Service {
        Service { shared: Arc::new(Shared::new(client, options)) }
    }

    /// Returns what a path leads to.
    fn target(&self, path: &str) -> Target {
        let options = &self.shared.options;
        let is_there = |route: &&Route| match route.presence {
            Presence::Always => true,
            Presence::Mcp => options.mcp,
            Presence::Gateway | Presence::GatewayBelow => options.gateway,
        };
        match Route::of_path(path).filter(is_there) {
            Some(route) => Target::Route(route),
            None => page::FILES.iter().find(|file| file.path == path).map_or(Target::Nothing, Target::File),
        }
    }

    /// Answers a request, and notes it.
    ///
    /// `alarm` is the timer of the task that answers, `connection` what the request came by.
    pub(crate) async fn answer(
        self,
        peer: Peer,
        alarm: Alarm,
        connection: Arc<Use>,
        request: Request<Body>,
    ) -> http::Response<Counted> {
        let began = Instant::now();
        let target = self.target(request.uri().path());
        let shared = &self.shared;
        let (parts, body) = request.into_parts();
        let id = request_id(&parts.headers);
        let method = parts.method.clone();
        let mut caller = Door::stranger(peer);
        let mut under_way = None;
        let answered = async {
            shared.door.check_page(peer, &parts.uri, &parts.headers, target.is_document())?;
            if !target.is_open() {
                caller = shared.door.caller(peer, &parts.headers)?;
            }
            let is_head = parts.method == Method::HEAD && target.method() == Method::GET;
            if parts.method != target.method() && !is_head && !target.takes_any_method() {
                let method = if target.method() == Method::POST { "POST" } else { "GET" };
                let detail = format!("`{}` is asked with {method}", parts.uri.path());
                return Err(Problem::new(Kind::WrongMethod, detail).allowing(method));
            }
            let route = match target {
                Target::Route(route) => route,
                Target::File(file) => return Ok(file.answer(&parts.headers)),
                Target::Nothing => {
                    return Err(Problem::new(Kind::NotFound, "/openapi.json says what there is"));
                }
            };
            let context = Context::new(Arc::clone(shared), caller);
            let memory = Arc::clone(&context.memory);
            let body = context.begun(&parts, body, &alarm).await?;
            // Health checks are answered however many requests are under way.
            if !route.is_open {
                under_way = Some(UnderWay::begin(&context, connection, began)?);
            }
            let limit = shared.options.answer_timeout;
            let body = RequestBody::new(body, alarm.clone(), Arc::clone(&memory));
            let answer = alarm.within(limit, route.answer(context, parts, body)).await;
            let late = || Problem::new(Kind::TooLate, format!("no answer within {} s", limit.as_secs()));
            let answer = answer.ok_or_else(late)??;
            let length = answer.body().size_hint().exact().unwrap_or(0);
            memory.at_least(usize::try_from(length).unwrap_or(usize::MAX))?;
            Ok(answer)
        }
        .await;
        let mut response = answered.unwrap_or_else(IntoResponse::into_response);
        let took = began.elapsed();
        let path = target.name();
        let status = response.status().as_u16();
        shared.metrics.answered(path, status, took);
        if let Some(log) = &shared.log {
            // An identity is made of visible characters.
            let request_id = id.to_str().unwrap_or_default().to_owned();
            let method = Entry::method(&method);
            if !log.push(Entry { request_id, caller, method, route: path, status, took }) {
                shared.metrics.log_dropped.fetch_add(1, Ordering::Relaxed);
            }
        }
        let headers = response.headers_mut();
        headers.insert(REQUEST_ID, id);
        headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
        headers.insert("x-content-type-options", HeaderValue::from_static("nosniff"));
        response.map(|body| Counted { body, rest: Bytes::new(), _under_way: under_way })
    }
}

/// What a path leads to.
#[derive(Clone, Copy, Debug)]
enum Target {
    Route(&'static Route),
    File(&'static File),
    Nothing,
}

impl Target {
    /// Returns its name in metrics and logs.
    const fn name(self) -> &'static str {
        match self {
            Target::Route(route) => route.path,
            Target::File(_) => "/",
            Target::Nothing => "-",
        }
    }

    /// Returns whether it is given without a token.
    const fn is_open(self) -> bool {
        match self {
            Target::Route(route) => route.is_open,
            Target::File(_) => true,
            Target::Nothing => false,
        }
    }

    const fn method(self) -> Method {
        match self {
            Target::Route(route) => route.method(),
            Target::File(_) | Target::Nothing => Method::GET,
        }
    }

    /// Returns whether the method does not matter: there is nothing, or the request that is judged has it.
    fn takes_any_method(self) -> bool {
        match self {
            Target::Route(route) => route.takes_any_method(),
            Target::File(_) => false,
            Target::Nothing => true,
        }
    }

    fn is_document(self) -> bool {
        matches!(self, Target::File(file) if file.is_document())
    }
}

impl Context {
    /// Returns the body of a request once its first bytes arrived. A body that will be refused is not waited for.
    async fn begun(&self, parts: &Parts, body: Body, alarm: &Alarm) -> Result<Body, Problem> {
        let options = &self.shared.options;
        let is_refused = body::announced(parts).is_some_and(|length| length > options.body_bytes as u64)
            && MediaType::of(parts, &[MediaType::Lines]).is_err();
        if parts.method != Method::POST || is_refused {
            return Ok(body);
        }
        let wait = || self.shared.shares.take(self.memory.usage(), Resource::Waiting);
        body::begun(body, alarm, options.body_timeout, wait).await
    }
}

/// Returns the identity that the caller gave the request, if it is one, or a new one.
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
        // Digits and letters make a value.
        HeaderValue::from_bytes(&digits).unwrap_or(HeaderValue::from_static("-"))
    })
}

/// A request that is under way, until its answer was sent or given up.
#[derive(Debug)]
struct UnderWay {
    connection: Arc<Use>,
    _place: Share,
    /// The memory of the answer.
    _memory: Arc<Memory>,
}

impl UnderWay {
    /// Begins a request, if there is room for one more of this caller.
    fn begin(context: &Context, connection: Arc<Use>, time: Instant) -> Result<Self, Problem> {
        let memory = Arc::clone(&context.memory);
        let _place = context.shared.shares.take(memory.usage(), Resource::Requests)?;
        connection.begin(time);
        Ok(UnderWay { connection, _place, _memory: memory })
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.connection.end();
    }
}

/// The body of an answer, in short pieces: the connection takes a piece when it has written the one before. So the request,
/// if it is counted, is under way until nearly all of the body was written.
#[derive(Debug)]
pub(crate) struct Counted {
    body: Body,
    /// The rest of a frame.
    rest: Bytes,
    _under_way: Option<UnderWay>,
}

impl HttpBody for Counted {
    type Data = Bytes;
    type Error = axum_core::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut std::task::Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum_core::Error>>> {
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
    fn a_request_keeps_its_identity_if_that_is_one() {
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
