//! Answers to requests for robots.txt, out of web archives: every status, redirects, and copies that are kept elsewhere in
//! the same file. What an archive has of `tdmrep.json` is taken on the way.
//!
//! A redirect is kept as what it is, with the URL that it leads to; what it leads to is a capture of its own if the archive
//! has it. A `revisit` record stands for a body that was kept before: it is looked up by its digest among the captures of
//! this input.

use std::collections::HashMap;
use std::io;
use std::sync::Arc;

use arrow_array::RecordBatch;
use fastwarc::warc::record::WarcRecordType;

use super::options::CaptureOptions;
use super::rows::{Capture, CaptureRows};
use super::tdmrep::{TdmrepCapture, TdmrepCaptures};
use crate::damage::Damaged;
use crate::error::ArchiveError;
use crate::format::ArchiveFormat;
use crate::records::{Head, Records};
use crate::site_file::SiteFile;

/// Reads the captures of a WARC file.
pub(super) struct WarcCaptures {
    name: String,
    records: Records,
    options: CaptureOptions,
    /// Bodies by the archive's own digest, for records that refer to them.
    bodies: HashMap<String, Arc<[u8]>>,
    /// How many bytes of bodies are kept.
    held: usize,
    tdmrep: TdmrepCaptures,
}

/// So many bytes of bodies are kept for records that refer to them.
const HELD: usize = 64 << 20;

impl WarcCaptures {
    pub(super) fn new(name: String, records: Records, options: &CaptureOptions) -> WarcCaptures {
        WarcCaptures {
            name,
            records,
            options: options.clone(),
            bodies: HashMap::new(),
            held: 0,
            tdmrep: TdmrepCaptures::default(),
        }
    }

    /// Returns the `tdmrep.json` files that were met since it was asked last.
    pub(super) fn take_tdmrep(&mut self) -> Vec<TdmrepCapture> {
        self.tdmrep.take()
    }

    pub(super) fn next(&mut self, damaged: &mut Damaged) -> Option<Result<RecordBatch, ArchiveError>> {
        let mut rows = CaptureRows::default();
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
            let site_file = head.target.as_deref().filter(|_| is_answer).and_then(SiteFile::of_url);
            let origin = match site_file {
                Some((SiteFile::RobotsTxt, origin)) => origin,
                Some((SiteFile::Tdmrep, origin)) => {
                    self.tdmrep(&head, origin, damaged);
                    continue;
                }
                None => continue,
            };
            // A record without a status code holds no answer.
            let Some(status) = head.status else { continue };
            let field = |name| self.records.http_field(name);
            let (content_type, location) = (field("Content-Type"), field("Location"));
            match self.body(&head, status) {
                Ok(body) => {
                    return Some(Capture {
                        key: origin,
                        fetched_at: head.seen_at,
                        status: Some(status),
                        failure: None,
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

    /// Keeps a `tdmrep.json`, if it came.
    fn tdmrep(&mut self, head: &Head, origin: String, damaged: &mut Damaged) {
        if head.status != Some(200) || head.kind != WarcRecordType::Response {
            return;
        }
        match self.records.plain_body(TDMREP) {
            Ok(body) => self.tdmrep.add(TdmrepCapture { origin, fetched_at: head.seen_at, body }),
            Err(error) => damaged.note(head.at, format!("the body: {error}")),
        }
    }

    /// The body of a good answer, in plain.
    fn body(&mut self, head: &Head, status: u16) -> io::Result<Option<Arc<[u8]>>> {
        if !(200..300).contains(&status) {
            return Ok(None);
        }
        if head.kind == WarcRecordType::Revisit {
            return Ok(head.digest.as_ref().and_then(|digest| self.bodies.get(digest)).cloned());
        }
        let body: Arc<[u8]> = self.records.plain_body(self.options.max_body_bytes)?.into();
        if let Some(digest) = &head.digest
            && self.held < HELD
            && self.bodies.insert(digest.clone(), body.clone()).is_none()
        {
            self.held += body.len();
        }
        Ok(Some(body))
    }
}

/// A `tdmrep.json` may have so many bytes.
const TDMREP: usize = 1 << 20;
