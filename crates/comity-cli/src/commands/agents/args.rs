//! The arguments of `comity agents`.

use std::net::IpAddr;

use clap::{Args, ValueHint};
use comity::agents::Purpose;

use crate::args::values::purpose_parser;
use crate::args::{FormatArgs, Plain};

/// Show known crawlers: operator, purpose and how to recognise them
///
/// With names, prints all facts about these crawlers; without names, prints one line per crawler. The facts are
/// statements of the operators, with the date on which they were read; a crawler can behave differently. `verified`:
/// read on the operator's own page. `mirrored`: copied from a copy of that page. `listed`: taken from a public list.
///
/// Operators often change the addresses of their crawlers. The lists in this program have a date, which is shown with
/// every result. --update reads newer lists from a file and keeps them for later runs.
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  comity agents GPTBot Googlebot
  comity agents --purpose training
  comity agents --address 66.249.64.1                    the crawlers that use this address
  comity agents --address 66.249.64.1 Googlebot          whether it is an address of Googlebot
  comity agents --update openai-gptbot=gptbot.json       a saved copy of https://openai.com/gptbot.json
  comity agents --update ranges.txt                      lists in the format of --ranges
  comity agents --ranges > ranges.txt")]
pub(crate) struct AgentsArgs {
    /// Show these crawlers only; case does not matter
    #[arg(value_name = "NAME")]
    pub(crate) names: Vec<String>,

    /// Show crawlers of this purpose only; may be repeated
    #[arg(long, value_name = "PURPOSE", value_delimiter = ',', value_parser = purpose_parser())]
    pub(crate) purpose: Vec<Purpose>,

    /// Show the crawlers whose published ranges contain an address
    #[arg(long, value_name = "ADDRESS", conflicts_with_all = ["purpose", "ranges", "update"])]
    pub(crate) address: Option<IpAddr>,

    /// Print every list of address ranges; --update reads this format
    #[arg(long, conflicts_with_all = ["names", "purpose", "update"])]
    pub(crate) ranges: bool,

    /// Read newer address ranges from a file: lists in the format of --ranges, or `LIST=FILE` for the JSON that an
    /// operator publishes; may be repeated
    #[arg(long, value_name = "[LIST=]FILE", value_hint = ValueHint::FilePath, conflicts_with_all = ["names", "purpose"])]
    pub(crate) update: Vec<String>,

    #[command(flatten)]
    pub(crate) format: FormatArgs<Plain>,
}
