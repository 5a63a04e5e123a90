//! A Parquet file as a chunk source for the `parquet` crate.

use std::io::{BufReader, Read, Seek, SeekFrom};

use bytes::Bytes;
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::reader::{ChunkReader, Length};

use crate::input::Place;

/// A file that is read in chunks.
#[derive(Clone)]
pub(crate) struct ParquetFile {
    place: Place,
    length: u64,
}

impl ParquetFile {
    pub(crate) fn new(place: Place, length: u64) -> Self {
        ParquetFile { place, length }
    }
}

impl Length for ParquetFile {
    fn len(&self) -> u64 {
        self.length
    }
}

impl ChunkReader for ParquetFile {
    type T = BufReader<Place>;

    fn get_read(&self, start: u64) -> ParquetResult<Self::T> {
        let mut place = self.place.clone();
        place.seek(SeekFrom::Start(start))?;
        Ok(BufReader::new(place))
    }

    fn get_bytes(&self, start: u64, length: usize) -> ParquetResult<Bytes> {
        // The range has to lie within the file.
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
