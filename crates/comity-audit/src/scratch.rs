//! Scratch files for data that does not fit into memory. They are removed when the job ends. If the process was killed,
//! the next job removes them (on Unix only).

use std::fmt;
use std::fs::{self, File};
#[cfg(unix)]
use std::io;
use std::io::{BufReader, BufWriter};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_ipc::reader::StreamReader;
use arrow_ipc::writer::StreamWriter;
#[cfg(unix)]
use comity_answers::files;
use tempfile::TempDir;

use crate::error::AuditError;

/// Prefix of the names of scratch folders.
const START: &str = ".comity-scratch-";

/// Number of random letters and digits after the prefix.
const RANDOM: usize = 6;

/// A folder that only one job uses.
#[derive(Debug)]
pub(crate) struct Scratch {
    folder: TempDir,
    /// The lock on the folder, which is released when the process ends.
    #[cfg(unix)]
    _lock: File,
}

impl Scratch {
    /// Creates a folder in another folder, and removes those that killed jobs left there.
    #[cfg(unix)]
    pub(crate) fn new(within: &Path) -> Result<Scratch, AuditError> {
        remove_abandoned(within);
        loop {
            let folder = make(within)?;
            // If the lock is not available, a job that started at this moment has treated the folder as abandoned.
            if let Some(_lock) = lock(folder.path()).map_err(AuditError::Scratch)? {
                return Ok(Scratch { folder, _lock });
            }
        }
    }

    /// Creates a folder in another folder.
    #[cfg(not(unix))]
    pub(crate) fn new(within: &Path) -> Result<Scratch, AuditError> {
        Ok(Scratch { folder: make(within)? })
    }
}

fn make(within: &Path) -> Result<TempDir, AuditError> {
    let made = tempfile::Builder::new().prefix(START).rand_bytes(RANDOM).tempdir_in(within);
    made.map_err(AuditError::Scratch)
}

/// Removes the scratch folders of this user that no process has locked.
#[cfg(unix)]
fn remove_abandoned(within: &Path) {
    use std::os::unix::fs::MetadataExt;

    let us = rustix::process::geteuid().as_raw();
    // A folder that cannot be listed is reported when a folder is created in it.
    for entry in fs::read_dir(within).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let random = name.to_str().and_then(|name| name.strip_prefix(START));
        let is_named = random.is_some_and(|random| {
            random.len() == RANDOM && random.bytes().all(|byte| byte.is_ascii_alphanumeric())
        });
        let is_ours = || entry.metadata().is_ok_and(|metadata| metadata.is_dir() && metadata.uid() == us);
        if is_named
            && is_ours()
            && let Ok(Some(_lock)) = lock(&entry.path())
        {
            // A folder that remains does not affect this job.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Takes the lock of a folder. Returns `None` if another process has locked or removed the folder.
#[cfg(unix)]
fn lock(folder: &Path) -> io::Result<Option<File>> {
    use std::os::unix::fs::OpenOptionsExt;

    use rustix::fs::OFlags;

    let flags = i32::try_from((OFlags::NOFOLLOW | OFlags::DIRECTORY).bits()).unwrap_or_default();
    match files::lock(folder, File::options().read(true).custom_flags(flags)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        locked => locked,
    }
}

/// A writer of batches by part, to one file for each part.
pub(crate) struct PartWriter {
    scratch: Arc<Scratch>,
    name: &'static str,
    writers: Vec<Option<StreamWriter<BufWriter<File>>>>,
}

impl PartWriter {
    pub(crate) fn new(scratch: &Arc<Scratch>, name: &'static str, parts: usize) -> PartWriter {
        PartWriter { scratch: scratch.clone(), name, writers: (0..parts).map(|_| None).collect() }
    }

    pub(crate) fn write(&mut self, part: usize, batch: &RecordBatch) -> Result<(), AuditError> {
        let path = path(&self.scratch, self.name, part);
        let Some(writer) = self.writers.get_mut(part).filter(|_| batch.num_rows() > 0) else { return Ok(()) };
        let writer = match writer {
            Some(writer) => writer,
            None => {
                let file =
                    BufWriter::with_capacity(1 << 15, File::create_new(path).map_err(AuditError::Scratch)?);
                writer.insert(StreamWriter::try_new(file, &batch.schema())?)
            }
        };
        Ok(writer.write(batch)?)
    }

    /// Finishes all files.
    pub(crate) fn finish(self) -> Result<PartReader, AuditError> {
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

/// A reader of the batches of each part.
#[derive(Debug)]
pub(crate) struct PartReader {
    scratch: Arc<Scratch>,
    name: &'static str,
}

/// The batches of one part.
pub(crate) type PartBatches = StreamReader<BufReader<File>>;

impl PartReader {
    /// Returns the batches of a part; `None` if it has none.
    pub(crate) fn read(&self, part: usize) -> Result<Option<PartBatches>, AuditError> {
        match File::open(path(&self.scratch, self.name, part)) {
            Ok(file) => Ok(Some(StreamReader::try_new(BufReader::with_capacity(1 << 15, file), None)?)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(AuditError::Scratch(error)),
        }
    }

    /// Frees the disk space of a part.
    pub(crate) fn remove(&self, part: usize) {
        // Remaining files are removed with the folder.
        let _ = fs::remove_file(path(&self.scratch, self.name, part));
    }
}

fn path(scratch: &Scratch, name: &str, part: usize) -> PathBuf {
    scratch.folder.path().join(format!("{name}-{part}"))
}
