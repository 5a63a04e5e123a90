//! The arguments of `comity check`.

use clap::Args;

use crate::args::{FormatArgs, NetworkArgs, QuestionArgs, Tabular};

/// Decide whether URLs may be fetched, and name the line that decides
///
/// Prints one line per URL: the verdict, the URL, and the reason. With several crawlers, one line per URL and crawler.
///
/// URLs with http:// or https:// are decided by the robots.txt of their site. It is requested once, under Comity's own
/// name, and kept for later runs. A preset sets the dialect, and the decision for sites without a robots.txt (`comity
/// presets`). With --robots, that robots.txt decides all URLs. Bare paths are decided by ./robots.txt.
#[derive(Debug, Args)]
#[command(
    before_help = "\
Examples:
  comity check --agent GPTBot https://example.com/page                   by the site's robots.txt
  comity check --agent GPTBot --json --urls urls.txt > decisions.jsonl   URLs of any number of sites
  comity check --agent GPTBot --preset google https://example.com/page   as Google treats outages
  comity check --agent GPTBot --robots saved/robots.txt --json < urls.txt > decisions.jsonl
  comity check --agent GPTBot --robots example.com /page                 by the robots.txt of a site
  comity check --agent Googlebot-Image --fallback Googlebot /logo.png
  comity check --user-agent 'Mozilla/5.0 (compatible; ExampleBot/1.0)' --dialect google /page
  git show HEAD:public/robots.txt | comity check --agent GPTBot --robots - /page",
    after_long_help = "\
One row per URL and crawler, in the order of the input. If a URL cannot be decided, the field `error` of its row has the reason."
)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    pub(crate) question: QuestionArgs,

    #[command(flatten)]
    pub(crate) format: FormatArgs<Tabular>,

    /// Print no decisions; the exit status is the result
    #[arg(long, short, conflicts_with_all = ["format", "json"])]
    pub(crate) quiet: bool,

    /// Maximum number of sites that are requested at the same time
    #[arg(long, short, value_name = "NUMBER", default_value = "16", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(crate) jobs: u16,

    #[command(flatten)]
    pub(crate) network: NetworkArgs,
}
