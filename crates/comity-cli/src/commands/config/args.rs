//! `comity config`.

use clap::Args;

use crate::args::{FormatArgs, IdentityFlags, NetworkArgs, Plain, SettingArgs};

/// Show the settings in force, and where each came from
///
/// A setting comes from the first of these that has it: the command line, an environment variable (COMITY_ and its
/// name), the file that --config names, or else the user's own comity/config.toml, the default. A comity.toml that is found in
/// the current folder sets what lint says of files, and never options of the network. The output is a file of settings itself:
/// defaults, and what holds a secret, are comments in it.
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  comity config                                   everything, with the place behind each value
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
