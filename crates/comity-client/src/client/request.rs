//! Requests with other methods than `GET`, with a body, or with an answer that is read as a stream.

use bytes::Bytes;
use http::{HeaderValue, Method, StatusCode};

use super::error::{Cause, FetchError};
use super::page_stream::PageStream;
use super::{Client, pipeline};
use crate::job::Job;
use crate::options::FetchOptions;
use crate::retrieval::{Page, Selection};

/// A request with any method. It passes the same steps as a [fetch](Client::fetch): guard, circuit breaker, robots.txt,
/// pace, redirects and retries.
///
/// Redirects follow RFC 9110 §15.4 and the Fetch standard: 303 changes the method to `GET`, except for `HEAD`; 301 and
/// 302 change `POST` to `GET`; 307 and 308 keep method and body. Only idempotent methods (RFC 9110 §9.2.2) are retried,
/// unless the request is [`repeatable`](PageRequest::repeatable). llms.txt is not followed.
///
/// ```no_run
/// use comity_client::Client;
/// use comity_client::http::{HeaderValue, Method};
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let client = Client::builder("ExampleBot").build()?;
/// let json = HeaderValue::from_static("application/json");
/// let request = client.request(Method::POST, "https://example.com/search").body(json, r#"{"query": "heron"}"#);
/// let page = request.send().await?;
/// println!("{} {}", page.status(), page.text());
///
/// let head = client.request(Method::HEAD, "https://example.com/video").send().await?;
/// println!("{:?}", head.headers().get("content-length"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
#[must_use = "a request does nothing until it is sent"]
pub struct PageRequest {
    client: Client,
    url: String,
    request: SentRequest,
    options: FetchOptions,
}

impl Client {
    /// Creates a request with any method except `CONNECT` and `TRACE`, which the Fetch standard forbids. It uses the
    /// client's [options](Client::fetch_options).
    pub fn request(&self, method: Method, url: impl Into<String>) -> PageRequest {
        let request = SentRequest { method, ..SentRequest::get() };
        PageRequest { client: self.clone(), url: url.into(), request, options: self.inner.fetch.clone() }
    }
}

impl PageRequest {
    /// Sets the body and its media type.
    pub fn body(mut self, content_type: HeaderValue, body: impl Into<Bytes>) -> Self {
        self.request.content_type = Some(content_type);
        self.request.body = body.into();
        self
    }

    /// Sets the options.
    pub fn options(self, options: FetchOptions) -> Self {
        PageRequest { options, ..self }
    }

    /// Allows retries, whatever the method. Use it if the server treats repeated requests like a single one.
    pub fn repeatable(mut self) -> Self {
        self.request.is_repeatable = true;
        self
    }

    /// Sends the request, and reads the answer as [`Client::fetch`] does.
    ///
    /// # Errors
    ///
    /// As for [`Client::fetch`]; [`Cause::Url`] also for a method that cannot be used.
    pub async fn send(self) -> Result<Page, FetchError> {
        let PageRequest { client, url, request, options } = self;
        pipeline::fetch(&client, &url, request, &options, Selection::direct(), &Job::default()).await
    }

    /// Sends the request, and returns the answer when its header has arrived. The body is read in chunks.
    ///
    /// # Errors
    ///
    /// As for [`send`](PageRequest::send).
    pub async fn stream(self) -> Result<PageStream, FetchError> {
        let PageRequest { client, url, request, options } = self;
        PageStream::open(client, &url, request, &options).await
    }
}

/// The part of a request that a redirect may change.
#[derive(Clone, Debug)]
pub(super) struct SentRequest {
    pub(super) method: Method,
    pub(super) content_type: Option<HeaderValue>,
    pub(super) body: Bytes,
    is_repeatable: bool,
}

impl SentRequest {
    pub(super) fn get() -> Self {
        SentRequest { method: Method::GET, content_type: None, body: Bytes::new(), is_repeatable: false }
    }

    /// Rejects methods that are not about a resource.
    pub(super) fn check(&self) -> Result<(), Cause> {
        match self.method {
            Method::CONNECT | Method::TRACE => Err(Cause::Url(
                format!("requests with the method `{}` are not supported", self.method).into(),
            )),
            _ => Ok(()),
        }
    }

    /// Returns true if the request may be sent again after a failure.
    pub(super) fn may_be_repeated(&self) -> bool {
        self.is_repeatable || self.method.is_idempotent()
    }

    /// Changes the method for a redirect with this status, if necessary. A new method drops the body.
    pub(super) fn redirect(&mut self, status: StatusCode) {
        let becomes_get = match status {
            StatusCode::SEE_OTHER => self.method != Method::HEAD,
            StatusCode::MOVED_PERMANENTLY | StatusCode::FOUND => self.method == Method::POST,
            _ => false,
        };
        if becomes_get {
            *self = SentRequest::get();
        }
    }
}
