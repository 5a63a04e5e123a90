//! Who asks about which URLs, by which robots.txt: the arguments of `comity check` and `comity explain`, and those of
//! them that other commands have, too.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{ArgGroup, Args, ValueHint};
use comity::robots::{Agent, Dialect, RobotsTxt};

use super::{LiveArgs, asker, charset, dialect_parser, not_empty, token};

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
  2  an error: bad arguments, an unreadable file, text that is no URL, a site that cannot be asked (the
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
    pub(crate) live: LiveArgs,
}

/// Show a decision with the lines that mattered, and why the others lost
///
/// Shows the group that was chosen and why, the rules that matched in order of precedence, and what the groups that were
/// not chosen would have said. Which robots.txt that is about is settled as for `comity check`; where a site has none, it
/// says what the preset makes of that.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  comity explain --agent GPTBot https://example.com/page
  comity explain --agent GPTBot --all-dialects https://example.com/page
  comity explain --agent GPTBot --robots new.txt https://example.com/page
  comity explain --agent GPTBot --dialect urllib --json /page

Exit status: as for `comity check`. With --all-dialects, the verdict of --dialect counts.")]
pub(crate) struct ExplainArgs {
    #[command(flatten)]
    pub(crate) question: QuestionArgs,

    /// Show the verdict of every dialect side by side, and what makes them differ
    #[arg(long, short = 'A')]
    pub(crate) all_dialects: bool,

    /// Print one JSON object per line
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) live: LiveArgs,
}

/// Who asks, by which robots.txt, about which URLs.
#[derive(Debug, Args)]
pub(crate) struct QuestionArgs {
    #[command(flatten)]
    pub(crate) agents: AgentArgs,

    /// Decide by this robots.txt; `-` reads standard input [default: that of each URL's own site; for bare paths, ./robots.txt]
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) robots: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) reading: ReadingArgs,

    /// URLs or paths; `-`, or none at all, reads one per line from standard input
    #[arg(value_name = "URL", value_hint = ValueHint::Url)]
    pub(crate) urls: Vec<OsString>,
}

/// On whose behalf.
#[derive(Debug, Args)]
#[group(skip)]
#[command(group(ArgGroup::new("who").required(true).multiple(true).args(["agent", "user_agent"])))]
pub(crate) struct AgentArgs {
    /// A crawler's product token, such as GPTBot; may be repeated
    #[arg(long, short, value_name = "TOKEN", value_parser = asker)]
    pub(crate) agent: Vec<String>,

    /// A crawler's whole User-Agent header; may be repeated
    #[arg(long, value_name = "HEADER", value_parser = not_empty)]
    pub(crate) user_agent: Vec<String>,

    /// A token to try, before `*`, when no group names the crawler; may be repeated
    #[arg(long, value_name = "TOKEN", value_parser = token)]
    pub(crate) fallback: Vec<String>,
}

impl AgentArgs {
    /// The crawlers that were named.
    pub(crate) fn agents(&self) -> Vec<Agent> {
        let tokens = self.agent.iter().map(Agent::token);
        let headers = self.user_agent.iter().map(Agent::header);
        let with_fallbacks =
            |agent: Agent| self.fallback.iter().fold(agent, |agent, token| agent.or_token(token));
        tokens.chain(headers).map(with_fallbacks).collect()
    }
}

/// How a robots.txt is read.
#[derive(Debug, Args)]
pub(crate) struct ReadingArgs {
    /// How robots.txt is read and matched; see `comity dialects` [default: rfc9309]
    #[arg(long, short, value_name = "DIALECT", ignore_case = true)]
    #[arg(value_parser = dialect_parser(), hide_possible_values = true)]
    pub(crate) dialect: Option<Dialect>,

    /// The charset of the HTTP Content-Type, for dialects that match characters
    #[arg(long, value_name = "LABEL", value_parser = charset)]
    pub(crate) charset: Option<String>,
}

impl ReadingArgs {
    /// How a file is read.
    pub(crate) fn dialect(&self) -> Dialect {
        self.dialect.unwrap_or_default()
    }

    /// A body with the charset that was given, or else the one that it came with.
    pub(crate) fn read<'b>(&self, body: &'b [u8], charset: Option<&str>) -> RobotsTxt<'b> {
        RobotsTxt::parse_with_charset(body, self.dialect(), self.charset.as_deref().or(charset))
    }
}
