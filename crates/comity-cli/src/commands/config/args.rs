//! The arguments of `comity config`.

use clap::Args;

use crate::args::{FormatArgs, IdentityFlags, NetworkArgs, Plain, SettingArgs};

/// Show the effective settings, and the source of each
///
/// The sources of a setting, in this order: the command line, an environment variable (COMITY_ and its name), the file
/// of --config or else the user's own comity/config.toml, the default. A comity.toml in the current folder sets levels
/// for lint, and never network settings. The output is a settings file itself; defaults and secrets are comments in it.
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  comity config                                   all settings with their sources
  comity config --contact https://example.com/bot > crawl.toml      for --config crawl.toml
  comity config --json | jq '.settings[] | select(.source.kind != \"default\")'
  COMITY_MIN_INTERVAL=5s comity config --no-config")]
pub(crate) struct ConfigArgs {
    #[command(flatten)]
    pub(crate) format: FormatArgs<Plain>,

    #[command(flatten)]
    pub(crate) identity: SettingArgs<IdentityFlags>,

    #[command(flatten)]
    pub(crate) network: NetworkArgs,
}
