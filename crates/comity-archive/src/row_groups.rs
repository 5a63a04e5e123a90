//! Groups of rows of Parquet: the columns of an input that are copied as they are, and the writer that puts others beside them.

use std::fmt;
use std::io::Write;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{Schema, SchemaRef};
use parquet::arrow::{ArrowSchemaConverter, ArrowWriter};
use parquet::basic::{Compression, ZstdLevel};
use parquet::column::writer::ColumnCloseResult;
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData, RowGroupMetaData};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;

use crate::parquet_file::ParquetFile;
use crate::shared_columns::SharedColumns;

/// A group of rows ends when it takes so many bytes, since it is kept in memory until then. Columns are copied only if those
/// that are not take no more in each group.
const MOST_BYTES: usize = 64 << 20;

/// A group of rows ends when it has so many. Columns of larger groups are not copied, since what is put beside them is kept
/// in memory until the group ends.
const MOST_ROWS: usize = 1 << 20;

/// Columns are copied only if a group has so many rows on average: the groups of a result follow those of its input, and
/// small ones make a table that is slow to read.
const FEWEST_ROWS: usize = 8192;

/// A group of rows of a Parquet input of which columns are copied, not encoded anew: see
/// [`PageOptions::copy_columns`](crate::PageOptions::copy_columns).
///
/// A copied column keeps its compression and its statistics. A Bloom filter and an index of pages are left behind.
#[derive(Clone)]
pub struct RowGroup {
    file: ParquetFile,
    metadata: Arc<ParquetMetaData>,
    number: usize,
    /// Which columns of the input are copied.
    copied: Arc<[bool]>,
}

impl RowGroup {
    pub(crate) fn new(
        file: ParquetFile,
        metadata: Arc<ParquetMetaData>,
        number: usize,
        copied: Arc<[bool]>,
    ) -> RowGroup {
        RowGroup { file: file.uncounted(), metadata, number, copied }
    }

    /// Returns how many rows it has.
    pub fn rows(&self) -> usize {
        usize::try_from(self.group().num_rows()).unwrap_or_default()
    }

    fn group(&self) -> &RowGroupMetaData {
        self.metadata.row_group(self.number)
    }

    fn copies(&self, column: usize) -> bool {
        self.copied.get(column).copied().unwrap_or_default()
    }

    /// Returns the chunks of a column: one for each leaf of it.
    fn chunks(&self, column: usize) -> impl Iterator<Item = &ColumnChunkMetaData> {
        let schema = self.metadata.file_metadata().schema_descr();
        let chunks = self.group().columns().iter().enumerate();
        chunks.filter(move |(leaf, _)| schema.get_column_root_idx(*leaf) == column).map(|(_, chunk)| chunk)
    }
}

impl fmt::Debug for RowGroup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RowGroup").field("number", &self.number).field("rows", &self.rows()).finish()
    }
}

/// Returns which columns of a file can be copied into a table with the same Arrow columns: those that the table would have
/// in the same form. Returns `None` if no column can be copied, or if the groups of rows are too large or too small for a table.
pub(crate) fn copied(metadata: &ParquetMetaData, schema: &Schema) -> Result<Option<Vec<bool>>> {
    let rows = metadata.row_groups().iter().map(|group| usize::try_from(group.num_rows()).ok());
    let Some(rows) = rows.collect::<Option<Vec<usize>>>() else { return Ok(None) };
    let is_fit = rows.iter().all(|rows| *rows <= MOST_ROWS)
        && rows.iter().sum::<usize>() >= FEWEST_ROWS.saturating_mul(rows.len().max(1));
    let written = ArrowSchemaConverter::new().convert(schema)?;
    let (written, own) = (written.root_schema(), metadata.file_metadata().schema_descr());
    let (written, fields) = (written.get_fields(), own.root_schema().get_fields());
    let is_unclear = fields
        .iter()
        .enumerate()
        .any(|(place, field)| fields.iter().take(place).any(|before| before.name() == field.name()));
    if !is_fit || is_unclear || written.len() != fields.len() {
        return Ok(None);
    }
    let mut copied: Vec<bool> = written.iter().zip(fields).map(|(one, other)| one == other).collect();
    for chunks in metadata.row_groups().iter().map(RowGroupMetaData::columns) {
        for (leaf, chunk) in chunks.iter().enumerate() {
            // What stands in another file is not read.
            if chunk.file_path().is_some()
                && let Some(copied) = copied.get_mut(own.get_column_root_idx(leaf))
            {
                *copied = false;
            }
        }
    }
    let is_copied = |leaf| copied.get(own.get_column_root_idx(leaf)).copied().unwrap_or_default();
    let is_small = |group: &RowGroupMetaData| {
        let chunks = group.columns().iter().enumerate().filter(|(leaf, _)| !is_copied(*leaf));
        let mut sizes = chunks.map(|(_, chunk)| usize::try_from(chunk.uncompressed_size()).ok());
        sizes.try_fold(0_usize, |sum, size| sum.checked_add(size?)).is_some_and(|sum| sum <= MOST_BYTES)
    };
    let is_fit = copied.contains(&true) && metadata.row_groups().iter().all(is_small);
    Ok(is_fit.then_some(copied))
}

/// Writes batches as Parquet. A group of rows may have columns that are copied.
pub(crate) struct RowGroupWriter<W: Write + Send> {
    file: SerializedFileWriter<W>,
    schema: SchemaRef,
    /// The columns that are not copied.
    columns: SharedColumns,
    rows: usize,
    /// The group that the next rows stand beside.
    copied: Option<RowGroup>,
}

impl<W: Write + Send> RowGroupWriter<W> {
    pub(crate) fn new(bytes: W, schema: SchemaRef) -> Result<Self> {
        let compression = Compression::ZSTD(ZstdLevel::default());
        let properties = WriterProperties::builder().set_compression(compression).build();
        let writer = ArrowWriter::try_new(bytes, schema.clone(), Some(properties.clone()))?;
        let (file, writers) = writer.into_serialized_writer()?;
        let columns = SharedColumns::new(schema.clone(), properties, writers, file.schema_descr());
        Ok(RowGroupWriter { file, schema, columns, rows: 0, copied: None })
    }

    /// Begins a group of rows with columns that are copied. The next batches are to have all others, for all of its rows.
    pub(crate) fn begin(&mut self, group: RowGroup) -> Result<()> {
        self.end_group()?;
        self.copied = Some(group);
        Ok(())
    }

    pub(crate) fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        let mut at = 0;
        while at < batch.num_rows() {
            let left = match &self.copied {
                Some(_) => usize::MAX,
                None => MOST_ROWS.saturating_sub(self.rows),
            };
            let rows = at..at + left.min(batch.num_rows() - at);
            at = rows.end;
            self.rows += rows.len();
            let arrays = self.arrays(batch)?;
            self.columns.write(self.file.flushed_row_groups().len(), &arrays, rows)?;
            let is_whole = match &self.copied {
                Some(group) => self.rows >= group.rows(),
                None => self.rows >= MOST_ROWS || self.columns.size() > MOST_BYTES,
            };
            if is_whole {
                self.end_group()?;
            }
        }
        Ok(())
    }

    /// Returns the arrays of a batch by the columns of the table, `None` for those that are copied.
    fn arrays<'a>(&self, batch: &'a RecordBatch) -> Result<Vec<Option<&'a ArrayRef>>> {
        let mut arrays = Vec::with_capacity(self.schema.fields().len());
        for (number, field) in self.schema.fields().iter().enumerate() {
            let array = match &self.copied {
                Some(group) if group.copies(number) => {
                    arrays.push(None);
                    continue;
                }
                Some(_) => batch.column_by_name(field.name()),
                None => batch.columns().get(number),
            };
            let array = array.filter(|array| array.data_type() == field.data_type()).ok_or_else(|| {
                ParquetError::General(format!("a batch has no column `{}` of its type", field.name()))
            })?;
            arrays.push(Some(array));
        }
        Ok(arrays)
    }

    fn end_group(&mut self) -> Result<()> {
        let copied = self.copied.take();
        let rows = std::mem::take(&mut self.rows);
        let mut encoded = self.columns.end()?;
        if let Some(group) = copied.as_ref().filter(|group| group.rows() != rows) {
            let text = format!("{rows} rows are beside a group of {}", group.rows());
            return Err(ParquetError::General(text));
        }
        if rows == 0 {
            return Ok(());
        }
        let mut written = self.file.next_row_group()?;
        for number in 0..self.schema.fields().len() {
            match copied.as_ref().filter(|group| group.copies(number)) {
                Some(group) => {
                    for chunk in group.chunks(number) {
                        let close = ColumnCloseResult {
                            bytes_written: u64::try_from(chunk.compressed_size()).unwrap_or_default(),
                            rows_written: rows as u64,
                            metadata: chunk.clone(),
                            bloom_filter: None,
                            column_index: None,
                            offset_index: None,
                        };
                        written.append_column(&group.file, close)?;
                    }
                }
                None => {
                    if let Some(encoded) = encoded.remove(&number) {
                        self.columns.append(number, encoded, &mut written)?;
                    }
                }
            }
        }
        written.close()?;
        Ok(())
    }

    pub(crate) fn finish(mut self) -> Result<W> {
        self.end_group()?;
        self.file.into_inner()
    }
}
