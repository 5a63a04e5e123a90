//! Errors of log analysis.

use std::io;
use std::path::Path;

use comity::robots::InvalidRecord;
use comity::shown;
use comity_formats::ArchiveError;
use comity_formats::logs::{TemplateError, UnknownField};

use crate::git::GitError;

/// An error of a log analysis, or of a report.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LogsError {
    /// The log format is invalid.
    #[error("the log format `{}` cannot be used: {source}", shown::bytes(format.as_bytes()))]
    Format {
        /// The format.
        format: String,
        /// The problem with the format.
        source: TemplateError,
    },
    /// A mapping of keys names a field that does not exist.
    #[error(transparent)]
    Field(#[from] UnknownField),
    /// A log, or a version of a robots.txt, cannot be read.
    #[error("cannot read `{name}`: {}", shown::reason(source))]
    Read {
        /// The name of the file.
        name: String,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The lines of a log cannot be read.
    #[error(transparent)]
    Lines(#[from] ArchiveError),
    /// All logs to be followed are compressed files, which cannot grow.
    #[error("compressed logs cannot be followed: name an uncompressed log")]
    NothingGrows,
    /// The history of a robots.txt in a repository cannot be read.
    #[error(transparent)]
    Git(#[from] GitError),
    /// The path of a version in a folder does not contain a time.
    #[error("the path `{0}` contains no time")]
    NoTime(String),
    /// A folder contains no version of a robots.txt.
    #[error("there is no version of a robots.txt in `{0}`")]
    NoVersion(String),
    /// A folder contains too many files.
    #[error("there are more than {limit} files in `{folder}`")]
    TooManyVersions {
        /// The folder.
        folder: String,
        /// Maximum number of files.
        limit: usize,
    },
    /// The files of a folder are too large.
    #[error("the files in `{folder}` have more than {} MiB", limit >> 20)]
    VersionsTooLarge {
        /// The folder.
        folder: String,
        /// Maximum size of all files, in bytes.
        limit: usize,
    },
    /// The report cannot be rendered.
    #[error("the report cannot be rendered: {0}")]
    Report(#[from] askama::Error),
    /// A robots.txt cannot be created.
    #[error(transparent)]
    Suggestion(#[from] InvalidRecord),
}

impl LogsError {
    pub(crate) fn read(path: &Path, source: io::Error) -> LogsError {
        LogsError::Read { name: shown_path(path), source }
    }
}

/// Returns a path for messages.
pub(crate) fn shown_path(path: &Path) -> String {
    shown::bytes(path.as_os_str().as_encoded_bytes()).into_owned()
}
