//! Rows of captures. All sources have these columns.

use std::sync::Arc;

use arrow_array::builder::{
    BinaryBuilder, StringBuilder, TimestampMicrosecondBuilder, UInt16Builder, UInt64Builder,
};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

use crate::columns::time_type;

/// An answer to a request for robots.txt: a status and perhaps a body, or the reason why there is no answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "callers construct it")]
pub struct Capture {
    /// The origin, or a bare host, which means its https origin and its http origin.
    pub key: String,
    /// The time of the answer, in microseconds since 1970.
    pub fetched_at: Option<i64>,
    /// The status code.
    pub status: Option<u16>,
    /// The reason why there is no answer, such as `timeout`.
    pub failure: Option<String>,
    /// The `Content-Type` of the answer.
    pub content_type: Option<String>,
    /// The target of a redirect.
    pub location: Option<String>,
    /// The body of a successful answer.
    pub body: Option<Arc<[u8]>>,
    /// The position in the source: the offset of a WARC record, or the number of a row from 1.
    pub offset: u64,
}

/// Returns the columns of captures.
pub(super) fn schema() -> SchemaRef {
    Arc::new(Schema::new(vec![
        Field::new("key", DataType::Utf8, false),
        Field::new("fetched_at", time_type(), true),
        Field::new("status", DataType::UInt16, true),
        Field::new("failure", DataType::Utf8, true),
        Field::new("content_type", DataType::Utf8, true),
        Field::new("location", DataType::Utf8, true),
        Field::new("body", DataType::Binary, true),
        Field::new("digest", DataType::Utf8, true),
        Field::new("source", DataType::Utf8, false),
        Field::new("offset", DataType::UInt64, false),
    ]))
}

/// A collector of answers into a batch with the columns of [`Captures::schema`](crate::Captures::schema).
///
/// ```
/// use comity_formats::{Capture, CaptureRows};
///
/// let mut rows = CaptureRows::default();
/// let answer = Capture { key: "https://example.com".to_owned(), status: Some(404), ..Capture::default() };
/// rows.push(&answer, "by hand");
/// assert_eq!(rows.finish()?.num_rows(), 1);
/// # Ok::<(), arrow_schema::ArrowError>(())
/// ```
#[derive(Debug, Default)]
pub struct CaptureRows {
    count: usize,
    body_bytes: usize,
    key: StringBuilder,
    fetched_at: TimestampMicrosecondBuilder,
    status: UInt16Builder,
    failure: StringBuilder,
    content_type: StringBuilder,
    location: StringBuilder,
    body: BinaryBuilder,
    digest: StringBuilder,
    source: StringBuilder,
    offset: UInt64Builder,
}

impl CaptureRows {
    /// Returns the number of answers.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Returns the total size of the bodies, in bytes.
    pub fn body_bytes(&self) -> usize {
        self.body_bytes
    }

    /// Adds an answer. `source` is the location of the data, such as a file name.
    pub fn push(&mut self, capture: &Capture, source: &str) {
        self.count += 1;
        self.body_bytes += capture.body.as_ref().map_or(0, |body| body.len());
        self.key.append_value(&capture.key);
        self.fetched_at.append_option(capture.fetched_at);
        self.status.append_option(capture.status);
        self.failure.append_option(capture.failure.as_deref());
        self.content_type.append_option(capture.content_type.as_deref());
        self.location.append_option(capture.location.as_deref());
        self.body.append_option(capture.body.as_deref());
        self.digest.append_option(capture.body.as_deref().map(digest));
        self.source.append_value(source);
        self.offset.append_value(capture.offset);
    }

    /// Returns the answers as a batch.
    ///
    /// # Errors
    ///
    /// Returns [`ArrowError`] if Arrow rejects the columns.
    pub fn finish(mut self) -> Result<RecordBatch, ArrowError> {
        let columns: Vec<ArrayRef> = vec![
            Arc::new(self.key.finish()),
            Arc::new(self.fetched_at.finish().with_timezone("UTC")),
            Arc::new(self.status.finish()),
            Arc::new(self.failure.finish()),
            Arc::new(self.content_type.finish()),
            Arc::new(self.location.finish()),
            Arc::new(self.body.finish()),
            Arc::new(self.digest.finish()),
            Arc::new(self.source.finish()),
            Arc::new(self.offset.finish()),
        ];
        RecordBatch::try_new(schema(), columns)
    }
}

/// Returns the SHA-256 digest of a body in the format of RFC 9530: `sha-256=:…:`.
pub(super) fn digest(body: &[u8]) -> String {
    format!("sha-256=:{}:", STANDARD.encode(Sha256::digest(body)))
}
