//! Exit codes, and the errors that end a command.

use std::fmt;
use std::io;

pub(crate) use comity::shown::reason;
use comity_answers::files::FileError;

/// The exit code. The numbers are stable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Exit {
    /// Success: every URL is allowed, no finding, no change.
    Success = 0,
    /// No error, but a URL that is not allowed, a failed test, a finding, or a change.
    Objection = 1,
    /// An error.
    Error = 2,
    /// Ended by Ctrl-C or SIGTERM: 128 plus the number of SIGINT.
    Interrupted = 130,
}

/// The meaning of each exit code, in the help of every command and in the documentation.
pub(crate) const TABLE: &str = "\
Exit status:
  0  success: every URL is allowed, no finding fails the command, no change
  1  a URL is not allowed, or there is a finding or a change
  2  an error: invalid arguments, a file or a site that cannot be read, text
     that is not a URL (other inputs are still processed)";

/// Exit codes by the result of the request for robots.txt: the result, the exit code of commands that decide URLs, and
/// the exit code of commands that need the text of the file.
pub(crate) const CAUSES: [(&str, &str, &str); 8] = [
    ("robots.txt exists (200)", "0 or 1, by the rules", "0, or 1 for a finding or a change"),
    ("it does not exist (404, 410)", "0: everything is allowed", "0: it is read as an empty file"),
    ("an HTML page in its place", "0, with a warning", "0; `lint`: 1, for a finding"),
    ("it is unreachable (503)", "1: not allowed", "2"),
    ("the name has no address", "1: not allowed", "2"),
    ("no answer in time", "1: not allowed", "2"),
    ("the guard refuses the address", "2", "2"),
    ("invalid arguments", "2", "2"),
];

/// The reason why a command stopped.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Standard output was closed by its reader, which is not an error.
    ClosedPipe,
    /// Ctrl-C.
    #[cfg_attr(not(feature = "live"), expect(dead_code, reason = "only fetching waits for Ctrl-C"))]
    Interrupted,
    /// A failure with a message for a person.
    Problem {
        /// The problem, with its file or argument.
        message: String,
        /// A hint that names the remedy.
        hint: Option<String>,
    },
}

impl Failure {
    /// Creates a problem without a hint.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Failure::Problem { message: message.into(), hint: None }
    }

    /// Adds a hint.
    pub(crate) fn hint(self, hint: impl Into<String>) -> Self {
        match self {
            Failure::Problem { message, .. } => Failure::Problem { message, hint: Some(hint.into()) },
            other => other,
        }
    }

    /// Creates the failure for an error while writing to standard output.
    pub(crate) fn output(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::ClosedPipe,
            _ => Failure::new(format!("cannot write to standard output: {}", reason(&error))),
        }
    }
}

/// Converts an error of printing. Errors of files are converted elsewhere, because their messages name the file.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Failure::output(error)
    }
}

impl From<serde_json::Error> for Failure {
    fn from(error: serde_json::Error) -> Self {
        Failure::output(error.into())
    }
}

impl From<FileError> for Failure {
    fn from(error: FileError) -> Self {
        let hint = match error {
            FileError::Exists(_) => "name another file",
            FileError::NotPlain(_) => "name the target of the link",
            _ => return Failure::new(error.to_string()),
        };
        Failure::new(error.to_string()).hint(hint)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::ClosedPipe => f.write_str("standard output was closed"),
            Failure::Interrupted => f.write_str("interrupted"),
            Failure::Problem { message, .. } => f.write_str(message),
        }
    }
}
