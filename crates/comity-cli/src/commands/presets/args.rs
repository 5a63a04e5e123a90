//! The arguments of `comity presets`.

use clap::Args;
use comity::policy::Preset;

use crate::args::values::preset_parser;
use crate::args::{FormatArgs, Plain};

/// List the presets: the treatment of each kind of answer to the request for robots.txt
///
/// Without a name, shows the differences between presets; with names, their tables.
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  comity presets
  comity presets google
  comity presets --json | jq '{name, fails_open}'")]
pub(crate) struct PresetsArgs {
    /// Show the tables of these presets
    #[arg(value_name = "PRESET", ignore_case = true, value_parser = preset_parser(), hide_possible_values = true)]
    pub(crate) presets: Vec<Preset>,

    #[command(flatten)]
    pub(crate) format: FormatArgs<Plain>,
}
