//! Answers to requests for robots.txt, out of web archives: every status, redirects, and copies that are kept elsewhere in
//! the same file.
//!
//! A redirect is kept as what it is, with the URL that it leads to; what it leads to is a capture of its own if the archive
//! has it. A `revisit` record stands for a body that was kept before: it is looked up by its digest among the captures of
//! this input.

use std::collections::HashMap;
use std::io::{self, Cursor, Read};
use std::sync::Arc;

use arrow_array::RecordBatch;
use fastwarc::stream_io::brotli::BrotliReader;
use fastwarc::stream_io::chunked::ChunkedReader;
use fastwarc::stream_io::traits::IntoWarcReader;
use fastwarc::warc::record::WarcRecordType;
use url::Url;

use super::options::CaptureOptions;
use super::rows::{Capture, Rows};
use crate::damage::Damaged;
use crate::error::ArchiveError;
use crate::format::{ArchiveFormat, Compression};
use crate::records::{Head, Records};

/// Reads the captures of a WARC file.
pub(super) struct WarcCaptures {
    name: String,
    records: Records,
    options: CaptureOptions,
    /// Bodies by the archive's own digest, for records that refer to them.
    bodies: HashMap<String, Arc<[u8]>>,
    /// How many bytes of bodies are kept.
    held: usize,
}

/// So many bytes of bodies are kept for records that refer to them.
const HELD: usize = 64 << 20;

impl WarcCaptures {
    pub(super) fn new(name: String, records: Records, options: &CaptureOptions) -> WarcCaptures {
        WarcCaptures { name, records, options: options.clone(), bodies: HashMap::new(), held: 0 }
    }

    pub(super) fn next(&mut self, damaged: &mut Damaged) -> Option<Result<RecordBatch, ArchiveError>> {
        let mut rows = Rows::default();
        // Half a batch of large bodies is enough for one.
        while rows.count() < self.options.batch_rows && rows.body_bytes() < HELD {
            let Some(capture) = self.next_capture(damaged) else { break };
            rows.push(&capture, &self.name);
        }
        if rows.count() == 0 {
            return None;
        }
        Some(rows.finish().map_err(|error| ArchiveError::broken(&self.name, ArchiveFormat::Warc, error)))
    }

    /// Reads on to the next answer about a robots.txt.
    fn next_capture(&mut self, damaged: &mut Damaged) -> Option<Capture> {
        loop {
            let head = self.records.next(damaged)?;
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
                Ok(body) => {
                    return Some(Capture {
                        key: origin,
                        fetched_at: head.seen_at,
                        status,
                        content_type,
                        location,
                        body,
                        offset: head.at,
                    });
                }
                Err(error) => damaged.note(head.at, format!("the body: {error}")),
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
