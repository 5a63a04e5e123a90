//! The arguments of `comity logs`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueHint};
use comity_logs::Suggestion;

use crate::args::values::{duration, not_empty};
use crate::args::{FormatArgs, Metrics, NetworkArgs, ReadingArgs};

fn suggestion_parser() -> impl TypedValueParser<Value = Suggestion> {
    PossibleValuesParser::new(Suggestion::ALL.map(|(name, _)| name))
        .try_map(|name| Suggestion::ALL.into_iter().find(|(known, _)| *known == name).ok_or("unknown"))
        .map(|(_, suggestion)| suggestion)
}

/// Show which crawlers come to a site, and what of their requests robots.txt disallowed
///
/// Reads access logs, finds the known crawlers by the product token in their User-Agent, and judges each of their requests
/// by the robots.txt that was in force. The format of a line is found line by line: the combined format of nginx and Apache
/// (with or without a host in front), W3C files of IIS and CloudFront, AWS load balancers, and JSON as Caddy, Cloudflare
/// Logpush, Vercel and Fastly write it.
///
/// Anybody can send anybody's name. Where an operator publishes the addresses of its crawler, requests are `verified` by
/// them, or come from `outside` of what was published within 30 days of the request; else their identity is `unknown`.
/// What comes from outside never counts against the crawler whose name it uses, and stands in a table of its own.
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  comity logs /var/log/nginx/access.log* --robots robots.txt
  comity logs access.log --robots https://example.com --host example.com
  comity logs access.log.gz --robots versions/            what was in force then: versions/robots-2026-11-01.txt, ...
  comity logs access.log --robots git:public/robots.txt --deployed-after 10m
  comity logs access.log --robots robots.txt --suggest nginx
  zcat old.gz | comity logs - --robots robots.txt --json
  comity logs /var/log/nginx/access.log --robots robots.txt --follow
  comity logs access.log -r robots.txt --follow --format prometheus --output /var/lib/node_exporter/comity.prom
  comity logs app.log --robots robots.txt --log-format '%h %t \"%r\" \"%{User-Agent}i\"'")]
pub(crate) struct LogsArgs {
    /// Access logs, also compressed (gz, zst, lz4), in any order; `-` reads standard input
    #[arg(required = true, value_name = "LOG", value_hint = ValueHint::FilePath)]
    pub(crate) logs: Vec<PathBuf>,

    /// The robots.txt: a file, a site's URL or host, a folder of versions with their times in the names, or `git:PATH` for the
    /// history of a file in a repository
    #[arg(long, short, value_name = "FILE|DIR|URL|git:PATH", value_hint = ValueHint::AnyPath)]
    pub(crate) robots: OsString,

    /// With git:PATH: how long after a commit it is served
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) deployed_after: Option<Duration>,

    /// The rules that are printed in place of a report.
    #[arg(long, value_name = "FOR", value_parser = suggestion_parser(), conflicts_with_all = ["format", "json"])]
    #[arg(
        hide_possible_values = true,
        help = "Print rules for `robots`, nginx, apache, caddy, haproxy or cloudflare against crawlers \
          that asked for what is disallowed, and no report: for robots.txt those that honour one, for a server those whose \
          addresses are verified"
    )]
    pub(crate) suggest: Option<Suggestion>,

    /// Count requests for this host only, where the log names hosts
    #[arg(long, value_name = "HOST", value_parser = not_empty)]
    pub(crate) host: Option<String>,

    /// The format of the lines, as nginx's log_format or Apache's LogFormat writes it
    #[arg(long, value_name = "FORMAT", value_parser = not_empty)]
    pub(crate) log_format: Option<String>,

    /// A proxy's network, whose X-Forwarded-For names the client; may be repeated
    #[arg(long, value_name = "NETWORK")]
    pub(crate) trusted_proxy: Vec<comity::agents::Prefix>,

    /// Ask name servers for the names of addresses, by which some operators have their crawlers verified
    #[arg(long)]
    pub(crate) dns: bool,

    /// Fetch the keys of those who sign their requests (Web Bot Auth), and verify the signatures that the log has
    #[arg(long)]
    pub(crate) signatures: bool,

    /// Go on as the logs grow, through rotation and truncation, until Ctrl-C
    #[arg(long, conflicts_with = "suggest")]
    pub(crate) follow: bool,

    /// With --follow: the time between two reports to --output, or two rows of a crawler with --json
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "10s", requires = "follow")]
    pub(crate) every: Duration,

    /// Write to this file, which is replaced as a whole
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,

    /// Show whole addresses; without it, only their networks (/24, /48)
    #[arg(long)]
    pub(crate) show_addresses: bool,

    /// Show every crawler, also those that asked for nothing that was disallowed
    #[arg(long)]
    pub(crate) all: bool,

    #[command(flatten)]
    pub(crate) reading: ReadingArgs,

    #[command(flatten)]
    pub(crate) format: FormatArgs<Metrics>,

    #[command(flatten)]
    pub(crate) network: NetworkArgs,
}
