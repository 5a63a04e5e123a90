//! Finds, locks and writes the files of requests and answers.
//
// | file | content |
// |---|---|
// | `lock.rs` | locks on files and folders |
// | `walk.rs` | folders and patterns |
// | `write.rs` | new files, appended files, and files that are replaced atomically |

mod lock;
mod walk;
mod write;

use std::io;
use std::path::{Path, PathBuf};

use comity::shown::reason;

pub use self::lock::lock;
pub use self::walk::{is_pattern, matches, walk};
pub use self::write::{
    Pending, append, growing, new, new_private, replace, tidy, warning_if_shared, whole, within_folder,
};

/// The reason why files cannot be found, read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// A file or folder cannot be read.
    #[error("cannot read `{}`: {}", shown(path), reason(source))]
    Read {
        /// The path.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// A file cannot be written.
    #[error("cannot write `{}`: {}", shown(path), reason(source))]
    Write {
        /// The path.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// A file to create already exists.
    #[error("`{}` exists already", shown(.0))]
    Exists(PathBuf),
    /// A file to write is a folder.
    #[error("`{}` is a folder", shown(.0))]
    Folder(PathBuf),
    /// A file to change is a link, a pipe or a device.
    #[error("`{}` is a link or not a regular file, and is not changed", shown(.0))]
    NotPlain(PathBuf),
    /// A folder cannot be walked.
    #[error("cannot walk `{}`: {}", .0.path().map(shown).unwrap_or_default(), .0.io_error().map_or_else(|| "a link leads back to it".to_owned(), reason))]
    Walk(#[from] walkdir::Error),
    /// A text is not a valid pattern.
    #[error("`{}` is not a pattern: {}", comity::shown::bytes(pattern.as_bytes()), source.msg)]
    Pattern {
        /// The text.
        pattern: String,
        /// The mistake.
        source: glob::PatternError,
    },
    /// No file matches a pattern.
    #[error("no file matches `{}`", comity::shown::bytes(.0.as_bytes()))]
    NoMatch(String),
}

impl FileError {
    /// Creates the error for an unreadable file.
    pub fn read(path: &Path, source: io::Error) -> FileError {
        FileError::Read { path: path.to_owned(), source }
    }

    /// Creates the error for an unwritable file.
    pub fn write(path: &Path, source: io::Error) -> FileError {
        match source.kind() {
            io::ErrorKind::AlreadyExists => FileError::Exists(path.to_owned()),
            _ => FileError::Write { path: path.to_owned(), source },
        }
    }
}

/// Returns a path as text that is safe to print.
pub fn shown(path: &Path) -> String {
    comity::shown::bytes(path.as_os_str().as_encoded_bytes()).into_owned()
}
