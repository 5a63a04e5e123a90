//! Writes files so that nobody sees half of one: beside the file, then in its place.
//!
//! A process holds a lock on its temporary file. A killed process leaves the file without a lock, and the next run that writes
//! the same file removes it.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

#[cfg(unix)]
use super::lock::lock_open;
use super::{FileError, shown};

/// A file that is being written beside its place. It takes that place when it is whole, and is removed otherwise.
#[derive(Debug)]
pub struct Pending {
    path: PathBuf,
    part: NamedTempFile,
}

impl Pending {
    /// Begins a file.
    ///
    /// # Errors
    ///
    /// [`FileError`] if the folder cannot be written.
    pub fn create(path: &Path) -> Result<Pending, FileError> {
        if path.is_dir() {
            return Err(FileError::Folder(path.to_owned()));
        }
        remove_abandoned(folder_of(path), |start| start == start_of(path));
        let part = temporary(path, Access::Umask).map_err(|error| FileError::write(path, error))?;
        Ok(Pending { path: path.to_owned(), part })
    }

    /// Writes a whole file.
    ///
    /// # Errors
    ///
    /// [`FileError`] if it cannot be written.
    pub fn write(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
        let mut pending = Pending::create(path)?;
        pending.part.write_all(bytes).map_err(|error| FileError::write(path, error))?;
        pending.finish()?;
        Ok(())
    }

    /// Returns the file to write to.
    ///
    /// # Errors
    ///
    /// [`FileError`] if the system has no more file descriptors.
    pub fn file(&self) -> Result<File, FileError> {
        self.part.as_file().try_clone().map_err(|error| FileError::write(&self.path, error))
    }

    /// Returns the place that it will take.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Puts the file in its place. Returns its size.
    ///
    /// # Errors
    ///
    /// [`FileError`] if it cannot be written.
    pub fn finish(self) -> Result<u64, FileError> {
        let Pending { path, part } = self;
        let placed = part.as_file().sync_all().and_then(|()| Ok(part.persist(&path)?));
        placed
            .and_then(|file| file.metadata())
            .map(|metadata| metadata.len())
            .map_err(|error| FileError::write(&path, error))
    }
}

/// Writes a file whole or not at all, in the place of one that exists. A link at `path` is replaced and not followed.
///
/// # Errors
///
/// The system's error.
pub fn whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    remove_abandoned(folder_of(path), |start| start == start_of(path));
    within_folder(path, bytes)
}

/// Writes a file as [`whole`] does, in a folder of many files whose abandoned temporary files are removed already.
///
/// # Errors
///
/// The system's error.
pub fn within_folder(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut part = temporary(path, Access::Umask)?;
    part.write_all(bytes)?;
    part.persist(path)?;
    Ok(())
}

/// Removes the temporary files of all files in a folder that killed runs left.
pub fn tidy(folder: &Path) {
    remove_abandoned(folder, |_| true);
}

/// Creates an empty file that grows while others read it, in the place of one that exists. A link at `path` is replaced and not
/// followed. A pipe, a device and a standard stream are opened as they are.
///
/// # Errors
///
/// The system's error.
pub fn growing(path: &Path) -> io::Result<File> {
    if is_stream(path) {
        return OpenOptions::new().write(true).open(path);
    }
    remove_abandoned(folder_of(path), |start| start == start_of(path));
    Ok(temporary(path, Access::Umask)?.persist(path)?)
}

/// Opens a file to write behind its first `length` bytes. The rest is cut off. A link is not followed.
///
/// # Errors
///
/// [`FileError`] if it cannot be opened.
pub fn append(path: &Path, length: u64) -> Result<File, FileError> {
    plain_file(path)?;
    let opened = OpenOptions::new().append(true).open(path);
    opened
        .and_then(|file| {
            if file.metadata()?.len() > length {
                file.set_len(length)?;
            }
            Ok(file)
        })
        .map_err(|error| FileError::write(path, error))
}

/// Returns true for a pipe or device, and for names of standard streams.
fn is_stream(path: &Path) -> bool {
    let is_of_system =
        (path.starts_with("/dev") || path.starts_with("/proc")) && !path.starts_with("/dev/shm");
    is_of_system
        || fs::symlink_metadata(path).is_ok_and(|metadata| {
            let kind = metadata.file_type();
            !kind.is_file() && !kind.is_dir() && !kind.is_symlink()
        })
}

/// Writes a file that must not exist yet.
///
/// # Errors
///
/// [`FileError::Exists`], or [`FileError::Write`].
pub fn new(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    let opened = OpenOptions::new().write(true).create_new(true).open(path);
    opened.and_then(|mut file| file.write_all(bytes)).map_err(|error| FileError::write(path, error))
}

/// Writes a file that must not exist yet, and that nobody else may read.
///
/// # Errors
///
/// [`FileError::Exists`], or [`FileError::Write`].
pub fn new_private(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    write(path, bytes).map_err(|error| FileError::write(path, error))
}

/// Returns a warning for a file with such secrets if other users of this machine can read it.
pub fn warning_if_shared(path: &Path, secrets: &str) -> Option<String> {
    let warning = || format!("{0} holds {secrets}, and others may read it: chmod 600 {0}", shown(path));
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
///
/// # Errors
///
/// [`FileError::NotPlain`], or [`FileError::Write`].
pub fn replace(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    let metadata = plain_file(path)?;
    remove_abandoned(folder_of(path), |start| start == start_of(path));
    let written = temporary(path, Access::Owner).and_then(|mut part| {
        part.write_all(bytes)?;
        part.as_file().sync_all()?;
        fs::set_permissions(part.path(), metadata.permissions())?;
        part.persist(path)?;
        Ok(())
    });
    written.map_err(|error| FileError::write(path, error))
}

/// Returns the metadata of a plain file that is to be changed, and refuses anything else.
fn plain_file(path: &Path) -> Result<fs::Metadata, FileError> {
    let metadata = fs::symlink_metadata(path).map_err(|error| FileError::write(path, error))?;
    match metadata.file_type().is_file() {
        true => Ok(metadata),
        false => Err(FileError::NotPlain(path.to_owned())),
    }
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

/// Number of random letters and digits in the name of a temporary file.
const RANDOM: usize = 6;

/// Ends the names of temporary files.
const ENDING: &str = ".part";

/// Maximum number of temporary files that are created because another process removed the one before its lock was taken.
const ATTEMPTS: usize = 8;

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."))
}

/// Returns the beginning of the names of a file's temporary files: `.NAME.comity-`.
fn start_of(path: &Path) -> String {
    let mut name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    while name.len() > LONGEST_NAME {
        name.pop();
    }
    format!(".{name}.comity-")
}

/// Creates a temporary file in the folder of `path`, and takes its lock. Its name is random: process ids repeat, in a container
/// in every run, and a killed process leaves its file behind.
fn temporary(path: &Path, access: Access) -> io::Result<NamedTempFile> {
    let start = start_of(path);
    let mut builder = tempfile::Builder::new();
    builder.prefix(&start).rand_bytes(RANDOM).suffix(ENDING);
    #[cfg(unix)]
    if matches!(access, Access::Umask) {
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    }
    #[cfg(not(unix))]
    let _ = access;
    for _ in 0..ATTEMPTS {
        let part = builder.tempfile_in(folder_of(path))?;
        if is_claimed(&part)? {
            return Ok(part);
        }
    }
    Err(io::ErrorKind::ResourceBusy.into())
}

/// Removes the temporary files in a folder that no process holds, if the beginning of their names is wanted. A folder that
/// cannot be listed is reported by the next write.
fn remove_abandoned(folder: &Path, is_wanted: impl Fn(&str) -> bool) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let start = name.to_str().and_then(start_of_temporary);
        if start.is_some_and(&is_wanted)
            && let Some(_lock) = abandoned(&entry.path())
        {
            // Another run may remove it at the same time.
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Returns the beginning of a name if it is the name of a temporary file.
fn start_of_temporary(name: &str) -> Option<&str> {
    let name = name.strip_suffix(ENDING)?;
    let (start, random) = name.split_at_checked(name.len().checked_sub(RANDOM)?)?;
    let is_ours = start.starts_with('.') && start.ends_with(".comity-");
    (is_ours && random.bytes().all(|byte| byte.is_ascii_alphanumeric())).then_some(start)
}

/// Takes the lock of a new temporary file. Returns false if another process took it for an abandoned one.
#[cfg(unix)]
fn is_claimed(part: &NamedTempFile) -> io::Result<bool> {
    match lock_open(part.as_file(), part.path()) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        // Where a file system has no locks, no process can take one, and nothing is removed.
        locked => Ok(locked.unwrap_or(true)),
    }
}

/// A file that is open cannot be taken for an abandoned one.
#[cfg(not(unix))]
fn is_claimed(_: &NamedTempFile) -> io::Result<bool> {
    Ok(true)
}

/// Returns a file of this user if no process holds it, with its lock.
#[cfg(unix)]
fn abandoned(path: &Path) -> Option<File> {
    use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};

    use rustix::fs::OFlags;

    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits();
    let flags = i32::try_from(flags).unwrap_or_default();
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path).ok()?;
    let metadata = file.metadata().ok()?;
    let is_ours = metadata.is_file() && metadata.uid() == rustix::process::geteuid().as_raw();
    (is_ours && lock_open(&file, path).is_ok_and(|is_locked| is_locked)).then_some(file)
}

/// Returns `None` while any process has the file open.
#[cfg(windows)]
fn abandoned(path: &Path) -> Option<()> {
    super::lock(path, OpenOptions::new().read(true)).ok().flatten().map(drop)
}

/// This system has no locks that end with their process.
#[cfg(not(any(unix, windows)))]
fn abandoned(_: &Path) -> Option<()> {
    None
}
