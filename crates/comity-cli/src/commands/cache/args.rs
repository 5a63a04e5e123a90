//! The arguments of `comity cache`.

use std::time::Duration;

use clap::{ArgGroup, Args, Subcommand, ValueHint};
use comity_client::Origin;

use crate::args::values::origin;
use crate::args::{FilesArgs, FormatArgs, Plain, SettingArgs, StoreFlags};

/// Show or remove entries of the store of robots.txt answers
///
/// All commands that contact sites share one store: a file in the user's cache folder, unless --store, COMITY_STORE or
/// a settings file names another one. A removed answer is requested again when it is needed.
#[derive(Debug, Args)]
#[command(subcommand_required = true, arg_required_else_help = true)]
#[command(before_help = "\
Examples:
  comity cache list
  comity cache show https://example.com
  comity cache show example.com --body > robots.txt
  comity cache purge example.com
  comity cache purge --older-than 7d
  comity cache verify --repair")]
pub(crate) struct CacheArgs {
    #[command(subcommand)]
    pub(crate) command: CacheCommand,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub(crate) enum CacheCommand {
    List(CacheListArgs),
    Show(CacheShowArgs),
    Purge(CachePurgeArgs),
    Verify(CacheVerifyArgs),
}

/// List the origins in the store, with the answer, its age and its lifetime
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  comity cache list
  comity cache list --json | jq -r 'select(.status == 503) | .origin'")]
pub(crate) struct CacheListArgs {
    #[command(flatten)]
    pub(crate) format: FormatArgs<Plain>,

    #[command(flatten)]
    pub(crate) which: StoreArgs,
}

/// Show the entry of an origin
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  comity cache show https://example.com
  comity cache show example.com --body
  comity cache show http://example.com:8080 --json")]
pub(crate) struct CacheShowArgs {
    /// The origin, or any URL on it; https if no scheme is named
    #[arg(value_name = "ORIGIN", value_hint = ValueHint::Url, value_parser = origin)]
    pub(crate) origin: Origin,

    /// Print the robots.txt itself
    #[arg(long, conflicts_with_all = ["json", "format"])]
    pub(crate) body: bool,

    #[command(flatten)]
    pub(crate) format: FormatArgs<Plain>,

    #[command(flatten)]
    pub(crate) which: StoreArgs,
}

/// Remove entries from the store; leases and the pace are kept
#[derive(Debug, Args)]
#[command(group(ArgGroup::new("what").required(true).args(["origins", "all", "older_than"])))]
#[command(before_help = "\
Examples:
  comity cache purge https://example.com example.org
  comity cache purge --older-than 7d
  comity cache purge --all")]
pub(crate) struct CachePurgeArgs {
    /// Origins, or any URLs on them; https if no scheme is named
    #[arg(value_name = "ORIGIN", value_hint = ValueHint::Url, value_parser = origin)]
    pub(crate) origins: Vec<Origin>,

    /// Remove every entry
    #[arg(long)]
    pub(crate) all: bool,

    /// Remove the entries that are older than this: 12h, 7d
    #[arg(long, value_name = "TIME", value_parser = comity::date::duration)]
    pub(crate) older_than: Option<Duration>,

    #[command(flatten)]
    pub(crate) format: FormatArgs<Plain>,

    #[command(flatten)]
    pub(crate) which: StoreArgs,
}

/// Read the whole store, and verify the checksum of every entry
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  comity cache verify
  comity cache verify --repair")]
pub(crate) struct CacheVerifyArgs {
    /// Remove damaged entries; they are requested again when needed
    #[arg(long)]
    pub(crate) repair: bool,

    #[command(flatten)]
    pub(crate) format: FormatArgs<Plain>,

    #[command(flatten)]
    pub(crate) which: StoreArgs,
}

/// Options that select the store, and the preset that reads its entries.
#[derive(Debug, Args)]
pub(crate) struct StoreArgs {
    #[command(flatten)]
    pub(crate) settings: SettingArgs<StoreFlags>,

    #[command(flatten)]
    pub(crate) files: FilesArgs,
}
