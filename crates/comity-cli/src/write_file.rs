//! Writes files so that nobody sees half of one: beside the file, then in its place.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
#[cfg(feature = "audit")]
use std::path::PathBuf;

use tempfile::NamedTempFile;

use crate::exit::{Failure, reason};
use crate::render;

/// A file that is being written beside its place. It takes that place when it is whole, and is removed otherwise.
#[cfg(feature = "audit")]
#[derive(Debug)]
pub(crate) struct Pending {
    path: PathBuf,
    part: NamedTempFile,
}

#[cfg(feature = "audit")]
impl Pending {
    /// Begins a file.
    pub(crate) fn create(path: &Path) -> Result<Pending, Failure> {
        if path.is_dir() {
            return Err(Failure::new(format!("`{}` is a folder", shown(path))));
        }
        let part = temporary(path, Access::Umask).map_err(|error| failure(path, &error))?;
        Ok(Pending { path: path.to_owned(), part })
    }

    /// Writes a whole file.
    pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
        let mut pending = Pending::create(path)?;
        pending.part.write_all(bytes).map_err(|error| failure(path, &error))?;
        pending.finish()?;
        Ok(())
    }

    /// Returns the file to write to.
    pub(crate) fn file(&self) -> Result<File, Failure> {
        self.part.as_file().try_clone().map_err(|error| failure(&self.path, &error))
    }

    /// Returns the place that it will take.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Puts the file in its place. Returns its size.
    pub(crate) fn finish(self) -> Result<u64, Failure> {
        let Pending { path, part } = self;
        let placed = part.as_file().sync_all().and_then(|()| Ok(part.persist(&path)?));
        placed
            .and_then(|file| file.metadata())
            .map(|metadata| metadata.len())
            .map_err(|error| failure(&path, &error))
    }
}

/// Writes a file whole or not at all, in the place of one that exists. A link at `path` is replaced and not followed.
pub(crate) fn whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut part = temporary(path, Access::Umask)?;
    part.write_all(bytes)?;
    part.persist(path)?;
    Ok(())
}

/// Writes a file that must not exist yet.
pub(crate) fn new(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let opened = OpenOptions::new().write(true).create_new(true).open(path);
    opened.and_then(|mut file| file.write_all(bytes)).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => Failure::new(format!("`{}` exists already", shown(path))).hint(
            "name another file, or leave --output out and compare: `comity new ... | comity diff FILE -`",
        ),
        _ => failure(path, &error),
    })
}

/// Writes a file that must not exist yet, and that nobody else may read.
pub(crate) fn new_private(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    write(path, bytes).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => {
            Failure::new(format!("`{}` exists already", shown(path))).hint("name another file")
        }
        _ => failure(path, &error),
    })
}

/// Returns what is to be said of a file with private keys that other users of this machine may read.
pub(crate) fn warning_of_private_keys(path: &Path) -> Option<String> {
    let name = render::text(path.as_os_str().as_encoded_bytes());
    let warning = || format!("{name} holds private keys, and others may read it: chmod 600 {name}");
    is_open_to_others(path).then(warning)
}

fn is_open_to_others(path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        fs::metadata(path)
            .is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o077 != 0)
    }
    #[cfg(not(unix))]
    {
        let _ = path;
        false
    }
}

/// Replaces a file's content. It keeps its permissions, and is either the old or the new one at any moment. A link is not
/// followed.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let metadata = fs::symlink_metadata(path).map_err(|error| failure(path, &error))?;
    if !metadata.file_type().is_file() {
        return Err(Failure::new(format!(
            "`{}` is a link or no plain file, and is not changed",
            shown(path)
        ))
        .hint("name the file that it leads to"));
    }
    let written = temporary(path, Access::Owner).and_then(|mut part| {
        part.write_all(bytes)?;
        part.as_file().sync_all()?;
        fs::set_permissions(part.path(), metadata.permissions())?;
        part.persist(path)?;
        Ok(())
    });
    written.map_err(|error| failure(path, &error))
}

/// Writes a new file that is for its owner alone, until somebody gives it other permissions. Nothing is left of one that
/// cannot be written whole.
fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file: File = options.open(path)?;
    file.write_all(bytes).and_then(|()| file.sync_all()).inspect_err(|_| {
        // What is there is of no use; that it cannot be removed is said by the error before it.
        let _ = fs::remove_file(path);
    })
}

/// Who may open a temporary file.
#[derive(Clone, Copy)]
enum Access {
    /// The users that the process's umask leaves.
    Umask,
    /// The owner alone.
    Owner,
}

/// Longest part of a file's name that its temporary file repeats, in bytes. The random part has to fit into the 255 bytes that
/// file systems allow.
const LONGEST_NAME: usize = 200;

/// Creates a temporary file in the folder of `path`. Its name is random: process ids repeat, in a container in every run, and a
/// killed process leaves its file behind.
fn temporary(path: &Path, access: Access) -> io::Result<NamedTempFile> {
    let folder = path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
    let mut name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    while name.len() > LONGEST_NAME {
        name.pop();
    }
    let prefix = format!(".{name}.");
    let mut builder = tempfile::Builder::new();
    builder.prefix(&prefix).suffix(".part");
    #[cfg(unix)]
    if matches!(access, Access::Umask) {
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    }
    #[cfg(not(unix))]
    let _ = access;
    builder.tempfile_in(folder)
}

fn shown(path: &Path) -> String {
    render::text(path.as_os_str().as_encoded_bytes()).into_owned()
}

fn failure(path: &Path, error: &io::Error) -> Failure {
    Failure::new(format!("cannot write `{}`: {}", shown(path), reason(error)))
}
