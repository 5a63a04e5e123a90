//! The arguments of `comity explain`.

use clap::Args;

use crate::args::{FormatArgs, NetworkArgs, Plain, QuestionArgs};

/// Show a decision with the lines that mattered, and why the others lost
///
/// Shows the group that was chosen and why, the rules that matched in order of precedence, and what the groups that were
/// not chosen would have said. Which robots.txt that is about is settled as for `comity check`; where a site has none, it
/// says what the preset makes of that.
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

    /// Show the verdict of every dialect side by side, and what makes them differ
    #[arg(long)]
    pub(crate) all_dialects: bool,

    #[command(flatten)]
    pub(crate) format: FormatArgs<Plain>,

    #[command(flatten)]
    pub(crate) network: NetworkArgs,
}
