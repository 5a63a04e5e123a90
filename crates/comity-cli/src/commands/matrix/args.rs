//! The arguments of `comity matrix`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueHint};
use comity::agents::Purpose;

use super::require::Requirement;
use crate::args::values::{agent_parser, not_empty, purpose_parser};
use crate::args::{FormatArgs, NetworkArgs, Page, ReadingArgs, UrlArgs};

/// Show which known crawlers a robots.txt allows, by purpose
///
/// Each row is a crawler: the well-known ones, those that the file names, and `*` for all others. A row has the group
/// that applies to the crawler, the deciding rules, the delay, and the usage signals. If the operator documents a
/// fallback (Applebot uses the group of Googlebot), it is applied.
///
/// Without URLs, the rules are judged as a whole. `allowed`: the crawler may fetch every URL. `partly`: it may fetch
/// some URLs. `disallowed`: it may fetch none, as with `Disallow: /` and no `Allow`. With URLs, each URL is judged.
///
/// With --probe, the pages are requested, too, under Comity's own name. A site can refuse pages that its robots.txt
/// allows: at a firewall, for payment, or until a browser solves a challenge. The result is shown separately, because
/// the site may answer other crawlers differently.
///
/// Without --robots, URLs with http:// or https:// are judged by the robots.txt of their site. They have to be on one
/// site. `https://example.com`, without a path, names the site, and its rules are judged as a whole.
#[derive(Debug, Args)]
#[command(
    before_help = "\
Examples:
  comity matrix                                         by ./robots.txt
  comity matrix https://example.com                     by the robots.txt of the site
  comity matrix https://example.com/blog/post https://example.com/shop
  comity matrix --robots saved/robots.txt --purpose training --purpose ai_search
  comity matrix --robots saved/robots.txt https://example.com/ /blog/post
  comity matrix --agent GPTBot --agent Applebot
  comity matrix --require training=disallowed,ai_search=allowed     for CI: fails otherwise
  comity matrix --format html > crawlers.html                  a self-contained page
  comity matrix --probe https://example.com https://example.com/shop    with the answers to Comity
  comity matrix --json | jq -r '.crawlers[] | select(.access == \"allowed\").agent'
  git show HEAD:public/robots.txt | comity matrix --robots -",
    after_long_help = "\
The behaviour of a crawler is a statement of its operator; docs/reference/agents.md names the sources."
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

    /// Show this crawler only, even if it is not in the catalogue; may be repeated
    #[arg(long, short, value_name = "TOKEN", value_parser = agent_parser(), hide_possible_values = true)]
    #[arg(conflicts_with_all = ["purpose", "all"])]
    pub(crate) agent: Vec<String>,

    /// Show the crawler with this whole User-Agent header only; may be repeated
    #[arg(long, value_name = "HEADER", value_parser = not_empty, conflicts_with_all = ["purpose", "all"])]
    pub(crate) user_agent: Vec<String>,

    /// Show every known crawler, including obscure and retired ones
    #[arg(long)]
    pub(crate) all: bool,

    /// Also request the given URLs, or the root of the site, under Comity's own name, and show refusals; pages that
    /// robots.txt disallows for Comity are not requested
    #[arg(long)]
    pub(crate) probe: bool,

    /// Fail unless all crawlers of a purpose, or one crawler, have this access: training=disallowed,
    /// Googlebot=allowed-or-partly; may be repeated
    #[arg(long, value_name = "WHO=ACCESS", value_delimiter = ',')]
    pub(crate) require: Vec<Requirement>,

    #[command(flatten)]
    pub(crate) format: FormatArgs<Page>,

    /// URLs or paths to judge; without any, or with a site without a path, the rules are judged as a whole
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
