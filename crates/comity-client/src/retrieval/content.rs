//! The part of a record about the answer: its header and its content.

use std::time::Duration;

use comity::http::Headers;
use http::{HeaderMap, StatusCode, header};

use super::record::{ContentRecord, FetchRecord, Warning};
use crate::pace::RetryAfter;
use crate::retry::USUAL_DELAY;
use crate::transport::encoding_words::ignored_words;

impl FetchRecord {
    /// Adds the status code, the delay before a retry, and warnings about the header.
    pub(crate) fn note_header(&mut self, status: StatusCode, headers: &HeaderMap) {
        self.status = Some(status.as_u16());
        self.retry_after = RetryAfter::applies_to(status).then(|| {
            let stated = RetryAfter::read(headers, self.ended_at, Duration::MAX);
            stated.map_or(USUAL_DELAY, |stated| stated.duration)
        });
        if let Some(words) = ignored_words(headers) {
            let words: String = words.chars().take(100).collect();
            let words = words.escape_debug();
            self.warn(
                "no_coding",
                format!("`Content-Encoding: {words}` is not a content coding; the body was not decoded"),
            );
        }
    }

    /// Adds the content with its number of bytes and its digest, and a warning if it was cut.
    pub(crate) fn note_content(
        &mut self,
        status: StatusCode,
        headers: &HeaderMap,
        (bytes, digest): (u64, String),
        is_truncated: bool,
    ) {
        let field = |name| {
            let value = headers.get(name)?;
            Some(String::from_utf8_lossy(value.as_bytes()).into_owned())
        };
        self.content = Some(ContentRecord {
            status: status.as_u16(),
            content_type: field(header::CONTENT_TYPE),
            bytes,
            digest,
            truncated: is_truncated,
            etag: field(header::ETAG),
            last_modified: field(header::LAST_MODIFIED),
        });
        if is_truncated {
            let url = &*self.final_url;
            tracing::info!(url, "only the first {bytes} bytes of the body were read (see fetch.max_bytes)");
            self.warn("truncated", format!("only the first {bytes} bytes were read"));
        }
    }

    fn warn(&mut self, name: &str, message: String) {
        self.warnings.push(Warning { kind: "content", name: name.to_owned(), message });
    }
}

/// Returns the header fields as the type that the engine evaluates.
pub(super) fn fields_of(headers: &HeaderMap) -> Headers<'_> {
    headers.iter().map(|(name, value)| (name.as_str(), value.as_bytes())).collect()
}
