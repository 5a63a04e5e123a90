//! The arguments of `comity inspect`.

use clap::Args;

use crate::args::{DocumentArgs, ReadingArgs};
use crate::files::RobotsFilesArgs;

/// Show the content of a robots.txt: groups, rules, delays, sitemaps, extensions
///
/// The default file is ./robots.txt. JSON output has one line per file.
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  comity inspect
  comity inspect https://example.com               the robots.txt of the site
  comity inspect --all saved/robots.txt
  comity inspect --json robots.txt | jq '.groups[].agents'
  comity inspect --dialect google robots.txt       as Google's parser reads it")]
pub(crate) struct InspectArgs {
    #[command(flatten)]
    pub(crate) files: RobotsFilesArgs,

    #[command(flatten)]
    pub(crate) reading: ReadingArgs,

    /// Show all rules of every group
    #[arg(long, conflicts_with = "json")]
    pub(crate) all: bool,

    #[command(flatten)]
    pub(crate) document: DocumentArgs,
}
