//! Answers to requests for robots.txt from WARC files. Copies of `tdmrep.json` are collected, too.
//!
//! A redirect is a capture with the target URL. The answer at the target is a separate capture if the archive contains it. A
//! `revisit` record refers to the body of an earlier record. Its body is looked up by the digest among the bodies of this
//! input. The first 64 MiB of bodies are stored.

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

/// A reader of the captures of a WARC file.
pub(super) struct WarcCaptures {
    name: String,
    records: Records,
    options: CaptureOptions,
    /// Bodies by the digest in the archive, for `revisit` records.
    bodies: HashMap<String, Arc<[u8]>>,
    /// Total size of the stored bodies, in bytes.
    stored: usize,
    tdmrep: TdmrepCaptures,
}

/// Maximum total size of the stored bodies, and of the bodies in a batch, in bytes.
const MAX_TOTAL_BYTES: usize = 64 << 20;

/// Approximate size of the entry of a stored body without its digest and its content, in bytes.
const ENTRY_BYTES: usize = 64;

impl WarcCaptures {
    pub(super) fn new(name: String, records: Records, options: &CaptureOptions) -> WarcCaptures {
        WarcCaptures {
            name,
            records,
            options: options.clone(),
            bodies: HashMap::new(),
            stored: 0,
            tdmrep: TdmrepCaptures::default(),
        }
    }

    /// Returns the copies of `tdmrep.json` since the last call.
    pub(super) fn take_tdmrep(&mut self) -> Vec<TdmrepCapture> {
        self.tdmrep.take()
    }

    pub(super) fn next(&mut self, damaged: &mut Damaged) -> Option<Result<RecordBatch, ArchiveError>> {
        let mut rows = CaptureRows::default();
        // A batch ends early if its bodies are large.
        while rows.count() < self.options.batch_rows && rows.body_bytes() < MAX_TOTAL_BYTES {
            let Some(capture) = self.next_capture(damaged) else { break };
            rows.push(&capture, &self.name);
        }
        if rows.count() == 0 {
            return None;
        }
        Some(rows.finish().map_err(|error| ArchiveError::broken(&self.name, ArchiveFormat::Warc, error)))
    }

    /// Reads records up to the next answer to a request for robots.txt.
    fn next_capture(&mut self, damaged: &mut Damaged) -> Option<Capture> {
        loop {
            let head = self.records.next(damaged)?;
            let is_answer = matches!(head.kind, WarcRecordType::Response | WarcRecordType::Revisit);
            if head.target.is_none() && is_answer {
                damaged.note(head.at, "an answer without its URL");
            }
            let site_file = head.target.as_deref().filter(|_| is_answer).and_then(SiteFile::of_url);
            let origin = match site_file {
                Some((SiteFile::RobotsTxt, origin)) => origin,
                Some((SiteFile::Tdmrep, origin)) => {
                    self.tdmrep(&head, origin, damaged);
                    continue;
                }
                None => continue,
            };
            let Some(status) = head.status else {
                damaged.note(head.at, "an answer without its status");
                continue;
            };
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
                Err(error) => damaged.note(head.at, format!("the body cannot be read: {error}")),
            }
        }
    }

    /// Stores a copy of `tdmrep.json` if the answer was successful.
    fn tdmrep(&mut self, head: &Head, origin: String, damaged: &mut Damaged) {
        if head.status != Some(200) || head.kind != WarcRecordType::Response {
            return;
        }
        match self.records.plain_body(MAX_TDMREP_BYTES) {
            Ok(body) => self.tdmrep.add(TdmrepCapture { origin, fetched_at: head.seen_at, body }),
            Err(error) => damaged.note(head.at, format!("the body cannot be read: {error}")),
        }
    }

    /// Returns the decoded body of a successful answer.
    fn body(&mut self, head: &Head, status: u16) -> io::Result<Option<Arc<[u8]>>> {
        if !(200..300).contains(&status) {
            return Ok(None);
        }
        if head.kind == WarcRecordType::Revisit {
            return Ok(head.digest.as_ref().and_then(|digest| self.bodies.get(digest)).cloned());
        }
        let body: Arc<[u8]> = self.records.plain_body(self.options.max_body_bytes)?.into();
        if let Some(digest) = &head.digest
            && self.stored < MAX_TOTAL_BYTES
            && self.bodies.insert(digest.clone(), body.clone()).is_none()
        {
            self.stored += ENTRY_BYTES + digest.len() + body.len();
        }
        Ok(Some(body))
    }
}

/// Maximum size of a `tdmrep.json`, in bytes.
const MAX_TDMREP_BYTES: usize = 1 << 20;
