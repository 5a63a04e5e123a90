//! The options of commands that can ask sites, in a build that cannot: there are none.

use clap::Args;

/// No option.
#[derive(Debug, Args)]
pub(crate) struct NetworkArgs {}
