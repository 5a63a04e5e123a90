//! The files of a job: folders walked, patterns expanded, standard input kept in a file, digests taken.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use comity_formats::{ArchiveFormat, ArchiveInput};
use sha2::{Digest, Sha256};

use crate::exit::{Failure, reason};
use crate::files::{matches, paths_in, walk};
use crate::input::Source;
use crate::render;

/// As much of standard input is kept in a file: formats are read from several places of it.
const SPOOLED: u64 = 64 << 30;

/// The format of Comity's own store, in a manifest.
pub(super) const STORE: &str = "store";

/// A file of a job.
#[derive(Debug)]
pub(super) struct JobFile {
    /// The name for messages and manifests.
    pub name: String,
    /// The path below the folder that was walked, with `/` between its parts.
    pub below: Option<String>,
    kept: Kept,
    pub bytes: u64,
}

#[derive(Debug)]
enum Kept {
    Path(PathBuf),
    /// Standard input, in a file without a name.
    Spooled(File),
}

impl JobFile {
    pub(super) fn of_path(path: &Path, below: Option<String>) -> Result<JobFile, Failure> {
        let name = render::text(path.as_os_str().as_encoded_bytes()).into_owned();
        let metadata = path.metadata().map_err(|error| cannot_read(&name, &error))?;
        if !metadata.is_file() {
            return Err(Failure::new(format!("`{name}` is not a plain file"))
                .hint("give what comes from a pipe by standard input, as `-`"));
        }
        Ok(JobFile { name, below, kept: Kept::Path(path.to_owned()), bytes: metadata.len() })
    }

    fn of_standard_input() -> Result<JobFile, Failure> {
        let failed =
            |error: &io::Error| Failure::new(format!("cannot keep standard input: {}", reason(error)));
        let mut file = tempfile::tempfile().map_err(|error| failed(&error))?;
        let bytes =
            io::copy(&mut io::stdin().lock().take(SPOOLED + 1), &mut file).map_err(|error| failed(&error))?;
        if bytes > SPOOLED {
            return Err(Failure::new(format!("standard input is larger than {}", render::bytes(SPOOLED)))
                .hint("write it to a file and name the file"));
        }
        file.flush().map_err(|error| failed(&error))?;
        Ok(JobFile { name: "-".to_owned(), below: None, kept: Kept::Spooled(file), bytes })
    }

    /// Returns the path, unless it is standard input.
    pub(super) fn path(&self) -> Option<&Path> {
        match &self.kept {
            Kept::Path(path) => Some(path),
            Kept::Spooled(_) => None,
        }
    }

    /// Returns true if it begins so.
    pub(super) fn begins_with(&self, mark: &[u8]) -> Result<bool, Failure> {
        let mut head = Vec::with_capacity(mark.len());
        let read = self.open()?.take(mark.len() as u64).read_to_end(&mut head);
        read.map_err(|error| cannot_read(&self.name, &error))?;
        Ok(head == mark)
    }

    /// Opens it at its beginning.
    pub(super) fn open(&self) -> Result<File, Failure> {
        let opened = match &self.kept {
            Kept::Path(path) => File::open(path),
            Kept::Spooled(file) => file.try_clone().and_then(|mut file| {
                file.seek(SeekFrom::Start(0))?;
                Ok(file)
            }),
        };
        opened.map_err(|error| cannot_read(&self.name, &error))
    }

    /// Opens it for the readers of archives: the archives in it, if it is a WACZ file.
    pub(super) fn archives(&self) -> Result<Vec<ArchiveInput>, Failure> {
        let file = ArchiveInput::file(self.name.clone(), self.open()?);
        file.members().map_err(|error| Failure::new(error.to_string()))
    }

    /// Returns when it was last changed, in microseconds since 1970.
    pub(super) fn changed(&self) -> Option<i64> {
        let time = self.open().ok()?.metadata().ok()?.modified().ok()?;
        let since = time.duration_since(std::time::UNIX_EPOCH).ok()?;
        i64::try_from(since.as_micros()).ok()
    }

    /// Returns true if the file has this path.
    pub(super) fn is(&self, path: &Path) -> bool {
        let Kept::Path(own) = &self.kept else { return false };
        match (own.canonicalize(), path.canonicalize()) {
            (Ok(own), Ok(path)) => own == path,
            _ => false,
        }
    }

    /// Returns the digest: `sha-256=:…:` (RFC 9530).
    pub(super) fn digest(&self) -> Result<String, Failure> {
        digest(self.open()?).map_err(|error| cannot_read(&self.name, &error))
    }
}

/// Returns the digest of what is left of a file.
pub(super) fn digest(mut file: File) -> io::Result<String> {
    let (mut hash, mut buffer) = (Sha256::new(), vec![0; 1 << 18]);
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(format!("sha-256=:{}:", STANDARD.encode(hash.finalize()))),
            count => hash.update(&buffer[..count]),
        }
    }
}

fn cannot_read(name: &str, error: &io::Error) -> Failure {
    Failure::new(format!("cannot read `{name}`: {}", reason(error)))
}

/// Returns the files that arguments and a list of paths name, in order.
pub(super) fn files(named: &[OsString], list: Option<&Path>) -> Result<Vec<JobFile>, Failure> {
    let mut arguments = named.to_vec();
    if let Some(list) = list {
        arguments.extend(paths_in(&Source::new(list))?);
    }
    let mut files = Vec::new();
    for argument in &arguments {
        add(argument, &mut files)?;
    }
    Ok(files)
}

fn add(argument: &OsString, files: &mut Vec<JobFile>) -> Result<(), Failure> {
    if argument == "-" {
        if files.iter().any(|file| matches!(file.kept, Kept::Spooled(_))) {
            return Err(Failure::new("standard input is named twice"));
        }
        files.push(JobFile::of_standard_input()?);
        return Ok(());
    }
    let path = Path::new(argument);
    if path.is_dir() {
        return add_folder(path, files);
    }
    let pattern = argument.to_str().filter(|pattern| !path.exists() && pattern.contains(['*', '?', '[']));
    let Some(pattern) = pattern else {
        files.push(JobFile::of_path(path, None)?);
        return Ok(());
    };
    for path in matches(pattern)? {
        files.push(JobFile::of_path(&path, None)?);
    }
    Ok(())
}

/// Adds the archives, tables and text files below a folder.
fn add_folder(folder: &Path, files: &mut Vec<JobFile>) -> Result<(), Failure> {
    let paths = walk(folder, |name| is_archive(name) || name.to_ascii_lowercase().ends_with(".txt"))?;
    if paths.is_empty() {
        let folder = render::text(folder.as_os_str().as_encoded_bytes()).into_owned();
        return Err(Failure::new(format!("there is nothing to read in the folder `{folder}`"))
            .hint("Parquet, CSV, TSV, JSON Lines, CDX, WARC and WACZ files are looked for, and .txt files"));
    }
    for path in paths {
        let below = path.strip_prefix(folder).ok().map(|below| {
            let parts = below.components().map(|part| part.as_os_str().to_string_lossy().into_owned());
            parts.collect::<Vec<_>>().join("/")
        });
        files.push(JobFile::of_path(&path, below)?);
    }
    Ok(())
}

/// Returns true if the name is that of an archive or a table.
fn is_archive(name: &str) -> bool {
    ArchiveFormat::of_name(name).is_some_and(|format| format != ArchiveFormat::Urls)
}
