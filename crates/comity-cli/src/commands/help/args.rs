//! The arguments of `comity help`.

use clap::Args;

/// Show detailed help for a command, or for a topic that all commands share
///
/// Topics: `network` (options of commands that contact sites), `exit` (exit status), `input` (sources of URLs and
/// robots.txt files), `formats` (text, JSON and others).
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  comity help check
  comity help cache purge
  comity help network
  comity help exit")]
pub(crate) struct HelpArgs {
    /// A command, or one of the topics network, exit, input and formats
    #[arg(value_name = "COMMAND|TOPIC")]
    pub(crate) about: Vec<String>,
}
