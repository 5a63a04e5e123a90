//! Errors that stop a whole batch. A problem of one row stands in that row's `error` instead.

use std::fmt;

use arrow_schema::{ArrowError, DataType};

/// The reason why a batch, or a table of robots.txt files, cannot be read.
#[derive(Debug)]
#[non_exhaustive]
pub enum AuditError {
    /// A column that is needed or named does not exist.
    NoColumn {
        /// The kind of data that the column holds.
        input: &'static str,
        /// Its name.
        column: String,
        /// The columns that exist.
        present: Vec<String>,
    },
    /// A column has a type that cannot be read.
    WrongType {
        /// The column.
        column: String,
        /// The types that can be read.
        wanted: &'static str,
        /// The type that it has.
        found: DataType,
    },
    /// Neither a column nor the options name the crawler.
    NoAgent,
    /// The options name so many crawlers, and one answer for each row is asked for.
    SeveralAgents(usize),
    /// Neither a column nor a table holds robots.txt bodies.
    NoRobots,
    /// The batch already has a column with the name of an output.
    NameTaken(String),
    /// There is no output of this name.
    UnknownOutput {
        /// The name.
        name: String,
        /// The known names.
        known: Vec<String>,
    },
    /// There is no input of this name.
    UnknownInput {
        /// The name.
        name: String,
        /// The usual names of the inputs.
        known: Vec<&'static str>,
    },
    /// There is no choice of versions with this name.
    UnknownVersions {
        /// The name.
        name: String,
    },
    /// No key of the table is an origin, a URL or a host, and no column has keys.
    NoOrigins,
    /// One column of text would hold more than 2 GiB.
    TooMuchText(String),
    /// A row of a table of robots.txt files cannot be read.
    Row {
        /// The row in its batch, from 0.
        row: usize,
        /// The problem with it.
        problem: String,
    },
    /// An error of Arrow.
    Arrow(ArrowError),
}

impl fmt::Display for AuditError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AuditError::NoColumn { input, column, present } => {
                write!(f, "no column `{column}` for {input}: ")?;
                match present.is_empty() {
                    true => write!(f, "there are no columns"),
                    false => write!(f, "there are `{}`; name the one to read", present.join("`, `")),
                }
            }
            AuditError::WrongType { column, wanted, found } => {
                write!(f, "column `{column}` holds {found}; {wanted} can be read: cast it first")
            }
            AuditError::NoAgent => {
                write!(
                    f,
                    "no crawler is named: give an agent, or a column `agent` with a product token per row"
                )
            }
            AuditError::SeveralAgents(count) => {
                write!(f, "{count} crawlers are named, and a batch has one verdict a row: decide for each of them")
            }
            AuditError::NoRobots => write!(
                f,
                "there are no robots.txt bodies: give a column `robots`, or a table of robots.txt files by key"
            ),
            AuditError::NameTaken(name) => write!(
                f,
                "the batch has a column `{name}` already: set a prefix for the verdict columns, or keep no input columns"
            ),
            AuditError::UnknownOutput { name, known } => {
                write!(f, "unknown verdict column `{name}`; known are {}", known.join(", "))
            }
            AuditError::UnknownInput { name, known } => {
                write!(f, "nothing is read from a column `{name}`; known are {}", known.join(", "))
            }
            AuditError::UnknownVersions { name } => {
                write!(f, "unknown versions `{name}`; known are as_of, nearest")
            }
            AuditError::NoOrigins => f.write_str(
                "no key of the table of robots.txt files is an origin: give origins such as https://example.com, or keys \
                 in a column `robots_key`",
            ),
            AuditError::TooMuchText(column) => {
                write!(f, "column `{column}` would hold more than 2 GiB of text: decide fewer rows at a time")
            }
            AuditError::Row { row, problem } => {
                write!(f, "row {row} of the table of robots.txt files: {problem}")
            }
            AuditError::Arrow(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for AuditError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            AuditError::Arrow(error) => Some(error),
            _ => None,
        }
    }
}

impl From<ArrowError> for AuditError {
    fn from(error: ArrowError) -> Self {
        AuditError::Arrow(error)
    }
}
