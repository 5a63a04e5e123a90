//! The end of a command: exit codes for scripts, errors for people.

use std::fmt;
use std::io;

pub(crate) use comity::shown::reason;
use comity_answers::files::FileError;

/// The exit code. The numbers are a promise to scripts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Exit {
    /// Success without objection: every URL allowed, no finding, no change.
    Success = 0,
    /// Success with an objection: a URL that is not allowed, a finding, a change.
    Objection = 1,
    /// A failure.
    Trouble = 2,
    /// Ended by Ctrl-C: 128 and the number of the signal, as shells count.
    Interrupted = 130,
}

/// The meaning of each exit code, in the help of every command and in the documentation.
pub(crate) const TABLE: &str = "\
Exit status:
  0  nothing to object to
  1  something to object to: a decision that does not allow, a finding, a change
  2  something could not be done: bad arguments, a file or a site that cannot be
     read, text that is not a URL (the rest is still done)";

/// The consequences of an answer in place of robots.txt: cause, exit code of commands that decide, exit code of
/// commands that need the text.
pub(crate) const CAUSES: [(&str, &str, &str); 8] = [
    ("robots.txt is there (200)", "0 or 1, as the rules say", "0, or 1 for a finding or a change"),
    ("there is none (404, 410)", "0: everything is allowed", "0: it is read as an empty file"),
    ("HTML stands in its place", "0, with a warning", "0; `lint` says 1: it is a finding"),
    ("it cannot be reached (503)", "1: nothing is known", "2"),
    ("the name has no address", "1: nothing is known", "2"),
    ("no answer in time", "1: nothing is known", "2"),
    ("the guard refuses the address", "2", "2"),
    ("bad arguments", "2", "2"),
];

/// The reason why a command stopped.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Standard output was closed by its reader, which is not an error.
    ClosedPipe,
    /// The user ended it.
    #[cfg_attr(not(feature = "live"), expect(dead_code, reason = "only fetching waits for Ctrl-C"))]
    Interrupted,
    /// A failure with a message for a person.
    Problem {
        /// The problem, with its file or argument.
        message: String,
        /// The remedy.
        hint: Option<String>,
    },
}

impl Failure {
    /// Creates a problem without a hint.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Failure::Problem { message: message.into(), hint: None }
    }

    /// Creates a problem with a remedy.
    pub(crate) fn hint(self, hint: impl Into<String>) -> Self {
        match self {
            Failure::Problem { message, .. } => Failure::Problem { message, hint: Some(hint.into()) },
            other => other,
        }
    }

    /// An error while writing to standard output.
    pub(crate) fn output(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::ClosedPipe,
            _ => Failure::new(format!("cannot write to standard output: {}", reason(&error))),
        }
    }
}

/// Functions that print return `io::Result`; files are read and written elsewhere, with their names in the message.
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
            FileError::NotPlain(_) => "name the file that it leads to",
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
