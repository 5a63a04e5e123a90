//! Arguments that select the crawlers of an audit.

use clap::Args;
use comity::agents::Purpose;
use comity_audit::Whom;

use crate::args::values::{agent_parser, not_empty, purpose_parser};

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

    /// Every known crawler of this purpose that is not retired; may be repeated
    #[arg(long, value_name = "PURPOSE", value_delimiter = ',', value_parser = purpose_parser())]
    pub(crate) purpose: Vec<Purpose>,
}

impl WhomArgs {
    /// Returns the crawlers for a request.
    pub(super) fn request(&self) -> Whom {
        let WhomArgs { agent, user_agent, purpose } = self;
        Whom { agents: agent.clone(), user_agents: user_agent.clone(), purposes: purpose.clone() }
    }
}
