//! Parquet, read from several places of a file.
//!
//! The `parquet` crate trusts what a file says of itself in places, and panics where that is nonsense. What is known of
//! that is checked first; a panic that is left becomes an error of this file.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use arrow_array::RecordBatch;
use parquet::arrow::ProjectionMask;
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
use crate::row_groups::{self, RowGroup};

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
    Ok(Opened {
        reader: Box::new(Parquet {
            name,
            file,
            metadata,
            batch_rows: options.batch_rows,
            group: 0,
            reader: None,
            rows: 0,
            copied: None,
            opened: None,
        }),
        schema,
        holds_url: None,
        damaged: Damaged::default(),
    })
}

fn nothing_read(name: &str) -> ArchiveError {
    ArchiveError::broken(name, ArchiveFormat::Parquet, "nothing could be read")
}

/// Refuses a file whose columns stand where no bytes are, or are compressed in a way that is not read.
fn check(metadata: &ParquetMetaData, length: u64) -> ParquetResult<()> {
    let refused = |text: String| Err(ParquetError::General(text));
    for column in metadata.row_groups().iter().flat_map(|group| group.columns()) {
        let path = || column.column_path().string();
        let unread = match column.compression() {
            // Its library brings tables for writing that take half a megabyte.
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

/// Runs what reads a file; a panic in it is an error of the file.
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
    /// The group that is read next.
    group: usize,
    /// The rows of the group before it that are left.
    reader: Option<ParquetRecordBatchReader>,
    /// How many rows of it were read.
    rows: usize,
    copied: Option<Copied>,
    /// The group whose first rows are the next batch, if columns are copied.
    opened: Option<RowGroup>,
}

fn all_rows(rows: usize, stated: usize) -> ParquetResult<()> {
    match rows == stated {
        true => Ok(()),
        false => Err(ParquetError::General(format!("{rows} of {stated} rows are there"))),
    }
}

/// The columns that are copied, and those that batches have. A column may be both.
struct Copied {
    columns: Arc<[bool]>,
    decoded: Vec<usize>,
}

impl Parquet {
    fn open_group(&self, group: usize) -> ParquetResult<ParquetRecordBatchReader> {
        self.open_columns(group, self.copied.as_ref().map(|copied| copied.decoded.clone()))
    }

    /// Opens some columns of a group, or all.
    fn open_columns(
        &self,
        group: usize,
        columns: Option<Vec<usize>>,
    ) -> ParquetResult<ParquetRecordBatchReader> {
        let builder =
            ParquetRecordBatchReaderBuilder::new_with_metadata(self.file.clone(), self.metadata.clone());
        let builder = builder.with_row_groups(vec![group]).with_batch_size(self.batch_rows);
        match columns {
            Some(columns) => {
                let columns = ProjectionMask::roots(builder.parquet_schema(), columns);
                builder.with_projection(columns).build()
            }
            None => builder.build(),
        }
    }

    /// Returns a group whose columns are copied, if any are. All its columns are decoded once, so that none is copied that
    /// cannot be read: the pages of a damaged file may well be unpacked, and fail only then.
    fn copied_group(&self, group: usize) -> ParquetResult<Option<RowGroup>> {
        let Some(copied) = &self.copied else { return Ok(None) };
        let unseen: Vec<usize> =
            (0..copied.columns.len()).filter(|column| !copied.decoded.contains(column)).collect();
        let row_group =
            RowGroup::new(self.file.clone(), self.metadata.metadata().clone(), group, copied.columns.clone());
        if !unseen.is_empty() {
            let mut rows = 0;
            for batch in self.open_columns(group, Some(unseen))? {
                rows += batch?.num_rows();
            }
            all_rows(rows, row_group.rows())?;
        }
        Ok(Some(row_group))
    }

    /// Returns an error if a group has other rows than it says. Its copied columns would have those.
    fn is_whole(&self) -> ParquetResult<()> {
        let group = self.reader.as_ref().and(self.copied.as_ref()).and(self.group.checked_sub(1));
        let stated = group.map(|group| self.metadata.metadata().row_group(group).num_rows());
        stated.map_or(Ok(()), |stated| all_rows(self.rows, usize::try_from(stated).unwrap_or_default()))
    }

    fn batch(&mut self) -> Option<ParquetResult<RecordBatch>> {
        Some(self.reader.as_mut()?.next()?.map_err(ParquetError::from))
    }
}

impl Reader for Parquet {
    fn next(&mut self, damaged: &mut Damaged) -> Option<Result<RecordBatch, ArchiveError>> {
        loop {
            let name = self.name.clone();
            let failed = match caught(&name, || self.batch()) {
                Some(Ok(batch)) => {
                    self.rows += batch.num_rows();
                    return Some(Ok(batch));
                }
                Some(Err(error)) => Some(error),
                None => caught(&name, || Some(self.is_whole())).and_then(Result::err),
            };
            self.reader = None;
            if let Some(error) = failed {
                damaged.note(self.group as u64, format!("the rest of this group of rows: {error}"));
                if self.copied.is_some() {
                    return None;
                }
            }
            if self.group >= self.metadata.metadata().num_row_groups() {
                return None;
            }
            let group = self.group;
            self.group += 1;
            let open =
                || Some(self.copied_group(group).and_then(|copied| Ok((copied, self.open_group(group)?))));
            match caught(&name, open) {
                Some(Ok((opened, reader))) => {
                    self.opened = opened;
                    self.reader = Some(reader);
                    self.rows = 0;
                }
                Some(Err(error)) => {
                    damaged.note(self.group as u64, format!("this group of rows: {error}"));
                    if self.copied.is_some() {
                        return None;
                    }
                }
                None => {}
            }
        }
    }

    fn copy_columns(&mut self, needed: &[usize]) -> Option<Vec<usize>> {
        let columns = || row_groups::copied(self.metadata.metadata(), self.metadata.schema()).transpose();
        // What cannot be copied is decoded, and what is wrong with it is said then.
        let columns: Arc<[bool]> = caught(&self.name, columns)?.ok()?.into();
        let must =
            |(column, is_copied): (usize, &bool)| (needed.contains(&column) || !is_copied).then_some(column);
        let decoded: Vec<usize> = columns.iter().enumerate().filter_map(must).collect();
        self.copied = Some(Copied { columns, decoded: decoded.clone() });
        Some(decoded)
    }

    fn take_row_group(&mut self) -> Option<RowGroup> {
        self.opened.take()
    }
}
