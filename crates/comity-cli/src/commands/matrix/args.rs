//! The arguments of `comity matrix`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueHint};
use comity::agents::Purpose;

use super::require::Requirement;
use crate::args::values::{agent_parser, not_empty, purpose_parser};
use crate::args::{FormatArgs, NetworkArgs, Page, ReadingArgs, UrlArgs};

/// Show which known crawlers a robots.txt lets in, by purpose
///
/// Rows are crawlers: the well-known ones, those that the file names, and `*` for everyone else. Each is asked with the
/// groups that it falls back to by its operator's account (Applebot: Googlebot's), and shown with the group that speaks
/// to it, the rules that decide, the delay, and what the file says about use.
///
/// Without URLs the rules are judged as a whole: `allowed` means every URL, `disallowed` none (`Disallow: /`, say, and no
/// rule that opens anything), `partly` some and not others. With URLs those are judged, one by one.
///
/// With --probe the pages are asked for, too: by us, under our own name. A site may refuse what its robots.txt allows, at a
/// firewall, for payment, or until a browser solves a puzzle. That is said of us, in a part of its own; how the site answers
/// any other crawler is not known by it.
///
/// Without --robots, URLs with http:// or https:// are about the robots.txt that their site serves; they have to be of one
/// site. `https://example.com`, without a path, names the site and judges its rules as a whole.
#[derive(Debug, Args)]
#[command(
    before_help = "\
Examples:
  comity matrix                                         by ./robots.txt
  comity matrix https://example.com                     by what the site serves
  comity matrix https://example.com/blog/post https://example.com/shop
  comity matrix --robots saved/robots.txt --purpose training --purpose ai_search
  comity matrix --robots saved/robots.txt https://example.com/ /blog/post
  comity matrix --agent GPTBot --agent Applebot
  comity matrix --require training=disallowed,ai_search=allowed     for CI: fails unless it is so
  comity matrix --format html > crawlers.html                  a page to hand on
  comity matrix --probe https://example.com https://example.com/shop    and how the site answers us
  comity matrix --json | jq -r '.crawlers[] | select(.access == \"allowed\").agent'
  git show HEAD:public/robots.txt | comity matrix --robots -",
    after_long_help = "\
What each crawler does is what its operator says; docs/reference/agents.md names the sources."
)]
pub(crate) struct MatrixArgs {
    /// The robots.txt: a file, a folder, a pattern, `-` for standard input, or a site's URL or host; may be repeated
    /// [default: that of the URLs' site; without URLs, ./robots.txt]
    #[arg(long, short, value_name = "FILE|URL", value_hint = ValueHint::AnyPath)]
    pub(crate) robots: Vec<OsString>,

    /// Read paths of robots.txt files from this file, one per line; `-` is standard input
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) files_from: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) reading: ReadingArgs,

    /// Show crawlers of this purpose only; may be repeated
    #[arg(long, value_name = "PURPOSE", value_delimiter = ',', value_parser = purpose_parser())]
    pub(crate) purpose: Vec<Purpose>,

    /// Show this crawler only, known or not; may be repeated
    #[arg(long, short, value_name = "TOKEN", value_parser = agent_parser(), hide_possible_values = true)]
    #[arg(conflicts_with_all = ["purpose", "all"])]
    pub(crate) agent: Vec<String>,

    /// Show the crawler with this whole User-Agent header only; may be repeated
    #[arg(long, value_name = "HEADER", value_parser = not_empty, conflicts_with_all = ["purpose", "all"])]
    pub(crate) user_agent: Vec<String>,

    /// Show every known crawler: obscure and retired ones too
    #[arg(long)]
    pub(crate) all: bool,

    /// Ask the site for the pages, too, under our own name and as robots.txt lets us, and show which it refuses to us: the
    /// URLs named, or the root of the site
    #[arg(long)]
    pub(crate) probe: bool,

    /// Fail unless every crawler of a purpose, or one crawler, fares so: training=disallowed, GPTBot=allowed; may be repeated
    #[arg(long, value_name = "WHO=ACCESS", value_delimiter = ',')]
    pub(crate) require: Vec<Requirement>,

    #[command(flatten)]
    pub(crate) format: FormatArgs<Page>,

    /// URLs or paths to judge; none at all, or a site without a path, judges the rules as a whole
    #[arg(id = "url", value_name = "URL", value_hint = ValueHint::Url)]
    pub(crate) given: Vec<OsString>,

    /// Read URLs to judge from this file, one per line; `-` is standard input; may be repeated
    #[arg(id = "urls", long = "urls", value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) lists: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) network: NetworkArgs,
}

impl MatrixArgs {
    /// Returns the URLs to judge.
    pub(crate) fn urls(&self) -> UrlArgs {
        UrlArgs { given: self.given.clone(), lists: self.lists.clone() }
    }
}
