//! Writes Parquet in row groups of limited size.

use std::io::Write;

use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::SchemaRef;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::{ParquetError, Result};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;

use crate::shared_columns::SharedColumns;

/// Size at which a row group ends, in bytes. A row group is in memory until it is complete.
const MAX_BYTES: usize = 64 << 20;

/// Maximum number of rows in a row group.
const MAX_ROWS: usize = 1 << 20;

/// A writer of batches as Parquet.
pub(crate) struct RowGroupWriter<W: Write + Send> {
    file: SerializedFileWriter<W>,
    schema: SchemaRef,
    columns: SharedColumns,
    /// Number of rows in the current row group.
    rows: usize,
}

impl<W: Write + Send> RowGroupWriter<W> {
    pub(crate) fn new(bytes: W, schema: SchemaRef) -> Result<Self> {
        let compression = Compression::ZSTD(ZstdLevel::default());
        let properties = WriterProperties::builder().set_compression(compression).build();
        let writer = ArrowWriter::try_new(bytes, schema.clone(), Some(properties.clone()))?;
        let (file, writers) = writer.into_serialized_writer()?;
        let columns = SharedColumns::new(schema.clone(), properties, writers, file.schema_descr());
        Ok(RowGroupWriter { file, schema, columns, rows: 0 })
    }

    pub(crate) fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        let arrays = self.arrays(batch)?;
        let mut at = 0;
        while at < batch.num_rows() {
            let left = MAX_ROWS.saturating_sub(self.rows);
            let rows = at..at + left.min(batch.num_rows() - at);
            at = rows.end;
            self.rows += rows.len();
            self.columns.write(self.file.flushed_row_groups().len(), &arrays, rows)?;
            if self.rows >= MAX_ROWS || self.columns.size() > MAX_BYTES {
                self.end_group()?;
            }
        }
        Ok(())
    }

    /// Returns the arrays of a batch. Checks their types against the schema.
    fn arrays<'a>(&self, batch: &'a RecordBatch) -> Result<Vec<&'a ArrayRef>> {
        let fields = self.schema.fields().iter().enumerate();
        let arrays = fields.map(|(number, field)| {
            let array = batch.columns().get(number);
            array.filter(|array| array.data_type() == field.data_type()).ok_or_else(|| {
                ParquetError::General(format!(
                    "a batch has no column `{}` with the type in the schema",
                    field.name()
                ))
            })
        });
        arrays.collect()
    }

    fn end_group(&mut self) -> Result<()> {
        let rows = std::mem::take(&mut self.rows);
        let encoded = self.columns.end()?;
        if rows == 0 {
            return Ok(());
        }
        let mut group = self.file.next_row_group()?;
        for (column, encoded) in encoded.into_iter().enumerate() {
            self.columns.append(column, encoded, &mut group)?;
        }
        group.close()?;
        Ok(())
    }

    pub(crate) fn finish(mut self) -> Result<W> {
        self.end_group()?;
        self.file.into_inner()
    }
}
