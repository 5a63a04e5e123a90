//! The arguments of `comity check`.

use clap::Args;

use crate::args::{FormatArgs, NetworkArgs, QuestionArgs, Tabular};

/// Say of each URL whether it may be fetched, and which line decides
///
/// One line per URL: the verdict, the URL, and what decided. With several crawlers, one line per URL and crawler.
///
/// URLs with http:// or https:// are decided by the robots.txt that their site serves: asked for once, under Comity's own
/// name, kept for later runs, and judged by a preset, which brings its dialect and says what follows if there is no
/// robots.txt (`comity presets`). With --robots, a file decides and nothing is asked for; bare paths are decided by
/// ./robots.txt.
#[derive(Debug, Args)]
#[command(
    before_help = "\
Examples:
  comity check --agent GPTBot https://example.com/page                   by the site's robots.txt
  comity check --agent GPTBot --json --urls urls.txt > decisions.jsonl   of however many sites
  comity check --agent GPTBot --preset google https://example.com/page   as Google judges outages
  comity check --agent GPTBot --robots saved/robots.txt --json < urls.txt > decisions.jsonl
  comity check --agent GPTBot --robots example.com /page                 by the robots.txt of a site
  comity check --agent Googlebot-Image --fallback Googlebot /logo.png
  comity check --user-agent 'Mozilla/5.0 (compatible; ExampleBot/1.0)' --dialect google /page
  git show HEAD:public/robots.txt | comity check --agent GPTBot --robots - /page",
    after_long_help = "\
One row per URL and crawler, in the order of the input. What cannot be decided has a row, too: `error` says why."
)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    pub(crate) question: QuestionArgs,

    #[command(flatten)]
    pub(crate) format: FormatArgs<Tabular>,

    /// Print no decisions: the exit status says it all
    #[arg(long, short, conflicts_with_all = ["format", "json"])]
    pub(crate) quiet: bool,

    /// The number of sites that are asked at once
    #[arg(long, short, value_name = "NUMBER", default_value = "16", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(crate) jobs: u16,

    #[command(flatten)]
    pub(crate) network: NetworkArgs,
}
