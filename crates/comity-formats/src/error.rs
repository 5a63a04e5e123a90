//! Errors of a whole file. A problem of one record is [damage](crate::Damage).

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
    #[error("{name}: unknown format; set one of these formats: {}", ArchiveFormat::ALL.map(ArchiveFormat::as_str).join(", "))]
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
    #[error("{name}: {format} requires random access; give a file instead of a stream")]
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
        /// The message of the parser.
        problem: String,
    },
    /// The table cannot be written in its format, or its bytes cannot be stored.
    #[error("{name}: cannot write {format}: {problem}")]
    Unwritable {
        /// The name of the output.
        name: String,
        /// The format.
        format: ArchiveFormat,
        /// The message of the writer.
        problem: String,
    },
    /// The input has no column of this name, or no column with URLs, or a table of captures lacks a required column.
    #[error("{name}: {}", no_column(wanted.as_deref(), present))]
    NoColumn {
        /// The name of the input.
        name: String,
        /// The requested or required column; `None` if no column with URLs was found.
        wanted: Option<String>,
        /// The first columns of the input, up to 50.
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

    pub(crate) fn unwritable(name: &str, format: ArchiveFormat, problem: impl fmt::Display) -> Self {
        ArchiveError::Unwritable { name: name.to_owned(), format, problem: problem.to_string() }
    }
}

/// Returns a name for the WARC file that is converted from an ARC file.
fn warc_name(name: &str) -> String {
    let stem = [".gz", ".arc"].iter().fold(name, |stem, ending| stem.strip_suffix(ending).unwrap_or(stem));
    format!("{stem}.warc.gz")
}

fn no_column(wanted: Option<&str>, present: &[String]) -> String {
    let present = listed(present);
    match wanted {
        Some(wanted) => format!("no column `{wanted}`; there are {present}"),
        None => format!("no column contains URLs; name one of {present}"),
    }
}

fn listed(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
