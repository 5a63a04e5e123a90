//! texting_robots, which parses a file for one agent.

use texting_robots::Robot;

use super::super::{Ask, Engine, Parsed};
use crate::case::Case;

#[derive(Debug)]
pub(super) struct TextingRobots;

impl Engine for TextingRobots {
    fn name(&self) -> &'static str {
        "texting_robots"
    }

    fn version(&self) -> &'static str {
        "0.2.2"
    }

    fn note(&self) -> &'static str {
        "stores only one agent's rules; a file that it rejects allows everything"
    }

    fn parse(&self, case: &Case, then: &mut dyn FnMut(&dyn Parsed)) {
        then(&OneAgent(Robot::new(&case.agent, &case.body).ok()));
    }

    fn borrows_body(&self) -> bool {
        false
    }
}

struct OneAgent(Option<Robot>);

impl Parsed for OneAgent {
    fn prepare(&self, _agent: &str, then: &mut dyn FnMut(&mut Ask<'_>)) {
        then(&mut |url| self.0.as_ref().is_none_or(|robot| robot.allowed(url)));
    }
}
