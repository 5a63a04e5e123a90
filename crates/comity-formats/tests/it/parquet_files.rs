//! Helpers that read written Parquet files.

use arrow_array::RecordBatch;
use bytes::Bytes;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::file::metadata::ParquetMetaData;
use parquet::file::reader::{FileReader as _, SerializedFileReader};

/// Returns all rows as one batch.
pub(crate) fn read(bytes: Vec<u8>) -> RecordBatch {
    let reader = ParquetRecordBatchReaderBuilder::try_new(Bytes::from(bytes)).unwrap().build().unwrap();
    let batches: Vec<RecordBatch> = reader.map(Result::unwrap).collect();
    arrow_select::concat::concat_batches(&batches[0].schema(), &batches).unwrap()
}

/// Returns the metadata of a file.
pub(crate) fn metadata(bytes: &[u8]) -> ParquetMetaData {
    SerializedFileReader::new(Bytes::from(bytes.to_vec())).unwrap().metadata().clone()
}
