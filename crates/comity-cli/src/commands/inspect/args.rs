//! The arguments of `comity inspect`.

use clap::Args;

use crate::args::{DocumentArgs, ReadingArgs};
use crate::files::RobotsFilesArgs;

/// Show what a robots.txt holds: groups, rules, delays, sitemaps, extensions
///
/// Without a file it is ./robots.txt. JSON is one object for each file, one a line.
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  comity inspect
  comity inspect https://example.com               the robots.txt that the site serves
  comity inspect --all saved/robots.txt
  comity inspect --json robots.txt | jq '.groups[].agents'
  comity inspect --dialect google robots.txt       as Google's parser reads it")]
pub(crate) struct InspectArgs {
    #[command(flatten)]
    pub(crate) files: RobotsFilesArgs,

    #[command(flatten)]
    pub(crate) reading: ReadingArgs,

    /// Show every rule, however many there are
    #[arg(long, conflicts_with = "json")]
    pub(crate) all: bool,

    #[command(flatten)]
    pub(crate) document: DocumentArgs,
}
