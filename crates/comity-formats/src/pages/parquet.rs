//! Reads Parquet from a seekable file.
//!
//! The `parquet` crate does not validate all metadata, and panics on some invalid values. Known cases are checked first. Any
//! other panic is converted to an error of the file.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use arrow_array::RecordBatch;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder,
};
use parquet::basic::Compression;
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::metadata::ParquetMetaData;

use super::{OpenedReader, Reader};
use crate::damage::Damaged;
use crate::error::ArchiveError;
use crate::format::ArchiveFormat;
use crate::input::ArchiveInput;
use crate::options::PageOptions;
use crate::parquet_file::ParquetFile;

pub(super) fn open(input: ArchiveInput, options: &PageOptions) -> Result<OpenedReader, ArchiveError> {
    let name = input.name().to_owned();
    let reader = input.into_file(ArchiveFormat::Parquet)?;
    let length = reader.length().map_err(|error| ArchiveError::io(&name, error))?;
    let file = ParquetFile::new(reader, length);
    let open = || {
        let metadata = ArrowReaderMetadata::load(&file, ArrowReaderOptions::new())?;
        check(metadata.metadata(), length)?;
        Ok(metadata)
    };
    let metadata = catch_panic(&name, || Some(open())).unwrap_or_else(|| Err(without_metadata(&name)))?;
    let schema = metadata.schema().as_ref().clone();
    let all = metadata.metadata().row_groups();
    let sizes: Vec<u64> =
        all.iter().map(|group| u64::try_from(group.compressed_size()).unwrap_or_default()).collect();
    let groups = options.row_groups.clone().unwrap_or(0..sizes.len());
    let groups = groups.start..groups.end.min(sizes.len());
    Ok(OpenedReader {
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
        url_index: None,
        damaged: Damaged::default(),
    })
}

fn without_metadata(name: &str) -> ArchiveError {
    ArchiveError::broken(name, ArchiveFormat::Parquet, "the metadata could not be read")
}

/// Rejects a file whose columns lie outside of the file, or have an unsupported compression.
fn check(metadata: &ParquetMetaData, length: u64) -> ParquetResult<()> {
    let rejected = |text: String| Err(ParquetError::General(text));
    for column in metadata.row_groups().iter().flat_map(|group| group.columns()) {
        let path = || column.column_path().string();
        let unsupported = match column.compression() {
            // The Brotli library would add half a megabyte of encoder tables to the program.
            Compression::BROTLI(_) => Some("Brotli"),
            Compression::LZO => Some("LZO"),
            _ => None,
        };
        if let Some(unsupported) = unsupported {
            return rejected(format!(
                "the column `{}` is compressed with {unsupported}, which is not supported; write the file with zstd",
                path()
            ));
        }
        let begins = column.dictionary_page_offset().unwrap_or_else(|| column.data_page_offset());
        let location = u64::try_from(begins).ok().zip(u64::try_from(column.compressed_size()).ok());
        let ends = location.and_then(|(begins, size)| begins.checked_add(size));
        let is_counted = column.num_values() >= 0 && column.data_page_offset() >= 0;
        if !is_counted || ends.is_none_or(|ends| ends > length) {
            return rejected(format!("the column `{}` lies outside of the file", path()));
        }
    }
    Ok(())
}

/// Runs code that reads a file, and converts a panic to an error of the file.
fn catch_panic<T>(
    name: &str,
    read: impl FnOnce() -> Option<Result<T, ParquetError>>,
) -> Option<Result<T, ArchiveError>> {
    let message = |panic: Box<dyn Any + Send>| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        text.or_else(|| panic.downcast_ref::<&str>().copied())
            .unwrap_or("the Parquet parser failed")
            .to_owned()
    };
    match catch_unwind(AssertUnwindSafe(read)) {
        Ok(read) => Some(read?.map_err(|error| ArchiveError::broken(name, ArchiveFormat::Parquet, error))),
        Err(panic) => Some(Err(ArchiveError::broken(name, ArchiveFormat::Parquet, message(panic)))),
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
    /// The compressed sizes of all row groups, in bytes.
    sizes: Vec<u64>,
    /// The reader of the current row group.
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
            match catch_panic(&name, || self.batch()) {
                Some(Ok(batch)) => return Some(Ok(batch)),
                Some(Err(error)) => {
                    damaged.note(
                        self.group as u64,
                        format!("the rest of this row group cannot be read: {error}"),
                    );
                }
                None => {}
            }
            self.reader = None;
            if self.group >= self.end {
                return None;
            }
            let group = self.group;
            self.group += 1;
            match catch_panic(&name, || Some(self.open_group(group))) {
                Some(Ok(reader)) => self.reader = Some(reader),
                Some(Err(error)) => {
                    damaged.note(self.group as u64, format!("this row group cannot be read: {error}"))
                }
                None => {}
            }
        }
    }
}
