//! Comity, in its default dialect and in the dialect `google`.

use comity::robots::{self, Agent, Dialect, RobotsTxt};

use super::{Ask, Engine, Parsed};
use crate::case::Case;

pub(super) const DEFAULT: Comity = Comity {
    name: "comity",
    dialect: Dialect::Rfc9309,
    note: "default dialect, RFC 9309; builds an index after some questions",
};
pub(super) const GOOGLE: Comity = Comity {
    name: "comity-google",
    dialect: Dialect::Google,
    note: "dialect `google`: the reference for verdicts",
};

#[derive(Debug)]
pub(super) struct Comity {
    name: &'static str,
    dialect: Dialect,
    note: &'static str,
}

impl Engine for Comity {
    fn name(&self) -> &'static str {
        self.name
    }

    fn version(&self) -> &'static str {
        "this repository"
    }

    fn note(&self) -> &'static str {
        self.note
    }

    fn parse(&self, case: &Case, then: &mut dyn FnMut(&dyn Parsed)) {
        then(&RobotsTxt::parse_as(&case.body, self.dialect));
    }

    fn answer_once(&self, case: &Case, url: &str) -> bool {
        let agent = Agent::unchecked_token(case.agent.as_str());
        robots::is_allowed_as(&case.body, self.dialect, &agent, url).unwrap_or(true)
    }

    fn compiles(&self) -> bool {
        true
    }
}

impl Parsed for RobotsTxt<'_> {
    fn prepare(&self, agent: &str, then: &mut dyn FnMut(&mut Ask<'_>)) {
        let rules = self.rules_for(&Agent::unchecked_token(agent));
        then(&mut |url| rules.is_allowed(url).unwrap_or(true));
    }
}
