//! The answer to a fetch, with its record.

use bytes::Bytes;
use comity::html;
use comity::http::Headers;
use http::{HeaderMap, StatusCode};
use url::Url;

use super::content::fields_of;
use super::record::{FetchRecord, Warning};

/// Maximum number of characters of a URL in a warning.
const MAX_URL_CHARS: usize = 500;

/// A fetched page: the answer of the server with any status code, and the [`FetchRecord`] of the fetch.
#[derive(Clone, Debug)]
pub struct Page {
    body: Bytes,
    head: Box<Head>,
}

/// The part of a page that is boxed, so that results of fetches are small values.
#[derive(Clone, Debug)]
struct Head {
    status: StatusCode,
    headers: HeaderMap,
    record: FetchRecord,
}

impl Page {
    pub(crate) fn new(status: StatusCode, headers: HeaderMap, body: Bytes, record: FetchRecord) -> Self {
        Page { body, head: Box::new(Head { status, headers, record }) }
    }

    /// Recreates a page from its stored content. Only the URL in its record is meaningful.
    pub fn restore(url: impl Into<String>, status: StatusCode, headers: HeaderMap, body: Bytes) -> Self {
        Page::new(status, headers, body, FetchRecord::of_url(url.into()))
    }

    /// Returns the status code.
    pub fn status(&self) -> StatusCode {
        self.head.status
    }

    /// Returns the header fields.
    pub fn headers(&self) -> &HeaderMap {
        &self.head.headers
    }

    /// Returns the body, with content codings decoded.
    pub fn body(&self) -> &Bytes {
        &self.body
    }

    /// Returns true if the body is incomplete: it was longer than
    /// [`FetchOptions::max_bytes`](crate::FetchOptions::max_bytes), and the rest was not read.
    pub fn is_truncated(&self) -> bool {
        self.head.record.content.as_ref().is_some_and(|content| content.truncated)
    }

    /// Returns the URL of the page, after redirects.
    pub fn url(&self) -> Option<Url> {
        self.head.record.final_url.parse().ok()
    }

    /// Returns the record of the fetch.
    pub fn record(&self) -> &FetchRecord {
        &self.head.record
    }

    #[cfg(feature = "llms")]
    pub(crate) fn record_mut(&mut self) -> &mut FetchRecord {
        &mut self.head.record
    }

    /// Returns the body and the record.
    pub fn into_parts(self) -> (Bytes, FetchRecord) {
        (self.body, self.head.record)
    }

    /// Returns true if the page is HTML, by its `Content-Type` or, without a valid one, by its first bytes
    /// ([`html::is_html`]).
    pub fn is_html(&self) -> bool {
        html::is_html(&self.fields(), &self.body)
    }

    /// Returns true if the page was sent as Markdown (`text/markdown`, RFC 7763, or `text/x-markdown`).
    pub fn is_markdown(&self) -> bool {
        matches!(self.fields().media_type().as_str(), "text/markdown" | "text/x-markdown")
    }

    /// Returns true if the `Content-Type` is missing, or is a text type, JSON or XML.
    pub(crate) fn is_text(&self) -> bool {
        let sent = self.fields().media_type();
        sent.is_empty() || sent.starts_with("text/") || sent.ends_with("json") || sent.ends_with("xml")
    }

    /// Returns the body as text. The charset is determined by a byte order mark, then by the header, then in HTML by
    /// the page itself ([`html::decode`]). The default is UTF-8.
    pub fn text(&self) -> String {
        let charset = self.charset();
        if self.is_html() {
            return html::decode(&self.body, charset.as_deref()).into_owned();
        }
        let sent = charset.and_then(|label| encoding_rs::Encoding::for_label(label.as_bytes()));
        sent.unwrap_or(encoding_rs::UTF_8).decode(&self.body).0.into_owned()
    }

    /// Returns the charset in the header.
    pub fn charset(&self) -> Option<String> {
        self.fields().charset()
    }

    /// Returns the title, the links and the metadata of the page, if it is HTML. Reads at most [`html::MAX_BYTES`]
    /// bytes and stores at most [`html::MAX_ELEMENTS`] links; [`html::FactsOptions`] sets other limits.
    ///
    /// ```
    /// use comity_client::Page;
    /// use comity_client::http::{HeaderMap, StatusCode};
    ///
    /// let body = "<title>Birds</title><link rel=canonical href=/birds><a href=/heron>Heron</a>";
    /// let page = Page::restore("https://example.com/", StatusCode::OK, HeaderMap::new(), body.into());
    /// let (Some(facts), Some(url)) = (page.facts(), page.url()) else { panic!("not HTML") };
    /// assert_eq!((facts.title(), facts.canonical()), (Some("Birds"), Some("/birds")));
    /// assert_eq!(facts.anchor_urls(&url).next(), Some("https://example.com/heron".parse()?));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn facts(&self) -> Option<html::Facts> {
        let charset = self.charset();
        let options = html::FactsOptions::new().charset(charset.as_deref()).anchors(true);
        self.is_html().then(|| options.read(&self.body))
    }

    /// Returns a warning if the HTML of the page lacks the content ([`html::MissingContent`]): a script creates it, or
    /// the page only refers to another URL by a refresh. The client runs no scripts and follows no refreshes. The
    /// [`record`](Page::record) does not contain this warning.
    ///
    /// ```
    /// use comity_client::Page;
    /// use comity_client::http::{HeaderMap, StatusCode};
    ///
    /// let body = "<div id=root></div><script src=/main.js></script>";
    /// let page = Page::restore("https://example.com/", StatusCode::OK, HeaderMap::new(), body.into());
    /// assert_eq!(page.content_warning().map(|warning| warning.name).as_deref(), Some("needs_javascript"));
    /// ```
    pub fn content_warning(&self) -> Option<Warning> {
        let missing = self.is_html().then(|| html::MissingContent::find(&self.text()))??;
        let (name, message) = match missing {
            html::MissingContent::Refresh(to) => {
                let to = self.url().and_then(|url| url.join(&to).ok()).map_or(to, |url| url.to_string());
                let to: String = to.chars().take(MAX_URL_CHARS).collect();
                ("meta_refresh", format!("the page only refers to {to} by a refresh, which is not followed"))
            }
            _ => ("needs_javascript", "a script creates the content of the page, and is not run".to_owned()),
        };
        Some(Warning { kind: "content", name: name.to_owned(), message })
    }

    /// Returns the header fields as the type that the engine evaluates.
    pub fn fields(&self) -> Headers<'_> {
        fields_of(&self.head.headers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FetchError;

    #[test]
    fn result_of_a_fetch_is_small() {
        let size = size_of::<Result<Page, FetchError>>();
        assert!(size <= 128, "{size} bytes");
    }
}
