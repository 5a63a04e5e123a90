//! Stands in for the options of the network in a build that reads files only. It has no options.

use clap::Args;

/// No option.
#[derive(Debug, Args)]
pub(crate) struct NetworkArgs {}

/// No option.
#[cfg(feature = "audit")]
#[derive(Debug, Args)]
pub(crate) struct AskingArgs {}
