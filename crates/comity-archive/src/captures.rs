//! Answers to requests for robots.txt, out of web archives: every status, redirects, and copies that are kept elsewhere in
//! the same file.
//!
//! A redirect is kept as what it is, with the URL that it leads to; what it leads to is a capture of its own if the archive
//! has it. A `revisit` record stands for a body that was kept before: it is looked up by its digest among the captures of
//! this input.

use std::collections::HashMap;
use std::fmt;
use std::io::{self, Cursor, Read};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use arrow_array::builder::{
    BinaryBuilder, StringBuilder, TimestampMicrosecondBuilder, UInt16Builder, UInt64Builder,
};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use fastwarc::stream_io::brotli::BrotliReader;
use fastwarc::stream_io::chunked::ChunkedReader;
use fastwarc::stream_io::traits::IntoWarcReader;
use fastwarc::warc::record::WarcRecordType;
use sha2::{Digest, Sha256};
use url::Url;

use crate::columns::time_type;
use crate::damage::Damaged;
use crate::error::ArchiveError;
use crate::format::{ArchiveFormat, Compression};
use crate::input::ArchiveInput;
use crate::records::{Head, Records};

/// How captures are read.
#[derive(Clone, Debug)]
pub struct CaptureOptions {
    batch_rows: usize,
    max_body_bytes: usize,
}

impl Default for CaptureOptions {
    fn default() -> Self {
        CaptureOptions::new()
    }
}

impl CaptureOptions {
    /// Batches have up to 1,024 rows. Of a body the first 512,000 bytes are kept, which is what readers of robots.txt look
    /// at (RFC 9309 §2.5 asks for 500 KiB).
    pub fn new() -> Self {
        CaptureOptions { batch_rows: 1024, max_body_bytes: 512_000 }
    }

    /// Sets how many rows a batch has at most.
    #[must_use]
    pub fn batch_rows(self, batch_rows: usize) -> Self {
        CaptureOptions { batch_rows: batch_rows.max(1), ..self }
    }

    /// Sets how many bytes of a body are kept.
    #[must_use]
    pub fn max_body_bytes(self, max_body_bytes: usize) -> Self {
        CaptureOptions { max_body_bytes, ..self }
    }
}

/// The robots.txt answers of a WARC file, batch by batch, with the columns of [`Captures::schema`].
///
/// ```
/// use std::io::Cursor;
///
/// use comity_archive::{CaptureOptions, Captures, ArchiveInput};
///
/// let block = "HTTP/1.1 404 Not Found\r\n\r\n";
/// let warc = format!(
///     "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: https://example.com/robots.txt\r\n\
///      WARC-Date: 2024-03-01T12:00:00Z\r\nContent-Type: application/http; msgtype=response\r\n\
///      Content-Length: {}\r\n\r\n{block}\r\n\r\n",
///     block.len(),
/// );
/// let mut captures = Captures::open(ArchiveInput::file("a.warc", Cursor::new(warc)), &CaptureOptions::new())?;
/// let batch = captures.next().expect("there is an answer")?;
/// assert_eq!(batch.num_rows(), 1);
/// # Ok::<(), comity_archive::ArchiveError>(())
/// ```
pub struct Captures {
    name: String,
    records: Records,
    options: CaptureOptions,
    read: Arc<AtomicU64>,
    damaged: Damaged,
    /// Bodies by the archive's own digest, for records that refer to them.
    bodies: HashMap<String, Arc<[u8]>>,
    /// How many bytes of bodies are kept.
    held: usize,
}

/// So many bytes of bodies are kept for records that refer to them.
const HELD: usize = 64 << 20;

impl Captures {
    /// Opens a WARC file.
    ///
    /// # Errors
    ///
    /// [`ArchiveError`] if the bytes cannot be read, or are no WARC file.
    pub fn open(input: ArchiveInput, options: &CaptureOptions) -> Result<Captures, ArchiveError> {
        let (name, read) = (input.name().to_owned(), input.bytes_read());
        let (input, compression, format) = input.look(None)?;
        if format != ArchiveFormat::Warc {
            return Err(ArchiveError::broken(&name, ArchiveFormat::Warc, format!("it is {format}")));
        }
        let records = Records::new(input, compression);
        let (damaged, bodies) = (Damaged::default(), HashMap::new());
        Ok(Captures { name, records, options: options.clone(), read, damaged, bodies, held: 0 })
    }

    /// Returns the columns: those of a table of robots.txt answers as `comity-audit` reads it, where the answer stood, and
    /// where it led.
    pub fn schema() -> SchemaRef {
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

    /// Returns what could not be read so far.
    pub fn damaged(&self) -> &Damaged {
        &self.damaged
    }

    /// Returns a count of the bytes that were read so far, compressed as they are.
    pub fn bytes_read(&self) -> Arc<AtomicU64> {
        self.read.clone()
    }

    /// Reads on to the next answer about a robots.txt.
    fn next_capture(&mut self) -> Option<Capture> {
        loop {
            let head = self.records.next(&mut self.damaged)?;
            let is_answer = matches!(head.kind, WarcRecordType::Response | WarcRecordType::Revisit);
            let Some(origin) = head.target.as_deref().filter(|_| is_answer).and_then(origin_of_robots_txt)
            else {
                continue;
            };
            // A record without a status code holds no answer.
            let Some(status) = head.status else { continue };
            let field = |name| self.records.http_field(name);
            let (content_type, location) = (field("Content-Type"), field("Location"));
            let codings = [field("Transfer-Encoding"), field("Content-Encoding")];
            match self.body(&head, status, codings) {
                Ok(body) => return Some(Capture { origin, status, content_type, location, body, head }),
                Err(error) => self.damaged.note(head.at, format!("the body: {error}")),
            }
        }
    }

    /// The body of a good answer, in plain.
    fn body(
        &mut self,
        head: &Head,
        status: u16,
        codings: [Option<String>; 2],
    ) -> io::Result<Option<Arc<[u8]>>> {
        if !(200..300).contains(&status) {
            return Ok(None);
        }
        if head.kind == WarcRecordType::Revisit {
            return Ok(head.digest.as_ref().and_then(|digest| self.bodies.get(digest)).cloned());
        }
        let most = self.options.max_body_bytes;
        // What is sent chunked or compressed may be a little longer than what it stands for.
        let sent = self.records.body(most.saturating_mul(2).saturating_add(64 * 1024))?;
        let [transfer, content] = codings;
        let body: Arc<[u8]> = plain(sent, transfer.as_deref(), content.as_deref(), most).into();
        if let Some(digest) = &head.digest
            && self.held < HELD
            && self.bodies.insert(digest.clone(), body.clone()).is_none()
        {
            self.held += body.len();
        }
        Ok(Some(body))
    }
}

struct Capture {
    origin: String,
    status: u16,
    content_type: Option<String>,
    location: Option<String>,
    body: Option<Arc<[u8]>>,
    head: Head,
}

/// Returns the origin of a URL that is a robots.txt.
fn origin_of_robots_txt(url: &str) -> Option<String> {
    let url = Url::parse(url).ok()?;
    let is_it =
        matches!(url.scheme(), "http" | "https") && url.path() == "/robots.txt" && url.query().is_none();
    is_it.then(|| url.origin().ascii_serialization())
}

/// Undoes codings that are named and still there: archivers often store the body in plain and keep the header.
fn plain(sent: Vec<u8>, transfer: Option<&str>, content: Option<&str>, most: usize) -> Vec<u8> {
    let names = |field: Option<&str>, coding: &str| {
        field.is_some_and(|field| field.split(',').any(|name| name.trim().eq_ignore_ascii_case(coding)))
    };
    let mut body = sent;
    if names(transfer, "chunked") {
        let chunks = ChunkedReader::new(Cursor::new(body.clone()).into_warc_reader());
        body = whole(chunks, most).unwrap_or(body);
    }
    let decoded = match Compression::detect(&body) {
        Compression::Gzip if names(content, "gzip") || names(content, "x-gzip") => {
            whole(flate2::read::MultiGzDecoder::new(&*body), most)
        }
        Compression::Zstd if names(content, "zstd") => {
            zstd::stream::read::Decoder::new(&*body).ok().and_then(|decoder| whole(decoder, most))
        }
        _ if names(content, "br") => {
            whole(BrotliReader::new(Cursor::new(body.clone()).into_warc_reader()), most)
        }
        _ if names(content, "deflate") => whole(flate2::read::ZlibDecoder::new(&*body), most),
        _ => None,
    };
    let mut body = decoded.unwrap_or(body);
    body.truncate(most);
    body
}

/// Reads all, but no more than `most` bytes; `None` if it is broken from the first byte on.
fn whole(reader: impl Read, most: usize) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    match reader.take(most as u64).read_to_end(&mut body) {
        Err(_) if body.is_empty() => None,
        _ => Some(body),
    }
}

#[derive(Default)]
struct Columns {
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

impl Columns {
    fn push(&mut self, capture: &Capture, source: &str) {
        self.key.append_value(&capture.origin);
        self.fetched_at.append_option(capture.head.seen_at);
        self.status.append_value(capture.status);
        self.failure.append_null();
        self.content_type.append_option(capture.content_type.as_deref());
        self.location.append_option(capture.location.as_deref());
        self.body.append_option(capture.body.as_deref());
        self.digest.append_option(capture.body.as_deref().map(digest));
        self.source.append_value(source);
        self.offset.append_value(capture.head.at);
    }

    fn finish(mut self) -> Vec<ArrayRef> {
        vec![
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
        ]
    }
}

/// The SHA-256 of a body as the rest of Comity writes it.
fn digest(body: &[u8]) -> String {
    let hex: String = Sha256::digest(body).iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256:{hex}")
}

impl Iterator for Captures {
    type Item = Result<RecordBatch, ArchiveError>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut columns = Columns::default();
        let (mut count, mut bytes) = (0, 0);
        // Half a batch of large bodies is enough for one.
        while count < self.options.batch_rows && bytes < HELD {
            let Some(capture) = self.next_capture() else { break };
            bytes += capture.body.as_ref().map_or(0, |body| body.len());
            columns.push(&capture, &self.name);
            count += 1;
        }
        if count == 0 {
            return None;
        }
        let batch = RecordBatch::try_new(Captures::schema(), columns.finish());
        Some(batch.map_err(|error| ArchiveError::broken(&self.name, ArchiveFormat::Warc, error)))
    }
}

impl fmt::Debug for Captures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Captures")
            .field("name", &self.name)
            .field("damaged", &self.damaged)
            .finish_non_exhaustive()
    }
}
