//! The arguments of `comity serve`.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueHint};

use crate::args::{IdentityFlags, NetworkArgs, SettingArgs};

/// Serve answers over HTTP: one cache and one pace for programs in any language
///
/// Answers the questions of other commands, such as `check`, `lint` and `diff`, as JSON. `/v1/admit` answers whether
/// and when a request may be sent, and reserves its slot. The settings are those of every command that contacts sites,
/// so services and crawlers with the same store share robots.txt answers and the pace. `/openapi.json` describes the
/// service.
#[derive(Debug, Args)]
#[command(
    before_help = "\
Examples:
  comity serve                                               on 127.0.0.1:7273, for this machine
  comity serve --open                                        and open its page in a browser
  comity serve --agent ExampleBot --contact https://example.com/bot --store redis://127.0.0.1
  comity serve --unix /run/comity.sock                       for users who may open the socket
  comity serve --listen 0.0.0.0:7273 --token-file tokens     for a cluster: one token per line
  comity serve --log 2> requests.jsonl                       one line per request
  curl http://localhost:7273/v1/robots?origin=https://example.com
  curl -H 'Content-Type: application/json' http://localhost:7273/v1/admit -d '{\"url\": \"https://example.com/\"}'",
    after_long_help = "\
The address is the first line of standard output. SIGHUP makes the service read its settings, tokens and identity again; \
requests in progress keep the earlier ones. If systemd passes a socket, the service listens on it instead of --listen and \
--unix. SIGTERM or Ctrl-C shuts the service down: accepted requests are answered \
within the time of --grace. A second signal ends it at once. docs/guide/serve.md has the details."
)]
pub(crate) struct ServeArgs {
    /// Listen on this address; port 0 selects a free port. Addresses other than loopback require a token
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:7273", conflicts_with = "unix")]
    pub(crate) listen: SocketAddr,

    /// Listen on this Unix domain socket, which its owner and group may open
    #[arg(long, value_name = "SOCKET", value_hint = ValueHint::FilePath)]
    pub(crate) unix: Option<PathBuf>,

    /// Accept only requests with one of the tokens in this file, which has one per line
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) token_file: Option<PathBuf>,

    /// Accept requests for this host name, in addition to localhost and the address of the service; may be repeated.
    /// If a token is required, any host name is accepted
    #[arg(long, value_name = "NAME", value_hint = ValueHint::Hostname)]
    pub(crate) name: Vec<String>,

    /// Maximum number of new origins per minute for one caller, or for one agent behind a gateway
    #[arg(long, value_name = "NUMBER", default_value = "600")]
    pub(crate) new_origins: usize,

    /// Maximum number of reserved slots of one caller that are still in the future
    #[arg(long, value_name = "NUMBER", default_value = "1000")]
    pub(crate) open_slots: usize,

    /// Maximum number of concurrent requests. A caller can use at most half of the requests that other
    /// callers leave free
    #[arg(long, value_name = "NUMBER", default_value = "512")]
    pub(crate) requests: usize,

    /// Memory for requests and unread answers together, in MiB. A caller can use at most half of the memory that
    /// other callers leave free
    #[arg(long, value_name = "MIB", default_value = "256")]
    pub(crate) answer_memory: usize,

    /// Open the service's page in a browser; the page tests a robots.txt while you type
    #[arg(long, conflicts_with = "unix")]
    pub(crate) open: bool,

    /// Also serve gateways: nginx, Traefik, Caddy and Envoy, which request a decision before they forward a request
    #[arg(long)]
    pub(crate) gateway: bool,

    /// Product token of an agent that a gateway may name, in addition to the service's own crawler; may be repeated
    #[arg(long, value_name = "TOKEN", requires = "gateway", value_parser = crate::args::values::token)]
    pub(crate) gateway_agent: Vec<String>,

    /// Also serve assistants at /mcp (Model Context Protocol), which can fetch pages; `comity mcp` serves a single
    /// assistant
    #[arg(long)]
    pub(crate) mcp: bool,

    /// Time limit for requests in progress after SIGTERM or Ctrl-C; the process ends at most 5 seconds later
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = comity::date::duration)]
    pub(crate) grace: Duration,

    /// Print a line of JSON to standard error for each request; lines are dropped if they are not read in time
    #[arg(long)]
    pub(crate) log: bool,

    #[command(flatten)]
    pub(crate) identity: SettingArgs<IdentityFlags>,

    #[command(flatten)]
    pub(crate) network: NetworkArgs,
}
