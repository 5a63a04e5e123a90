//! What makes a batch as a whole undecidable. A row that cannot be decided is no error: its column `error` says why.

use std::fmt;

use arrow_schema::{ArrowError, DataType};

/// Why a batch or a table cannot be read, or its answer not be written.
#[derive(Debug)]
#[non_exhaustive]
pub enum AuditError {
    /// A column that is needed is missing.
    Missing {
        /// Its name.
        column: String,
        /// What it would hold.
        holds: &'static str,
    },
    /// A column's type is none that is read.
    Type {
        /// The column.
        column: String,
        /// Its type.
        found: DataType,
        /// What is read.
        wanted: &'static str,
    },
    /// Two columns would have one name.
    Taken {
        /// The name.
        column: String,
    },
    /// Neither the options nor a column say on whose behalf to decide.
    NoAgent,
    /// A key stands twice in the table of answers.
    DuplicateKey {
        /// The key.
        key: String,
    },
    /// A column of texts would be longer than Utf8 can be.
    TooLarge,
    /// Arrow refuses to build the batch.
    Arrow(ArrowError),
}

impl fmt::Display for AuditError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AuditError::Missing { column, holds } => {
                write!(
                    f,
                    "there is no column `{column}`, which holds {holds}; name another if it has another name"
                )
            }
            AuditError::Type { column, found, wanted } => {
                write!(f, "column `{column}` is {found}, and {wanted} is read; cast it first")
            }
            AuditError::Taken { column } => {
                write!(
                    f,
                    "there is a column `{column}` already: give the new columns a prefix, or ask for them alone"
                )
            }
            AuditError::NoAgent => {
                f.write_str("on whose behalf? Name an agent in the options, or have a column `agent`")
            }
            AuditError::DuplicateKey { key } => {
                write!(f, "key `{key}` stands twice among the answers: keep the one that counts")
            }
            AuditError::TooLarge => {
                f.write_str("a column of texts would pass 2 GiB: hand over smaller batches")
            }
            AuditError::Arrow(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for AuditError {}

impl From<ArrowError> for AuditError {
    fn from(error: ArrowError) -> Self {
        AuditError::Arrow(error)
    }
}
