//! fast-robots, as two engines: the first searches the parsed file, the second uses the compiled matcher.

use fast_robots::RobotsTxt;

use super::super::{Ask, Engine, Parsed};
use super::path_of;
use crate::case::Case;

const VERSION: &str = "0.1.5";

#[derive(Debug)]
pub(super) struct FastRobots;

impl Engine for FastRobots {
    fn name(&self) -> &'static str {
        "fast-robots"
    }

    fn version(&self) -> &'static str {
        VERSION
    }

    fn note(&self) -> &'static str {
        "searches the parsed file; takes a path and text"
    }

    fn parse(&self, case: &Case, then: &mut dyn FnMut(&dyn Parsed)) {
        then(&Plain(RobotsTxt::parse(case.text())));
    }
}

struct Plain<'b>(RobotsTxt<'b>);

impl Parsed for Plain<'_> {
    fn prepare(&self, agent: &str, then: &mut dyn FnMut(&mut Ask<'_>)) {
        then(&mut |url| self.0.is_allowed(agent, path_of(url)));
    }
}

#[derive(Debug)]
pub(super) struct FastRobotsMatcher;

impl Engine for FastRobotsMatcher {
    fn name(&self) -> &'static str {
        "fast-robots matcher"
    }

    fn version(&self) -> &'static str {
        VERSION
    }

    fn note(&self) -> &'static str {
        "first compiles a matcher for all agents; takes a path and text"
    }

    fn parse(&self, case: &Case, then: &mut dyn FnMut(&dyn Parsed)) {
        then(&Compiled(RobotsTxt::parse(case.text())));
    }

    fn compiles(&self) -> bool {
        true
    }
}

struct Compiled<'b>(RobotsTxt<'b>);

impl Parsed for Compiled<'_> {
    fn prepare(&self, agent: &str, then: &mut dyn FnMut(&mut Ask<'_>)) {
        let matcher = self.0.matcher();
        then(&mut |url| matcher.is_allowed(agent, path_of(url)));
    }
}
