//! Requests with other methods than `GET`, with a body, or with an answer that is read as a stream.

use bytes::Bytes;
use http::{HeaderValue, Method};

use super::error::FetchError;
use super::page_stream::PageStream;
use super::sent_request::SentRequest;
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
    /// Creates a request. It uses the client's [options](Client::fetch_options). A request with the method `CONNECT` or
    /// `TRACE`, which the Fetch standard forbids, is not sent.
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
    /// As for [`Client::fetch`]; [`Cause::Url`](super::Cause::Url) also for a method that cannot be used.
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
