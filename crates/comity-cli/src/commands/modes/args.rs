//! `comity modes`.

use clap::Args;

/// List the modes: what a decision does to a fetch
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  comity modes")]
pub(crate) struct ModesArgs {}
