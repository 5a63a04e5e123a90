//! Locks on files and folders. The system releases a lock when its process ends, even if the process is killed.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::Path;

/// Opens a file or folder, and takes its lock. Returns `None` if the lock is already held.
///
/// Systems other than Unix and Windows have no such locks. On those systems the function opens the path without a lock.
///
/// # Errors
///
/// Returns the error of the system. Returns [`io::ErrorKind::NotFound`] also if the path was removed or replaced before
/// its lock was taken.
pub fn lock(path: &Path, options: &mut OpenOptions) -> io::Result<Option<File>> {
    #[cfg(windows)]
    std::os::windows::fs::OpenOptionsExt::share_mode(options, 0);
    match options.open(path) {
        #[cfg(unix)]
        Ok(file) => Ok(lock_open(&file, path)?.then_some(file)),
        #[cfg(windows)]
        Err(error) if error.raw_os_error() == Some(SHARING_VIOLATION) => Ok(None),
        opened => opened.map(Some),
    }
}

/// `ERROR_SHARING_VIOLATION`
#[cfg(windows)]
const SHARING_VIOLATION: i32 = 32;

/// Takes the lock of a file that was opened at a path. Returns false if the lock is already held.
#[cfg(unix)]
pub(super) fn lock_open(file: &File, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt as _;

    use rustix::fs::{FlockOperation, flock};

    match flock(file, FlockOperation::NonBlockingLockExclusive) {
        Err(rustix::io::Errno::WOULDBLOCK) => return Ok(false),
        locked => locked?,
    }
    let (ours, there) = (file.metadata()?, path.symlink_metadata()?);
    match (ours.dev(), ours.ino()) == (there.dev(), there.ino()) {
        true => Ok(true),
        false => Err(io::ErrorKind::NotFound.into()),
    }
}

#[cfg(all(test, any(unix, windows)))]
mod tests {
    use super::*;

    #[test]
    fn lock_is_taken_once_until_its_file_is_dropped() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let take = || lock(&path, File::options().create(true).append(true));
        let held = take().unwrap();
        assert!(held.is_some() && take().unwrap().is_none());
        drop(held);
        assert!(take().unwrap().is_some());
    }

    #[test]
    #[cfg(unix)]
    fn lock_of_a_replaced_file_is_not_found() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let file = File::create(&path).unwrap();
        std::fs::rename(&path, folder.path().join("old")).unwrap();
        for _ in 0..2 {
            assert_eq!(lock_open(&file, &path).unwrap_err().kind(), io::ErrorKind::NotFound);
            File::create(&path).unwrap();
        }
    }
}
