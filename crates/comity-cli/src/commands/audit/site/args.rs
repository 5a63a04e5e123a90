//! The arguments of `comity audit site`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueHint};
use comity::policy::Preset;

use super::super::condition::Condition;
use super::super::whom::WhomArgs;
use crate::args::values::preset_parser;
use crate::args::{AskingArgs, FormatArgs, Plain};

/// Hold robots.txt, sitemaps and pages of one live site against each other
///
/// Asks for robots.txt and tdmrep.json, reads the sitemaps that robots.txt names (or those at the usual places), and fetches
/// pages that they list: under Comity's own name, at the site's pace, and never what robots.txt disallows for Comity. No more
/// pages are fetched than --limit says, spread evenly over the lists.
///
/// Found are: pages that a sitemap lists and robots.txt disallows, with the line and the crawlers; pages in sitemaps that say
/// noindex, that lead elsewhere or do not come; pages whose noindex crawlers never see, as they may not fetch them; sitemaps
/// that do not come, are disallowed or broken; preferences about use that contradict each other, in robots.txt, headers, pages
/// and tdmrep.json. `comity lint --explain CODE` says more of a finding.
///
/// Without --agent, --user-agent or --purpose it is about crawlers that robots.txt does not name.
#[derive(Debug, Args)]
#[command(
    before_help = "\
Examples:
  comity audit site https://example.com
  comity audit site https://example.com --agent Googlebot --agent GPTBot --report site.html
  comity audit site https://example.com --purpose search --limit 1000 --output pages.csv
  comity audit site https://example.com --limit 0 --fail-if 'errors>0'",
    after_long_help = "\
The status is 1 if there is an error or a warning, or else, with --fail-if, if a condition holds.

Beside every output stands a manifest, OUTPUT.manifest.json: arguments, sitemaps, counts, findings."
)]
pub(crate) struct AuditSiteArgs {
    /// The site's URL
    #[arg(value_name = "URL", value_hint = ValueHint::Url)]
    pub(super) url: OsString,

    #[command(flatten)]
    pub(super) whom: WhomArgs,

    /// What each kind of answer leads to; see `comity presets` [default: rfc9309]
    #[arg(long, short, value_name = "PRESET", ignore_case = true)]
    #[arg(value_parser = preset_parser(), hide_possible_values = true)]
    pub(super) preset: Option<Preset>,

    /// The largest number of pages to fetch; 0 fetches no page
    #[arg(long, value_name = "NUMBER", default_value_t = 100)]
    pub(super) limit: u32,

    /// Ask for no more sitemaps than this
    #[arg(long, value_name = "NUMBER", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) max_sitemaps: u32,

    /// Take no more pages from sitemaps than this
    #[arg(long, value_name = "NUMBER", default_value_t = 100_000, value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) max_urls: u32,

    /// Write a row for each listed page to this file: .parquet, .csv or .jsonl, the last two also with .gz or .zst
    #[arg(long, short, visible_alias = "out", value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) output: Option<PathBuf>,

    /// Write a report to this file: a page that loads nothing
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) report: Option<PathBuf>,

    /// Print the whole summary: every finding and its URLs, verdicts, rules
    #[arg(long)]
    pub(super) summary: bool,

    /// End with status 1 if this holds: warnings>0, disallowed>5%, …; may be repeated [default: errors>0,warnings>0]
    #[arg(long, value_name = "CONDITION", value_delimiter = ',', value_parser = Condition::of_site)]
    pub(super) fail_if: Vec<Condition>,

    /// Print nothing but errors
    #[arg(long, short, conflicts_with_all = ["json", "format", "summary"])]
    pub(super) quiet: bool,

    #[command(flatten)]
    pub(super) format: FormatArgs<Plain>,

    #[command(flatten)]
    pub(super) asking: AskingArgs,
}
