//! The arguments of `comity explain`.

use clap::Args;

use crate::args::{FormatArgs, NetworkArgs, Plain, QuestionArgs};

/// Show the lines behind a decision, and why other rules lost
///
/// Shows the selected group with the reason, the matching rules in order of precedence, and the decisions that other
/// groups would have made. The robots.txt is selected as in `comity check`. If a site has no robots.txt, the output
/// shows the result of the preset.
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  comity explain --agent GPTBot https://example.com/page
  comity explain --agent GPTBot --all-dialects https://example.com/page
  comity explain --agent GPTBot --robots new.txt https://example.com/page
  comity explain --agent GPTBot --dialect urllib --json /page")]
pub(crate) struct ExplainArgs {
    #[command(flatten)]
    pub(crate) question: QuestionArgs,

    /// Show the verdicts of all dialects side by side, and why they differ
    #[arg(long)]
    pub(crate) all_dialects: bool,

    #[command(flatten)]
    pub(crate) format: FormatArgs<Plain>,

    #[command(flatten)]
    pub(crate) network: NetworkArgs,
}
