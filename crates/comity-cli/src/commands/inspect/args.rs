//! The arguments of `comity inspect`.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use crate::args::{DocumentArgs, ReadingArgs};

/// Show what a robots.txt holds: groups, rules, delays, sitemaps, extensions
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  comity inspect
  comity inspect https://example.com               the robots.txt that the site serves
  comity inspect --all saved/robots.txt
  comity inspect --json robots.txt | jq '.groups[].agents'
  comity inspect --dialect google robots.txt       as Google's parser reads it

Exit status: 0, or 2 if there is no file or it cannot be read.")]
pub(crate) struct InspectArgs {
    /// The robots.txt, `-` for standard input, or a URL of the site
    #[arg(value_name = "FILE|URL", default_value = "robots.txt", value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,

    #[command(flatten)]
    pub(crate) reading: ReadingArgs,

    /// Show every rule, however many there are
    #[arg(long, short, conflicts_with = "json")]
    pub(crate) all: bool,

    #[command(flatten)]
    pub(crate) document: DocumentArgs,
}
