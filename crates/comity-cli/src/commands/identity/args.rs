//! The arguments of `comity identity`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum, ValueHint};
use comity::date::duration;

#[cfg(feature = "live")]
use crate::args::{FormatArgs, NetworkArgs, Plain};

/// Manage keys for signed requests, and the key directory of a crawler (Web Bot Auth)
///
/// A signature proves that the named crawler sent a request. The private keys are in one file, which only its owner may
/// read. The public directory is generated from this file.
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
    after_long_help = "docs/guide/identity.md describes every step: a key, its directory, signed requests, and key rotation."
)]
pub(crate) struct IdentityArgs {
    #[command(subcommand)]
    pub(crate) command: IdentityCommand,
}

/// The subcommands.
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

/// Create a key, and a file that contains it
///
/// The key is never printed. Only the owner can read the file (mode 0600).
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  comity identity new https://bot.example -o bot.identity.json
  comity identity new https://bot.example/keys.json -o bot.identity.json")]
pub(crate) struct NewIdentityArgs {
    /// The location of the public key: an origin with a well-known directory, or the URL of a key set
    #[arg(value_name = "URL", value_hint = ValueHint::Url)]
    pub(crate) url: String,

    /// Write to this new file
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output: PathBuf,
}

/// Print the directory to publish: the public keys that are valid now or later
///
/// With --headers, prints header fields for the directory, which are optional. They contain signatures by the private
/// keys, which prove that the publisher of the directory has these keys.
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  comity identity directory bot.identity.json > directory.json
  comity identity directory --headers --lifetime 7d bot.identity.json")]
pub(crate) struct DirectoryArgs {
    #[command(flatten)]
    pub(crate) file: IdentityFile,

    /// Print the header fields with the signatures of the directory, instead of the directory
    #[arg(long)]
    pub(crate) headers: bool,

    /// Lifetime of the signatures; copies of the directory expire with them
    #[arg(long, value_name = "TIME", default_value = "30d", value_parser = at_least_a_second, requires = "headers")]
    pub(crate) lifetime: Duration,
}

/// Print a server configuration that publishes the directory
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

/// The supported servers.
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

/// Add a new key, and publish the old keys until their last signatures have expired
///
/// Changes the file. Publish its directory at once, so that sites know the new key before it is used.
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  comity identity rotate bot.identity.json
  comity identity rotate bot.identity.json --start 2h --overlap 30m")]
pub(crate) struct RotateArgs {
    #[command(flatten)]
    pub(crate) file: IdentityFile,

    /// Delay before the new key signs for the first time: sites renew their copies of a directory within a day
    #[arg(long, value_name = "TIME", default_value = "24h", value_parser = at_least_a_second)]
    pub(crate) start: Duration,

    /// Time for which the old keys stay valid and published after the new key starts to sign
    #[arg(long, value_name = "TIME", default_value = "24h", value_parser = at_least_a_second)]
    pub(crate) overlap: Duration,
}

/// The file of an identity.
#[derive(Debug, Args)]
pub(crate) struct IdentityFile {
    /// The file that `comity identity new` created
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) path: PathBuf,
}

/// Fetch a key directory, and check it as a verifier does
///
/// A verifier requires status 200 without a redirect, the media type of key directories, and keys in the format of the
/// draft.
#[cfg(feature = "live")]
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  comity identity check https://bot.example
  comity identity check https://bot.example/keys.json
  comity identity check --json https://bot.example | jq .findings")]
#[command(after_long_help = "The exit status is 1 for errors and warnings. Notes are suggestions.")]
pub(crate) struct CheckDirectoryArgs {
    /// The location of the keys: an origin with a well-known directory, or the URL of a key set
    #[arg(value_name = "URL", value_hint = ValueHint::Url)]
    pub(crate) url: String,

    #[command(flatten)]
    pub(crate) format: FormatArgs<Plain>,

    #[command(flatten)]
    pub(crate) network: NetworkArgs,
}

/// Parses a duration of at least a second.
fn at_least_a_second(text: &str) -> Result<Duration, String> {
    let time = duration(text).map_err(|error| error.to_string())?;
    if time < Duration::from_secs(1) { Err("the minimum is one second".to_owned()) } else { Ok(time) }
}
