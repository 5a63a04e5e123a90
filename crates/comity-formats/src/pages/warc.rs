//! Reads WARC: one row for each answer about a page.

use std::sync::Arc;

use arrow_array::builder::{StringBuilder, TimestampMicrosecondBuilder, UInt16Builder, UInt64Builder};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema};
use fastwarc::warc::record::WarcRecordType;

use super::{Opened, PageStatements, Reader};
use crate::columns::time_type;
use crate::damage::Damaged;
use crate::error::ArchiveError;
use crate::format::{ArchiveFormat, Compression};
use crate::input::ArchiveInput;
use crate::join::of_warcinfo;
use crate::options::PageOptions;
use crate::records::{Head, Records};
use crate::site_file::SiteFile;

pub(super) fn open(
    input: ArchiveInput,
    compression: Compression,
    options: &PageOptions,
) -> Result<Opened, ArchiveError> {
    let name = input.name().to_owned();
    let schema = Schema::new(vec![
        Field::new("url", DataType::Utf8, true),
        Field::new("seen_at", time_type(), true),
        Field::new("warc_type", DataType::Utf8, false),
        Field::new("status", DataType::UInt16, true),
        Field::new("content_type", DataType::Utf8, true),
        Field::new("digest", DataType::Utf8, true),
        Field::new("length", DataType::UInt64, false),
        Field::new("source", DataType::Utf8, false),
        Field::new("offset", DataType::UInt64, false),
    ]);
    let records = Records::new(input, compression);
    let reader = Warc {
        name,
        records,
        schema: Arc::new(schema.clone()),
        batch_rows: options.batch_rows,
        statements: options.statements.then(Vec::new),
        warcinfo: options.join_keys.then(WarcInfoCrawl::default),
    };
    Ok(Opened { reader: Box::new(reader), schema, url_index: None, damaged: Damaged::default() })
}

struct Warc {
    name: String,
    records: Records,
    schema: Arc<Schema>,
    batch_rows: usize,
    /// The usage statements of the pages in the last batch, if requested.
    statements: Option<Vec<PageStatements>>,
    /// The crawl in the `warcinfo` records, if join columns are requested.
    warcinfo: Option<WarcInfoCrawl>,
}

/// The crawl in the last `warcinfo` record.
#[derive(Default)]
struct WarcInfoCrawl {
    /// The crawl of the last batch.
    crawl: Option<String>,
    /// The crawl of the following records, if a new `warcinfo` record ended the batch.
    next: Option<Option<String>>,
}

/// Number of bytes, in columns and in bodies read for statements, at which a batch ends.
const MAX_BATCH_BYTES: usize = 64 << 20;

/// Maximum size of a `warcinfo` record, in bytes.
const MAX_WARCINFO_BYTES: usize = 64 * 1024;

/// The columns of a batch under construction.
#[derive(Default)]
struct Columns {
    url: StringBuilder,
    seen_at: TimestampMicrosecondBuilder,
    kind: StringBuilder,
    status: UInt16Builder,
    content_type: StringBuilder,
    digest: StringBuilder,
    length: UInt64Builder,
    source: StringBuilder,
    offset: UInt64Builder,
}

impl Columns {
    /// Adds a row. Returns the size of its texts, in bytes.
    fn push(&mut self, head: &Head, content_type: Option<&str>, length: u64, source: &str) -> usize {
        self.url.append_option(head.target.as_deref());
        self.seen_at.append_option(head.seen_at);
        self.kind.append_value(head.kind.as_str());
        self.status.append_option(head.status);
        self.content_type.append_option(content_type);
        self.digest.append_option(head.digest.as_deref());
        self.length.append_value(length);
        self.source.append_value(source);
        self.offset.append_value(head.at);
        let texts = [head.target.as_deref(), content_type, head.digest.as_deref(), Some(source)];
        texts.into_iter().flatten().map(str::len).sum()
    }

    fn finish(mut self) -> Vec<ArrayRef> {
        vec![
            Arc::new(self.url.finish()),
            Arc::new(self.seen_at.finish().with_timezone("UTC")),
            Arc::new(self.kind.finish()),
            Arc::new(self.status.finish()),
            Arc::new(self.content_type.finish()),
            Arc::new(self.digest.finish()),
            Arc::new(self.length.finish()),
            Arc::new(self.source.finish()),
            Arc::new(self.offset.finish()),
        ]
    }
}

fn is_answer(head: &Head) -> bool {
    matches!(head.kind, WarcRecordType::Response | WarcRecordType::Resource | WarcRecordType::Revisit)
}

/// Returns whether a record is the visit of a page. Answers for robots.txt are not visits, since every crawler may fetch this
/// file (RFC 9309 §2.2.2), and an archive contains such an answer for each site.
fn is_visit(head: &Head) -> bool {
    let is_robots_txt = |url: &String| matches!(SiteFile::of_url(url), Some((SiteFile::RobotsTxt, _)));
    let is_web = |url: &String| url.starts_with("http://") || url.starts_with("https://");
    is_answer(head) && head.target.as_ref().is_some_and(|url| is_web(url) && !is_robots_txt(url))
}

impl Reader for Warc {
    fn next(&mut self, damaged: &mut Damaged) -> Option<Result<RecordBatch, ArchiveError>> {
        let mut columns = Columns::default();
        let (mut count, mut bytes) = (0, 0);
        if let Some(warcinfo) = &mut self.warcinfo
            && let Some(next) = warcinfo.next.take()
        {
            warcinfo.crawl = next;
        }
        while count < self.batch_rows && bytes < MAX_BATCH_BYTES {
            let Some(head) = self.records.next(damaged) else { break };
            if head.kind == WarcRecordType::WarcInfo
                && let Some(warcinfo) = &mut self.warcinfo
            {
                let crawl = self.records.body(MAX_WARCINFO_BYTES).ok().and_then(|text| of_warcinfo(&text));
                if count > 0 && crawl != warcinfo.crawl {
                    warcinfo.next = Some(crawl);
                    break;
                }
                warcinfo.crawl = crawl;
            }
            if head.target.is_none() && is_answer(&head) {
                damaged.note(head.at, "an answer without its URL");
            }
            if is_visit(&head) {
                let content_type = self.records.http_field("Content-Type");
                bytes += columns.push(&head, content_type.as_deref(), self.records.body_length(), &self.name);
                count += 1;
                if let Some(statements) = &mut self.statements {
                    let mut damage = |problem: String| damaged.note(head.at, problem);
                    let (of_page, read) = PageStatements::read(&mut self.records, &mut damage);
                    statements.push(of_page);
                    bytes += read;
                }
            }
        }
        if count == 0 {
            return None;
        }
        let batch = RecordBatch::try_new(self.schema.clone(), columns.finish());
        Some(batch.map_err(|error| ArchiveError::broken(&self.name, ArchiveFormat::Warc, error)))
    }

    fn crawl(&self) -> Option<&str> {
        self.warcinfo.as_ref()?.crawl.as_deref()
    }

    fn take_statements(&mut self) -> Vec<PageStatements> {
        self.statements.as_mut().map(std::mem::take).unwrap_or_default()
    }
}
