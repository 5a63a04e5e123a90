//! The arguments of `comity diff`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueHint};

use crate::args::values::{agent_parser, not_empty};
use crate::args::{FormatArgs, NetworkArgs, Plain, ReadingArgs};

/// Show the effects of a change of a robots.txt
///
/// Lists gained and lost rules, delays, and URLs with a different verdict, for `*` and every crawler that a file names.
/// Comments, grouping, the case of keys and, in most dialects, the order have no effect. If a crawler gets its own
/// group, the rules of `*` are listed as lost.
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  comity diff live/robots.txt new/robots.txt
  comity diff https://example.com new.txt       the effects of a deployment
  comity diff old.txt new.txt /blog /shop
  comity diff old.txt new.txt --urls urls.txt
  comity diff old.txt new.txt --agent Googlebot --agent GPTBot --urls - < urls.txt
  comity diff old.txt new.txt --json | jq '.urls[]'")]
pub(crate) struct DiffArgs {
    /// The robots.txt before the change: a file, `-` for standard input, or a site's URL or host
    #[arg(value_name = "OLD", value_hint = ValueHint::FilePath)]
    pub(crate) old: OsString,

    /// The robots.txt after the change: a file, `-` for standard input, or a site's URL or host
    #[arg(value_name = "NEW", value_hint = ValueHint::FilePath)]
    pub(crate) new: OsString,

    /// URLs to decide by both files
    #[arg(id = "url", value_name = "URL", value_hint = ValueHint::Url)]
    pub(crate) given: Vec<OsString>,

    /// Read URLs to decide by both files from this file, one per line; `-` is standard input; may be repeated
    #[arg(long = "urls", id = "urls", value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) lists: Vec<PathBuf>,

    /// Compare for this crawler only; may be repeated [default: `*` and every crawler that a file names]
    #[arg(long, short, value_name = "TOKEN", value_parser = agent_parser(), hide_possible_values = true)]
    pub(crate) agent: Vec<String>,

    /// Compare for the crawler with this whole User-Agent header only; may be repeated
    #[arg(long, value_name = "HEADER", value_parser = not_empty)]
    pub(crate) user_agent: Vec<String>,

    #[command(flatten)]
    pub(crate) reading: ReadingArgs,

    #[command(flatten)]
    pub(crate) format: FormatArgs<Plain>,

    #[command(flatten)]
    pub(crate) network: NetworkArgs,
}
