//! Why a job cannot go on.

use std::error::Error;
use std::io;
use std::path::{Path, PathBuf};

use arrow_schema::ArrowError;
use comity_answers::files::{FileError, shown};
use comity_arrow::BatchError;
use comity_formats::ArchiveError;

/// The reason why a job cannot go on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AuditError {
    /// The kernel could not decide a batch.
    #[error("{0}")]
    Batch(#[source] BatchError),
    /// A file cannot be found, read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// An archive or a table cannot be read or written.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// An input is no plain file.
    #[error("`{0}` is not a plain file")]
    NotPlain(String),
    /// A folder has no file of a format that is read.
    #[error("there is nothing to read in the folder `{}`", shown(.0))]
    EmptyFolder(PathBuf),
    /// Standard input is named, and there is none, or it was named before.
    #[error("standard input is named twice, or there is none")]
    StandardInput,
    /// Standard input is named for a job that is to go on where it was stopped.
    #[error("standard input cannot be resumed: it comes once")]
    ResumeStandardInput,
    /// A job that is to go on where it was stopped has no output.
    #[error("a job without an output cannot be resumed")]
    ResumeWithoutOutput,
    /// A store of robots.txt answers comes by standard input, or this build reads none.
    #[error("`{0}` is a store, which is read as a file, and by builds that ask sites")]
    UnreadableStore(String),
    /// A store of robots.txt answers cannot be read.
    #[cfg(feature = "live")]
    #[error(transparent)]
    Store(#[from] comity_client::store::StoreError),
    /// The request names no input.
    #[error("there is no input")]
    NoInput,
    /// An input is a file that the job writes.
    #[error("`{0}` is an input and cannot be written")]
    OutputIsInput(String),
    /// The output and the report are one file.
    #[error("output and report name one file")]
    SameFile,
    /// The name of the output has none of the endings of a table.
    #[error("`{}` does not say in which format to write", shown(.0))]
    OutputFormat(PathBuf),
    /// The format of the inputs is unknown.
    #[error("{0}")]
    InputFormat(String),
    /// An input has a column that the first input does not have.
    #[error("`{input}` has a column `{column}` that `{first}` does not have, and all rows go into one table")]
    OtherColumns {
        /// The input.
        input: String,
        /// The column.
        column: String,
        /// The first input.
        first: String,
    },
    /// The columns of an input cannot be brought to the types of those of the first.
    #[error("`{input}` does not fit the columns of `{first}`: {source}")]
    OtherTypes {
        /// The input.
        input: String,
        /// The first input.
        first: String,
        /// The difference.
        source: ArrowError,
    },
    /// A file is no source of robots.txt answers.
    #[error("{0}")]
    NoSource(#[source] ArchiveError),
    /// The sources hold no answer to a request for robots.txt.
    #[error("the sources hold no answer to a request for robots.txt")]
    NoAnswers,
    /// No known crawler has a purpose.
    #[error("no crawler that is known has this purpose")]
    NoCrawlerOfPurpose,
    /// Sites are to be asked, and the job has no client.
    #[error("this job asks no sites")]
    Offline,
    /// The client does not respect robots.txt.
    #[cfg(feature = "live")]
    #[error("an audit asks sites in mode `respect`, and the client's mode is `{0}`")]
    Mode(comity::policy::Mode),
    /// No answer for robots.txt was kept, since this machine could not ask.
    #[cfg(feature = "live")]
    #[error("`{0}`: this machine could not ask")]
    NoAnswerKept(String),
    /// A text is not the URL of a site.
    #[cfg(feature = "live")]
    #[error("{0}")]
    Url(#[from] comity_answers::url::UrlProblem),
    /// A site could not be asked.
    #[cfg(feature = "live")]
    #[error("`{url}`: {cause}")]
    Site {
        /// The URL.
        url: String,
        /// The cause.
        #[source]
        cause: Box<comity_client::Cause>,
    },
    /// A thread that reads or writes cannot begin, or ended early.
    #[error("cannot read and write at once: {0}")]
    Thread(#[source] io::Error),
    /// The job was cancelled.
    #[error("the job was cancelled")]
    Cancelled,
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
    /// Makes the error of a thread that did not come to its end.
    pub(crate) fn ended_early() -> AuditError {
        AuditError::Thread(io::Error::other("a thread ended early"))
    }

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
