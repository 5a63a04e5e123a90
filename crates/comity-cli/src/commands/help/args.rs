//! The arguments of `comity help`.

use clap::Args;

/// Say more about a command, or about what all commands have in common
///
/// Topics: `network` (options of every command that asks sites), `exit` (what the exit status means), `input` (where URLs and
/// robots.txt files may come from), `formats` (text, JSON and others).
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
