//! robotxt, which parses a file for one agent.

use robotxt::Robots;

use super::super::{Ask, Engine, Parsed};
use super::path_of;
use crate::case::Case;

#[derive(Debug)]
pub(super) struct Robotxt;

impl Engine for Robotxt {
    fn name(&self) -> &'static str {
        "robotxt"
    }

    fn version(&self) -> &'static str {
        "0.7.0"
    }

    fn note(&self) -> &'static str {
        "stores only one agent's rules; takes a path"
    }

    fn parse(&self, case: &Case, then: &mut dyn FnMut(&dyn Parsed)) {
        then(&Robots::parse(&case.body, case.agent.as_str()));
    }

    fn borrows_body(&self) -> bool {
        false
    }
}

impl Parsed for Robots {
    fn prepare(&self, _agent: &str, then: &mut dyn FnMut(&mut Ask<'_>)) {
        then(&mut |url| self.is_allowed(path_of(url)));
    }
}
