//! URLs of a command: arguments, lists in files, standard input.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueHint};

/// URLs as arguments, from files, or from standard input.
#[derive(Debug, Args)]
pub(crate) struct UrlArgs {
    /// URLs or paths; `-`, or no URL and no --urls, reads one per line from standard input
    #[arg(id = "url", value_name = "URL", value_hint = ValueHint::Url)]
    pub(crate) given: Vec<OsString>,

    /// Read URLs from this file, one per line; blank lines and lines that begin with # are skipped; may be repeated
    #[arg(id = "urls", long = "urls", value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) lists: Vec<PathBuf>,
}

impl UrlArgs {
    /// Returns true if there is neither a URL nor a list.
    pub(crate) fn is_empty(&self) -> bool {
        self.given.is_empty() && self.lists.is_empty()
    }

    /// Returns true if standard input is read: because an argument is `-`, or because there are neither URLs nor lists.
    pub(crate) fn reads_stdin(&self) -> bool {
        self.is_empty() || self.names_stdin()
    }

    /// Returns true if `-`, which means standard input, is among the URLs or the lists.
    pub(crate) fn names_stdin(&self) -> bool {
        self.given.iter().any(|url| url == "-") || self.lists.iter().any(|list| list.as_os_str() == "-")
    }

    /// Returns true if the number of URLs is unknown, because a list or standard input is read line by line.
    pub(crate) fn is_stream(&self) -> bool {
        self.is_empty() || self.names_stdin() || !self.lists.is_empty()
    }
}
