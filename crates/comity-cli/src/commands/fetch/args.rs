//! The arguments of `comity fetch`.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use crate::args::{FormatArgs, IdentityFlags, NetworkArgs, PageFlags, Plain, SettingArgs, UrlArgs};
use crate::settings::Override;

/// Fetch the URLs that robots.txt allows, at the pace of each site
///
/// Requests the site's robots.txt first and keeps the pace of the site. A disallowed URL is not fetched. All runs on
/// this machine share robots.txt answers and the pace. The body of a single URL is printed to standard output. For
/// several URLs, one line per URL is printed, and --output names a folder for the bodies.
#[derive(Debug, Args)]
#[command(
    before_help = "\
Examples:
  comity fetch https://example.com/                          the page, as curl prints it
  comity fetch --markdown https://example.com/docs | less
  comity fetch --json https://example.com/ | jq .hops        redirects, with the decision on each
  comity fetch --agent ExampleBot --contact https://example.com/bot --output pages < urls.txt
  comity fetch --output pages --report pages.jsonl --jobs 32 --urls urls.txt
  comity fetch --output pages --resume pages.jsonl --urls urls.txt   after an interruption
  comity fetch --output pages --if-changed pages.jsonl --report new.jsonl --urls urls.txt
  comity fetch --json --markdown https://example.com/ | jq -r .text
  comity fetch --dry-run --urls urls.txt                     decisions and intervals, without pages
  comity fetch --allow-address 127.0.0.0/8 http://127.0.0.1:8000/",
    after_long_help = "\
If a page is not fetched, its line has the reason in place of the status code, such as robots (a rule disallows the \
URL), unknown (robots.txt is unreachable), guard (an address that is not public), wait (--max-wait), type \
(--content-type), dns, tls, timeout or connection. The exit status is 1 for a status of 400 or more, and for URLs that \
robots.txt, --max-wait or --content-type refuse."
)]
pub(crate) struct FetchArgs {
    #[command(flatten)]
    pub(crate) urls: UrlArgs,

    /// Write the body of a single URL to this file, or the bodies of several URLs into this folder, one file per URL
    #[arg(long, short, value_name = "FILE|DIR", value_hint = ValueHint::AnyPath)]
    pub(crate) output: Option<PathBuf>,

    /// Write a record per URL, one JSON object per line: decisions, hops, waits, digests; `-` is standard output
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) report: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) format: FormatArgs<Plain>,

    /// Convert HTML to Markdown with absolute links; with --json or --report, the Markdown is the field `text` of each
    /// record
    #[arg(long)]
    pub(crate) markdown: bool,

    /// Add the text of each page to its record, as `text`
    #[arg(long)]
    pub(crate) include_body: bool,

    /// Continue this report: skip the URLs that it lists as fetched, try those with status 429 or 5xx or without an answer
    /// again, and append to it
    #[arg(long, value_name = "REPORT", value_hint = ValueHint::FilePath, conflicts_with_all = ["report", "json", "format"])]
    pub(crate) resume: Option<PathBuf>,

    /// Fetch only pages that have changed since this report of an earlier run (If-None-Match, If-Modified-Since); the files
    /// of the others stay in --output
    #[arg(long, value_name = "REPORT", value_hint = ValueHint::FilePath)]
    pub(crate) if_changed: Option<PathBuf>,

    /// Request robots.txt of each site at its pace, but fetch no page; shows the decisions and the intervals
    #[arg(long, conflicts_with_all = ["output", "report", "resume", "if_changed", "markdown", "include_body"])]
    pub(crate) dry_run: bool,

    #[command(flatten)]
    pub(crate) pages: SettingArgs<PageFlags>,

    /// Print no lines, no notes and no summary
    #[arg(long, short)]
    pub(crate) quiet: bool,

    #[command(flatten)]
    pub(crate) identity: SettingArgs<IdentityFlags>,

    #[command(flatten)]
    pub(crate) network: NetworkArgs,
}

impl FetchArgs {
    /// Returns the settings that the flags of this command set.
    pub(crate) fn overrides(&self) -> Vec<Override> {
        let mut overrides = self.pages.overrides();
        overrides.extend(self.identity.overrides());
        overrides
    }
}
