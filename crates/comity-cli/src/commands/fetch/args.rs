//! `comity fetch`.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use crate::args::{FormatArgs, IdentityFlags, NetworkArgs, PageFlags, Plain, SettingArgs, UrlArgs};
use crate::settings::Override;

/// Fetch URLs politely: guard, robots.txt, pace, then the page
///
/// Asks the site's robots.txt first and keeps its distance; what robots.txt forbids is not fetched. Robots.txt answers
/// and the pace are shared by all runs on this machine. One URL: its body goes to standard output. Many: a line per URL,
/// bodies into a folder.
#[derive(Debug, Args)]
#[command(
    before_help = "\
Examples:
  comity fetch https://example.com/                          the page, as curl would print it
  comity fetch --markdown https://example.com/docs | less
  comity fetch --json https://example.com/ | jq .hops        how it went, hop by hop
  comity fetch --agent ExampleBot --contact https://example.com/bot --output pages < urls.txt
  comity fetch --output pages --report pages.jsonl --jobs 32 --urls urls.txt
  comity fetch --output pages --resume pages.jsonl --urls urls.txt   after an interruption
  comity fetch --json --markdown https://example.com/ | jq -r .text
  comity fetch --dry-run --urls urls.txt                     what robots.txt and pace would do
  comity fetch --allow-address 127.0.0.0/8 http://127.0.0.1:8000/",
    after_long_help = "\
Where there is no answer, the reason stands in place of the status code: robots (a rule forbids it), unknown (robots.txt \
could not be reached), guard (an address that is not public), wait (--max-wait), type (--content-type), url, dns, tls, \
timeout, connection. A status of 400 or more, and what robots.txt, --max-wait or --content-type refuse, end with 1."
)]
pub(crate) struct FetchArgs {
    #[command(flatten)]
    pub(crate) urls: UrlArgs,

    /// Write the body to this file, if there is one URL; else bodies into this folder, one file per URL
    #[arg(long, short, value_name = "FILE|DIR", value_hint = ValueHint::AnyPath)]
    pub(crate) output: Option<PathBuf>,

    /// Write a record per URL, one JSON object per line: decisions, hops, waits, digests; `-` is standard output
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) report: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) format: FormatArgs<Plain>,

    /// Turn HTML into Markdown, with absolute links; with --json it stands in each record, as `text`
    #[arg(long)]
    pub(crate) markdown: bool,

    /// Put the text of each page into its record, as `text`
    #[arg(long)]
    pub(crate) include_body: bool,

    /// Go on with this report: skip the URLs that it says were fetched, and append to it
    #[arg(long, value_name = "REPORT", value_hint = ValueHint::FilePath, conflicts_with_all = ["report", "json", "format"])]
    pub(crate) resume: Option<PathBuf>,

    /// Ask robots.txt and keep the pace, and fetch no page: says what would be fetched, and after which wait
    #[arg(long, conflicts_with_all = ["output", "report", "resume", "markdown", "include_body"])]
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
    /// Returns what was given beside the flags of every live command.
    pub(crate) fn overrides(&self) -> Vec<Override> {
        let mut overrides = self.pages.overrides();
        overrides.extend(self.identity.overrides());
        overrides
    }
}
