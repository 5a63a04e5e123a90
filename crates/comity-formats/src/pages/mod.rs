//! Pages: a row for each visit that an input tells of, in batches, with whatever columns the input has.
//!
//! | file | formats |
//! |---|---|
//! | `delimited.rs` | CSV, TSV, CDX, lists of URLs |
//! | `json.rs` | JSON Lines, CDXJ |
//! | `parquet.rs` | Parquet |
//! | `warc.rs` | WARC |
//!
//! What the pages of a WARC file say of their use stands in `statements.rs`.

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

use crate::columns::PageColumns;
use crate::damage::Damaged;
use crate::error::ArchiveError;
use crate::format::{ArchiveFormat, Compression};
use crate::input::ArchiveInput;
use crate::join::JoinColumns;
use crate::options::PageOptions;

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
    /// The columns for joins, if they are asked for.
    join: Option<JoinColumns>,
    schema: SchemaRef,
    read: Arc<AtomicU64>,
    damaged: Damaged,
    reader: Box<dyn Reader>,
    is_over: bool,
}

/// A reader of one family of formats: batches with the columns of the input.
pub(crate) trait Reader: Send {
    /// Reads the next batch; `None` at the end.
    fn next(&mut self, damaged: &mut Damaged) -> Option<Result<RecordBatch, ArchiveError>>;

    /// Returns what the pages of the last batch say of their use, if the format holds answers.
    fn take_statements(&mut self) -> Vec<PageStatements> {
        Vec::new()
    }

    /// Returns the crawl that the archive says the pages of the last batch are from.
    fn crawl(&self) -> Option<&str> {
        None
    }
}

/// A reader, the columns of its batches, and the one that holds URLs by its content.
pub(crate) struct Opened {
    pub reader: Box<dyn Reader>,
    pub schema: Schema,
    holds_url: Option<usize>,
    /// What could not be read on the way.
    pub damaged: Damaged,
}

/// Opens the reader of a format.
pub(crate) fn open_reader(
    input: ArchiveInput,
    compression: Compression,
    format: ArchiveFormat,
    options: &PageOptions,
) -> Result<Opened, ArchiveError> {
    match format {
        ArchiveFormat::Parquet => parquet::open(input, options),
        ArchiveFormat::Wacz => {
            Err(ArchiveError::broken(input.name(), format, "its members are inputs of their own"))
        }
        ArchiveFormat::Warc => warc::open(input, compression, options),
        ArchiveFormat::JsonLines | ArchiveFormat::Cdxj => json::open(input, compression, format, options),
        ArchiveFormat::Csv | ArchiveFormat::Tsv | ArchiveFormat::Urls | ArchiveFormat::Cdx => {
            delimited::open(input, compression, format, options)
        }
    }
}

impl Pages {
    /// Opens an input: finds out its format, its columns, and which of them are about a visit.
    ///
    /// # Errors
    ///
    /// [`ArchiveError`] if the bytes cannot be read, are in no format that is known, or no column holds URLs.
    pub fn open(input: ArchiveInput, options: &PageOptions) -> Result<Pages, ArchiveError> {
        let (name, read) = (input.name().to_owned(), input.bytes_read());
        let (input, compression, format) = input.look(options.format)?;
        let Opened { reader, schema, holds_url, damaged } = open_reader(input, compression, format, options)?;
        let mut columns = PageColumns::find(&name, &schema, options, holds_url)?;
        let mut fields: Vec<Arc<Field>> = schema.fields().iter().cloned().collect();
        fields.extend(columns.time_field().map(Arc::new));
        let join = options.join_keys.then(|| JoinColumns::new(&name, &schema, &columns.url, options));
        if let Some(join) = &join {
            columns.join_keys = join.names();
            fields.extend(join.fields().map(Arc::new));
        }
        let schema = Arc::new(Schema::new(fields));
        Ok(Pages { name, format, columns, join, schema, read, damaged, reader, is_over: false })
    }

    /// Adds the columns that are made to those of the input.
    fn completed(&self, batch: &RecordBatch) -> Result<RecordBatch, ArrowError> {
        let mut columns = batch.columns().to_vec();
        columns.extend(self.columns.times(batch));
        if let Some(join) = &self.join {
            columns.extend(join.columns(batch, self.reader.crawl())?);
        }
        let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
        RecordBatch::try_new_with_options(self.schema.clone(), columns, &options)
    }

    /// Returns the format.
    pub fn format(&self) -> ArchiveFormat {
        self.format
    }

    /// Returns the columns that are about a visit.
    pub fn columns(&self) -> &PageColumns {
        &self.columns
    }

    /// Returns the schema of every batch.
    pub fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    /// Returns what could not be read so far.
    pub fn damaged(&self) -> &Damaged {
        &self.damaged
    }

    /// Returns what each page of the last batch says of its use, in the order of its rows. It is empty if
    /// [`PageOptions::statements`] does not ask for it, or the format holds no answers: only WARC does.
    pub fn take_statements(&mut self) -> Vec<PageStatements> {
        self.reader.take_statements()
    }

    /// Returns a count of the bytes that were read so far, compressed as they are.
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
        let broken = |error| ArchiveError::broken(&self.name, self.format, error);
        Some(self.completed(&batch).map_err(broken))
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
