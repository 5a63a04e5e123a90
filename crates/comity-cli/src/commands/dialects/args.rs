//! The arguments of `comity dialects`.

use clap::Args;
use comity::robots::Dialect;

use crate::args::values::dialect_parser;
use crate::args::{FormatArgs, Plain};

/// List the dialects in which robots.txt can be read and matched
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  comity dialects
  comity dialects google yandex
  comity dialects --json")]
pub(crate) struct DialectsArgs {
    /// Show these dialects only
    #[arg(value_name = "DIALECT", ignore_case = true, value_parser = dialect_parser(), hide_possible_values = true)]
    pub(crate) dialects: Vec<Dialect>,

    #[command(flatten)]
    pub(crate) format: FormatArgs<Plain>,
}
