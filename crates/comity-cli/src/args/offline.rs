//! Replaces the options of the network in a build without the feature `live`. The types here define no options.

use clap::Args;

/// Network options of this build: none.
#[derive(Debug, Args)]
pub(crate) struct NetworkArgs {
    #[command(flatten)]
    pub(crate) files: FilesArgs,
}

/// Options for settings files: none, because all settings are about the network.
#[derive(Debug, Default, Args)]
pub(crate) struct FilesArgs {}
