//! Encodes the columns of a Parquet row group. Columns that refer to the same array in every batch are encoded once.
//!
//! Such columns share a writer. At the end of the group, the output of the writer is copied for each column. If a later batch
//! has different arrays for these columns, the writer is split: its rows so far are read back, and encoded again for each new
//! writer.

use std::collections::HashMap;
use std::io::Write;
use std::ops::Range;
use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_schema::{Field, Schema, SchemaRef};
use bytes::Bytes;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::arrow::arrow_writer::{ArrowColumnWriter, ArrowRowGroupWriterFactory, compute_leaves};
use parquet::column::writer::ColumnCloseResult;
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedRowGroupWriter;
use parquet::schema::types::{ColumnDescPtr, SchemaDescriptor};

/// Number of rows that are read back at once when a writer is split.
const ROWS_AT_ONCE: usize = 8192;

/// The writers of the columns, for one row group at a time.
pub(crate) struct SharedColumns {
    schema: SchemaRef,
    properties: WriterProperties,
    factory: ArrowRowGroupWriterFactory,
    /// The Parquet column descriptors of the leaves of each column.
    leaves: Vec<Vec<ColumnDescPtr>>,
    writers: Vec<SharedWriter>,
    /// True for columns that were split off from a larger set of columns. They do not share a writer in later groups, so that a
    /// column is split off only once.
    alone: Vec<bool>,
}

/// A writer for columns that refer to the same array in every batch of the group so far.
struct SharedWriter {
    columns: Vec<usize>,
    leaves: Vec<ArrowColumnWriter>,
    /// True if the writer was created by a split. The next split creates a writer for each column, so that no row is read back
    /// more than twice.
    is_split: bool,
}

/// The encoded data of a column in a group.
pub(crate) enum EncodedColumn {
    /// The writers of the leaves of the column.
    Own(Vec<ArrowColumnWriter>),
    /// The encoded data of another column that refers to the same array.
    Shared(Arc<ColumnFile>),
}

impl SharedColumns {
    pub(crate) fn new(
        schema: SchemaRef,
        properties: WriterProperties,
        factory: ArrowRowGroupWriterFactory,
        written: &SchemaDescriptor,
    ) -> SharedColumns {
        let mut leaves = vec![Vec::new(); schema.fields().len()];
        for (leaf, column) in written.columns().iter().enumerate() {
            leaves
                .get_mut(written.get_column_root_idx(leaf))
                .into_iter()
                .for_each(|of| of.push(column.clone()));
        }
        let alone = vec![false; leaves.len()];
        SharedColumns { schema, properties, factory, leaves, writers: Vec::new(), alone }
    }

    /// Writes rows of a batch into the row group with this number. `arrays` are the columns of the batch.
    pub(crate) fn write(&mut self, group: usize, arrays: &[&ArrayRef], rows: Range<usize>) -> Result<()> {
        match self.writers.is_empty() {
            true => self.begin(group, arrays)?,
            false => self.split(group, arrays)?,
        }
        for writer in &mut self.writers {
            let first = writer.columns.first().copied().unwrap_or_default();
            if let Some(array) = arrays.get(first) {
                let array = array.slice(rows.start, rows.len());
                encode(self.schema.field(first), &array, [&mut writer.leaves])?;
            }
        }
        Ok(())
    }

    /// Returns the encoded size of the group so far, in bytes. A shared writer counts once for each of its columns.
    pub(crate) fn size(&self) -> usize {
        let size = |writer: &SharedWriter| {
            let leaves = writer.leaves.iter().map(ArrowColumnWriter::get_estimated_total_bytes);
            leaves.sum::<usize>() * writer.columns.len()
        };
        self.writers.iter().map(size).sum()
    }

    /// Finishes the group, and returns the encoded columns in the order of the schema.
    pub(crate) fn end(&mut self) -> Result<Vec<EncodedColumn>> {
        let mut ended = Vec::with_capacity(self.leaves.len());
        for writer in std::mem::take(&mut self.writers) {
            match writer.columns[..] {
                [column] => {
                    ended.push((column, EncodedColumn::Own(writer.leaves)));
                }
                _ => {
                    let file = Arc::new(self.file_of(writer.leaves, &writer.columns)?);
                    let shared =
                        writer.columns.iter().map(|column| (*column, EncodedColumn::Shared(file.clone())));
                    ended.extend(shared);
                }
            }
        }
        ended.sort_unstable_by_key(|(column, _)| *column);
        Ok(ended.into_iter().map(|(_, encoded)| encoded).collect())
    }

    /// Appends an encoded column to the row group of the file.
    pub(crate) fn append<W: Write + Send>(
        &self,
        column: usize,
        encoded: EncodedColumn,
        group: &mut SerializedRowGroupWriter<'_, W>,
    ) -> Result<()> {
        match encoded {
            EncodedColumn::Own(writers) => {
                writers.into_iter().try_for_each(|writer| writer.close()?.append_to_row_group(group))
            }
            EncodedColumn::Shared(file) => {
                file.append_to(group, self.leaves.get(column).into_iter().flatten())
            }
        }
    }

    /// Starts a group with its first batch.
    fn begin(&mut self, group: usize, arrays: &[&ArrayRef]) -> Result<()> {
        let (alone, others): (Vec<usize>, Vec<usize>) =
            (0..self.leaves.len()).partition(|column| self.alone.get(*column).copied().unwrap_or_default());
        let shares =
            self.shares(&others, arrays).into_iter().chain(alone.into_iter().map(|column| vec![column]));
        self.writers = self.new_writers(group, shares.collect(), false)?;
        Ok(())
    }

    /// Splits the writers whose columns are different arrays in this batch.
    fn split(&mut self, group: usize, arrays: &[&ArrayRef]) -> Result<()> {
        for writer in std::mem::take(&mut self.writers) {
            let shares = match writer.columns.len() {
                1 => Vec::new(),
                _ => self.shares(&writer.columns, arrays),
            };
            match shares.len() > 1 {
                true => {
                    let parts = self.parts(group, writer, shares)?;
                    self.writers.extend(parts);
                }
                false => self.writers.push(writer),
            }
        }
        Ok(())
    }

    /// Replaces a writer by several writers with its rows so far. `shares` are the columns of each new writer.
    fn parts(
        &mut self,
        group: usize,
        writer: SharedWriter,
        shares: Vec<Vec<usize>>,
    ) -> Result<Vec<SharedWriter>> {
        let SharedWriter { columns, leaves, is_split } = writer;
        let largest = shares.iter().enumerate().rev().max_by_key(|(_, share)| share.len());
        let largest = largest.map(|(number, _)| number);
        let others = shares.iter().enumerate().filter(|(number, _)| Some(*number) != largest);
        for column in others.flat_map(|(_, share)| share) {
            self.alone.get_mut(*column).into_iter().for_each(|alone| *alone = true);
        }
        let file = self.file_of(leaves, &columns)?;
        let shares = match is_split {
            true => columns.into_iter().map(|column| vec![column]).collect(),
            false => shares,
        };
        let mut parts = self.new_writers(group, shares, true)?;
        for array in file.arrays()? {
            encode(&file.field, &array?, parts.iter_mut().map(|part| &mut part.leaves))?;
        }
        Ok(parts)
    }

    /// Groups columns that refer to the same array and have equal encodings. Groups are in the order of their first columns.
    fn shares(&self, columns: &[usize], arrays: &[&ArrayRef]) -> Vec<Vec<usize>> {
        let mut shares: Vec<Vec<usize>> = Vec::new();
        let mut known: HashMap<*const (), usize> = HashMap::new();
        for column in columns {
            let Some(array) = arrays.get(*column) else { continue };
            let share = *known.entry(Arc::as_ptr(*array).cast()).or_insert(shares.len());
            let is_alike = |first: &usize| is_alike(self.schema.field(*first), self.schema.field(*column));
            match shares.get_mut(share).filter(|share| share.first().is_some_and(is_alike)) {
                Some(share) => share.push(*column),
                None => shares.push(vec![*column]),
            }
        }
        shares
    }

    fn new_writers(
        &self,
        group: usize,
        shares: Vec<Vec<usize>>,
        is_split: bool,
    ) -> Result<Vec<SharedWriter>> {
        let mut leaves = self.factory.create_column_writers(group)?.into_iter();
        let mut of_columns: Vec<Vec<ArrowColumnWriter>> =
            self.leaves.iter().map(|of_column| leaves.by_ref().take(of_column.len()).collect()).collect();
        let mut writer = |columns: Vec<usize>| {
            let first = columns.first().and_then(|first| of_columns.get_mut(*first));
            SharedWriter { leaves: first.map(std::mem::take).unwrap_or_default(), columns, is_split }
        };
        Ok(shares.into_iter().map(&mut writer).collect())
    }

    fn file_of(&self, leaves: Vec<ArrowColumnWriter>, columns: &[usize]) -> Result<ColumnFile> {
        let first = columns.first().copied().unwrap_or_default();
        ColumnFile::new(Arc::new(self.schema.field(first).clone()), leaves, self.properties.clone())
    }
}

/// An encoded column as a Parquet file in memory, from which it can be copied or read back.
pub(crate) struct ColumnFile {
    field: Arc<Field>,
    bytes: Bytes,
    metadata: ParquetMetaData,
}

impl ColumnFile {
    fn new(
        field: Arc<Field>,
        leaves: Vec<ArrowColumnWriter>,
        properties: WriterProperties,
    ) -> Result<ColumnFile> {
        let schema = Arc::new(Schema::new(vec![field.clone()]));
        let mut bytes = Vec::new();
        let writer = ArrowWriter::try_new(&mut bytes, schema, Some(properties))?;
        let (mut file, _) = writer.into_serialized_writer()?;
        let mut group = file.next_row_group()?;
        for leaf in leaves {
            leaf.close()?.append_to_row_group(&mut group)?;
        }
        group.close()?;
        let metadata = file.close()?;
        Ok(ColumnFile { field, bytes: bytes.into(), metadata })
    }

    /// Copies the column into a row group under the names of other leaves.
    fn append_to<'a, W: Write + Send>(
        &self,
        group: &mut SerializedRowGroupWriter<'_, W>,
        leaves: impl Iterator<Item = &'a ColumnDescPtr>,
    ) -> Result<()> {
        let pages = self.metadata.page_index_for_row_group(0);
        let own = self.metadata.row_groups().first();
        let chunks =
            own.into_iter().flat_map(|group| group.columns().iter().map(move |chunk| (group, chunk)));
        for (number, ((own, chunk), leaf)) in chunks.zip(leaves).enumerate() {
            let close = ColumnCloseResult {
                bytes_written: u64::try_from(chunk.compressed_size()).unwrap_or_default(),
                rows_written: u64::try_from(own.num_rows()).unwrap_or_default(),
                metadata: described_as(leaf, chunk)?,
                bloom_filter: None,
                column_index: pages.column_index(number).cloned(),
                offset_index: pages.offset_index(number).cloned(),
            };
            group.append_column(&self.bytes, close)?;
        }
        Ok(())
    }

    /// Decodes the column, and returns its arrays.
    fn arrays(&self) -> Result<impl Iterator<Item = Result<ArrayRef>>> {
        let reader = ParquetRecordBatchReaderBuilder::try_new(self.bytes.clone())?;
        let batches = reader.with_batch_size(ROWS_AT_ONCE).build()?;
        Ok(batches.map(|batch| {
            let array = batch?.columns().first().cloned();
            array.ok_or_else(|| ParquetError::General("a column has no array".to_owned()))
        }))
    }
}

/// Encodes an array for several writers.
fn encode<'a>(
    field: &Field,
    array: &ArrayRef,
    writers: impl IntoIterator<Item = &'a mut Vec<ArrowColumnWriter>>,
) -> Result<()> {
    let leaves = compute_leaves(field, array)?;
    for writers in writers {
        for (leaf, writer) in leaves.iter().zip(writers) {
            writer.write(leaf)?;
        }
    }
    Ok(())
}

/// Returns whether equal arrays are encoded identically in two columns.
fn is_alike(one: &Field, other: &Field) -> bool {
    one.data_type() == other.data_type()
        && one.is_nullable() == other.is_nullable()
        && one.metadata() == other.metadata()
}

/// Returns the metadata of a column whose bytes are copied from another column.
fn described_as(column: &ColumnDescPtr, other: &ColumnChunkMetaData) -> Result<ColumnChunkMetaData> {
    let mut builder = ColumnChunkMetaData::builder(column.clone())
        .set_compression_codec(other.compression_codec())
        .set_encodings_mask(*other.encodings_mask())
        .set_num_values(other.num_values())
        .set_total_compressed_size(other.compressed_size())
        .set_total_uncompressed_size(other.uncompressed_size())
        .set_data_page_offset(other.data_page_offset())
        .set_dictionary_page_offset(other.dictionary_page_offset())
        .set_unencoded_byte_array_data_bytes(other.unencoded_byte_array_data_bytes())
        .set_repetition_level_histogram(other.repetition_level_histogram().cloned())
        .set_definition_level_histogram(other.definition_level_histogram().cloned());
    if let Some(statistics) = other.statistics() {
        builder = builder.set_statistics(statistics.clone());
    }
    if let Some(pages) = other.page_encoding_stats() {
        builder = builder.set_page_encoding_stats(pages.clone());
    }
    builder.build()
}

#[cfg(test)]
mod tests {
    use arrow_array::{BooleanArray, StringArray};
    use arrow_schema::DataType;

    use super::*;

    /// Returns a number of boolean columns, followed by a text column.
    fn columns(flags: usize) -> SharedColumns {
        let flags = (0..flags).map(|number| Field::new(format!("flag {number}"), DataType::Boolean, true));
        let fields: Vec<Field> = flags.chain([Field::new("text", DataType::Utf8, true)]).collect();
        let (schema, properties) = (Arc::new(Schema::new(fields)), WriterProperties::default());
        let writer = ArrowWriter::try_new(Vec::new(), schema.clone(), Some(properties.clone())).unwrap();
        let (file, factory) = writer.into_serialized_writer().unwrap();
        SharedColumns::new(schema, properties, factory, file.schema_descr())
    }

    /// Writes a batch in which boolean columns with equal numbers refer to the same array. Returns the columns of each writer.
    fn write<const N: usize>(columns: &mut SharedColumns, flags: [usize; N]) -> Vec<Vec<usize>> {
        let distinct: [ArrayRef; 4] =
            std::array::from_fn(|_| Arc::new(BooleanArray::from(vec![true, false])) as ArrayRef);
        let text: ArrayRef = Arc::new(StringArray::from(vec!["a", "b"]));
        let arrays: Vec<&ArrayRef> = flags.iter().map(|flag| &distinct[*flag]).chain([&text]).collect();
        columns.write(0, &arrays, 0..2).unwrap();
        let mut shares: Vec<Vec<usize>> =
            columns.writers.iter().map(|writer| writer.columns.clone()).collect();
        shares.sort();
        shares
    }

    #[test]
    fn columns_share_a_writer_until_a_batch_has_different_arrays() {
        let mut columns = columns(4);
        assert_eq!(write(&mut columns, [0, 0, 0, 0]), [vec![0, 1, 2, 3], vec![4]]);
        assert_eq!(write(&mut columns, [1, 1, 1, 1]), [vec![0, 1, 2, 3], vec![4]]);
        assert_eq!(write(&mut columns, [0, 1, 1, 1]), [vec![0], vec![1, 2, 3], vec![4]]);
        assert_eq!(write(&mut columns, [0, 0, 0, 0]), [vec![0], vec![1, 2, 3], vec![4]]);
        // A second split creates single columns.
        assert_eq!(write(&mut columns, [0, 0, 0, 1]), [vec![0], vec![1], vec![2], vec![3], vec![4]]);
        assert_eq!(columns.end().unwrap().len(), 5);
        // Columns that were split off no longer share a writer.
        assert_eq!(write(&mut columns, [0, 0, 0, 0]), [vec![0], vec![1, 2], vec![3], vec![4]]);
    }

    #[test]
    fn columns_that_differ_in_the_first_batch_may_share_a_writer_in_the_next_group() {
        let mut columns = columns(2);
        assert_eq!(write(&mut columns, [0, 1]), [[0], [1], [2]]);
        columns.end().unwrap();
        assert_eq!(write(&mut columns, [0, 0]), [vec![0, 1], vec![2]]);
    }

    #[test]
    fn size_of_a_shared_writer_counts_for_each_column() {
        let mut sizes = [0; 2];
        for (size, flags) in sizes.iter_mut().zip([[0, 0, 0], [0, 1, 2]]) {
            let mut columns = columns(3);
            write(&mut columns, flags);
            *size = columns.size();
        }
        assert!(sizes[0] > 0);
        assert_eq!(sizes[0], sizes[1]);
    }
}
