//! Who asks about which URLs, by which robots.txt.

use std::ffi::OsString;

use clap::{ArgGroup, Args, ValueHint};
use comity::robots::{Agent, Dialect, RobotsTxt};

use super::UrlArgs;
use super::values::{agent_parser, charset, dialect_parser, not_empty, token};

/// Who asks, by which robots.txt, about which URLs.
#[derive(Debug, Args)]
pub(crate) struct QuestionArgs {
    #[command(flatten)]
    pub(crate) agents: AgentArgs,

    /// Decide by this robots.txt: a file, `-` for standard input, or a site's URL or host [default: that of each URL's own
    /// site; for bare paths, ./robots.txt]
    #[arg(long, short, value_name = "FILE|URL", value_hint = ValueHint::FilePath)]
    pub(crate) robots: Option<OsString>,

    #[command(flatten)]
    pub(crate) reading: ReadingArgs,

    #[command(flatten)]
    pub(crate) urls: UrlArgs,
}

/// On whose behalf.
#[derive(Debug, Args)]
#[group(skip)]
#[command(group(ArgGroup::new("who").required(true).multiple(true).args(["agent", "user_agent"])))]
pub(crate) struct AgentArgs {
    /// A crawler's product token, such as GPTBot; may be repeated
    #[arg(long, short, value_name = "TOKEN", value_parser = agent_parser())]
    #[arg(hide_possible_values = true)]
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
    /// Returns how a file is read.
    pub(crate) fn dialect(&self) -> Dialect {
        self.dialect.unwrap_or_default()
    }

    /// A body with the charset that was given, or else the one that it came with.
    pub(crate) fn read<'b>(&self, body: &'b [u8], charset: Option<&str>) -> RobotsTxt<'b> {
        RobotsTxt::parse_with_charset(body, self.dialect(), self.charset.as_deref().or(charset))
    }
}
