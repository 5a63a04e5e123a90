//! Options of the client itself: the name of the crawler, fetches of pages, and concurrency.

use std::collections::HashMap;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

#[cfg(feature = "llms")]
use comity::llms::Strategy;
#[cfg(feature = "page")]
use comity::page::Profile;
use http::header::{self, HeaderMap, HeaderName, HeaderValue};

use crate::setting::section::section;
use crate::setting::{ValueForm, ValueKind, value};

section! {
    /// The crawler that the client represents.
    pub struct AgentOptions = "agent" {
        /// The product token, by which robots.txt rules are selected.
        token: String = "Comity".to_owned(), "token", flag "agent" "TOKEN";
        /// The whole User-Agent header, which must contain the token; unset: made of token and contact.
        user_agent: Option<String> = None, "user_agent", flag "user-agent" "HEADER";
        /// Contact address for sites: a URL or mail address, sent in the User-Agent.
        contact: Option<String> = None, "contact", flag "contact" "URL|MAIL";
    }
}

section! {
    /// Options for fetching pages.
    pub struct FetchOptions = "fetch" {
        /// Timeout for the header of an answer, connecting included.
        ///
        /// It bounds each attempt: a fetch with retries and redirects may take several times as long, and waits for
        /// politeness are not included. [`deadline`](FetchOptions::deadline) bounds the whole fetch.
        timeout: Duration = Duration::from_secs(20), "timeout_seconds", flag "timeout";
        /// Timeout for a whole body.
        body_timeout: Duration = Duration::from_secs(60), "body_timeout_seconds";
        /// Maximum time of a whole fetch: waits, robots.txt, redirects, retries and the body; unset: no limit.
        ///
        /// A request for robots.txt continues for other fetches. The time that a URL spends in the queue of a crawl
        /// does not count.
        deadline: Option<Duration> = None, "deadline_seconds", flag "deadline";
        /// Longest wait for the pace before a fetch fails.
        ///
        /// In Rust, `None` means no limit.
        max_wait: Option<Duration> = Some(Duration::from_secs(300)), "max_wait_seconds", flag "max-wait";
        /// Maximum number of redirects followed for a page.
        max_redirects: usize = 10, "max_redirects";
        /// Maximum number of bytes read of a body; the rest is cut off.
        ///
        /// Bytes are counted after decoding content codings.
        /// [`Page::is_truncated`](crate::retrieval::Page::is_truncated) and the record show if a body was cut.
        max_bytes: usize = 8 << 20, "max_bytes", flag "max-bytes";
        /// Accept answers of this media type only, `text/*` for a family; empty: all.
        ///
        /// A successful answer (2xx) of another type, or without a type, is refused before its body is read.
        content_types: Vec<String> = Vec::new(), "content_type", flag "content-type" "TYPE";
        /// Send this field with page requests: `Name: value`.
        ///
        /// The fields are not sent with requests for robots.txt. After a redirect to another origin, and for a listed
        /// sitemap of another origin, they are not sent either, since they may contain a secret (`Authorization`).
        headers: Vec<HeaderField> = Vec::new(), "header", flag "header";
        /// Whether page directives and usage preferences are read.
        #[cfg(feature = "page")]
        reads_use: bool = true, "reads_use";
        /// Profile by which page directives are combined.
        #[cfg(feature = "page")]
        profile: Profile = Profile::Google, "profile";
        /// Follow the site's llms.txt to a better form of the page: disabled, prefer or force.
        ///
        /// The default is `disabled`: the given URL is fetched. [`Strategy::Prefer`] fetches a form that llms.txt
        /// lists, or that its Markdown convention suggests, if such a form exists and may be fetched.
        /// [`Strategy::Force`] fetches only such a form.
        #[cfg(feature = "llms")]
        llms: Strategy = Strategy::Disabled, "llms", flag "llms";

        @not_written
        /// Whether the field `Accept` prefers Markdown (`text/markdown`) to HTML. The caller's `Accept` has precedence.
        prefers_markdown: bool,
        /// Validators of earlier answers. A request for one of their URLs is conditional, so the answer may be a 304
        /// without a body.
        earlier: Option<Arc<EarlierAnswers>>,
    }
}

section! {
    /// Limits of concurrent fetches. See [`crawl`](crate::crawl).
    pub struct CrawlOptions = "crawl" {
        /// Maximum number of active fetches, over all origins; a fetch that waits for its turn is not active.
        ///
        /// 0 counts as 1.
        jobs: usize = 8, "jobs", flag "jobs";
        /// Maximum number of queued URLs.
        ///
        /// 0 counts as 1.
        max_queued: usize = 100_000, "max_queued";
        /// Total length of the queued URLs, in bytes, at which reading from the source pauses.
        max_queued_bytes: usize = 64 << 20, "max_queued_bytes";
        /// Maximum number of fetches that have begun and wait.
        ///
        /// Such a fetch waits for its turn at an origin, for another fetch's request for robots.txt, or for a retry. At
        /// this number, no further fetch begins. A waiting fetch needs about ten kilobytes. 0 counts as 1.
        max_waiting: usize = 4_096, "max_waiting";

        @not_written
        /// Options for fetching each URL; `None`: the client's options.
        fetch: Option<FetchOptions>,
    }
}

/// Validators of earlier answers (RFC 9110 §8.8), by URL.
///
/// A client sends them only with requests for the same URL, also after a redirect. So if the site has not changed the
/// page, it answers with the status 304 and without a body.
///
/// ```
/// use std::sync::Arc;
///
/// use comity_client::testing::{FakeReply, FakeResolver, FakeTransport};
/// use comity_client::{Client, EarlierAnswers, FetchOptions, guard::Guard};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let web = FakeTransport::new();
/// web.on("https://example.com/page", FakeReply::status(304));
/// let guard = Guard::new().with_resolver(FakeResolver::new());
/// let client = Client::builder("ExampleBot").guard(guard).transport(web.clone()).build()?;
/// let mut earlier = EarlierAnswers::new();
/// earlier.add("https://example.com/page", Some(r#""v1""#), None);
/// let options = FetchOptions::default().earlier(Some(Arc::new(earlier)));
/// let page = client.fetch_with("https://example.com/page", &options).await?;
/// assert_eq!(page.status(), 304);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EarlierAnswers {
    by_url: HashMap<String, Validators>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Validators {
    etag: Option<HeaderValue>,
    last_modified: Option<HeaderValue>,
}

impl EarlierAnswers {
    /// Creates an empty list.
    pub fn new() -> Self {
        EarlierAnswers::default()
    }

    /// Adds an answer: the URL that was fetched ([`final_url`](crate::retrieval::FetchRecord::final_url)), and its
    /// fields `ETag` and `Last-Modified`. A value that cannot be sent is ignored. An answer without validators removes
    /// an earlier answer of the URL.
    pub fn add(&mut self, url: &str, etag: Option<&str>, last_modified: Option<&str>) {
        let value = |text: Option<&str>| text.and_then(|text| HeaderValue::from_str(text).ok());
        let validators = Validators { etag: value(etag), last_modified: value(last_modified) };
        match validators {
            Validators { etag: None, last_modified: None } => self.by_url.remove(url),
            validators => self.by_url.insert(url.to_owned(), validators),
        };
    }

    /// Adds the conditions for a URL to the header of a request, unless the caller has set conditions.
    pub(crate) fn put_headers(&self, url: &str, headers: &mut HeaderMap) {
        let Some(Validators { etag, last_modified }) = self.by_url.get(url) else { return };
        let fields = [(header::IF_NONE_MATCH, etag), (header::IF_MODIFIED_SINCE, last_modified)];
        if fields.iter().any(|(name, _)| headers.contains_key(name)) {
            return;
        }
        for (name, value) in fields {
            headers.extend(value.clone().map(|value| (name, value)));
        }
    }
}

/// Header fields that only the client or its transport may set.
const RESERVED: [HeaderName; 13] = [
    header::HOST,
    header::CONNECTION,
    header::CONTENT_LENGTH,
    header::TRANSFER_ENCODING,
    header::TE,
    header::TRAILER,
    header::UPGRADE,
    header::EXPECT,
    header::ACCEPT_ENCODING,
    header::COOKIE,
    header::USER_AGENT,
    header::PROXY_AUTHORIZATION,
    header::RANGE,
];

/// A header field for page requests. `Debug` prints only its name, since its value may be secret.
#[derive(Clone, PartialEq, Eq)]
pub struct HeaderField {
    name: HeaderName,
    value: HeaderValue,
}

impl HeaderField {
    /// Creates a header field from its name and its value.
    ///
    /// # Errors
    ///
    /// [`ClientBuildError`] if the name or the value is invalid, or if the client controls the field: `Host`,
    /// `User-Agent`, `Cookie`, `Accept-Encoding`, `Range`, and the fields of the connection and of proxies.
    pub fn new(name: &str, value: &str) -> Result<Self, ClientBuildError> {
        // Errors contain neither the value nor an invalid name, since both may contain a secret.
        let header: HeaderName = name.parse().map_err(|_| {
            ClientBuildError::new("the name of a header field is not a token; write `Name: value`")
        })?;
        if RESERVED.contains(&header) || header.as_str().starts_with("proxy-") {
            return Err(ClientBuildError::new(format!(
                "`{name}` cannot be set: the client controls it; remove it"
            )));
        }
        let value: HeaderValue = value.parse().map_err(|_| {
            ClientBuildError::new(format!("the value of the header field `{name}` has control characters"))
        })?;
        Ok(HeaderField { name: header, value })
    }
}

impl fmt::Debug for HeaderField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: …", self.name)
    }
}

impl FromStr for HeaderField {
    type Err = ClientBuildError;

    /// Parses `Name: value`. The error does not contain the text, since it may contain a secret.
    fn from_str(text: &str) -> Result<Self, ClientBuildError> {
        let (name, value) =
            text.split_once(':').filter(|(name, _)| !name.trim().is_empty()).ok_or_else(|| {
                ClientBuildError::new("the header field has no name and colon; write `Name: value`")
            })?;
        HeaderField::new(name.trim(), value.trim())
    }
}

impl fmt::Display for HeaderField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.name, String::from_utf8_lossy(self.value.as_bytes()))
    }
}

value::text_values! {
    HeaderField => ValueForm::one(ValueKind::Text { word: "FIELD", separator: '\n' }), fmt::Debug::fmt;
}

impl FetchOptions {
    /// Adds a field to every page request.
    ///
    /// # Errors
    ///
    /// As for [`HeaderField::new`].
    pub fn header(mut self, name: &str, value: &str) -> Result<Self, ClientBuildError> {
        self.headers.push(HeaderField::new(name, value)?);
        Ok(self)
    }

    /// Returns the options for a file about the site, such as llms.txt. It may have any content type, and its page
    /// directives and usage preferences are not read.
    #[cfg(any(feature = "llms", feature = "sitemaps"))]
    pub(crate) fn for_manifest(&self, max_bytes: usize) -> FetchOptions {
        FetchOptions {
            max_bytes,
            content_types: Vec::new(),
            #[cfg(feature = "page")]
            reads_use: false,
            #[cfg(feature = "llms")]
            llms: Strategy::Disabled,
            prefers_markdown: false,
            earlier: None,
            ..self.clone()
        }
    }

    /// Returns the field `Accept`.
    pub(crate) fn accept(&self) -> HeaderValue {
        HeaderValue::from_static(match self.prefers_markdown {
            true => "text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, text/*;q=0.8, */*;q=0.7",
            false => "text/html, application/xhtml+xml, text/*;q=0.9, */*;q=0.8",
        })
    }

    /// Appends the caller's fields to the header of a request.
    pub(crate) fn put_headers(&self, headers: &mut HeaderMap) {
        for field in &self.headers {
            headers.append(field.name.clone(), field.value.clone());
        }
    }

    /// Returns true if the options accept an answer with this `Content-Type`.
    pub(crate) fn wants(&self, content_type: Option<&str>) -> bool {
        if self.content_types.is_empty() {
            return true;
        }
        let essence = content_type.unwrap_or_default().split(';').next().unwrap_or_default().trim();
        self.content_types.iter().any(|wanted| match wanted.strip_suffix("/*") {
            Some(family) => {
                essence.split_once('/').is_some_and(|(found, _)| found.eq_ignore_ascii_case(family))
            }
            None => essence.eq_ignore_ascii_case(wanted),
        })
    }
}

/// The error for a client that cannot be built.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct ClientBuildError {
    message: String,
}

impl ClientBuildError {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        ClientBuildError { message: message.into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn media_type_matches_without_parameters_and_case() {
        let options = FetchOptions {
            content_types: vec!["text/*".to_owned(), "application/json".to_owned()],
            ..FetchOptions::default()
        };
        assert!(options.wants(Some("Text/HTML; charset=utf-8")));
        assert!(options.wants(Some("application/JSON")));
        assert!(!options.wants(Some("application/json-seq")));
        assert!(!options.wants(Some("image/png")));
        assert!(!options.wants(None));
        assert!(FetchOptions::default().wants(None));
    }

    #[test]
    fn request_has_the_validators_of_its_own_url_only() {
        let mut earlier = EarlierAnswers::new();
        earlier.add("https://a.example/x", Some("\"v1\""), Some("Fri, 27 Nov 2026 10:00:00 GMT"));
        earlier.add("https://a.example/invalid", Some("a\r\nHost: b"), None);
        earlier.add("https://a.example/gone", Some("\"v1\""), None);
        earlier.add("https://a.example/gone", None, None);
        let fields = |url: &str, own: Option<&'static str>| {
            let mut headers = HeaderMap::new();
            headers.extend(own.map(|own| (header::IF_MODIFIED_SINCE, HeaderValue::from_static(own))));
            earlier.put_headers(url, &mut headers);
            let text = |name| headers.get(name).map(|value| value.to_str().unwrap().to_owned());
            (text(header::IF_NONE_MATCH), text(header::IF_MODIFIED_SINCE))
        };
        let date = "Fri, 27 Nov 2026 10:00:00 GMT".to_owned();
        assert_eq!(fields("https://a.example/x", None), (Some("\"v1\"".to_owned()), Some(date)));
        for url in [
            "https://a.example/",
            "https://a.example/x?",
            "https://a.example/invalid",
            "https://a.example/gone",
        ] {
            assert_eq!(fields(url, None), (None, None), "{url}");
        }
        // The conditions of the caller are kept.
        assert_eq!(fields("https://a.example/x", Some("own")), (None, Some("own".to_owned())));
    }

    #[test]
    fn header_fields_of_the_client_cannot_be_set() {
        for name in
            ["Host", "user-agent", "Cookie", "Proxy-Authorization", "proxy-connection", "Content-Length"]
        {
            assert!(FetchOptions::default().header(name, "x").is_err(), "{name}");
        }
        assert!(FetchOptions::default().header("Authorization", "Bearer x").is_ok());
        assert!(FetchOptions::default().header("X-Evil", "a\r\nHost: b").is_err());
    }

    #[test]
    fn error_about_a_header_field_does_not_contain_its_value() {
        for text in
            ["Authorization Bearer S3CRET", "Authorization Bearer S3CRET: x", "X: S3CRET\n", "Host: S3CRET"]
        {
            let error = match text {
                "X: S3CRET\n" => HeaderField::new("X", "S3CRET\n").unwrap_err(),
                _ => text.parse::<HeaderField>().unwrap_err(),
            };
            assert!(!error.to_string().contains("S3CRET"), "{error}");
        }
    }
}
