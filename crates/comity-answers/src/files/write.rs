//! Writes files atomically: to a temporary file next to the target, which then replaces it.
//!
//! A process holds a lock on its temporary file. If the process is killed, the file remains without a lock, and the
//! next run that writes to the same target removes it.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

#[cfg(unix)]
use super::lock::lock_open;
use super::{FileError, shown};

/// A temporary file next to its target. It replaces the target when it is complete, and is removed otherwise.
#[derive(Debug)]
pub struct Pending {
    path: PathBuf,
    part: NamedTempFile,
}

impl Pending {
    /// Creates the temporary file for a target.
    ///
    /// # Errors
    ///
    /// Returns [`FileError::Folder`] if the target is a folder, or [`FileError::Write`].
    pub fn create(path: &Path) -> Result<Pending, FileError> {
        if path.is_dir() {
            return Err(FileError::Folder(path.to_owned()));
        }
        remove_abandoned(folder_of(path), |start| start == start_of(path));
        let part = temporary(path, Access::Umask).map_err(|error| FileError::write(path, error))?;
        Ok(Pending { path: path.to_owned(), part })
    }

    /// Writes a file atomically.
    ///
    /// # Errors
    ///
    /// Returns [`FileError`] if it cannot be written.
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
    /// Returns [`FileError`] if the system has no more file descriptors.
    pub fn file(&self) -> Result<File, FileError> {
        self.part.as_file().try_clone().map_err(|error| FileError::write(&self.path, error))
    }

    /// Returns the path of the target.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Replaces the target with the temporary file. Returns the size of the file.
    ///
    /// # Errors
    ///
    /// Returns [`FileError`] if it cannot be written.
    pub fn finish(self) -> Result<u64, FileError> {
        let Pending { path, part } = self;
        let placed = part.as_file().sync_all().and_then(|()| Ok(part.persist(&path)?));
        placed
            .and_then(|file| file.metadata())
            .map(|metadata| metadata.len())
            .map_err(|error| FileError::write(&path, error))
    }
}

/// Writes a file atomically, replacing an existing one. A link at `path` is replaced and not followed.
///
/// # Errors
///
/// Returns the error of the system.
pub fn whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    remove_abandoned(folder_of(path), |start| start == start_of(path));
    within_folder(path, bytes)
}

/// Writes a file as [`whole`] does, but does not search the folder for abandoned temporary files. For a folder with
/// many files, the caller removes them once with [`tidy`].
///
/// # Errors
///
/// Returns the error of the system.
pub fn within_folder(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut part = temporary(path, Access::Umask)?;
    part.write_all(bytes)?;
    part.persist(path)?;
    Ok(())
}

/// Removes the temporary files that killed runs left in a folder, for all targets.
pub fn tidy(folder: &Path) {
    remove_abandoned(folder, |_| true);
}

/// Creates an empty file to which the caller appends while other programs read it. An existing file is replaced. A link
/// at `path` is replaced and not followed. A pipe, a device or a standard stream is opened directly.
///
/// # Errors
///
/// Returns the error of the system.
pub fn growing(path: &Path) -> io::Result<File> {
    if is_stream(path) {
        return OpenOptions::new().write(true).open(path);
    }
    remove_abandoned(folder_of(path), |start| start == start_of(path));
    Ok(temporary(path, Access::Umask)?.persist(path)?)
}

/// Opens a file for appending, and truncates it to `length` bytes if it is longer. A link is rejected.
///
/// # Errors
///
/// Returns [`FileError`] if it cannot be opened.
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

/// Writes a new file. The file must not exist.
///
/// # Errors
///
/// Returns [`FileError::Exists`], or [`FileError::Write`].
pub fn new(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    let opened = OpenOptions::new().write(true).create_new(true).open(path);
    let written = opened.and_then(|mut file| {
        // An incomplete file would be in the way of the next run.
        file.write_all(bytes).inspect_err(|_| drop(fs::remove_file(path)))
    });
    written.map_err(|error| FileError::write(path, error))
}

/// Writes a new file that, on Unix, only its owner can access. The file must not exist.
///
/// # Errors
///
/// Returns [`FileError::Exists`], or [`FileError::Write`].
pub fn new_private(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    write(path, bytes).map_err(|error| FileError::write(path, error))
}

/// Returns a warning if other users of this machine can access a file that contains secrets. `secrets` names them.
pub fn warning_if_shared(path: &Path, secrets: &str) -> Option<String> {
    let warning =
        || format!("`{0}` contains {secrets}, and other users can access it: chmod 600 {0}", shown(path));
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

/// Replaces the content of a file atomically and keeps its permissions. A link is rejected.
///
/// # Errors
///
/// Returns [`FileError::NotPlain`], or [`FileError::Write`].
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

/// Returns the metadata of a regular file to change, or an error for any other kind of file.
fn plain_file(path: &Path) -> Result<fs::Metadata, FileError> {
    let metadata = fs::symlink_metadata(path).map_err(|error| FileError::write(path, error))?;
    match metadata.file_type().is_file() {
        true => Ok(metadata),
        false => Err(FileError::NotPlain(path.to_owned())),
    }
}

/// Writes a new file that, on Unix, only its owner can access. If it cannot be written completely, it is removed.
fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file: File = options.open(path)?;
    file.write_all(bytes).and_then(|()| file.sync_all()).inspect_err(|_| {
        // The incomplete file is useless. If it cannot be removed, the first error is still the one to report.
        let _ = fs::remove_file(path);
    })
}

/// Access permissions of a temporary file.
#[derive(Clone, Copy)]
enum Access {
    /// The permissions that the umask of the process leaves.
    Umask,
    /// The owner alone.
    Owner,
}

/// Maximum number of bytes of the target's name in the name of its temporary file. File systems allow 255 bytes for the
/// whole name, including its random part.
const LONGEST_NAME: usize = 200;

/// Number of random letters and digits in the name of a temporary file.
const RANDOM: usize = 6;

/// Suffix of the names of temporary files.
const ENDING: &str = ".part";

/// Maximum number of attempts to create a temporary file. Another process may remove the file before its lock is taken.
const ATTEMPTS: usize = 8;

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."))
}

/// Returns the prefix of the names of a file's temporary files: `.NAME.comity-`.
fn start_of(path: &Path) -> String {
    let mut name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    while name.len() > LONGEST_NAME {
        name.pop();
    }
    format!(".{name}.comity-")
}

/// Creates a temporary file in the folder of `path`, and takes its lock. Its name is random. A process ID would not be
/// unique: a killed process leaves its file behind, and a later process can have the same ID (in a container, every run
/// has the same one).
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

/// Removes unlocked temporary files from a folder, if `is_wanted` accepts the prefix of their names. Ignores a
/// folder that cannot be listed.
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

/// Returns the prefix of a name if it is the name of a temporary file.
fn start_of_temporary(name: &str) -> Option<&str> {
    let name = name.strip_suffix(ENDING)?;
    let (start, random) = name.split_at_checked(name.len().checked_sub(RANDOM)?)?;
    let is_ours = start.starts_with('.') && start.ends_with(".comity-");
    (is_ours && random.bytes().all(|byte| byte.is_ascii_alphanumeric())).then_some(start)
}

/// Takes the lock of a new temporary file. Returns false if another process treated it as abandoned.
#[cfg(unix)]
fn is_claimed(part: &NamedTempFile) -> io::Result<bool> {
    match lock_open(part.as_file(), part.path()) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        // On a file system without locks, no process can lock the file, so no process removes it.
        locked => Ok(locked.unwrap_or(true)),
    }
}

/// Returns true: an open file cannot be treated as abandoned.
#[cfg(not(unix))]
fn is_claimed(_: &NamedTempFile) -> io::Result<bool> {
    Ok(true)
}

/// Opens a temporary file and takes its lock. Returns `None` if the lock is already held, or if another user owns the
/// file.
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

/// Returns `None`: this system has no locks that are released when their process ends.
#[cfg(not(any(unix, windows)))]
fn abandoned(_: &Path) -> Option<()> {
    None
}
