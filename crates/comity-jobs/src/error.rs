//! Why a job cannot go on.

use std::error::Error;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use arrow_schema::ArrowError;
use comity_audit::AuditError;

/// The reason why a job cannot go on.
#[derive(Debug)]
#[non_exhaustive]
pub enum JobError {
    /// The kernel could not decide a batch.
    Audit(AuditError),
    /// Columns could not be put together.
    Arrow(ArrowError),
    /// An input has a column with the name of one that is made.
    NameTaken(String),
    /// Two crawlers' columns would have the same names.
    SamePrefix(String),
    /// A row's crawler is asked for, and the input has no column that names one.
    NoAgent,
    /// The report could not be made.
    Report(String),
    /// A file for what does not fit into memory, or for what is done so far, cannot be written or read.
    Scratch(io::Error),
    /// A part that is done is damaged.
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
    OtherJob(PathBuf),
    /// A folder holds the parts of a job that is running.
    InUse(PathBuf),
}

impl JobError {
    pub(crate) fn damaged(file: &Path, remove: &Path, batch: Option<u64>, error: &dyn Error) -> JobError {
        JobError::DamagedPart {
            file: file.to_owned(),
            remove: remove.to_owned(),
            batch,
            reason: error.to_string(),
        }
    }
}

impl fmt::Display for JobError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            JobError::Audit(error) => error.fmt(f),
            JobError::Arrow(error) => error.fmt(f),
            JobError::NameTaken(name) => {
                write!(f, "the input has a column `{name}` already, which is the name of one that is made")
            }
            JobError::SamePrefix(prefix) => {
                write!(f, "the columns of two crawlers would begin with `{prefix}`")
            }
            JobError::Scratch(error) => write!(f, "cannot keep what is not written yet: {error}"),
            JobError::DamagedPart { file, remove, batch, reason } => {
                write!(f, "`{}` is damaged", file.display())?;
                if let Some(batch) = batch {
                    write!(f, " in batch {batch}")?;
                }
                write!(f, ": {reason}; remove `{}`, and this part is done again", remove.display())
            }
            JobError::OtherJob(folder) => {
                write!(f, "`{}` holds what is done of a job with other arguments or files", folder.display())
            }
            JobError::InUse(folder) => {
                write!(f, "`{}` is in use by another job that is running", folder.display())
            }
            JobError::Report(problem) => write!(f, "the report could not be made: {problem}"),
            JobError::NoAgent => {
                f.write_str("no crawler is named, and the input has no column that names one per row")
            }
        }
    }
}

impl Error for JobError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            JobError::Audit(error) => Some(error),
            JobError::Arrow(error) => Some(error),
            JobError::Scratch(error) => Some(error),
            _ => None,
        }
    }
}

impl From<AuditError> for JobError {
    fn from(error: AuditError) -> Self {
        JobError::Audit(error)
    }
}

impl From<ArrowError> for JobError {
    fn from(error: ArrowError) -> Self {
        match error {
            ArrowError::IoError(_, error) => JobError::Scratch(error),
            error => JobError::Arrow(error),
        }
    }
}
