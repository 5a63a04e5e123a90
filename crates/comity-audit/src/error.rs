//! Why a job cannot go on.

use std::error::Error;
use std::io;
use std::path::{Path, PathBuf};

use arrow_schema::ArrowError;
use comity_arrow::BatchError;

/// The reason why a job cannot go on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AuditError {
    /// The kernel could not decide a batch.
    #[error("{0}")]
    Batch(#[source] BatchError),
    /// Columns could not be put together.
    #[error("{0}")]
    Arrow(#[source] ArrowError),
    /// An input has a column with the name of one that is made.
    #[error("the input has a column `{0}` already, which is the name of one that is made")]
    NameTaken(String),
    /// Two crawlers' columns would have the same names.
    #[error("the columns of two crawlers would begin with `{0}`")]
    SamePrefix(String),
    /// A row's crawler is asked for, and the input has no column that names one.
    #[error("no crawler is named, and the input has no column that names one per row")]
    NoAgent,
    /// The report could not be made.
    #[error("the report could not be made: {0}")]
    Report(String),
    /// A file for what does not fit into memory, or for what is done so far, cannot be written or read.
    #[error("cannot keep what is not written yet: {0}")]
    Scratch(#[source] io::Error),
    /// A part that is done is damaged.
    #[error("`{}` is damaged{}: {reason}; remove `{}`, and this part is done again", file.display(), batch.map(|batch| format!(" in batch {batch}")).unwrap_or_default(), remove.display())]
    DamagedPart {
        /// The damaged file.
        file: PathBuf,
        /// The file whose removal has the part done again.
        remove: PathBuf,
        /// Number of the damaged batch, from 1, if its rows are damaged.
        batch: Option<u64>,
        /// The damage.
        reason: String,
    },
    /// A folder holds the parts of another job.
    #[error("`{}` holds what is done of a job with other arguments or files", .0.display())]
    OtherJob(PathBuf),
    /// A folder holds the parts of a job that is running.
    #[error("`{}` is in use by another job that is running", .0.display())]
    InUse(PathBuf),
}

impl AuditError {
    pub(crate) fn damaged(file: &Path, remove: &Path, batch: Option<u64>, error: &dyn Error) -> AuditError {
        AuditError::DamagedPart {
            file: file.to_owned(),
            remove: remove.to_owned(),
            batch,
            reason: error.to_string(),
        }
    }
}

impl From<BatchError> for AuditError {
    fn from(error: BatchError) -> Self {
        AuditError::Batch(error)
    }
}

impl From<ArrowError> for AuditError {
    fn from(error: ArrowError) -> Self {
        match error {
            ArrowError::IoError(_, error) => AuditError::Scratch(error),
            error => AuditError::Arrow(error),
        }
    }
}
