//! The arguments for settings files, and the files to read.

use std::path::PathBuf;

use clap::{Args, ValueHint};

/// The arguments for settings files.
#[derive(Debug, Default, Args)]
pub(crate) struct FilesArgs {
    /// Read settings from this file only [default: the user's own; see `comity config`]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "no_config")]
    pub(crate) config: Option<PathBuf>,

    /// Read no settings from files
    #[arg(long)]
    pub(crate) no_config: bool,
}

/// The settings files to read.
#[derive(Clone, Debug)]
pub(crate) enum Files {
    /// No file.
    None,
    /// This file, which must exist.
    Only(PathBuf),
    /// The user's own file, if it exists.
    Usual,
}
