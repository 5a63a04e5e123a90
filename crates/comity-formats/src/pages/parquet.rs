//! Parquet, read from a seekable file.
//!
//! The `parquet` crate does not validate all metadata of a file, and panics if some values are nonsense. Known cases are checked
//! first; any other panic becomes an error of this file.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use arrow_array::RecordBatch;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder,
};
use parquet::basic::Compression;
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::metadata::ParquetMetaData;

use super::{Opened, Reader};
use crate::damage::Damaged;
use crate::error::ArchiveError;
use crate::format::ArchiveFormat;
use crate::input::ArchiveInput;
use crate::options::PageOptions;
use crate::parquet_file::ParquetFile;

pub(super) fn open(input: ArchiveInput, options: &PageOptions) -> Result<Opened, ArchiveError> {
    let name = input.name().to_owned();
    let place = input.into_place(ArchiveFormat::Parquet)?;
    let length = place.length().map_err(|error| ArchiveError::io(&name, error))?;
    let file = ParquetFile::new(place, length);
    let open = || {
        let metadata = ArrowReaderMetadata::load(&file, ArrowReaderOptions::new())?;
        check(metadata.metadata(), length)?;
        Ok(metadata)
    };
    let metadata = caught(&name, || Some(open())).unwrap_or_else(|| Err(nothing_read(&name)))?;
    let schema = metadata.schema().as_ref().clone();
    let all = metadata.metadata().row_groups();
    let sizes: Vec<u64> =
        all.iter().map(|group| u64::try_from(group.compressed_size()).unwrap_or_default()).collect();
    let groups = options.row_groups.clone().unwrap_or(0..sizes.len());
    let groups = groups.start..groups.end.min(sizes.len());
    Ok(Opened {
        reader: Box::new(Parquet {
            name,
            file,
            metadata,
            batch_rows: options.batch_rows,
            group: groups.start,
            end: groups.end,
            sizes,
            reader: None,
        }),
        schema,
        holds_url: None,
        damaged: Damaged::default(),
    })
}

fn nothing_read(name: &str) -> ArchiveError {
    ArchiveError::broken(name, ArchiveFormat::Parquet, "nothing could be read")
}

/// Rejects a file whose columns lie outside of the file, or have an unsupported compression.
fn check(metadata: &ParquetMetaData, length: u64) -> ParquetResult<()> {
    let refused = |text: String| Err(ParquetError::General(text));
    for column in metadata.row_groups().iter().flat_map(|group| group.columns()) {
        let path = || column.column_path().string();
        let unread = match column.compression() {
            // The Brotli library contains tables for writing that take half a megabyte.
            Compression::BROTLI(_) => Some("Brotli"),
            Compression::LZO => Some("LZO"),
            _ => None,
        };
        if let Some(unread) = unread {
            return refused(format!(
                "the column `{}` is compressed with {unread}, which is not read; write the file with zstd",
                path()
            ));
        }
        let begins = column.dictionary_page_offset().unwrap_or_else(|| column.data_page_offset());
        let place = u64::try_from(begins).ok().zip(u64::try_from(column.compressed_size()).ok());
        let ends = place.and_then(|(begins, size)| begins.checked_add(size));
        let is_counted = column.num_values() >= 0 && column.data_page_offset() >= 0;
        if !is_counted || ends.is_none_or(|ends| ends > length) {
            return refused(format!("the column `{}` stands where no bytes are", path()));
        }
    }
    Ok(())
}

/// Runs code that reads a file, and converts a panic to an error of the file.
fn caught<T>(
    name: &str,
    read: impl FnOnce() -> Option<Result<T, ParquetError>>,
) -> Option<Result<T, ArchiveError>> {
    let told = |panic: Box<dyn Any + Send>| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("its reader gave up").to_owned()
    };
    match catch_unwind(AssertUnwindSafe(read)) {
        Ok(read) => Some(read?.map_err(|error| ArchiveError::broken(name, ArchiveFormat::Parquet, error))),
        Err(panic) => Some(Err(ArchiveError::broken(name, ArchiveFormat::Parquet, told(panic)))),
    }
}

struct Parquet {
    name: String,
    file: ParquetFile,
    metadata: ArrowReaderMetadata,
    batch_rows: usize,
    /// Index of the next row group.
    group: usize,
    /// Index after the last row group that is read.
    end: usize,
    /// The stored sizes of all row groups.
    sizes: Vec<u64>,
    /// Remaining rows of the previous group.
    reader: Option<ParquetRecordBatchReader>,
}

impl Parquet {
    fn open_group(&self, group: usize) -> ParquetResult<ParquetRecordBatchReader> {
        let builder =
            ParquetRecordBatchReaderBuilder::new_with_metadata(self.file.clone(), self.metadata.clone());
        builder.with_row_groups(vec![group]).with_batch_size(self.batch_rows).build()
    }

    fn batch(&mut self) -> Option<ParquetResult<RecordBatch>> {
        Some(self.reader.as_mut()?.next()?.map_err(ParquetError::from))
    }
}

impl Reader for Parquet {
    fn row_groups(&self) -> &[u64] {
        &self.sizes
    }

    fn next(&mut self, damaged: &mut Damaged) -> Option<Result<RecordBatch, ArchiveError>> {
        loop {
            let name = self.name.clone();
            match caught(&name, || self.batch()) {
                Some(Ok(batch)) => return Some(Ok(batch)),
                Some(Err(error)) => {
                    damaged.note(self.group as u64, format!("the rest of this group of rows: {error}"));
                }
                None => {}
            }
            self.reader = None;
            if self.group >= self.end {
                return None;
            }
            let group = self.group;
            self.group += 1;
            match caught(&name, || Some(self.open_group(group))) {
                Some(Ok(reader)) => self.reader = Some(reader),
                Some(Err(error)) => damaged.note(self.group as u64, format!("this group of rows: {error}")),
                None => {}
            }
        }
    }
}
