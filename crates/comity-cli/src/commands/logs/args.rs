//! The arguments of `comity logs`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueHint};

use crate::args::values::not_empty;
use crate::args::{FormatArgs, NetworkArgs, ReadingArgs, Tabular};

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
  zcat old.gz | comity logs - --robots robots.txt --json
  comity logs app.log --robots robots.txt --log-format '%h %t \"%r\" \"%{User-Agent}i\"'")]
pub(crate) struct LogsArgs {
    /// Access logs, also compressed (gz, zst, lz4), in any order; `-` reads standard input
    #[arg(required = true, value_name = "LOG", value_hint = ValueHint::FilePath)]
    pub(crate) logs: Vec<PathBuf>,

    /// The robots.txt: a file, a site's URL or host, or a folder of versions with their times in the names
    #[arg(long, short, value_name = "FILE|DIR|URL", value_hint = ValueHint::AnyPath)]
    pub(crate) robots: OsString,

    /// Count requests for this host only, where the log names hosts
    #[arg(long, value_name = "HOST", value_parser = not_empty)]
    pub(crate) host: Option<String>,

    /// The format of the lines, as nginx's log_format or Apache's LogFormat writes it
    #[arg(long, value_name = "FORMAT", value_parser = not_empty)]
    pub(crate) log_format: Option<String>,

    /// A proxy's network, whose X-Forwarded-For names the client; may be repeated
    #[arg(long, value_name = "NETWORK")]
    pub(crate) trusted_proxy: Vec<super::who::Network>,

    /// Show whole addresses; without it, only their networks (/24, /48)
    #[arg(long)]
    pub(crate) show_addresses: bool,

    /// Show every crawler, also those that asked for nothing that was disallowed
    #[arg(long)]
    pub(crate) all: bool,

    #[command(flatten)]
    pub(crate) reading: ReadingArgs,

    #[command(flatten)]
    pub(crate) format: FormatArgs<Tabular>,

    #[command(flatten)]
    pub(crate) network: NetworkArgs,
}
