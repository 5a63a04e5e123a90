//! Checkpoints: results of finished parts, from which a stopped job can resume.
//!
//! A checkpoint is a folder that a job locks, so that only one job at a time can open it. The system releases the lock
//! when the process ends, even if the process is killed. A part of a job is one input, several inputs, or some row
//! groups of a Parquet file. Each part has two files in the folder: its rows and its totals. The totals are written
//! last, and a part without totals is run again.

use std::borrow::Cow;
use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use arrow_array::RecordBatch;
use arrow_ipc::reader::StreamReader;
use arrow_ipc::writer::StreamWriter;
use arrow_schema::{ArrowError, Schema};
use comity_answers::files;
use serde::{Deserialize, Serialize};
use zstd::stream::read::Decoder;
use zstd::stream::write::Encoder;

use crate::audit::JobTotals;
use crate::error::AuditError;
use crate::manifest::ManifestInput;

impl PartDone {
    /// Creates the description of a finished part.
    pub(crate) fn new(files: String, inputs: Vec<ManifestInput>, totals: JobTotals) -> PartDone {
        PartDone { files, inputs, totals }
    }
}

/// Level of the compression: speed matters more than size.
const LEVEL: i32 = 1;

/// A folder with the finished parts of a job.
#[derive(Debug)]
pub(crate) struct Checkpoint {
    folder: PathBuf,
    lock: File,
    started: SystemTime,
}

/// The file that identifies the job of a checkpoint.
#[derive(Debug, Serialize, Deserialize)]
struct CheckpointJob<'a> {
    /// Start of the first run (RFC 3339). It counts as now in all runs, so that all parts are decided as of one time.
    started: Cow<'a, str>,
    /// The request and the state of its answers.
    job: Cow<'a, str>,
}

/// A finished part.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct PartDone {
    /// State of the files when they were read: a part is run again if one of them changed.
    pub(crate) files: String,
    /// The inputs.
    pub(crate) inputs: Vec<ManifestInput>,
    /// The totals of their rows.
    pub(crate) totals: JobTotals,
}

impl Checkpoint {
    /// Opens or creates the folder. `job` identifies the request and its answers, and `started` is the start of this run.
    /// Returns an error if the folder belongs to another job, or another process has it open.
    pub(crate) fn open(folder: &Path, job: &str, started: SystemTime) -> Result<Checkpoint, AuditError> {
        fs::create_dir_all(folder).map_err(AuditError::Scratch)?;
        let lock = lock(&folder.join("lock")).map_err(AuditError::Scratch)?;
        let lock = lock.ok_or_else(|| AuditError::InUse(folder.to_owned()))?;
        let path = folder.join("job.json");
        let started = match fs::read(&path) {
            Ok(text) => {
                let known: Option<CheckpointJob<'_>> = serde_json::from_slice(&text).ok();
                let known = known.filter(|known| known.job == job);
                known.and_then(|known| comity::date::any(&known.started))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let new = CheckpointJob {
                    started: comity::rfc3339::seconds(started).unwrap_or_default().into(),
                    job: job.into(),
                };
                let json = serde_json::to_vec(&new).map_err(|error| AuditError::Scratch(error.into()))?;
                whole(&path, &json)?;
                Some(started)
            }
            Err(error) => return Err(AuditError::Scratch(error)),
        };
        let started = started.ok_or_else(|| AuditError::OtherJob(folder.to_owned()))?;
        Ok(Checkpoint { folder: folder.to_owned(), lock, started })
    }

    /// Returns the start of the first run, in whole seconds.
    pub(crate) fn started(&self) -> SystemTime {
        self.started
    }

    /// Returns the folder.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    fn path(&self, part: usize, ending: &str) -> PathBuf {
        self.folder.join(format!("{part:06}.{ending}"))
    }

    /// Returns the result of a part if it is finished. `files` is the current state of its files.
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

    /// Starts a part with rows of this schema.
    pub(crate) fn begin(&self, part: usize, schema: &Schema) -> Result<PartRows, AuditError> {
        // The earlier result of the part is no longer valid.
        match fs::remove_file(self.path(part, "json")) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(AuditError::Scratch(error)),
            _ => {}
        }
        let file = File::create(self.path(part, "arrow")).map_err(AuditError::Scratch)?;
        // Columns of different crawlers are often equal, so the stream is compressed as a whole.
        let mut packed = Encoder::new(BufWriter::new(file), LEVEL).map_err(AuditError::Scratch)?;
        packed.include_checksum(true).map_err(AuditError::Scratch)?;
        Ok(PartRows { writer: StreamWriter::try_new(packed, schema)? })
    }

    /// Finishes a part.
    pub(crate) fn end(
        &self,
        part: usize,
        mut rows: PartRows,
        done: PartDone,
    ) -> Result<PartDone, AuditError> {
        rows.writer.finish()?;
        let packed = rows.writer.into_inner()?.finish().map_err(AuditError::Scratch)?;
        let file = packed.into_inner().map_err(|error| AuditError::Scratch(error.into_error()))?;
        file.sync_all().map_err(AuditError::Scratch)?;
        let json = serde_json::to_vec(&done).map_err(|error| AuditError::Scratch(error.into()))?;
        whole(&self.path(part, "json"), &json)?;
        Ok(done)
    }

    /// Returns the rows of a finished part.
    pub(crate) fn rows(
        &self,
        part: usize,
    ) -> Result<impl Iterator<Item = Result<RecordBatch, AuditError>> + use<>, AuditError> {
        let (path, done) = (self.path(part, "arrow"), self.path(part, "json"));
        let opened = File::open(&path).and_then(Decoder::new).map_err(ArrowError::from);
        let batches = opened.and_then(|packed| StreamReader::try_new(BufReader::new(packed), None));
        let mut batches = batches.map_err(|error| AuditError::damaged(&path, &done, None, &error))?;
        let mut number = 0;
        Ok(std::iter::from_fn(move || {
            number += 1;
            let batch = match batches.next() {
                Some(batch) => batch.map_err(|error| error.to_string()),
                // The reader accepts a file that is truncated between two batches. Decompressing the rest detects that.
                None => match io::copy(batches.get_mut(), &mut io::sink()) {
                    Ok(_) => return None,
                    Err(error) => Err(error.to_string()),
                },
            };
            Some(batch.map_err(|reason| AuditError::damaged_part(&path, &done, Some(number), reason)))
        }))
    }

    /// Removes the folder after the result of the whole job was written.
    pub(crate) fn remove(self) -> Result<(), AuditError> {
        let Checkpoint { folder, lock, .. } = self;
        // Some systems cannot remove an open file.
        #[cfg(not(unix))]
        drop(lock);
        let removed = fs::remove_dir_all(&folder).map_err(AuditError::Scratch);
        #[cfg(unix)]
        drop(lock);
        removed
    }
}

/// The rows of a part in progress.
pub(crate) struct PartRows {
    writer: StreamWriter<Encoder<'static, BufWriter<File>>>,
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

/// Opens and locks a file. Returns `None` if another process has locked it.
fn lock(path: &Path) -> io::Result<Option<File>> {
    /// Maximum number of attempts. The folder is removed when a job ends, and another job may have opened the file just before.
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

/// Writes a file atomically.
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
