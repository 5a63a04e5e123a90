//! Options for reading pages.

use std::ops::Range;

use crate::format::ArchiveFormat;
use crate::times::{TimeFormatError, TimeFormats};

/// Options for reading pages, such as format, columns and batch size.
///
/// ```
/// use comity_formats::PageOptions;
///
/// let options = PageOptions::new().url_column("target").batch_rows(1_000);
/// ```
#[derive(Clone, Debug)]
pub struct PageOptions {
    pub(crate) format: Option<ArchiveFormat>,
    pub(crate) url_column: Option<String>,
    pub(crate) time_column: Option<String>,
    pub(crate) time_formats: TimeFormats,
    pub(crate) agent_column: Option<String>,
    pub(crate) delimiter: Option<u8>,
    pub(crate) row_groups: Option<Range<usize>>,
    pub(crate) batch_rows: usize,
    pub(crate) max_record_bytes: usize,
    pub(crate) statements: bool,
    pub(crate) join_keys: bool,
    pub(crate) crawl: Option<String>,
}

impl Default for PageOptions {
    fn default() -> Self {
        PageOptions::new()
    }
}

impl PageOptions {
    /// Creates the default options: format and columns are detected, a batch has up to 8,192 rows, and a line or CSV record
    /// has up to 1 MiB.
    pub fn new() -> Self {
        PageOptions {
            format: None,
            url_column: None,
            time_column: None,
            time_formats: TimeFormats::default(),
            agent_column: None,
            delimiter: None,
            row_groups: None,
            batch_rows: 8192,
            max_record_bytes: 1 << 20,
            statements: false,
            join_keys: false,
            crawl: None,
        }
    }

    /// Sets the format. Without it, the format is detected.
    #[must_use]
    pub fn format(self, format: ArchiveFormat) -> Self {
        PageOptions { format: Some(format), ..self }
    }

    /// Sets the column with the URL. `metadata.url` means the field `url` of the column `metadata`, whose values are
    /// structures, or texts with JSON objects.
    #[must_use]
    pub fn url_column(self, column: impl Into<String>) -> Self {
        PageOptions { url_column: Some(column.into()), ..self }
    }

    /// Sets the column with the time at which a page was seen.
    #[must_use]
    pub fn time_column(self, column: impl Into<String>) -> Self {
        PageOptions { time_column: Some(column.into()), ..self }
    }

    /// Adds a format for parsing times in the syntax of `strptime`, such as `%d/%m/%Y`. The default formats are used only if no
    /// format is added.
    ///
    /// # Errors
    ///
    /// Returns [`TimeFormatError`] if the text is not a valid format, or if the format contains no date.
    pub fn time_format(mut self, format: &str) -> Result<Self, TimeFormatError> {
        self.time_formats.push(format)?;
        Ok(self)
    }

    /// Sets the delimiter between the fields of a text table, such as CSV.
    #[must_use]
    pub fn delimiter(self, delimiter: u8) -> Self {
        PageOptions { delimiter: Some(delimiter), ..self }
    }

    /// Sets the range of row groups to read from a Parquet file. Other formats ignore this option.
    #[must_use]
    pub fn row_groups(self, row_groups: Range<usize>) -> Self {
        PageOptions { row_groups: Some(row_groups), ..self }
    }

    /// Sets the column with the crawler.
    #[must_use]
    pub fn agent_column(self, column: impl Into<String>) -> Self {
        PageOptions { agent_column: Some(column.into()), ..self }
    }

    /// Sets the maximum number of rows in a batch.
    #[must_use]
    pub fn batch_rows(self, batch_rows: usize) -> Self {
        PageOptions { batch_rows: batch_rows.max(1), ..self }
    }

    /// Sets the maximum size of a line or CSV record, in bytes. A longer line or record is counted as damage. WARC and Parquet
    /// ignore this option.
    #[must_use]
    pub fn max_record_bytes(self, max_record_bytes: usize) -> Self {
        PageOptions { max_record_bytes, ..self }
    }

    /// Sets whether [`Pages::take_statements`](crate::Pages::take_statements) returns the usage statements of each page. This
    /// requires parsing HTML.
    #[must_use]
    pub fn statements(self, statements: bool) -> Self {
        PageOptions { statements, ..self }
    }

    /// Sets whether columns for joins with the indexes of public crawls are added: `surt_host_name` and `url_surtkey` (see
    /// [`SurtKey`](crate::SurtKey)), and `crawl`. An input column with such a name remains unchanged.
    ///
    /// The crawl is the first that exists of: the option [`crawl`](PageOptions::crawl); the crawl in the path of the page's
    /// WARC file (columns `warc_filename` and `filename`); the crawl in the path of the input (`crawl=NAME`,
    /// `CC-MAIN-2024-30`); and the field `isPartOf` of the `warcinfo` record. Otherwise the value is null.
    #[must_use]
    pub fn join_keys(self, join_keys: bool) -> Self {
        PageOptions { join_keys, ..self }
    }

    /// Sets the name of the crawl to which all pages belong.
    #[must_use]
    pub fn crawl(self, crawl: impl Into<String>) -> Self {
        PageOptions { crawl: Some(crawl.into()), ..self }
    }
}
