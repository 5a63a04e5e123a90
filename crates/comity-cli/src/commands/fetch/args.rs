//! `comity fetch`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueHint};

use crate::args::{IdentityFlags, NetworkArgs, PageFlags, SettingArgs};
use crate::settings::Override;

/// Fetch URLs politely: guard, robots.txt, pace, then the page
///
/// Asks the site's robots.txt first and keeps its distance; what robots.txt forbids is not fetched. Robots.txt answers
/// and the pace are shared by all runs on this machine. One URL: its body goes to standard output. Many: a line per URL,
/// bodies into a folder.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  comity fetch https://example.com/                          the page, as curl would print it
  comity fetch --markdown https://example.com/docs | less
  comity fetch --json https://example.com/ | jq .hops        how it went, hop by hop
  comity fetch --agent ExampleBot --contact https://example.com/bot --output pages < urls.txt
  comity fetch --output pages --report pages.jsonl --jobs 32 - < urls.txt
  comity fetch --allow-address 127.0.0.0/8 http://127.0.0.1:8000/

Where there is no answer, the reason stands in place of the status code: robots, guard (an address
that is not public), wait (--max-wait), type (--content-type), url, dns, tls, timeout, connection.

Exit status:
  0  everything was fetched, with a status below 400
  1  something was refused (by robots.txt, the guard, --max-wait, --content-type), or its status is
     400 or more
  2  something failed: the network, a robots.txt that cannot be had, the store, bad arguments")]
pub(crate) struct FetchArgs {
    /// URLs; `-`, or none at all, reads one per line from standard input
    #[arg(value_name = "URL", value_hint = ValueHint::Url)]
    pub(crate) urls: Vec<OsString>,

    /// Write bodies into this folder, one file per URL; it is made if need be
    #[arg(long, short, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) output: Option<PathBuf>,

    /// Write a record per URL, one JSON object per line: decisions, hops, waits, digests; `-` is standard output
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) report: Option<PathBuf>,

    /// Print records instead of bodies or lines: the same as `--report -`
    #[arg(long, conflicts_with = "report")]
    pub(crate) json: bool,

    /// Turn HTML into Markdown
    #[arg(long)]
    pub(crate) markdown: bool,

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
