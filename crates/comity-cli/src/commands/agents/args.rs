//! The arguments of `comity agents`.

use std::net::IpAddr;

use clap::{Args, ValueHint};
use comity::agents::Purpose;

use crate::args::values::purpose_parser;
use crate::args::{FormatArgs, Plain};

/// Show known crawlers: who runs them, what for, and how to recognise them
///
/// With names, everything that is known of these crawlers; without, a line for each. What is shown is what operators say,
/// with the day on which it was read; whether a crawler does so is another matter. `verified` was read on the operator's
/// own page, `mirrored` copied from somebody's copy of what it publishes, `listed` taken from a public list.
///
/// Operators change the addresses of their crawlers from day to day. The copies that come with this program have a date,
/// which is shown wherever they are used; --update takes newer ones from a file and keeps them for later runs.
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  comity agents GPTBot Googlebot
  comity agents --purpose training
  comity agents --address 66.249.64.1                    whose address is it?
  comity agents --address 66.249.64.1 Googlebot          is it Googlebot's?
  comity agents --update openai-gptbot=gptbot.json       what https://openai.com/gptbot.json serves
  comity agents --update ranges.txt                      lists in the form that --ranges prints
  comity agents --ranges > ranges.txt")]
pub(crate) struct AgentsArgs {
    /// Show these only, whatever their case
    #[arg(value_name = "NAME")]
    pub(crate) names: Vec<String>,

    /// Show crawlers of this purpose only; may be repeated
    #[arg(long, value_name = "PURPOSE", value_delimiter = ',', value_parser = purpose_parser())]
    pub(crate) purpose: Vec<Purpose>,

    /// Tell which crawlers' published ranges an address is in
    #[arg(long, value_name = "ADDRESS", conflicts_with_all = ["purpose", "ranges", "update"])]
    pub(crate) address: Option<IpAddr>,

    /// Print every list of address ranges, in the form that --update reads
    #[arg(long, conflicts_with_all = ["names", "purpose", "update"])]
    pub(crate) ranges: bool,

    /// Take newer address ranges from a file: lists as --ranges prints them, or `LIST=FILE` for what an operator publishes as
    /// JSON; may be repeated
    #[arg(long, value_name = "[LIST=]FILE", value_hint = ValueHint::FilePath, conflicts_with_all = ["names", "purpose"])]
    pub(crate) update: Vec<String>,

    #[command(flatten)]
    pub(crate) format: FormatArgs<Plain>,
}
