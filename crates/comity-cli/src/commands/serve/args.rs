//! `comity serve`.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueHint};

use crate::args::{IdentityFlags, NetworkArgs, SettingArgs};

/// Answer over HTTP: one cache and one pace for programs in any language
///
/// What `check`, `explain`, `lint`, `matrix`, `usage` and `diff` say, as JSON; `/v1/admit` says whether and when a request may
/// be sent, and takes its slot. The settings are those of every command that asks sites, so that services and crawlers that
/// name the same store share what they know. `/openapi.json` describes all of it.
#[derive(Debug, Args)]
#[command(
    before_help = "\
Examples:
  comity serve                                               on 127.0.0.1:7273, for this machine
  comity serve --open                                        and its page in a browser
  comity serve --agent ExampleBot --contact https://example.com/bot --store redis://127.0.0.1
  comity serve --unix /run/comity.sock                       for whoever may open the socket
  comity serve --listen 0.0.0.0:7273 --token-file tokens     for a cluster: a token in each line
  comity serve --log 2> requests.jsonl                       a line for each request
  curl http://localhost:7273/v1/robots?origin=https://example.com
  curl -H 'Content-Type: application/json' http://localhost:7273/v1/admit -d '{\"url\": \"https://example.com/\"}'",
    after_long_help = "\
The address is the first line of standard output. SIGTERM or Ctrl-C ends the service in good order: what was accepted is \
answered first, within the time of --grace. A second one ends it at once. docs/guide/serve.md says more."
)]
pub(crate) struct ServeArgs {
    /// Answer on this address; port 0 takes a free one. Beyond loopback a token is required
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:7273", conflicts_with = "unix")]
    pub(crate) listen: SocketAddr,

    /// Answer on this socket in the file system, which its owner and group may open
    #[arg(long, value_name = "SOCKET", value_hint = ValueHint::FilePath)]
    pub(crate) unix: Option<PathBuf>,

    /// Take only requests that bring one of these tokens, of which each line holds one
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) token_file: Option<PathBuf>,

    /// A name of the service, beside localhost and its own address, where no token is required; may be repeated
    #[arg(long, value_name = "NAME", value_hint = ValueHint::Hostname)]
    pub(crate) name: Vec<String>,

    /// The number of new origins that one caller, or one agent behind a gateway, may have asked for in a minute
    #[arg(long, value_name = "NUMBER", default_value = "600")]
    pub(crate) new_origins: usize,

    /// The number of slots that one caller may have taken and not yet come to
    #[arg(long, value_name = "NUMBER", default_value = "1000")]
    pub(crate) open_slots: usize,

    /// The number of requests that are answered at once. One caller takes as many as are free: half of them alone
    #[arg(long, value_name = "NUMBER", default_value = "512")]
    pub(crate) requests: usize,

    /// The memory of questions and answers together, in MiB, until answers were read. It is shared as requests are
    #[arg(long, value_name = "MIB", default_value = "256")]
    pub(crate) answer_memory: usize,

    /// Open the page in a browser: it tests a robots.txt as you type
    #[arg(long, conflicts_with = "unix")]
    pub(crate) open: bool,

    /// Answer gateways, too: nginx, Traefik, Caddy and Envoy ask before each request that passes through them
    #[arg(long)]
    pub(crate) gateway: bool,

    /// The product token of an agent that a gateway may name, beside the service's own crawler; may be repeated
    #[arg(long, value_name = "TOKEN", requires = "gateway", value_parser = crate::args::values::token)]
    pub(crate) gateway_agent: Vec<String>,

    /// Answer assistants at /mcp, too (Model Context Protocol), which may have pages fetched; `comity mcp` is for one of them
    #[arg(long)]
    pub(crate) mcp: bool,

    /// How long requests under way may take after SIGTERM or Ctrl-C; the process ends 5 seconds later at the latest
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = comity::date::duration)]
    pub(crate) grace: Duration,

    /// Print a line of JSON to standard error for each request; lines that nobody reads are dropped
    #[arg(long)]
    pub(crate) log: bool,

    #[command(flatten)]
    pub(crate) identity: SettingArgs<IdentityFlags>,

    #[command(flatten)]
    pub(crate) network: NetworkArgs,
}
