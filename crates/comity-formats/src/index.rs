//! The index of robots.txt answers, a Parquet file.

use std::fmt;
use std::io::Write;

use arrow_array::RecordBatch;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::schema::types::ColumnPath;

use crate::captures::Captures;
use crate::error::ArchiveError;
use crate::format::ArchiveFormat;

/// A writer of batches with the columns of [`Captures::schema`] as Parquet. `comity-arrow`, Spark and Ray can read the file.
pub struct CaptureIndexWriter<W: Write + Send> {
    name: String,
    writer: ArrowWriter<W>,
    rows: u64,
}

impl<W: Write + Send> CaptureIndexWriter<W> {
    /// Creates a writer. `name` appears in error messages.
    ///
    /// # Errors
    ///
    /// Returns [`ArchiveError`] if the beginning of the file cannot be written.
    pub fn new(name: impl Into<String>, bytes: W) -> Result<Self, ArchiveError> {
        let name = name.into();
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            // Most sites return the same body for years. The dictionary stores each distinct body once per row group, up to
            // 64 MiB.
            .set_column_dictionary_page_size_limit(ColumnPath::from("body"), 64 << 20)
            .set_column_statistics_enabled(ColumnPath::from("body"), EnabledStatistics::None)
            .set_max_row_group_row_count(Some(128 * 1024))
            .set_max_row_group_bytes(Some(64 << 20))
            .build();
        let writer = ArrowWriter::try_new(bytes, Captures::schema(), Some(properties))
            .map_err(|error| ArchiveError::unwritable(&name, ArchiveFormat::Parquet, error))?;
        Ok(CaptureIndexWriter { name, writer, rows: 0 })
    }

    /// Writes a batch.
    ///
    /// # Errors
    ///
    /// Returns [`ArchiveError`] if the batch has other columns, or cannot be written.
    pub fn write(&mut self, batch: &RecordBatch) -> Result<(), ArchiveError> {
        self.rows += batch.num_rows() as u64;
        self.writer
            .write(batch)
            .map_err(|error| ArchiveError::unwritable(&self.name, ArchiveFormat::Parquet, error))
    }

    /// Finishes the index, and returns the number of rows. Without this call, the file is not readable.
    ///
    /// # Errors
    ///
    /// Returns [`ArchiveError`] if the rest cannot be written.
    pub fn finish(self) -> Result<u64, ArchiveError> {
        self.writer
            .close()
            .map_err(|error| ArchiveError::unwritable(&self.name, ArchiveFormat::Parquet, error))?;
        Ok(self.rows)
    }
}

impl<W: Write + Send> fmt::Debug for CaptureIndexWriter<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CaptureIndexWriter")
            .field("name", &self.name)
            .field("rows", &self.rows)
            .finish_non_exhaustive()
    }
}
