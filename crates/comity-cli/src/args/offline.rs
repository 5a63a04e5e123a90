//! Replaces the options of the network in a build without the feature `live`. These types have no options.

use clap::Args;

/// No options.
#[derive(Debug, Args)]
pub(crate) struct NetworkArgs {
    #[command(flatten)]
    pub(crate) files: FilesArgs,
}

/// No options: all settings are about the network, so no settings file is read.
#[derive(Debug, Default, Args)]
pub(crate) struct FilesArgs {}
