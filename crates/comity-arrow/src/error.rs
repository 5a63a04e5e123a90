//! Errors that stop a whole batch. A problem of one row is in that row's `error` instead.

use arrow_schema::{ArrowError, DataType};

/// The reason why a batch or a table of robots.txt files cannot be processed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BatchError {
    /// A required or named column does not exist.
    #[error("no column `{column}` for {input}: {}", listed(present))]
    NoColumn {
        /// The meaning of the column.
        input: &'static str,
        /// The name of the column.
        column: String,
        /// The columns that exist.
        present: Vec<String>,
    },
    /// A column has a type that cannot be read.
    #[error("column `{column}` has the type {found}: cast it to {wanted}")]
    WrongType {
        /// The name of the column.
        column: String,
        /// The types that can be read.
        wanted: &'static str,
        /// The actual type.
        found: DataType,
    },
    /// Neither a column nor the options name the crawler.
    #[error("no crawler is named: give an agent, or a column `agent` with a product token per row")]
    NoAgent,
    /// The options name this number of crawlers, but the call returns one verdict for each row.
    #[error("{0} crawlers are named, but this call returns one verdict per row: call `decide_each`")]
    SeveralAgents(usize),
    /// Neither a table nor a column of bodies, statuses or failures was given.
    #[error(
        "the robots.txt answers are missing: give a column `robots`, `robots_status` or `robots_failure`, or a table of \
         robots.txt files by key"
    )]
    NoRobots,
    /// A table of robots.txt files has no column with answers.
    #[error(
        "the table of robots.txt files has no answers, only the columns {}; give a column `body`, `status` or `failure`",
        present.join(", ")
    )]
    NoAnswers {
        /// The columns that exist.
        present: Vec<String>,
    },
    /// The batch already has a column with the name of an output.
    #[error(
        "the batch has a column `{0}` already: set a prefix for the verdict columns, or keep no input columns"
    )]
    NameTaken(String),
    /// There is no output of this name.
    #[error("unknown verdict column `{name}`; must be one of: {}", known.join(", "))]
    UnknownOutput {
        /// The unknown name.
        name: String,
        /// The known names.
        known: Vec<String>,
    },
    /// There is no input of this name.
    #[error("unknown input column `{name}`; must be one of: {}", known.join(", "))]
    UnknownInput {
        /// The unknown name.
        name: String,
        /// The default names of the input columns.
        known: Vec<&'static str>,
    },
    /// [`Versions`](crate::Versions) has no value of this name.
    #[error("unknown value `{name}` of `versions`; must be one of: as_of, nearest")]
    UnknownVersions {
        /// The unknown name.
        name: String,
    },
    /// No key of the table is an origin, a URL or a host, and no column has keys.
    #[error(
        "no key of the table of robots.txt files is an origin: give origins such as https://example.com, or keys in a column `robots_key`"
    )]
    NoOrigins,
    /// A text column would take more than 2 GiB.
    #[error("column `{0}` would contain more than 2 GiB of text: decide fewer rows at a time")]
    TooMuchText(String),
    /// A row of a table of robots.txt files cannot be read.
    #[error("row {row} of the table of robots.txt files: {problem}")]
    Row {
        /// The row in its batch, from 0.
        row: usize,
        /// The problem with the row.
        problem: String,
    },
    /// An error of Arrow.
    #[error("{0}")]
    Arrow(#[source] ArrowError),
}

impl From<ArrowError> for BatchError {
    fn from(error: ArrowError) -> Self {
        BatchError::Arrow(error)
    }
}

fn listed(present: &[String]) -> String {
    match present {
        [] => "the input has no columns".to_owned(),
        _ => format!("there are `{}`; name the one to read", present.join("`, `")),
    }
}
