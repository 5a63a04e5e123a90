//! The arguments of `comity diff`.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use crate::args::ReadingArgs;
use crate::args::values::{asker, not_empty};

/// Show what a change of a robots.txt changes in meaning
///
/// For `*` and every crawler that either file names: the rules gained and lost, delays, and which URLs change verdict.
/// Order, comments, grouping and the case of keys do not matter; a crawler that gets a group of its own loses the rules
/// of `*`, and that is shown.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  comity diff live/robots.txt new/robots.txt
  comity diff old.txt new.txt --urls urls.txt
  comity diff old.txt new.txt --agent Googlebot --agent GPTBot --urls - < urls.txt
  comity diff old.txt new.txt --json | jq '.urls[]'

Exit status:
  0  nothing changed in meaning
  1  something changed
  2  trouble: bad arguments, an unreadable file, text that is not a URL")]
pub(crate) struct DiffArgs {
    /// The robots.txt before; `-` reads standard input
    #[arg(value_name = "OLD", value_hint = ValueHint::FilePath)]
    pub(crate) old: PathBuf,

    /// The robots.txt after; `-` reads standard input
    #[arg(value_name = "NEW", value_hint = ValueHint::FilePath)]
    pub(crate) new: PathBuf,

    /// URLs to decide by both, one per line; `-` reads standard input
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) urls: Option<PathBuf>,

    /// Look at this crawler only; may be repeated [default: `*` and every crawler named]
    #[arg(long, short, value_name = "TOKEN", value_parser = asker)]
    pub(crate) agent: Vec<String>,

    /// Look at the crawler with this whole User-Agent header only; may be repeated
    #[arg(long, value_name = "HEADER", value_parser = not_empty)]
    pub(crate) user_agent: Vec<String>,

    #[command(flatten)]
    pub(crate) reading: ReadingArgs,

    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}
