//! The pages in the sitemaps of one site, as the rows of a job.

use std::sync::Arc;

use arrow_array::builder::{StringBuilder, TimestampMicrosecondBuilder, UInt16Builder};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef, TimeUnit};
use comity_formats::{PageColumns, PageStatements};

use crate::error::AuditError;

/// A page in a sitemap, and the result of fetching it.
#[derive(Clone, Debug, Default)]
pub(crate) struct ListedPage {
    /// Its URL.
    pub(crate) url: String,
    /// The first sitemap that lists it.
    pub(crate) sitemap: Arc<str>,
    /// The time of its last change, according to the sitemap.
    pub(crate) lastmod: Option<String>,
    /// The time of the fetch, in microseconds since 1970; `None` without an answer.
    pub(crate) seen_at: Option<i64>,
    /// The status code of the page.
    pub(crate) status: Option<u16>,
    /// The URL after redirects.
    pub(crate) final_url: Option<String>,
    /// Its usage statements; `None` if it was not read.
    pub(crate) statements: Option<PageStatements>,
    /// The codes of the findings.
    pub(crate) findings: Vec<&'static str>,
}

/// The rows of listed pages, with the columns `url`, `sitemap`, `lastmod`, `seen_at`, `status`, `final_url`, `findings`.
#[derive(Debug)]
pub(crate) struct SiteRows<'a> {
    rest: &'a [ListedPage],
}

/// Maximum number of rows in a batch.
const BATCH: usize = 8192;

impl<'a> SiteRows<'a> {
    /// Creates the rows, in the order of the pages.
    pub(crate) fn new(pages: &'a [ListedPage]) -> SiteRows<'a> {
        SiteRows { rest: pages }
    }

    /// Returns the schema.
    pub(crate) fn schema() -> SchemaRef {
        let text = |name| Field::new(name, DataType::Utf8, true);
        let time = DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into()));
        Arc::new(Schema::new(vec![
            Field::new("url", DataType::Utf8, false),
            text("sitemap"),
            text("lastmod"),
            Field::new("seen_at", time, true),
            Field::new("status", DataType::UInt16, true),
            text("final_url"),
            text("findings"),
        ]))
    }

    /// Returns the names of the columns with URL, time and status.
    pub(crate) fn columns() -> PageColumns {
        let mut columns = PageColumns::new("url");
        columns.seen_at = Some("seen_at".to_owned());
        columns.status = Some("status".to_owned());
        columns
    }

    /// Returns the next batch, and the usage statements of its pages. Pages with and without statements are in separate batches;
    /// a batch without them has no entries for its pages.
    ///
    /// # Errors
    ///
    /// Returns [`AuditError`] if the columns do not fit the schema.
    pub(crate) fn next_batch(&mut self) -> Option<Result<(RecordBatch, Vec<PageStatements>), AuditError>> {
        let first = self.rest.first()?;
        let is_like_it = |page: &&ListedPage| page.statements.is_some() == first.statements.is_some();
        let count = self.rest.iter().take(BATCH).take_while(is_like_it).count();
        let (pages, rest) = self.rest.split_at_checked(count)?;
        self.rest = rest;
        let statements = pages.iter().filter_map(|page| page.statements.clone()).collect();
        Some(batch(pages).map(|batch| (batch, statements)))
    }
}

fn batch(pages: &[ListedPage]) -> Result<RecordBatch, AuditError> {
    let mut texts: [StringBuilder; 5] = Default::default();
    let (mut times, mut statuses) = (TimestampMicrosecondBuilder::new(), UInt16Builder::new());
    for page in pages {
        let findings = (!page.findings.is_empty()).then(|| page.findings.join(", "));
        let row = [
            Some(&*page.url),
            Some(&*page.sitemap),
            page.lastmod.as_deref(),
            page.final_url.as_deref(),
            findings.as_deref(),
        ];
        for (column, text) in texts.iter_mut().zip(row) {
            column.append_option(text);
        }
        times.append_option(page.seen_at);
        statuses.append_option(page.status);
    }
    let [url, sitemap, lastmod, final_url, findings] =
        texts.map(|mut column| -> ArrayRef { Arc::new(column.finish()) });
    let columns: Vec<ArrayRef> = vec![
        url,
        sitemap,
        lastmod,
        Arc::new(times.finish().with_timezone("UTC")),
        Arc::new(statuses.finish()),
        final_url,
        findings,
    ];
    Ok(RecordBatch::try_new(SiteRows::schema(), columns)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_with_statements_are_in_separate_batches_in_order() {
        let page = |name: &str, is_read: bool| ListedPage {
            url: format!("https://example.com/{name}"),
            statements: is_read.then(PageStatements::default),
            ..ListedPage::default()
        };
        let pages = [page("a", true), page("b", true), page("c", false), page("d", true)];
        let mut rows = SiteRows::new(&pages);
        let mut shapes = Vec::new();
        while let Some(next) = rows.next_batch() {
            let (batch, statements) = next.expect("a batch");
            shapes.push((batch.num_rows(), statements.len()));
        }
        assert_eq!(shapes, [(2, 2), (1, 0), (1, 1)]);
    }
}
