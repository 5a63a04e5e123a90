//! The source of a value.

use std::fmt;
use std::path::{Path, PathBuf};

/// The source of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    Default,
    File { path: PathBuf, line: usize },
    Variable(String),
    Flag(&'static str),
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Source::Default => f.write_str("default"),
            Source::File { path, line } => write!(f, "{}:{line}", shown(path)),
            Source::Variable(name) => f.write_str(name),
            Source::Flag(name) => write!(f, "--{name}"),
        }
    }
}

/// Formats a path for messages.
pub(super) fn shown(path: &Path) -> String {
    crate::render::text(path.as_os_str().as_encoded_bytes()).into_owned()
}
