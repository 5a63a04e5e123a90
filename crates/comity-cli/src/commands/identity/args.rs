//! The arguments of `comity identity`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum, ValueHint};
use comity::date::duration;

#[cfg(feature = "live")]
use crate::args::{FormatArgs, NetworkArgs, Plain};

/// Keys for signed requests, and the directory in which sites find them (Web Bot Auth)
///
/// A crawler that signs its requests is told from those who use its name. The private keys stand in one file, which nobody else
/// may read; what is published is made of it.
#[derive(Debug, Args)]
#[command(subcommand_required = true, arg_required_else_help = true)]
#[command(before_help = "\
Examples:
  comity identity new https://bot.example -o bot.identity.json
  comity identity directory bot.identity.json > directory.json
  comity identity serve-snippets nginx bot.identity.json
  comity identity check https://bot.example
  comity identity rotate bot.identity.json")]
#[command(
    after_long_help = "docs/guide/identity.md shows the whole way: a key, its directory, signed requests, and a new key in time."
)]
pub(crate) struct IdentityArgs {
    #[command(subcommand)]
    pub(crate) command: IdentityCommand,
}

/// What to do with an identity.
#[derive(Debug, Subcommand)]
pub(crate) enum IdentityCommand {
    New(NewIdentityArgs),
    Directory(DirectoryArgs),
    #[command(name = "serve-snippets")]
    ServeSnippets(SnippetArgs),
    Rotate(RotateArgs),
    #[cfg(feature = "live")]
    Check(Box<CheckDirectoryArgs>),
}

/// Make a key, and a file that holds it
///
/// The key is never printed, and the file is for you alone (mode 0600).
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  comity identity new https://bot.example -o bot.identity.json
  comity identity new https://bot.example/keys.json -o bot.identity.json")]
pub(crate) struct NewIdentityArgs {
    /// Where the public key will be found: an origin, below which it has its well-known place, or the address of a key set
    #[arg(value_name = "URL", value_hint = ValueHint::Url)]
    pub(crate) url: String,

    /// Write to this file, which must not exist
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output: PathBuf,
}

/// Print the directory to publish: the public keys that count now or later
///
/// With --headers, the header fields that go with it, by which the directory shows who holds the keys. They are for those who
/// get it from somebody else, and are optional.
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  comity identity directory bot.identity.json > directory.json
  comity identity directory --headers --lifetime 7d bot.identity.json")]
pub(crate) struct DirectoryArgs {
    #[command(flatten)]
    pub(crate) file: IdentityFile,

    /// Print the header fields that sign the directory, in place of the directory
    #[arg(long)]
    pub(crate) headers: bool,

    /// For how long these signatures count; copies of the directory end with them
    #[arg(long, value_name = "TIME", default_value = "30d", value_parser = some_time, requires = "headers")]
    pub(crate) lifetime: Duration,
}

/// Show how a server publishes the directory
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  comity identity serve-snippets nginx bot.identity.json
  comity identity serve-snippets static bot.identity.json")]
pub(crate) struct SnippetArgs {
    /// The server
    #[arg(value_name = "SERVER")]
    pub(crate) server: Server,

    #[command(flatten)]
    pub(crate) file: IdentityFile,
}

/// The servers that are known.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Server {
    /// nginx
    Nginx,
    /// Caddy
    Caddy,
    /// Apache
    Apache,
    /// Hosts of static files that read `_headers`
    Static,
}

/// Bring a new key in, and keep the old ones published until their last signatures have ended
///
/// The file is changed. Publish its directory at once, so that sites know the new key before it signs.
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  comity identity rotate bot.identity.json
  comity identity rotate bot.identity.json --start 2h --overlap 30m")]
pub(crate) struct RotateArgs {
    #[command(flatten)]
    pub(crate) file: IdentityFile,

    /// When the new key signs for the first time, from now on: sites renew their copies of a directory within a day
    #[arg(long, value_name = "TIME", default_value = "24h", value_parser = some_time)]
    pub(crate) start: Duration,

    /// For how long after that the old keys are published
    #[arg(long, value_name = "TIME", default_value = "24h", value_parser = some_time)]
    pub(crate) overlap: Duration,
}

/// The file of an identity.
#[derive(Debug, Args)]
pub(crate) struct IdentityFile {
    /// The file that `comity identity new` made
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) path: PathBuf,
}

/// Fetch a directory, and judge it as a verifier would
///
/// Only what verifiers go by counts: status 200, no redirect, the media type, keys in the form that the draft asks for.
#[cfg(feature = "live")]
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  comity identity check https://bot.example
  comity identity check https://bot.example/keys.json
  comity identity check --json https://bot.example | jq .findings")]
#[command(after_long_help = "An error or a warning ends with 1. Notes say what could be better.")]
pub(crate) struct CheckDirectoryArgs {
    /// Where the keys are: an origin, below which they have their well-known place, or the address of a key set
    #[arg(value_name = "URL", value_hint = ValueHint::Url)]
    pub(crate) url: String,

    #[command(flatten)]
    pub(crate) format: FormatArgs<Plain>,

    #[command(flatten)]
    pub(crate) network: NetworkArgs,
}

/// Reads a length of time of a second at least.
fn some_time(text: &str) -> Result<Duration, String> {
    let time = duration(text).map_err(|error| error.to_string())?;
    if time < Duration::from_secs(1) { Err("a second is the shortest".to_owned()) } else { Ok(time) }
}
