//! Adapts a file to the `parquet` crate, which reads byte ranges.

use std::io::{BufReader, Read, Seek, SeekFrom};

use bytes::Bytes;
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::reader::{ChunkReader, Length};

use crate::input::FileReader;

/// A Parquet file from which byte ranges are read.
#[derive(Clone)]
pub(crate) struct ParquetFile {
    reader: FileReader,
    length: u64,
}

impl ParquetFile {
    pub(crate) fn new(reader: FileReader, length: u64) -> Self {
        ParquetFile { reader, length }
    }
}

impl Length for ParquetFile {
    fn len(&self) -> u64 {
        self.length
    }
}

impl ChunkReader for ParquetFile {
    type T = BufReader<FileReader>;

    fn get_read(&self, start: u64) -> ParquetResult<Self::T> {
        let mut reader = self.reader.clone();
        reader.seek(SeekFrom::Start(start))?;
        Ok(BufReader::new(reader))
    }

    fn get_bytes(&self, start: u64, length: usize) -> ParquetResult<Bytes> {
        let end = start.checked_add(length as u64).filter(|end| *end <= self.length);
        if end.is_none() {
            return Err(ParquetError::EOF(format!("{length} bytes at {start} of {}", self.length)));
        }
        let mut bytes = Vec::with_capacity(length);
        self.reader.at_position(start).take(length as u64).read_to_end(&mut bytes)?;
        if bytes.len() < length {
            return Err(ParquetError::EOF(format!("{} of {length} bytes at {start}", bytes.len())));
        }
        Ok(bytes.into())
    }
}
