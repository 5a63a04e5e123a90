//! Pages: one row for each visit of a crawler, in batches, with all columns of the input.
//!
//! | file | formats |
//! |---|---|
//! | `delimited.rs` | CSV, TSV, CDX, lists of URLs |
//! | `json.rs` | JSON Lines, CDXJ |
//! | `parquet.rs` | Parquet |
//! | `warc.rs` | WARC |
//!
//! `statements.rs` reads the usage statements of the pages in a WARC file.

mod delimited;
mod json;
mod parquet;
mod statements;
mod warc;

pub use self::statements::PageStatements;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use arrow_array::{RecordBatch, RecordBatchOptions};
use arrow_schema::{ArrowError, Field, Schema, SchemaRef};

use crate::columns::{MissingTimes, PageColumns, column_at};
use crate::damage::Damaged;
use crate::error::ArchiveError;
use crate::format::{ArchiveFormat, Compression};
use crate::input::ArchiveInput;
use crate::join::JoinColumns;
use crate::options::PageOptions;
use crate::times::TimeFormats;

/// The pages of an input, batch by batch.
///
/// ```
/// use std::io::Cursor;
///
/// use comity_formats::{ArchiveFormat, ArchiveInput, PageOptions, Pages};
///
/// let csv = "page_id,url,timestamp\n7,https://example.com/a,20240301120000\n";
/// let mut pages = Pages::open(ArchiveInput::file("pages.csv", Cursor::new(csv)), &PageOptions::new())?;
/// assert_eq!(pages.format(), ArchiveFormat::Csv);
/// assert_eq!(pages.columns().url, "url");
/// assert_eq!(pages.columns().time_source.as_deref(), Some("timestamp"));
///
/// let batch = pages.next().expect("there is a row")?;
/// assert_eq!(batch.num_rows(), 1);
/// assert_eq!(batch.schema().field(3).name(), "seen_at");
/// # Ok::<(), comity_formats::ArchiveError>(())
/// ```
pub struct Pages {
    name: String,
    format: ArchiveFormat,
    columns: PageColumns,
    /// The join columns, if requested.
    join: Option<JoinColumns>,
    schema: SchemaRef,
    read: Arc<AtomicU64>,
    damaged: Damaged,
    time_formats: TimeFormats,
    missing_times: MissingTimes,
    reader: Box<dyn Reader>,
    /// True after the last batch, or after an error of the reader.
    is_over: bool,
}

/// A reader for one family of formats. It returns batches with the columns of the input.
pub(crate) trait Reader: Send {
    /// Reads the next batch. Returns `None` at the end.
    fn next(&mut self, damaged: &mut Damaged) -> Option<Result<RecordBatch, ArchiveError>>;

    /// Returns the usage statements of the pages in the last batch. Only WARC contains them.
    fn take_statements(&mut self) -> Vec<PageStatements> {
        Vec::new()
    }

    /// Returns the compressed sizes of the row groups. Only Parquet has row groups.
    fn row_groups(&self) -> &[u64] {
        &[]
    }

    /// Returns the name of the crawl, from the `warcinfo` record that applies to the last batch.
    fn crawl(&self) -> Option<&str> {
        None
    }
}

/// Maximum number of columns of a text table.
const MAX_COLUMNS: usize = 4096;

/// A reader, and the schema of its batches.
pub(crate) struct OpenedReader {
    pub reader: Box<dyn Reader>,
    pub schema: Schema,
    /// Index of a column whose first value is a URL, for tables without column names.
    url_index: Option<usize>,
    /// Damage found while opening.
    pub damaged: Damaged,
}

/// Opens the reader of a format.
pub(crate) fn open_reader(
    input: ArchiveInput,
    compression: Compression,
    format: ArchiveFormat,
    options: &PageOptions,
) -> Result<OpenedReader, ArchiveError> {
    match format {
        ArchiveFormat::Parquet => parquet::open(input, options),
        ArchiveFormat::Wacz => {
            Err(ArchiveError::broken(input.name(), format, "its members must be opened separately"))
        }
        ArchiveFormat::Warc => warc::open(input, compression, options),
        ArchiveFormat::JsonLines | ArchiveFormat::Cdxj => json::open(input, compression, format, options),
        ArchiveFormat::Csv | ArchiveFormat::Tsv | ArchiveFormat::Urls | ArchiveFormat::Cdx => {
            delimited::open(input, compression, format, options)
        }
    }
}

impl Pages {
    /// Opens an input, and detects the format and the columns that describe a visit.
    ///
    /// # Errors
    ///
    /// Returns [`ArchiveError`] if the bytes cannot be read, if their format is unknown or requires a file, or if a column is
    /// missing.
    pub fn open(input: ArchiveInput, options: &PageOptions) -> Result<Pages, ArchiveError> {
        let (name, read) = (input.name().to_owned(), input.bytes_read());
        let (input, compression, format) = input.detect_table(options.format, options.delimiter)?;
        let OpenedReader { reader, schema, url_index, damaged } =
            open_reader(input, compression, format, options)?;
        let mut columns = PageColumns::find(&name, &schema, options, url_index)?;
        let mut fields: Vec<Arc<Field>> = schema.fields().iter().cloned().collect();
        fields.extend(columns.time_field().map(Arc::new));
        let join = options.join_keys.then(|| JoinColumns::new(&name, &schema, &columns.url, options));
        if let Some(join) = &join {
            columns.join_keys = join.names();
            fields.extend(join.fields().map(Arc::new));
        }
        let schema = Arc::new(Schema::new(fields));
        Ok(Pages {
            name,
            format,
            columns,
            join,
            schema,
            read,
            damaged,
            time_formats: options.time_formats.clone(),
            missing_times: MissingTimes::default(),
            reader,
            is_over: false,
        })
    }

    /// Adds the times and the join columns to a batch.
    fn completed(&mut self, batch: &RecordBatch) -> Result<RecordBatch, ArrowError> {
        let mut columns = batch.columns().to_vec();
        columns.extend(self.columns.times(batch, &self.time_formats));
        if let Some(join) = &self.join {
            columns.extend(join.columns(batch, self.reader.crawl())?);
        }
        let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
        let completed = RecordBatch::try_new_with_options(self.schema.clone(), columns, &options)?;
        let PageColumns { seen_at, time_source, .. } = &self.columns;
        match seen_at.as_ref().and_then(|path| column_at(&completed, path)) {
            Some(times) => {
                let source = time_source.as_ref().and_then(|path| column_at(batch, path));
                self.missing_times.add(&times, source.as_ref());
            }
            None => self.missing_times.missing += batch.num_rows() as u64,
        }
        Ok(completed)
    }

    /// Returns the format.
    pub fn format(&self) -> ArchiveFormat {
        self.format
    }

    /// Returns the columns that describe a visit.
    pub fn columns(&self) -> &PageColumns {
        &self.columns
    }

    /// Returns the schema of every batch.
    pub fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    /// Returns the damage so far.
    pub fn damaged(&self) -> &Damaged {
        &self.damaged
    }

    /// Returns the counts of rows without a known time, in the batches so far.
    pub fn missing_times(&self) -> &MissingTimes {
        &self.missing_times
    }

    /// Returns the compressed sizes of the row groups of a Parquet file, in bytes. Other formats have no row groups.
    pub fn row_groups(&self) -> &[u64] {
        self.reader.row_groups()
    }

    /// Returns the usage statements of each page in the last batch, in the order of the rows. The list is empty if
    /// [`PageOptions::statements`] is not set, and for all formats except WARC.
    pub fn take_statements(&mut self) -> Vec<PageStatements> {
        self.reader.take_statements()
    }

    /// Returns a counter of the bytes that were read so far, before decompression.
    pub fn bytes_read(&self) -> Arc<AtomicU64> {
        self.read.clone()
    }
}

impl Iterator for Pages {
    type Item = Result<RecordBatch, ArchiveError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_over {
            return None;
        }
        let next = self.reader.next(&mut self.damaged);
        let batch = match next {
            Some(Ok(batch)) => batch,
            ended => {
                self.is_over = true;
                return ended;
            }
        };
        let completed = self.completed(&batch);
        Some(completed.map_err(|error| ArchiveError::broken(&self.name, self.format, error)))
    }
}

impl fmt::Debug for Pages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pages")
            .field("name", &self.name)
            .field("format", &self.format)
            .field("columns", &self.columns)
            .field("damaged", &self.damaged)
            .finish_non_exhaustive()
    }
}
