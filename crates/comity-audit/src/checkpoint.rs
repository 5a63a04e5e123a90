//! The results of inputs that are done, so that a job that was stopped goes on behind them.
//!
//! A checkpoint is a folder, which one job at a time has open: the system gives it free when the process ends, however that
//! happens. Each part of a job, which is one input or several, has two files in it: its rows, and what they
//! add up to. The second is written last, and a part without it is done anew.

use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use arrow_array::RecordBatch;
use arrow_ipc::reader::StreamReader;
use arrow_ipc::writer::StreamWriter;
use arrow_schema::Schema;
use comity_answers::files;
use serde::{Deserialize, Serialize};

use crate::audit::JobTotals;
use crate::error::AuditError;
use crate::manifest::ManifestInput;

impl PartDone {
    /// Describes a part.
    pub(crate) fn new(files: String, inputs: Vec<ManifestInput>, totals: JobTotals) -> PartDone {
        PartDone { files, inputs, totals }
    }
}

/// A folder with the parts of a job that are done.
#[derive(Debug)]
pub(crate) struct Checkpoint {
    folder: PathBuf,
    lock: File,
}

/// A part that is done.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct PartDone {
    /// What the files were when they were read: a part is done anew if one of them changed.
    pub(crate) files: String,
    /// The inputs.
    pub(crate) inputs: Vec<ManifestInput>,
    /// What their rows add up to.
    pub(crate) totals: JobTotals,
}

impl Checkpoint {
    /// Opens the folder, or makes it. `job` says what is asked, and by which answers; a folder of another job is refused, and
    /// so is one that another process has open.
    pub(crate) fn open(folder: &Path, job: &str) -> Result<Checkpoint, AuditError> {
        fs::create_dir_all(folder).map_err(AuditError::Scratch)?;
        let lock = lock(&folder.join("lock")).map_err(AuditError::Scratch)?;
        let lock = lock.ok_or_else(|| AuditError::InUse(folder.to_owned()))?;
        let checkpoint = Checkpoint { folder: folder.to_owned(), lock };
        let path = folder.join("job.json");
        match fs::read(&path) {
            Ok(known) if known == job.as_bytes() => Ok(checkpoint),
            Ok(_) => Err(AuditError::OtherJob(folder.to_owned())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                whole(&path, job.as_bytes())?;
                Ok(checkpoint)
            }
            Err(error) => Err(AuditError::Scratch(error)),
        }
    }

    /// Returns the folder.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    fn path(&self, part: usize, ending: &str) -> PathBuf {
        self.folder.join(format!("{part:06}.{ending}"))
    }

    /// Returns what a part came to, if it is done. `files` says what its files are now.
    pub(crate) fn done(&self, part: usize, files: &str) -> Result<Option<PartDone>, AuditError> {
        let path = self.path(part, "json");
        match File::open(&path) {
            Ok(file) => {
                let done = serde_json::from_reader(BufReader::new(file));
                let done: PartDone = done.map_err(|error| AuditError::damaged(&path, &path, None, &error))?;
                let is_as_it_was = done.files == files && self.path(part, "arrow").is_file();
                Ok(is_as_it_was.then_some(done))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(AuditError::Scratch(error)),
        }
    }

    /// Begins a part with rows of this schema.
    pub(crate) fn begin(&self, part: usize, schema: &Schema) -> Result<PartRows, AuditError> {
        // What is known of the part as it was is no longer true.
        match fs::remove_file(self.path(part, "json")) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(AuditError::Scratch(error)),
            _ => {}
        }
        let file = File::create(self.path(part, "arrow")).map_err(AuditError::Scratch)?;
        Ok(PartRows { writer: StreamWriter::try_new(BufWriter::new(file), schema)? })
    }

    /// Ends a part. From here on it is done.
    pub(crate) fn end(
        &self,
        part: usize,
        mut rows: PartRows,
        done: PartDone,
    ) -> Result<PartDone, AuditError> {
        rows.writer.finish()?;
        let file = rows
            .writer
            .into_inner()?
            .into_inner()
            .map_err(|error| AuditError::Scratch(error.into_error()))?;
        file.sync_all().map_err(AuditError::Scratch)?;
        let json = serde_json::to_vec(&done).map_err(|error| AuditError::Scratch(error.into()))?;
        whole(&self.path(part, "json"), &json)?;
        Ok(done)
    }

    /// Returns the rows of a part that is done.
    pub(crate) fn rows(
        &self,
        part: usize,
    ) -> Result<impl Iterator<Item = Result<RecordBatch, AuditError>> + use<>, AuditError> {
        let (path, done) = (self.path(part, "arrow"), self.path(part, "json"));
        let file = open_whole(&path).map_err(|error| AuditError::damaged(&path, &done, None, &error))?;
        let batches = StreamReader::try_new(BufReader::new(file), None)
            .map_err(|error| AuditError::damaged(&path, &done, None, &error))?;
        Ok(batches.enumerate().map(move |(number, batch)| {
            batch.map_err(|error| AuditError::damaged(&path, &done, Some(number as u64 + 1), &error))
        }))
    }

    /// Removes the folder, when the result of the whole job is in its place.
    pub(crate) fn remove(self) -> Result<(), AuditError> {
        let Checkpoint { folder, lock } = self;
        // Some systems do not remove a file that is open.
        #[cfg(not(unix))]
        drop(lock);
        let removed = fs::remove_dir_all(&folder).map_err(AuditError::Scratch);
        #[cfg(unix)]
        drop(lock);
        removed
    }
}

/// The rows of a part that is being done.
pub(crate) struct PartRows {
    writer: StreamWriter<BufWriter<File>>,
}

impl PartRows {
    /// Writes rows.
    pub(crate) fn write(&mut self, batch: &RecordBatch) -> Result<(), AuditError> {
        Ok(self.writer.write(batch)?)
    }
}

impl std::fmt::Debug for PartRows {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PartRows").finish_non_exhaustive()
    }
}

/// Opens rows that were written to their end. The reader takes a file that is cut between two batches for a shorter one.
fn open_whole(path: &Path) -> io::Result<File> {
    /// The end of a stream in Arrow's format.
    const END: [u8; 8] = [0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0];
    let mut file = File::open(path)?;
    let mut end = [0; END.len()];
    let is_whole = file.seek(SeekFrom::End(-8)).and_then(|_| file.read_exact(&mut end)).is_ok() && end == END;
    if !is_whole {
        return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "it was cut off"));
    }
    file.rewind()?;
    Ok(file)
}

/// Opens a file that one process at a time has open. Returns `None` if another has.
fn lock(path: &Path) -> io::Result<Option<File>> {
    /// The folder goes when a job ends, and another job may have opened the file just before.
    const ATTEMPTS: usize = 3;
    for _ in 0..ATTEMPTS {
        match files::lock(path, File::options().create(true).append(true)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                fs::create_dir_all(path.parent().unwrap_or(path))?;
            }
            locked => return locked,
        }
    }
    Ok(None)
}

/// Writes a file that is whole or not there.
fn whole(path: &Path, bytes: &[u8]) -> Result<(), AuditError> {
    let beside = path.with_extension("part");
    let write = || -> io::Result<()> {
        let mut file = File::create(&beside)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&beside, path)
    };
    write().map_err(AuditError::Scratch)
}
