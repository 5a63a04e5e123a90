//! Files for what does not fit into memory. They are gone when the job ends, however it ends.

use std::fmt;
use std::fs::{self, File};
use std::io::{BufReader, BufWriter};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_ipc::reader::StreamReader;
use arrow_ipc::writer::StreamWriter;
use tempfile::TempDir;

use crate::error::JobError;

/// A folder of a job's own.
#[derive(Debug)]
pub(crate) struct Scratch {
    folder: TempDir,
}

impl Scratch {
    /// Makes a folder in another.
    pub(crate) fn new(within: &Path) -> Result<Scratch, JobError> {
        let folder =
            tempfile::Builder::new().prefix(".comity-").tempdir_in(within).map_err(JobError::Scratch)?;
        Ok(Scratch { folder })
    }
}

/// Batches by part, in a file for each.
pub(crate) struct PartWriter {
    scratch: Arc<Scratch>,
    name: &'static str,
    writers: Vec<Option<StreamWriter<BufWriter<File>>>>,
}

impl PartWriter {
    pub(crate) fn new(scratch: &Arc<Scratch>, name: &'static str, parts: usize) -> PartWriter {
        PartWriter { scratch: scratch.clone(), name, writers: (0..parts).map(|_| None).collect() }
    }

    pub(crate) fn write(&mut self, part: usize, batch: &RecordBatch) -> Result<(), JobError> {
        let path = path(&self.scratch, self.name, part);
        let Some(writer) = self.writers.get_mut(part).filter(|_| batch.num_rows() > 0) else { return Ok(()) };
        let writer = match writer {
            Some(writer) => writer,
            None => {
                let file =
                    BufWriter::with_capacity(1 << 15, File::create_new(path).map_err(JobError::Scratch)?);
                writer.insert(StreamWriter::try_new(file, &batch.schema())?)
            }
        };
        Ok(writer.write(batch)?)
    }

    /// Ends all files.
    pub(crate) fn finish(self) -> Result<PartReader, JobError> {
        for mut writer in self.writers.into_iter().flatten() {
            writer.finish()?;
        }
        Ok(PartReader { scratch: self.scratch, name: self.name })
    }
}

impl fmt::Debug for PartWriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PartWriter").field("name", &self.name).finish_non_exhaustive()
    }
}

/// Batches by part, as they were written.
#[derive(Debug)]
pub(crate) struct PartReader {
    scratch: Arc<Scratch>,
    name: &'static str,
}

/// The batches of one part.
pub(crate) type PartBatches = StreamReader<BufReader<File>>;

impl PartReader {
    /// Returns the batches of a part; `None` if it has none.
    pub(crate) fn read(&self, part: usize) -> Result<Option<PartBatches>, JobError> {
        match File::open(path(&self.scratch, self.name, part)) {
            Ok(file) => Ok(Some(StreamReader::try_new(BufReader::with_capacity(1 << 15, file), None)?)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(JobError::Scratch(error)),
        }
    }

    /// Gives the space of a part back.
    pub(crate) fn remove(&self, part: usize) {
        // What is left is removed with the folder.
        let _ = fs::remove_file(path(&self.scratch, self.name, part));
    }
}

fn path(scratch: &Scratch, name: &str, part: usize) -> PathBuf {
    scratch.folder.path().join(format!("{name}-{part}"))
}
