//! The arguments of `comity matrix`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueHint};
use comity::agents::Purpose;

use crate::args::values::{asker, not_empty};
use crate::args::{NetworkArgs, ReadingArgs};

/// Show which known crawlers a robots.txt lets in, by purpose
///
/// Rows are crawlers: the well-known ones, those that the file names, and `*` for everyone else. Each is asked with the
/// groups that it falls back to by its operator's account (Applebot: Googlebot's), and shown with the group that speaks
/// to it, the rules that decide, the delay, and what the file says about use.
///
/// Without URLs the rules are judged as a whole: `allowed` means every URL, `disallowed` none (`Disallow: /`, say, and no
/// rule that opens anything), `partly` some and not others. With URLs those are judged, one by one.
///
/// Without --robots, URLs with http:// or https:// are about the robots.txt that their site serves; they have to be of one
/// site. `https://example.com`, without a path, names the site and judges its rules as a whole.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  comity matrix                                         by ./robots.txt
  comity matrix https://example.com                     by what the site serves
  comity matrix https://example.com/blog/post https://example.com/shop
  comity matrix --robots saved/robots.txt --purpose training --purpose ai_search
  comity matrix --robots saved/robots.txt https://example.com/ /blog/post
  comity matrix --agent GPTBot --agent Applebot
  comity matrix --html > crawlers.html                  a page to hand on
  comity matrix --json | jq -r '.crawlers[] | select(.access == \"allowed\").agent'
  git show HEAD:public/robots.txt | comity matrix --robots -

What each crawler does is what its operator says; docs/reference/agents.md names the sources.

Exit status: 0, or 2 if there is no file to read or a URL cannot be read.")]
pub(crate) struct MatrixArgs {
    /// The robots.txt; `-` reads standard input [default: that of the URLs' site; without URLs, ./robots.txt]
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) robots: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) reading: ReadingArgs,

    /// Show crawlers of this purpose only; may be repeated
    #[arg(long, short, value_name = "PURPOSE", value_delimiter = ',', value_parser = purpose_parser())]
    pub(crate) purpose: Vec<Purpose>,

    /// Show this crawler only, known or not; may be repeated
    #[arg(long, value_name = "TOKEN", value_parser = asker, conflicts_with_all = ["purpose", "all"])]
    pub(crate) agent: Vec<String>,

    /// Show the crawler with this whole User-Agent header only; may be repeated
    #[arg(long, value_name = "HEADER", value_parser = not_empty, conflicts_with_all = ["purpose", "all"])]
    pub(crate) user_agent: Vec<String>,

    /// Show every known crawler: obscure and retired ones too
    #[arg(long, short)]
    pub(crate) all: bool,

    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,

    /// Print comma-separated values, one line per crawler
    #[arg(long, conflicts_with_all = ["json", "html"])]
    pub(crate) csv: bool,

    /// Print one HTML page that needs nothing else
    #[arg(long, conflicts_with = "json")]
    pub(crate) html: bool,

    /// URLs or paths to judge; none at all, or a site without a path, judges the rules as a whole
    #[arg(value_name = "URL", value_hint = ValueHint::Url)]
    pub(crate) urls: Vec<OsString>,

    #[command(flatten)]
    pub(crate) network: NetworkArgs,
}

/// Purposes by name; clap lists and suggests them.
fn purpose_parser() -> impl TypedValueParser<Value = Purpose> {
    let values =
        Purpose::ALL.iter().map(|purpose| PossibleValue::new(purpose.as_str()).help(purpose.summary()));
    PossibleValuesParser::new(values).try_map(|name| {
        let found = Purpose::ALL.iter().find(|purpose| purpose.as_str() == name);
        found.copied().ok_or("no such purpose")
    })
}
