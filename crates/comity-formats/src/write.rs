//! Writes tables to files: Parquet, CSV, JSON Lines.

use std::fmt;
use std::io::{self, BufWriter, Write};

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch, StringArray, make_array};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};

use parquet::errors::ParquetError;

use crate::error::ArchiveError;
use crate::format::{ArchiveFormat, Compression};
use crate::row_groups::RowGroupWriter;

/// File format of a table: Parquet, CSV or JSON Lines. CSV and JSON Lines may be compressed.
///
/// ```
/// use comity_formats::TableFormat;
///
/// assert_eq!(TableFormat::of_name("verdicts.csv.gz").map(|format| format.to_string()).as_deref(), Some("csv.gz"));
/// assert_eq!(TableFormat::of_name("verdicts.docx"), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableFormat {
    kind: Kind,
    compression: Compression,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Parquet,
    Csv,
    JsonLines,
}

impl TableFormat {
    /// The usual extensions that [`of_name`](TableFormat::of_name) accepts, for use in messages.
    pub const ENDINGS: [&str; 7] =
        [".parquet", ".csv", ".csv.gz", ".csv.zst", ".jsonl", ".jsonl.gz", ".jsonl.zst"];

    /// Returns the format for the extension of a file name.
    pub fn of_name(name: &str) -> Option<TableFormat> {
        let name = name.to_ascii_lowercase();
        let (stem, compression) = match name.rsplit_once('.')? {
            (stem, "gz") => (stem, Compression::Gzip),
            (stem, "zst") => (stem, Compression::Zstd),
            _ => (&*name, Compression::None),
        };
        let kind = match stem.rsplit_once('.')?.1 {
            "parquet" if compression == Compression::None => Kind::Parquet,
            "csv" => Kind::Csv,
            "json" | "jsonl" | "ndjson" => Kind::JsonLines,
            _ => return None,
        };
        Some(TableFormat { kind, compression })
    }
}

impl TableFormat {
    /// Checks whether the format supports the columns of a schema. `name` appears in the error.
    ///
    /// # Errors
    ///
    /// Returns [`ArchiveError`] if the format is CSV and a column has nested values. Lists of plain values are allowed.
    pub fn check(self, name: &str, schema: &Schema) -> Result<(), ArchiveError> {
        let is_flat = |kind: &DataType| !kind.is_nested();
        let fits = |field: &Field| match field.data_type() {
            DataType::List(item) | DataType::LargeList(item) => is_flat(item.data_type()),
            kind => is_flat(kind),
        };
        let nested = schema.fields().iter().find(|field| self.kind == Kind::Csv && !fits(field));
        match nested {
            Some(field) => {
                let problem =
                    format!("the column `{}` has nested values; write Parquet or JSON Lines", field.name());
                Err(ArchiveError::unwritable(name, ArchiveFormat::Csv, problem))
            }
            None => Ok(()),
        }
    }
}

impl fmt::Display for TableFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.kind {
            Kind::Parquet => "parquet",
            Kind::Csv => "csv",
            Kind::JsonLines => "jsonl",
        })?;
        f.write_str(match self.compression {
            Compression::Gzip => ".gz",
            Compression::Zstd => ".zst",
            _ => "",
        })
    }
}

/// Writes batches of one schema as a table.
///
/// ```
/// use std::sync::Arc;
///
/// use arrow_array::{ArrayRef, RecordBatch, StringArray};
/// use comity_formats::{TableFormat, TableWriter};
///
/// let urls: ArrayRef = Arc::new(StringArray::from(vec!["https://example.com/"]));
/// let batch = RecordBatch::try_from_iter([("url", urls)])?;
/// let format = TableFormat::of_name("urls.csv").expect("a known ending");
/// let mut writer = TableWriter::new("urls.csv", Vec::new(), format, batch.schema())?;
/// writer.write(&batch)?;
/// assert_eq!(writer.finish()?, b"url\nhttps://example.com/\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct TableWriter<W: Write + Send> {
    name: String,
    format: TableFormat,
    writer: Writer<W>,
}

enum Writer<W: Write + Send> {
    Parquet(Box<RowGroupWriter<W>>),
    Csv(Box<arrow_csv::Writer<Compressor<W>>>),
    JsonLines(Box<arrow_json::LineDelimitedWriter<Compressor<W>>>),
}

impl<W: Write + Send> TableWriter<W> {
    /// Creates a writer. `name` appears in error messages.
    ///
    /// # Errors
    ///
    /// Returns [`ArchiveError`] if the beginning of the file cannot be written, or if Parquet does not support
    /// the columns.
    pub fn new(
        name: impl Into<String>,
        bytes: W,
        format: TableFormat,
        schema: SchemaRef,
    ) -> Result<Self, ArchiveError> {
        let name = name.into();
        let writer = match format.kind {
            Kind::Parquet => {
                let writer = RowGroupWriter::new(bytes, schema)
                    .map_err(|error| ArchiveError::unwritable(&name, ArchiveFormat::Parquet, error))?;
                Writer::Parquet(Box::new(writer))
            }
            Kind::Csv => {
                let compressor = Compressor::new(bytes, format.compression)
                    .map_err(|error| ArchiveError::io(&name, error))?;
                Writer::Csv(Box::new(arrow_csv::WriterBuilder::new().with_header(true).build(compressor)))
            }
            Kind::JsonLines => {
                let compressor = Compressor::new(bytes, format.compression)
                    .map_err(|error| ArchiveError::io(&name, error))?;
                let builder = arrow_json::WriterBuilder::new().with_explicit_nulls(true);
                Writer::JsonLines(Box::new(builder.build(compressor)))
            }
        };
        Ok(TableWriter { name, format, writer })
    }

    /// Writes a batch.
    ///
    /// # Errors
    ///
    /// Returns [`ArchiveError`] if the batch cannot be written. Only Parquet checks that it has the columns of the schema.
    pub fn write(&mut self, batch: &RecordBatch) -> Result<(), ArchiveError> {
        let name = &self.name;
        let unwritable = |format| move |error| ArchiveError::unwritable(name, format, error);
        match &mut self.writer {
            Writer::Parquet(writer) => writer.write(batch).map_err(unwritable_parquet(name)),
            Writer::Csv(writer) => {
                let flat = in_utc(batch).and_then(|batch| with_lists_as_text(&batch));
                flat.and_then(|batch| writer.write(&batch)).map_err(unwritable(ArchiveFormat::Csv))
            }
            Writer::JsonLines(writer) => in_utc(batch)
                .and_then(|batch| writer.write(&batch))
                .map_err(unwritable(ArchiveFormat::JsonLines)),
        }
    }

    /// Finishes the table and returns the underlying writer. Without this call the file is incomplete.
    ///
    /// # Errors
    ///
    /// Returns [`ArchiveError`] if the rest cannot be written.
    pub fn finish(self) -> Result<W, ArchiveError> {
        let name = self.name;
        let io = |error| ArchiveError::io(&name, error);
        match self.writer {
            Writer::Parquet(writer) => writer.finish().map_err(unwritable_parquet(&name)),
            Writer::Csv(writer) => writer.into_inner().finish().map_err(io),
            Writer::JsonLines(mut writer) => {
                writer
                    .finish()
                    .map_err(|error| ArchiveError::unwritable(&name, ArchiveFormat::JsonLines, error))?;
                writer.into_inner().finish().map_err(io)
            }
        }
    }
}

impl<W: Write + Send> fmt::Debug for TableWriter<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TableWriter")
            .field("name", &self.name)
            .field("format", &self.format)
            .finish_non_exhaustive()
    }
}

fn unwritable_parquet(name: &str) -> impl Fn(ParquetError) -> ArchiveError {
    move |error| ArchiveError::unwritable(name, ArchiveFormat::Parquet, error)
}

/// Changes the zone of times to UTC. Text output contains the offset of a time, and the offset of a named zone would
/// require a time zone database.
fn in_utc(batch: &RecordBatch) -> Result<RecordBatch, ArrowError> {
    let zone = || Some("+00:00".into());
    let has_other_zone = |field: &Field| matches!(field.data_type(), DataType::Timestamp(_, Some(named)) if **named != *"+00:00");
    if !batch.schema_ref().fields().iter().any(|field| has_other_zone(field)) {
        return Ok(batch.clone());
    }
    let (mut fields, mut columns) = (Vec::new(), Vec::new());
    for (field, column) in batch.schema_ref().fields().iter().zip(batch.columns()) {
        match field.data_type() {
            // The values do not change, since timestamps are stored in UTC, regardless of their zone.
            DataType::Timestamp(unit, Some(_)) => {
                let data_type = DataType::Timestamp(*unit, zone());
                let data = column.to_data().into_builder().data_type(data_type.clone()).build()?;
                columns.push(make_array(data));
                fields.push(Arc::new(field.as_ref().clone().with_data_type(data_type)));
            }
            _ => {
                columns.push(column.clone());
                fields.push(field.clone());
            }
        }
    }
    RecordBatch::try_new(Arc::new(Schema::new(fields)), columns)
}

/// Joins the items of lists with spaces, since CSV has no lists.
fn with_lists_as_text(batch: &RecordBatch) -> Result<RecordBatch, ArrowError> {
    let is_list = |field: &Field| matches!(field.data_type(), DataType::List(_) | DataType::LargeList(_));
    if !batch.schema_ref().fields().iter().any(|field| is_list(field)) {
        return Ok(batch.clone());
    }
    let (mut fields, mut columns) = (Vec::new(), Vec::new());
    for (field, column) in batch.schema_ref().fields().iter().zip(batch.columns()) {
        let list = DataType::List(Arc::new(Field::new("item", DataType::Utf8, true)));
        let texts = is_list(field).then(|| arrow_cast::cast(column, &list)).transpose()?;
        match texts {
            Some(texts) => {
                let texts = texts.as_list::<i32>().iter().map(|texts| {
                    let texts = texts?;
                    let texts: Vec<&str> = texts.as_string::<i32>().iter().flatten().collect();
                    Some(texts.join(" "))
                });
                columns.push(Arc::new(texts.collect::<StringArray>()) as ArrayRef);
                fields.push(Arc::new(field.as_ref().clone().with_data_type(DataType::Utf8)));
            }
            None => {
                columns.push(column.clone());
                fields.push(field.clone());
            }
        }
    }
    RecordBatch::try_new(Arc::new(Schema::new(fields)), columns)
}

/// A writer that compresses its output, or writes it unchanged.
enum Compressor<W: Write> {
    Plain(BufWriter<W>),
    Gzip(flate2::write::GzEncoder<BufWriter<W>>),
    Zstd(zstd::stream::write::Encoder<'static, BufWriter<W>>),
}

impl<W: Write> Compressor<W> {
    fn new(bytes: W, compression: Compression) -> io::Result<Self> {
        let bytes = BufWriter::with_capacity(1 << 16, bytes);
        Ok(match compression {
            Compression::Gzip => {
                Compressor::Gzip(flate2::write::GzEncoder::new(bytes, flate2::Compression::default()))
            }
            Compression::Zstd => Compressor::Zstd(zstd::stream::write::Encoder::new(bytes, 0)?),
            _ => Compressor::Plain(bytes),
        })
    }

    fn finish(self) -> io::Result<W> {
        let bytes = match self {
            Compressor::Plain(bytes) => bytes,
            Compressor::Gzip(encoder) => encoder.finish()?,
            Compressor::Zstd(encoder) => encoder.finish()?,
        };
        bytes.into_inner().map_err(io::IntoInnerError::into_error)
    }
}

impl<W: Write> Write for Compressor<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Compressor::Plain(writer) => writer.write(bytes),
            Compressor::Gzip(writer) => writer.write(bytes),
            Compressor::Zstd(writer) => writer.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Compressor::Plain(writer) => writer.flush(),
            Compressor::Gzip(writer) => writer.flush(),
            Compressor::Zstd(writer) => writer.flush(),
        }
    }
}
