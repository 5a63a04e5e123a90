//! The arguments of `comity man`.

use std::path::PathBuf;

use clap::{Args, ValueHint};

/// Print the manual page, or write one per command
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  comity man | man -l -
  comity man check | man -l -
  comity man --dir /usr/local/share/man/man1")]
pub(crate) struct ManArgs {
    /// Print the page of this command
    #[arg(value_name = "COMMAND", conflicts_with = "dir")]
    pub(crate) command: Option<String>,

    /// Write all pages to this folder, and create the folder if necessary
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) dir: Option<PathBuf>,
}
