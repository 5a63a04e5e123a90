//! Why a file cannot be read at all. What is wrong with one record is [damage](crate::Damage).

use std::error::Error;
use std::fmt;
use std::io;

use crate::format::ArchiveFormat;

/// The reason why an input cannot be read, with its name.
#[derive(Debug)]
#[non_exhaustive]
pub enum ArchiveError {
    /// The bytes could not be read.
    Io {
        /// The name of the input.
        name: String,
        /// The error of whoever gives the bytes.
        source: io::Error,
    },
    /// The bytes are in no format that is known.
    UnknownFormat {
        /// The name of the input.
        name: String,
    },
    /// The format is read from several places, and the input gives its bytes only once.
    NeedsSeek {
        /// The name of the input.
        name: String,
        /// Its format.
        format: ArchiveFormat,
    },
    /// The input as a whole is not in its format.
    Broken {
        /// The name of the input.
        name: String,
        /// The format that it should be in.
        format: ArchiveFormat,
        /// The problem, as the format's own reader tells it.
        problem: String,
    },
    /// The input has no column of this name, or none that holds URLs.
    NoColumn {
        /// The name of the input.
        name: String,
        /// The column that was asked for; `None` if one with URLs was looked for.
        wanted: Option<String>,
        /// The columns that there are, the first of them.
        present: Vec<String>,
    },
}

impl ArchiveError {
    pub(crate) fn io(name: &str, source: io::Error) -> Self {
        ArchiveError::Io { name: name.to_owned(), source }
    }

    pub(crate) fn broken(name: &str, format: ArchiveFormat, problem: impl fmt::Display) -> Self {
        ArchiveError::Broken { name: name.to_owned(), format, problem: problem.to_string() }
    }
}

impl fmt::Display for ArchiveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ArchiveError::Io { name, source } => write!(f, "{name}: {source}"),
            ArchiveError::UnknownFormat { name } => {
                let known = ArchiveFormat::ALL.map(ArchiveFormat::as_str).join(", ");
                write!(f, "{name}: in no format that is known; say which of these it is: {known}")
            }
            ArchiveError::NeedsSeek { name, format } => {
                write!(f, "{name}: {format} is read from several places; give a file instead of a stream")
            }
            ArchiveError::Broken { name, format, problem } => write!(f, "{name}: not {format}: {problem}"),
            ArchiveError::NoColumn { name, wanted: Some(wanted), present } => {
                write!(f, "{name}: no column `{wanted}`; there are {}", listed(present))
            }
            ArchiveError::NoColumn { name, wanted: None, present } => {
                write!(f, "{name}: no column that holds URLs; name one of {}", listed(present))
            }
        }
    }
}

fn listed(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

impl Error for ArchiveError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            ArchiveError::Io { source, .. } => Some(source),
            _ => None,
        }
    }
}
