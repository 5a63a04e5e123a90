//! The files of a job: walks folders, expands patterns, computes digests.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU64;
use std::time::SystemTime;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use comity_answers::files::{FileError, is_pattern, matches, shown, walk};
use comity_formats::{ArchiveFormat, ArchiveInput};
use sha2::{Digest, Sha256};

use crate::context::JobContext;
use crate::error::AuditError;

/// Name of the store format in manifests.
pub(crate) const STORE: &str = "store";

/// A file of a job.
#[derive(Debug)]
pub(crate) struct InputFile {
    /// The name for messages and manifests.
    pub name: String,
    /// The path relative to the folder that was walked, with `/` between its parts.
    pub below: Option<String>,
    location: Location,
    pub bytes: u64,
    /// The size and the time of the last change when the job began; `None` for standard input.
    began: Option<(u64, SystemTime)>,
}

#[derive(Debug)]
enum Location {
    Path(PathBuf),
    /// The content of standard input, in an unnamed temporary file.
    Spooled(File),
}

impl InputFile {
    pub(crate) fn of_path(path: &Path, below: Option<String>) -> Result<InputFile, AuditError> {
        let name = shown(path);
        let metadata = path.metadata().map_err(|error| FileError::read(path, error))?;
        if !metadata.is_file() {
            return Err(AuditError::NotPlain(name));
        }
        let began = metadata.modified().ok().map(|time| (metadata.len(), time));
        Ok(InputFile { name, below, location: Location::Path(path.to_owned()), bytes: metadata.len(), began })
    }

    fn of_standard_input(file: File) -> Result<InputFile, AuditError> {
        let name = "-".to_owned();
        let metadata = file.metadata().map_err(|error| FileError::read(Path::new(&name), error))?;
        Ok(InputFile {
            name,
            below: None,
            location: Location::Spooled(file),
            bytes: metadata.len(),
            began: None,
        })
    }

    /// Returns the path; `None` for standard input.
    pub(crate) fn path(&self) -> Option<&Path> {
        match &self.location {
            Location::Path(path) => Some(path),
            Location::Spooled(_) => None,
        }
    }

    /// Returns true if the file begins with these bytes.
    pub(crate) fn begins_with(&self, mark: &[u8]) -> Result<bool, AuditError> {
        let mut head = Vec::with_capacity(mark.len());
        let read = self.open()?.take(mark.len() as u64).read_to_end(&mut head);
        read.map_err(|error| self.unreadable(error))?;
        Ok(head == mark)
    }

    /// Opens the file at its start.
    pub(crate) fn open(&self) -> Result<File, AuditError> {
        let opened = match &self.location {
            Location::Path(path) => File::open(path),
            Location::Spooled(file) => file.try_clone().and_then(|mut file| {
                file.seek(SeekFrom::Start(0))?;
                Ok(file)
            }),
        };
        Ok(opened.map_err(|error| self.unreadable(error))?)
    }

    /// Opens the file for the archive readers. For a WACZ file, returns the archives in it.
    pub(crate) fn archives(&self) -> Result<Vec<ArchiveInput>, AuditError> {
        let file = ArchiveInput::file(self.name.clone(), self.open()?);
        Ok(file.members()?)
    }

    /// Returns the time of the last change, in microseconds since 1970.
    pub(crate) fn changed(&self) -> Option<i64> {
        let time = self.open().ok()?.metadata().ok()?.modified().ok()?;
        let since = time.duration_since(std::time::UNIX_EPOCH).ok()?;
        i64::try_from(since.as_micros()).ok()
    }

    /// Returns true if the file has this path.
    pub(crate) fn is(&self, path: &Path) -> bool {
        let Location::Path(own) = &self.location else { return false };
        match (own.canonicalize(), path.canonicalize()) {
            (Ok(own), Ok(path)) => own == path,
            _ => false,
        }
    }

    /// Creates the error for an unreadable file.
    pub(crate) fn unreadable(&self, error: io::Error) -> FileError {
        FileError::read(Path::new(&self.name), error)
    }

    /// Returns the digest: `sha-256=:…:` (RFC 9530). `at` is called with the number of bytes so far, and can end the job.
    ///
    /// Returns an error if the file has changed since the job began.
    pub(crate) fn digest(
        &self,
        at: &mut dyn FnMut(&AtomicU64) -> Result<(), AuditError>,
    ) -> Result<String, AuditError> {
        let digest = digest(self.open()?, at, |error| self.unreadable(error).into())?;
        match self.state() == self.began {
            true => Ok(digest),
            false => Err(AuditError::Changed(self.name.clone())),
        }
    }

    /// Returns the size of the file and the time of its last change.
    fn state(&self) -> Option<(u64, SystemTime)> {
        let metadata = self.path()?.metadata().ok()?;
        Some((metadata.len(), metadata.modified().ok()?))
    }
}

/// Returns the digest of a file from its current position on. `at` is called with the number of bytes so far.
pub(crate) fn digest(
    mut file: File,
    at: &mut dyn FnMut(&AtomicU64) -> Result<(), AuditError>,
    failed: impl Fn(io::Error) -> AuditError,
) -> Result<String, AuditError> {
    let (mut hash, mut buffer, mut bytes) = (Sha256::new(), vec![0; 1 << 18], 0);
    loop {
        match file.read(&mut buffer) {
            Ok(0) => return Ok(format!("sha-256=:{}:", STANDARD.encode(hash.finalize()))),
            Ok(count) => {
                hash.update(buffer.get(..count).unwrap_or_default());
                bytes += count as u64;
                at(&AtomicU64::new(bytes))?;
            }
            Err(error) => return Err(failed(error)),
        }
    }
}

/// Returns the files that the paths name, in order.
pub(crate) fn input_files(
    paths: &[PathBuf],
    context: &mut JobContext<'_>,
) -> Result<Vec<InputFile>, AuditError> {
    let mut files = Vec::new();
    for path in paths {
        if path == Path::new("-") {
            let stdin = context.stdin.take().ok_or(AuditError::StandardInput)?;
            files.push(InputFile::of_standard_input(stdin)?);
        } else if path.is_dir() {
            add_folder(path, &mut files)?;
        } else if let Some(pattern) = path.to_str().filter(|text| is_pattern(text) && !path.exists()) {
            for path in matches(pattern)? {
                files.push(InputFile::of_path(&path, None)?);
            }
        } else {
            files.push(InputFile::of_path(path, None)?);
        }
    }
    Ok(files)
}

/// Adds the archives, tables and text files below a folder.
fn add_folder(folder: &Path, files: &mut Vec<InputFile>) -> Result<(), AuditError> {
    let paths = walk(folder, |name| is_archive(name) || name.to_ascii_lowercase().ends_with(".txt"))?;
    if paths.is_empty() {
        return Err(AuditError::EmptyFolder(folder.to_owned()));
    }
    for path in paths {
        let below = path.strip_prefix(folder).ok().map(|below| {
            let parts = below.components().map(|part| part.as_os_str().to_string_lossy().into_owned());
            parts.collect::<Vec<_>>().join("/")
        });
        files.push(InputFile::of_path(&path, below)?);
    }
    Ok(())
}

/// Returns true if the name is that of an archive or a table.
fn is_archive(name: &str) -> bool {
    ArchiveFormat::of_name(name).is_some_and(|format| format != ArchiveFormat::Urls)
}
