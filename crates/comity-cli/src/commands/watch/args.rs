//! The arguments of `comity watch`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueHint};
use comity_client::Origin;
use jiff::Timestamp;

use crate::args::values::{duration, origin, time};
use crate::args::{FormatArgs, NetworkArgs, Plain};

/// Watch the robots.txt of sites, and report the effects of changes
///
/// Requests each robots.txt in intervals, stores every version in a folder, and reports changes of meaning: crawlers
/// that gain or lose access, rules, findings, a file that disappears or is replaced by a page, a site that does not
/// answer any more. The first answer of a site is stored and not reported. A failure is reported if the next request
/// fails, too. A version that returns within a day is noted, but not reported again.
///
/// The folder has a list of all versions, `manifest.jsonl`, and their texts: `comity audit run --robots FOLDER` judges
/// pages by them, `comity logs --robots FOLDER/SITE` judges access logs, and `comity diff` compares two of them. `--at`
/// prints the version of a time, also while another process watches.
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  comity watch example.com --state robots-versions
  comity watch --sites sites.txt --state robots-versions --every 6h
  comity watch example.com --state robots-versions --once || mail -s robots.txt me
  comity watch example.com --state robots-versions --exec ./alarm.sh
  comity watch example.com --state robots-versions --json | jq .access
  comity watch example.com --state robots-versions --at 2026-11-20 > old.txt")]
pub(crate) struct WatchArgs {
    /// Sites: hosts or URLs; https if no scheme is named
    #[arg(value_name = "SITE", value_hint = ValueHint::Url, value_parser = origin, required_unless_present = "sites")]
    pub(crate) given: Vec<Origin>,

    /// Read sites from this file, one per line; `-` is standard input; blank lines and lines that begin with # are skipped
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) sites: Option<PathBuf>,

    /// The folder of the versions; it is created if it does not exist
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub(crate) state: PathBuf,

    /// Time between two requests to a site, at least a minute
    #[arg(long, value_name = "TIME", default_value = "1h", value_parser = interval)]
    pub(crate) every: Duration,

    /// Request each robots.txt once, and end with status 1 if there is a change to report
    #[arg(long, conflicts_with = "every")]
    pub(crate) once: bool,

    /// Also request the sitemaps that each robots.txt lists, at most 20, and report which stop answering
    #[arg(long)]
    pub(crate) sitemaps: bool,

    /// Print the stored robots.txt of the site as of this time, such as 2026-11-20 or 2026-11-20T09:30:00Z; no site is
    /// requested
    #[arg(long, value_name = "TIME", value_parser = time, conflicts_with_all = ["sites", "every", "once", "sitemaps", "exec", "format", "json"])]
    pub(crate) at: Option<Timestamp>,

    /// Run this program for each report, with the report as JSON on its standard input
    #[arg(long, value_name = "PROGRAM", value_hint = ValueHint::CommandName)]
    pub(crate) exec: Option<OsString>,

    #[command(flatten)]
    pub(crate) format: FormatArgs<Plain>,

    #[command(flatten)]
    pub(crate) network: NetworkArgs,
}

/// Parses an interval.
fn interval(text: &str) -> Result<Duration, String> {
    match duration(text) {
        Ok(time) if time < Duration::from_secs(60) => Err("the shortest time is 1m".to_owned()),
        Ok(time) => Ok(time),
        Err(error) => Err(error.to_string()),
    }
}
