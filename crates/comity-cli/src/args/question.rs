//! Arguments of commands that decide URLs.

use std::ffi::OsString;

use clap::{ArgGroup, Args, ValueHint};
use comity::robots::{Agent, Dialect, RobotsTxt};
use comity_answers::robots_file::{Reading, RobotsFile};

use super::UrlArgs;
use super::values::{agent_parser, charset, dialect_parser, not_empty, token};
use crate::location::Location;

/// Arguments of commands that decide URLs: the crawlers, the robots.txt and the URLs.
#[derive(Debug, Args)]
pub(crate) struct QuestionArgs {
    #[command(flatten)]
    pub(crate) agents: AgentArgs,

    /// Use this robots.txt: a file, `-` for standard input, or a site's URL or host [default: that of each URL's own
    /// site; for bare paths, ./robots.txt]
    #[arg(long, short, value_name = "FILE|URL", value_hint = ValueHint::FilePath)]
    pub(crate) robots: Option<OsString>,

    #[command(flatten)]
    pub(crate) reading: ReadingArgs,

    #[command(flatten)]
    pub(crate) urls: UrlArgs,
}

impl QuestionArgs {
    /// Returns the location of the robots.txt that decides URLs without a scheme.
    pub(crate) fn location(&self) -> Location {
        self.robots.as_ref().map_or_else(|| Location::File("robots.txt".into()), Location::of)
    }
}

/// The crawlers for which a command decides.
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

    /// Fallback token, tried before `*` if no group names the crawler; may be repeated
    #[arg(long, value_name = "TOKEN", value_parser = token)]
    pub(crate) fallback: Vec<String>,
}

impl AgentArgs {
    /// Returns the named crawlers.
    pub(crate) fn agents(&self) -> Vec<Agent> {
        let tokens = self.agent.iter().map(Agent::unchecked_token);
        let headers = self.user_agent.iter().map(Agent::header);
        let with_fallbacks =
            |agent: Agent| self.fallback.iter().fold(agent, |agent, token| agent.or_token(token));
        tokens.chain(headers).map(with_fallbacks).collect()
    }
}

/// Options that select how robots.txt is parsed.
#[derive(Debug, Args)]
pub(crate) struct ReadingArgs {
    /// Dialect in which robots.txt is read and matched; see `comity dialects` [default: rfc9309]
    #[arg(long, short, value_name = "DIALECT", ignore_case = true)]
    #[arg(value_parser = dialect_parser(), hide_possible_values = true)]
    pub(crate) dialect: Option<Dialect>,

    /// The charset of the HTTP Content-Type, for dialects that match characters
    #[arg(long, value_name = "LABEL", value_parser = charset)]
    pub(crate) charset: Option<String>,
}

impl ReadingArgs {
    /// Converts the options to the fields of a request.
    pub(crate) fn reading(&self) -> Reading {
        Reading { dialect: self.dialect, charset: self.charset.clone() }
    }

    /// Parses a file in the selected dialect. Without `--charset`, the charset of the file applies.
    pub(crate) fn read<'f>(&self, file: &'f RobotsFile) -> RobotsTxt<'f> {
        file.read(&self.reading())
    }
}
