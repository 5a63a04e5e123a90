//! Errors that end a job.

use std::error::Error;
use std::io;
use std::path::{Path, PathBuf};

use arrow_schema::ArrowError;
use comity_answers::files::{FileError, shown};
use comity_arrow::BatchError;
use comity_formats::ArchiveError;

/// The reason why a job cannot continue.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AuditError {
    /// A batch of rows could not be decided.
    #[error("{0}")]
    Batch(#[source] BatchError),
    /// A file cannot be found, read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// An archive or a table cannot be read or written.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// An input is not a plain file.
    #[error("`{0}` is not a plain file")]
    NotPlain(String),
    /// An input was changed while the job ran.
    #[error("`{0}` was changed while it was read")]
    Changed(String),
    /// A file is not a manifest.
    #[error("`{0}` is not the manifest of an audit: {1}")]
    NoManifest(String, String),
    /// The table of a manifest is not named.
    #[error("the name of `{0}` does not contain the name of its table")]
    TableUnnamed(String),
    /// A folder has no file in a supported format.
    #[error("the folder `{}` has no file in a supported format", shown(.0))]
    EmptyFolder(PathBuf),
    /// Standard input is named, but it is not available, or it was named before.
    #[error("standard input is named twice, or is not available")]
    StandardInput,
    /// Standard input is named for a job with a checkpoint.
    #[error("a job that reads standard input cannot be resumed")]
    ResumeStandardInput,
    /// A job with a checkpoint has no output.
    #[error("a job without an output cannot be resumed")]
    ResumeWithoutOutput,
    /// A store of robots.txt answers is standard input.
    #[error("`{0}` is a store, which cannot be read from standard input")]
    UnreadableStore(String),
    /// A store of robots.txt answers cannot be read.
    #[error(transparent)]
    Store(#[from] comity_client::store::StoreError),
    /// The request names no input.
    #[error("no input is named")]
    NoInput,
    /// An input is also a file that the job writes.
    #[error("`{0}` is an input and cannot be written")]
    OutputIsInput(String),
    /// The output and the report have one path.
    #[error("output and report name one file")]
    SameFile,
    /// The name of the output has no supported extension.
    #[error("the name `{}` has no extension of a supported format", shown(.0))]
    OutputFormat(PathBuf),
    /// The delimiter is not an ASCII character.
    #[error("a delimiter is one ASCII character")]
    Delimiter,
    /// The format of times is invalid.
    #[error("{0}")]
    TimeFormat(#[source] comity_formats::TimeFormatError),
    /// The time that counts as now cannot be read.
    #[error("`{}` is not a time; write 2024-03-01T12:00:00Z", comity::shown::bytes(.0.as_bytes()))]
    Now(String),
    /// The maximum age of answers is not a duration.
    #[error("{0}")]
    MaxAge(#[source] comity::date::InvalidDuration),
    /// The format of the inputs is unknown.
    #[error("{0}")]
    InputFormat(String),
    /// An input has a column that the first input lacks.
    #[error("`{input}` has a column `{column}` that `{first}` does not have, and all rows go into one table")]
    OtherColumns {
        /// The input.
        input: String,
        /// The column.
        column: String,
        /// The first input.
        first: String,
    },
    /// The columns of an input cannot be converted to the types of the first input.
    #[error("`{input}` does not fit the columns of `{first}`: {source}")]
    OtherTypes {
        /// The input.
        input: String,
        /// The first input.
        first: String,
        /// The difference.
        source: ArrowError,
    },
    /// A file is not a source of robots.txt answers.
    #[error("{0}")]
    NoSource(#[source] ArchiveError),
    /// The sources contain no answer to a request for robots.txt.
    #[error("the sources have no answer to a request for robots.txt")]
    NoAnswers,
    /// No known crawler has the purpose.
    #[error("no known crawler has this purpose")]
    NoCrawlerOfPurpose,
    /// Sites have to be requested, but the job has no client.
    #[error("this job has no client for requests to sites")]
    Offline,
    /// The client does not respect robots.txt.
    #[error("an audit sends requests in mode `respect`, but the client's mode is `{0}`")]
    Mode(comity::policy::Mode),
    /// There is no answer for robots.txt, because this machine could not send the request.
    #[error("`{0}`: this machine could not send the request")]
    NoAnswerKept(String),
    /// A text is not the URL of a site.
    #[error("{0}")]
    Url(#[from] comity_answers::url::UrlProblem),
    /// A site could not be requested.
    #[error("`{url}`: {cause}")]
    Site {
        /// The URL.
        url: String,
        /// The cause.
        #[source]
        cause: Box<comity_client::Cause>,
    },
    /// A reader or writer thread could not start, or ended early.
    #[error("a thread for reading or writing failed: {0}")]
    Thread(#[source] io::Error),
    /// The job was cancelled.
    #[error("the job was cancelled")]
    Cancelled,
    /// Columns could not be combined.
    #[error("{0}")]
    Arrow(#[source] ArrowError),
    /// An input has a column with the name of an output column.
    #[error("the input has a column `{0}`, which is also the name of an output column")]
    NameTaken(String),
    /// Two output columns would have one name, for example those of crawlers with similar names.
    #[error("two output columns would have the name `{0}`")]
    SamePrefix(String),
    /// Each row has to name its crawler, but the input has no column for that.
    #[error("no crawler is named, and the input has no column with the crawler of each row")]
    NoAgent,
    /// The report could not be created.
    #[error("the report could not be created: {0}")]
    Report(String),
    /// A scratch file or a checkpoint file cannot be written or read.
    #[error("cannot use a temporary file or a checkpoint: {0}")]
    Scratch(#[source] io::Error),
    /// A finished part is damaged.
    #[error("`{}` is damaged{}: {reason}; remove `{}`, and this part is done again", file.display(), batch.map(|batch| format!(" in batch {batch}")).unwrap_or_default(), remove.display())]
    DamagedPart {
        /// The damaged file.
        file: PathBuf,
        /// The file to remove, so that the part is run again.
        remove: PathBuf,
        /// Number of the damaged batch, from 1, if its rows are damaged.
        batch: Option<u64>,
        /// The damage.
        reason: String,
    },
    /// A folder contains the parts of another job.
    #[error("`{}` contains the parts of a job with other arguments or files", .0.display())]
    OtherJob(PathBuf),
    /// A folder contains the parts of a running job.
    #[error("`{}` is in use by another job that is running", .0.display())]
    InUse(PathBuf),
}

impl AuditError {
    /// Creates the error for a thread that ended early.
    pub(crate) fn ended_early() -> AuditError {
        AuditError::Thread(io::Error::other("a thread ended early"))
    }

    pub(crate) fn damaged(file: &Path, remove: &Path, batch: Option<u64>, error: &dyn Error) -> AuditError {
        AuditError::damaged_part(file, remove, batch, error.to_string())
    }

    pub(crate) fn damaged_part(file: &Path, remove: &Path, batch: Option<u64>, reason: String) -> AuditError {
        AuditError::DamagedPart { file: file.to_owned(), remove: remove.to_owned(), batch, reason }
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
