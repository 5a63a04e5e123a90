//! The arguments of `comity check`.

use clap::Args;

use crate::args::{NetworkArgs, QuestionArgs};

/// Say of each URL whether it may be fetched, and which line decides
///
/// One line per URL: the verdict, the URL, and what decided. With several crawlers, one line per URL and crawler.
///
/// URLs with http:// or https:// are decided by the robots.txt that their site serves: asked for once, under Comity's own
/// name, kept for later runs, and judged by a preset, which brings its dialect and says what follows if there is no
/// robots.txt (`comity presets`). With --robots, a file decides and nothing is asked for; bare paths are decided by
/// ./robots.txt.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  comity check --agent GPTBot https://example.com/page                   by the site's robots.txt
  comity check --agent GPTBot --json < urls.txt > decisions.jsonl        of however many sites
  comity check --agent GPTBot --preset google https://example.com/page   as Google judges outages
  comity check --agent GPTBot --robots saved/robots.txt --json < urls.txt > decisions.jsonl
  comity check --agent Googlebot-Image --fallback Googlebot /logo.png
  comity check --user-agent 'Mozilla/5.0 (compatible; ExampleBot/1.0)' --dialect google /page
  git show HEAD:public/robots.txt | comity check --agent GPTBot --robots - /page

Exit status:
  0  every URL is allowed
  1  at least one URL is disallowed
  2  an error: bad arguments, an unreadable file, text that is not a URL, a site that cannot be asked (the
     other URLs are still decided)")]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    pub(crate) question: QuestionArgs,

    /// Print one JSON object per line: url, agent, verdict, recommendation, rule, group, dialect, basis; live also what
    /// robots.txt answered and what the preset makes of it
    #[arg(long)]
    pub(crate) json: bool,

    /// Print no decisions: the exit status says it all
    #[arg(long, short, conflicts_with = "json")]
    pub(crate) quiet: bool,

    #[command(flatten)]
    pub(crate) network: NetworkArgs,
}
