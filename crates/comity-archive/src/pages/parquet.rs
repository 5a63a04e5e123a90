//! Parquet, read from several places of a file.

use std::io::{BufReader, Read, Seek, SeekFrom};

use arrow_array::RecordBatch;
use bytes::Bytes;
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder};
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::reader::{ChunkReader, Length};

use super::{Opened, PageOptions, Reader};
use crate::damage::Damaged;
use crate::error::ArchiveError;
use crate::format::Format;
use crate::input::{Input, Place};

pub(super) fn open(input: Input, options: &PageOptions) -> Result<Opened, ArchiveError> {
    let name = input.name().to_owned();
    let place = input.into_place(Format::Parquet)?;
    let length = place.length().map_err(|error| ArchiveError::io(&name, error))?;
    let broken = |error| ArchiveError::broken(&name, Format::Parquet, error);
    let builder = ParquetRecordBatchReaderBuilder::try_new(File { place, length }).map_err(broken)?;
    let schema = builder.schema().as_ref().clone();
    let reader = builder.with_batch_size(options.batch_rows).build().map_err(broken)?;
    Ok(Opened {
        reader: Box::new(Parquet { name, reader }),
        schema,
        holds_url: None,
        damaged: Damaged::default(),
    })
}

struct Parquet {
    name: String,
    reader: ParquetRecordBatchReader,
}

impl Reader for Parquet {
    fn next(&mut self, _: &mut Damaged) -> Option<Result<RecordBatch, ArchiveError>> {
        let next = self.reader.next()?;
        Some(next.map_err(|error| ArchiveError::broken(&self.name, Format::Parquet, error)))
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
