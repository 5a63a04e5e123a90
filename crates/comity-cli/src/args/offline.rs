//! Stands in for the options of the network in a build that reads files only. It has no options.

use clap::Args;

/// No option.
#[derive(Debug, Args)]
pub(crate) struct NetworkArgs {
    #[command(flatten)]
    pub(crate) files: FilesArgs,
}

/// No option: settings are about the network, so that no file of settings is read.
#[derive(Debug, Default, Args)]
pub(crate) struct FilesArgs {}
