//! The crawlers that an audit is for.

use clap::Args;
use comity::agents::{self, Purpose, Status};
use comity::robots::Agent;

use crate::args::FilesArgs;
use crate::args::values::{agent_parser, not_empty, purpose_parser};
use crate::decisions::Notices;
use crate::exit::Failure;
use crate::output::Output;

/// The crawlers that an audit is for.
#[derive(Debug, Args)]
#[group(skip)]
pub(crate) struct WhomArgs {
    /// A crawler's product token, such as GPTBot; may be repeated
    #[arg(long, short, value_name = "TOKEN", value_parser = agent_parser(), hide_possible_values = true)]
    pub(crate) agent: Vec<String>,

    /// A crawler's whole User-Agent header; may be repeated
    #[arg(long, value_name = "HEADER", value_parser = not_empty)]
    pub(crate) user_agent: Vec<String>,

    /// Every known crawler of this purpose that is still active; may be repeated
    #[arg(long, value_name = "PURPOSE", value_delimiter = ',', value_parser = purpose_parser())]
    pub(crate) purpose: Vec<Purpose>,
}

impl WhomArgs {
    /// Prints the notices about the names that were given. Those of a purpose are the catalogue's own.
    pub(super) fn warn(&self, files: &FilesArgs, output: &mut Output) {
        let agents: Vec<Agent> = self.agent.iter().map(Agent::token).collect();
        Notices::new(files).warn(&agents, None, output);
    }

    /// The crawlers that are asked for, each once.
    pub(super) fn agents(&self) -> Result<Vec<Agent>, Failure> {
        let is_wanted = |known: &&agents::KnownAgent| {
            self.purpose.contains(&known.purpose()) && known.status() != Status::Retired
        };
        let of_purpose: Vec<&str> =
            agents::all().iter().filter(is_wanted).map(|known| known.token()).collect();
        if !self.purpose.is_empty() && of_purpose.is_empty() {
            return Err(Failure::new("no crawler that is known has this purpose"));
        }
        let tokens = self.agent.iter().map(String::as_str).chain(of_purpose);
        let mut agents: Vec<Agent> = Vec::new();
        for agent in tokens.map(Agent::token).chain(self.user_agent.iter().map(Agent::header)) {
            if !agents.iter().any(|known| known.to_string().eq_ignore_ascii_case(&agent.to_string())) {
                agents.push(agent);
            }
        }
        Ok(agents)
    }
}
