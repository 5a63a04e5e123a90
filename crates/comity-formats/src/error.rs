//! Errors that prevent reading a whole file. A problem of one record is [damage](crate::Damage).

use std::fmt;
use std::io;

use crate::format::ArchiveFormat;

/// The reason why an input cannot be read, with the name of the input.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ArchiveError {
    /// The bytes could not be read.
    #[error("{name}: {source}")]
    Io {
        /// The name of the input.
        name: String,
        /// The error of the byte source.
        source: io::Error,
    },
    /// The bytes are in no known format.
    #[error("{name}: in no format that is known; say which of these it is: {}", ArchiveFormat::ALL.map(ArchiveFormat::as_str).join(", "))]
    UnknownFormat {
        /// The name of the input.
        name: String,
    },
    /// The input is an ARC file, which was the format of web archives before WARC.
    #[error(
        "{name}: an ARC file, the format before WARC; convert it: warcio recompress {name} {}",
        warc_name(name)
    )]
    Arc {
        /// The name of the input.
        name: String,
    },
    /// The format needs random access, but the input is a stream.
    #[error("{name}: {format} is read from several places; give a file instead of a stream")]
    NeedsSeek {
        /// The name of the input.
        name: String,
        /// Its format.
        format: ArchiveFormat,
    },
    /// The input as a whole is not valid in its format.
    #[error("{name}: not {format}: {problem}")]
    Broken {
        /// The name of the input.
        name: String,
        /// The expected format.
        format: ArchiveFormat,
        /// The problem, in the words of the reader of the format.
        problem: String,
    },
    /// The input has no column of this name, or no column with URLs.
    #[error("{name}: {}", no_column(wanted.as_deref(), present))]
    NoColumn {
        /// The name of the input.
        name: String,
        /// The requested column; `None` if a column with URLs was searched.
        wanted: Option<String>,
        /// The first columns of the input.
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

/// Returns the name of the WARC file for an ARC file.
fn warc_name(name: &str) -> String {
    let stem = [".gz", ".arc"].iter().fold(name, |stem, ending| stem.strip_suffix(ending).unwrap_or(stem));
    format!("{stem}.warc.gz")
}

fn no_column(wanted: Option<&str>, present: &[String]) -> String {
    let present = listed(present);
    match wanted {
        Some(wanted) => format!("no column `{wanted}`; there are {present}"),
        None => format!("no column that holds URLs; name one of {present}"),
    }
}

fn listed(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
