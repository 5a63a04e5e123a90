//! The arguments of `comity logs`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueHint};
use comity_formats::logs::ForwardedField;
use comity_logs::{Suggestion, Threshold};

use crate::args::values::{duration, not_empty};
use crate::args::{FormatArgs, Metrics, NetworkArgs, ReadingArgs};

fn suggestion_parser() -> impl TypedValueParser<Value = Suggestion> {
    PossibleValuesParser::new(Suggestion::ALL.map(|(name, _)| name))
        .try_map(|name| Suggestion::ALL.into_iter().find(|(known, _)| *known == name).ok_or("unknown"))
        .map(|(_, suggestion)| suggestion)
}

/// Parses `FIELD=KEY.PATH`. The reader checks the field.
fn mapping(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((field, path)) if !field.is_empty() && !path.is_empty() => {
            Ok((field.to_owned(), path.to_owned()))
        }
        _ => Err("write a field and the path of its key, such as url=http.url".to_owned()),
    }
}

fn client_field(text: &str) -> Result<ForwardedField, String> {
    let names = ForwardedField::ALL.map(|(name, _)| name).join(", ");
    ForwardedField::named(text).ok_or_else(|| format!("the fields are {names}"))
}

/// Parses `20%`, `20%,50`.
fn threshold(text: &str) -> Result<Threshold, String> {
    let (share, requests) =
        text.split_once(',').map_or((text, None), |(share, number)| (share, Some(number)));
    let share = share.trim().strip_suffix('%').and_then(|share| share.trim().parse::<f64>().ok());
    let share = share.filter(|share| (0.0..=100.0).contains(share)).map(|share| share / 100.0);
    let requests = requests.map_or(Ok(Threshold::default().requests), |number| number.trim().parse());
    match (share, requests) {
        (Some(share), Ok(requests)) => Ok(Threshold { share, requests }),
        _ => Err("write a share and a number of requests, such as 20%,50".to_owned()),
    }
}

/// Show which crawlers visit a site, and which of their requests robots.txt disallowed
///
/// Reads access logs, finds the known crawlers by the product token in their User-Agent, and judges each of their
/// requests by the robots.txt that was in force. The format is detected for each line: the combined and common formats
/// of nginx, Apache and Traefik; JSON of nginx, Caddy, Traefik, Cloudflare, CloudFront, Google Cloud, Vercel and
/// Fastly; Caddy's console; W3C files of IIS and CloudFront, also without their header; AWS load balancers and S3;
/// HAProxy. Words that syslog, journald, Docker, Kubernetes or Loki write before a line are removed. A line with a
/// field that cannot be parsed is counted as unread.
///
/// Any client can send the name of any crawler. If the operator of a crawler publishes its addresses, a request from
/// such an address is `verified`. A request from another address is `outside` if the addresses were published within 30
/// days of the request. The identity of all other requests is `unknown`. Requests from outside are not counted for the
/// crawler that they name, and have a separate table.
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  comity logs /var/log/nginx/access.log* --robots robots.txt
  comity logs access.log --robots https://example.com --host example.com
  comity logs access.log.gz --robots versions/            the version that was in force: versions/robots-2026-11-01.txt, ...
  comity logs access.log --robots git:public/robots.txt --deployed-after 10m
  comity logs access.log --robots robots.txt --suggest nginx
  zcat old.gz | comity logs - --robots robots.txt --json
  comity logs /var/log/nginx/access.log --robots robots.txt --follow
  comity logs access.log -r robots.txt --follow --format prometheus --output /var/lib/node_exporter/comity.prom
  comity logs app.log --robots robots.txt --log-format '%h %t \"%r\" \"%{User-Agent}i\"'
  comity logs app.log --robots robots.txt --log-format @/etc/nginx/nginx.conf
  comity logs app.jsonl --robots robots.txt --map url=http.url --map agent=http.ua
  comity logs access.log --robots robots.txt --unknown-agents own.toml")]
pub(crate) struct LogsArgs {
    /// Access logs, also compressed (gz, zst, lz4), in any order; `-` reads standard input
    #[arg(required = true, value_name = "LOG", value_hint = ValueHint::FilePath)]
    pub(crate) logs: Vec<PathBuf>,

    /// The robots.txt: a file, a site's URL or host, a folder of versions with their times in the names, or `git:PATH`
    /// for the history of a file in a repository
    #[arg(long, short, value_name = "FILE|DIR|URL|git:PATH", value_hint = ValueHint::AnyPath)]
    pub(crate) robots: OsString,

    /// With git:PATH: time between a commit and its deployment
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) deployed_after: Option<Duration>,

    /// The rules that are printed in place of a report.
    #[arg(long, value_name = "FOR", value_parser = suggestion_parser(), conflicts_with_all = ["format", "json"])]
    #[arg(
        hide_possible_values = true,
        help = "Print rules for `robots`, nginx, apache, caddy, haproxy or cloudflare instead of a report: rules against \
          crawlers that requested disallowed URLs; in robots.txt, only against crawlers that honour it; for a server, only \
          against crawlers with verified addresses"
    )]
    pub(crate) suggest: Option<Suggestion>,

    /// With --suggest: minimum share and number of disallowed requests of a crawler
    #[arg(long, value_name = "SHARE[,NUMBER]", value_parser = threshold, default_value = "20%,50", requires = "suggest")]
    pub(crate) suggest_from: Threshold,

    /// Write the crawlers that are not in the catalogue to this file, as entries for --catalogue
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "follow")]
    pub(crate) unknown_agents: Option<PathBuf>,

    /// Exit with status 2 if the logs have no lines
    #[arg(long)]
    pub(crate) fail_on_empty: bool,

    /// Count requests for this host only, where the log names hosts
    #[arg(long, value_name = "HOST", value_parser = not_empty)]
    pub(crate) host: Option<String>,

    /// The format of the lines: the value of nginx's log_format or Apache's LogFormat, the whole directive, or @FILE
    /// with such directives
    #[arg(long, value_name = "FORMAT", value_parser = not_empty)]
    pub(crate) log_format: Option<String>,

    /// In JSON, read this field from this key; the fields are url, query, host, address, agent, time, status, bytes,
    /// method and request; may be repeated
    #[arg(long, value_name = "FIELD=KEY.PATH", value_parser = mapping)]
    pub(crate) map: Vec<(String, String)>,

    /// The network of a proxy whose X-Forwarded-For or similar field names the client; may be repeated [default:
    /// private networks]
    #[arg(long, value_name = "NETWORK")]
    pub(crate) trusted_proxy: Vec<comity::agents::Prefix>,

    /// The header field that names the client, trusted from every peer: x-forwarded-for, forwarded, x-real-ip,
    /// cf-connecting-ip, true-client-ip or fastly-client-ip
    #[arg(long, value_name = "FIELD", value_parser = client_field)]
    pub(crate) client_field: Option<ForwardedField>,

    /// Look up the host names of addresses, which verify the crawlers of some operators
    #[arg(long)]
    pub(crate) dns: bool,

    /// Fetch the keys of crawlers that sign requests (Web Bot Auth), and verify the signatures in the log
    #[arg(long)]
    pub(crate) signatures: bool,

    /// Continue to read the logs as they grow, across rotation and truncation, until Ctrl-C
    #[arg(long, conflicts_with = "suggest")]
    pub(crate) follow: bool,

    /// With --follow: the time between two reports to --output, or two rows of a crawler with --json
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "10s", requires = "follow")]
    pub(crate) every: Duration,

    /// Write to this file; an existing file is replaced atomically
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,

    /// Show whole addresses instead of their networks (/24, /48)
    #[arg(long)]
    pub(crate) show_addresses: bool,

    /// Show every crawler, including those without a disallowed request
    #[arg(long)]
    pub(crate) all: bool,

    #[command(flatten)]
    pub(crate) reading: ReadingArgs,

    #[command(flatten)]
    pub(crate) format: FormatArgs<Metrics>,

    #[command(flatten)]
    pub(crate) network: NetworkArgs,
}
