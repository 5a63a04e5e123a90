//! Parquet, read from several places of a file.
//!
//! The `parquet` crate trusts what a file says of itself in places, and panics where that is nonsense. What is known of
//! that is checked first; a panic that is left becomes an error of this file.

use std::any::Any;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::panic::{AssertUnwindSafe, catch_unwind};

use arrow_array::RecordBatch;
use bytes::Bytes;
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder};
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::metadata::ParquetMetaData;
use parquet::file::reader::{ChunkReader, Length};

use super::{Opened, Reader};
use crate::damage::Damaged;
use crate::error::ArchiveError;
use crate::format::ArchiveFormat;
use crate::input::{ArchiveInput, Place};
use crate::options::PageOptions;

pub(super) fn open(input: ArchiveInput, options: &PageOptions) -> Result<Opened, ArchiveError> {
    let name = input.name().to_owned();
    let place = input.into_place(ArchiveFormat::Parquet)?;
    let length = place.length().map_err(|error| ArchiveError::io(&name, error))?;
    let open = || {
        let builder = ParquetRecordBatchReaderBuilder::try_new(File { place, length })?;
        check(builder.metadata(), length)?;
        let schema = builder.schema().as_ref().clone();
        Ok((builder.with_batch_size(options.batch_rows).build()?, schema))
    };
    let (reader, schema) = caught(&name, || Some(open())).unwrap_or_else(|| Err(nothing_read(&name)))?;
    Ok(Opened {
        reader: Box::new(Parquet { name, reader }),
        schema,
        holds_url: None,
        damaged: Damaged::default(),
    })
}

fn nothing_read(name: &str) -> ArchiveError {
    ArchiveError::broken(name, ArchiveFormat::Parquet, "nothing could be read")
}

/// Refuses a file whose columns stand where no bytes are.
fn check(metadata: &ParquetMetaData, length: u64) -> ParquetResult<()> {
    for column in metadata.row_groups().iter().flat_map(|group| group.columns()) {
        let begins = column.dictionary_page_offset().unwrap_or_else(|| column.data_page_offset());
        let place = u64::try_from(begins).ok().zip(u64::try_from(column.compressed_size()).ok());
        let ends = place.and_then(|(begins, size)| begins.checked_add(size));
        let is_counted = column.num_values() >= 0 && column.data_page_offset() >= 0;
        if !is_counted || ends.is_none_or(|ends| ends > length) {
            let path = column.column_path().string();
            return Err(ParquetError::General(format!("the column `{path}` stands where no bytes are")));
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
    reader: ParquetRecordBatchReader,
}

impl Reader for Parquet {
    fn next(&mut self, _: &mut Damaged) -> Option<Result<RecordBatch, ArchiveError>> {
        let reader = &mut self.reader;
        caught(&self.name, || Some(reader.next()?.map_err(ParquetError::from)))
    }
}

/// A file as the `parquet` crate reads it.
struct File {
    place: Place,
    length: u64,
}

impl Length for File {
    fn len(&self) -> u64 {
        self.length
    }
}

impl ChunkReader for File {
    type T = BufReader<Place>;

    fn get_read(&self, start: u64) -> ParquetResult<Self::T> {
        let mut place = self.place.clone();
        place.seek(SeekFrom::Start(start))?;
        Ok(BufReader::new(place))
    }

    fn get_bytes(&self, start: u64, length: usize) -> ParquetResult<Bytes> {
        // A file cannot ask for more than it has.
        let end = start.checked_add(length as u64).filter(|end| *end <= self.length);
        if end.is_none() {
            return Err(ParquetError::EOF(format!("{length} bytes at {start} of {}", self.length)));
        }
        let mut bytes = Vec::with_capacity(length);
        self.place.from(start).take(length as u64).read_to_end(&mut bytes)?;
        if bytes.len() < length {
            return Err(ParquetError::EOF(format!("{} of {length} bytes at {start}", bytes.len())));
        }
        Ok(bytes.into())
    }
}
