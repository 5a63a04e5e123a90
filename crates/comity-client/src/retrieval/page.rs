//! The answer to a fetch, with its record.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use comity::html;
use comity::http::Headers;
use comity::page::{PageDirectives, Profile};
use comity::robots::Agent;
use comity::usage::{self, RobotsUsage, Usage};
use comity_identity::headers_of;
use http::{HeaderMap, StatusCode, header};
use url::Url;

use super::record::{ContentRecord, FetchRecord, Warning};
use crate::Origin;
use crate::pace::RetryAfter;
use crate::retry::USUAL_DELAY;
use crate::robots_cache::{RobotsCache, digest};
use crate::transport::Response;
use crate::transport::encoding_words::ignored_words;

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
    pub(crate) fn new(response: Response, body: Bytes, is_truncated: bool, record: FetchRecord) -> Self {
        let field = |name| {
            let value = response.headers.get(name)?;
            Some(String::from_utf8_lossy(value.as_bytes()).into_owned())
        };
        let content = ContentRecord {
            status: response.status.as_u16(),
            content_type: field(header::CONTENT_TYPE),
            bytes: body.len() as u64,
            digest: digest(&body),
            truncated: is_truncated,
            etag: field(header::ETAG),
            last_modified: field(header::LAST_MODIFIED),
        };
        let retry_after = RetryAfter::applies_to(response.status).then(|| {
            let stated = RetryAfter::read(&response.headers, record.ended_at, Duration::MAX);
            stated.map_or(USUAL_DELAY, |stated| stated.duration)
        });
        let mut record = FetchRecord { content: Some(content), retry_after, ..record };
        let fields = response.headers.iter().map(|(name, value)| (name.as_str(), value.as_bytes()));
        record.refusal = usage::Refusal::of_page(response.status.as_u16(), &fields.collect(), &body);
        if let Some(refusal) = &record.refusal {
            let warning = Warning::of_refusal(refusal, &record.final_url, &record.user_agent);
            record.warnings.push(warning);
        }
        if let Some(words) = ignored_words(&response.headers) {
            let words: String = words.chars().take(100).collect();
            let words = words.escape_debug();
            let message =
                format!("`Content-Encoding: {words}` is not a content coding; the body was not decoded");
            record.warnings.push(Warning { kind: "content", name: "no_coding".to_owned(), message });
        }
        if is_truncated {
            let message = format!("only the first {} bytes were read", body.len());
            record.warnings.push(Warning { kind: "content", name: "truncated".to_owned(), message });
        }
        let head = Head { status: response.status, headers: response.headers, record };
        Page { body, head: Box::new(head) }
    }

    /// Recreates a page from its stored content. Its record has only the URL.
    pub fn restore(url: impl Into<String>, status: StatusCode, headers: HeaderMap, body: Bytes) -> Self {
        Page { body, head: Box::new(Head { status, headers, record: FetchRecord::of_url(url.into()) }) }
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

    /// Returns true if the body is incomplete: it was longer than [`FetchOptions::max_bytes`](crate::FetchOptions::max_bytes),
    /// and the rest was not read.
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

    pub(crate) fn record_mut(&mut self) -> &mut FetchRecord {
        &mut self.head.record
    }

    /// Returns the body and the record.
    pub fn into_parts(self) -> (Bytes, FetchRecord) {
        (self.body, self.head.record)
    }

    /// Returns true if the page is HTML, by its `Content-Type` or, without one, by its first bytes ([`html::is_html`]).
    pub fn is_html(&self) -> bool {
        html::is_html(&self.fields(), &self.body)
    }

    /// Returns true if the `Content-Type` is a text type, or missing.
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

    /// Returns the metadata of the page, if it is HTML.
    pub fn facts(&self) -> Option<html::Facts> {
        html::Facts::of_answer(&self.fields(), &self.body)
    }

    /// Returns the header fields as the type that the engine evaluates.
    pub fn fields(&self) -> Headers<'_> {
        headers_of(&self.head.headers)
    }

    /// Reads page directives and usage preferences, and adds warnings to the record.
    pub(crate) async fn read_use(
        &mut self,
        agent: &Agent,
        profile: Profile,
        (robots, origin): (&RobotsCache, &Origin),
        now: SystemTime,
    ) {
        // If robots.txt is not available, the other signals still apply.
        let robots = robots.usage(origin).await.ok().flatten();
        let (warnings, usage) = self.collect_signals(agent, profile, robots, now);
        self.head.record.warnings.extend(warnings);
        self.head.record.usage = usage;
    }

    fn collect_signals(
        &self,
        agent: &Agent,
        profile: Profile,
        robots: Option<Arc<RobotsUsage>>,
        now: SystemTime,
    ) -> (Vec<Warning>, Option<usage::Report>) {
        let headers = self.fields();
        let facts = html::Facts::of_answer(&headers, &self.body);
        let mut directives = PageDirectives::of_header(&headers);
        let mut usage = Usage::for_agent(agent).headers(&headers);
        if let Some(facts) = &facts {
            directives = directives.and_page(facts);
            usage = usage.html(facts);
        }
        if let Some(robots) = robots {
            usage = usage.robots_usage(robots);
        }
        let outcome = directives.outcome(agent.as_str(), profile, now);
        let mut warnings: Vec<Warning> = outcome.warnings().iter().map(Warning::of_directive).collect();
        let report = usage.report(&self.head.record.final_url).ok();
        warnings.extend(report.iter().flat_map(Warning::of_usage));
        (warnings, report)
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
