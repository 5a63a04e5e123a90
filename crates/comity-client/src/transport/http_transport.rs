//! The HTTP transport of this crate, based on hyper and rustls. It dials only addresses that the guard checked.
//!
//! For each request, the transport uses an idle connection (`pool.rs`) or opens a new one (`connect.rs`), sends the
//! request, and reads the header of the answer. The caller reads the body later. The type of the body (`body.rs`)
//! decodes it (`coding/`).
//!
//! A server may close a connection gracefully before it answers: it closes an idle connection, or sends
//! `GOAWAY(NO_ERROR)` or `REFUSED_STREAM`. Such a close is not a failure. The request is sent again, once, on a new
//! connection, if it is idempotent or was not sent (RFC 9110 §9.2.2).

use std::iter::successors;
use std::sync::Arc;
use std::time::Duration;

use comity::policy::Failure;
use http::header::{self, HeaderMap, HeaderValue};
use http::{Method, StatusCode, Uri};
use hyper::body::Incoming;
use tokio::time::Instant;
use url::{Position, Url};

use super::body::HttpBody;
use super::connect::{Connector, MAX_FIELDS};
use super::cookies::Cookies;
use super::pool::{Connection, Limits, Pool, Sender, SentBody};
use super::proxy::{self, Proxy};
use super::tls::Tls;
use super::{
    NetworkOptions, Request, Response, Transport, TransportError, coding, encoded, failure, path_of,
};
use crate::BoxFuture;
use crate::guard::Guard;
use crate::origin::text_of;

/// HTTP transport based on hyper and rustls. A [`Guard`] checks all addresses that it dials.
///
/// It respects the descriptor limit of the process. If no descriptor is free, a request closes an idle connection, or
/// waits.
#[derive(Clone, Debug)]
pub struct HttpTransport {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    connector: Connector,
    pool: Arc<Pool>,
    cookies: Option<Cookies>,
    read_timeout: Duration,
}

impl HttpTransport {
    /// Creates a transport that dials the addresses that `guard` allows.
    ///
    /// # Errors
    ///
    /// [`TransportError`] if TLS cannot be set up, for example without root certificates or with an invalid certificate
    /// in `extra_roots`; if the URL of the proxy is invalid; or if the guard refuses the proxy.
    pub fn new(guard: Guard, options: &NetworkOptions) -> Result<Self, TransportError> {
        let tls = Tls::new(options)?;
        let proxy = match &options.proxy {
            Some(url) => {
                guard.check_proxy(url).map_err(TransportError::refused)?;
                Some(Proxy::new(url)?)
            }
            None => None,
        };
        let limits = Limits {
            per_origin: options.idle_per_host,
            in_all: options.idle_connections,
            timeout: options.idle_timeout,
        };
        let inner = Inner {
            connector: Connector { guard, tls, proxy, timeout: options.connect_timeout },
            pool: Pool::new(limits),
            cookies: options.cookies.then(Cookies::default),
            read_timeout: options.read_timeout,
        };
        Ok(HttpTransport { inner: Arc::new(inner) })
    }
}

impl Transport for HttpTransport {
    fn send(&self, request: Request) -> BoxFuture<'_, Result<Response, TransportError>> {
        Box::pin(async move {
            let inner = &*self.inner;
            inner.connector.guard.check_url(&request.url).map_err(TransportError::refused)?;
            let answer = tokio::time::timeout(request.timeout, inner.hop(&request)).await;
            answer.unwrap_or_else(|_| Err(TransportError::late("no answer in", request.timeout)))
        })
    }

    fn cookies(&self, url: &Url) -> Option<HeaderValue> {
        self.inner.cookies.as_ref()?.field(url)
    }
}

/// The error of a failed exchange, and whether the connection was closed gracefully.
struct FailedExchange {
    error: TransportError,
    is_graceful: bool,
    /// Whether no byte of the request was sent.
    is_unsent: bool,
}

impl FailedExchange {
    fn fault(error: TransportError) -> Self {
        FailedExchange { error, is_graceful: false, is_unsent: false }
    }

    /// Returns true if the request may be sent again. A request that is not idempotent must not arrive twice.
    fn may_resend(&self, request: &Request) -> bool {
        request.may_resend && self.is_graceful && (self.is_unsent || request.method.is_idempotent())
    }
}

impl Inner {
    /// Sends a request. If the connection was closed gracefully without an answer, sends the request a second time, if
    /// that is safe.
    async fn hop(&self, request: &Request) -> Result<Response, TransportError> {
        let origin = text_of(&request.url);
        let begun = Instant::now();
        // Wait at most a quarter of the timeout for a connection of the pool, to leave time for the request.
        let kept = self.pool.take(&origin, request.timeout / 4).await;
        let connection = match kept {
            Some(connection) => connection,
            None => self.connect(request, &origin).await?,
        };
        let connecting = begun.elapsed();
        match self.exchange(connection, request).await {
            Ok(response) => Ok(response.connected_in(connecting)),
            Err(lost) if lost.may_resend(request) => {
                tracing::debug!(url = %request.url, error = %lost.error, "resent on another connection");
                let again = async {
                    // Open a new connection, since the server may have closed other idle connections, too.
                    let connection = self.connect(request, &origin).await?;
                    let connecting = begun.elapsed();
                    let request = request.again()?;
                    let response = self.exchange(connection, &request).await.map_err(|lost| lost.error)?;
                    Ok(response.connected_in(connecting))
                };
                again.await.map(Response::resent).map_err(TransportError::resent)
            }
            Err(lost) => Err(lost.error),
        }
    }

    async fn connect(&self, request: &Request, origin: &str) -> Result<Connection, TransportError> {
        // Wait for a descriptor for at most half of the timeout. So the error names the descriptor, not a slow server.
        let connection = self.connector.connect(&request.url, origin, request.timeout / 2).await?;
        self.pool.share(&connection);
        Ok(connection)
    }

    /// Sends one request on one connection, and waits for the header of its answer.
    async fn exchange(
        &self,
        mut connection: Connection,
        request: &Request,
    ) -> Result<Response, FailedExchange> {
        let message = self.message(request, &connection).map_err(FailedExchange::fault)?;
        connection.traffic.begin(&request.departure);
        let sent = match &mut connection.sender {
            Sender::Http1(sender) => sender.try_send_request(message).await,
            Sender::Http2(sender) => sender.try_send_request(message).await,
        };
        match sent {
            Ok(answer) => self.answer(answer, connection, request),
            Err(mut failed) => {
                // Hyper returns a request only if it was never sent.
                let is_unsent = failed.take_message().is_some();
                let error = failed.into_error();
                let is_graceful = is_unsent || is_graceful(&error, &connection);
                Err(FailedExchange { error: of_hyper(&error), is_graceful, is_unsent })
            }
        }
    }

    /// Converts an answer of hyper into a [`Response`].
    fn answer(
        &self,
        answer: http::Response<Incoming>,
        connection: Connection,
        request: &Request,
    ) -> Result<Response, FailedExchange> {
        let (mut parts, incoming) = answer.into_parts();
        // Hyper enforces this limit only for HTTP/1.
        if parts.headers.len() > MAX_FIELDS {
            let message = format!("the answer has more than {MAX_FIELDS} header fields");
            return Err(FailedExchange::fault(TransportError::new(Failure::Protocol, message)));
        }
        // Through a tunnel, the status is an answer of the site.
        let is_of_proxy = self.connector.proxy.as_ref().is_some_and(|proxy| proxy.forwards(&request.url));
        if parts.status == StatusCode::PROXY_AUTHENTICATION_REQUIRED && is_of_proxy {
            let message = "the proxy requires a user name and password; add them to its URL";
            return Err(FailedExchange::fault(TransportError::new(Failure::Local, message)));
        }
        if let Some(cookies) = self.cookies.as_ref().filter(|_| request.cookies) {
            cookies.take(&request.url, &parts.headers);
        }
        // The answer to `HEAD` has the header of a body, but no body.
        let codings = match request.method {
            Method::HEAD => Ok(Vec::new()),
            _ => coding::codings(&parts.headers),
        };
        if codings.as_ref().is_ok_and(|codings| !codings.is_empty()) {
            let ignored = coding::ignored_words(&parts.headers);
            // These fields describe the body before decoding.
            for field in [header::CONTENT_ENCODING, header::CONTENT_LENGTH, header::TRANSFER_ENCODING] {
                parts.headers.remove(field);
            }
            // The words of `Content-Encoding` that are not codings stay in the header.
            if let Some(ignored) = ignored.and_then(|words| HeaderValue::from_str(&words).ok()) {
                parts.headers.insert(header::CONTENT_ENCODING, ignored);
            }
        }
        let remote = connection.remote;
        let body = HttpBody::new(incoming, connection, self.pool.clone(), codings, self.read_timeout);
        Ok(Response { remote, ..Response::new(parts.status, parts.headers, body) })
    }

    /// Creates the HTTP message that is sent over a connection.
    fn message(
        &self,
        request: &Request,
        connection: &Connection,
    ) -> Result<http::Request<SentBody>, TransportError> {
        let url = &request.url;
        let is_http2 = matches!(connection.sender, Sender::Http2(_));
        let forwarding = self.connector.proxy.as_ref().filter(|proxy| proxy.forwards(url));
        let path = path_of(url);
        let uri = if is_http2 || forwarding.is_some() {
            uri(&(text_of(url).into_owned() + &path))?
        } else {
            uri(&path)?
        };
        let mut headers = HeaderMap::with_capacity(request.headers.len() + 4);
        if !is_http2 {
            // `Host` is first, as RFC 9110 §7.2 recommends.
            headers.insert(header::HOST, host(url)?);
        }
        headers.extend(request.headers.clone());
        headers.entry(header::ACCEPT_ENCODING).or_insert(HeaderValue::from_static(coding::ACCEPTED));
        if !headers.contains_key(header::AUTHORIZATION)
            && let Some(authorization) = proxy::basic(url)
        {
            headers.insert(header::AUTHORIZATION, authorization);
        }
        if let Some(authorization) = forwarding.and_then(|proxy| proxy.authorization.clone()) {
            headers.insert(header::PROXY_AUTHORIZATION, authorization);
        }
        if let Some(cookies) = self.cookies.as_ref().filter(|_| request.cookies)
            && !headers.contains_key(header::COOKIE)
            && let Some(field) = cookies.field(url)
        {
            headers.insert(header::COOKIE, field);
        }
        let mut message = http::Request::new(SentBody(request.body.clone()));
        *message.method_mut() = request.method.clone();
        *message.uri_mut() = uri;
        *message.headers_mut() = headers;
        Ok(message)
    }
}

/// Returns the `Host` field, without the scheme's default port.
fn host(url: &Url) -> Result<HeaderValue, TransportError> {
    let place = &url[Position::BeforeHost..Position::BeforePath];
    HeaderValue::from_str(place).map_err(|error| unsendable(place, &error))
}

fn uri(text: &str) -> Result<Uri, TransportError> {
    text.parse().or_else(|_| encoded(text).parse().map_err(|error| unsendable(text, &error)))
}

fn unsendable(text: &str, error: &dyn std::fmt::Display) -> TransportError {
    TransportError::new(Failure::Protocol, format!("`{text}` cannot be sent: {error}"))
}

/// Returns true if the connection was closed gracefully before any byte of an answer, so that the request may be sent
/// again.
fn is_graceful(error: &hyper::Error, connection: &Connection) -> bool {
    if connection.traffic.has_received() && matches!(connection.sender, Sender::Http1(_)) {
        return false;
    }
    if let Some(h2) = source::<h2::Error>(error) {
        return failure::is_graceful(h2) || connection.is_reused && h2.is_io();
    }
    let has_ended = error.is_incomplete_message() || error.is_closed() || error.is_canceled();
    connection.is_reused && (has_ended || source::<std::io::Error>(error).is_some())
}

/// Returns the first error of type `E` in the chain of sources.
fn source<E: std::error::Error + 'static>(error: &hyper::Error) -> Option<&E> {
    let mut causes = successors(std::error::Error::source(error), |&cause| cause.source());
    causes.find_map(|cause| cause.downcast_ref())
}

/// Converts the error of a connection that ended before the header of an answer.
fn of_hyper(error: &hyper::Error) -> TransportError {
    let found = failure::of(error);
    let has_ended = error.is_incomplete_message() || error.is_closed() || error.is_canceled();
    if found.failure() == Failure::Protocol && has_ended {
        return TransportError::new(Failure::Connection, found.to_string());
    }
    found
}
