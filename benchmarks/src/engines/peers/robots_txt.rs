//! robots_txt: without wildcards; the first matching rule decides.

use robots_txt::Robots;
use robots_txt::matcher::SimpleMatcher;

use super::super::{Ask, Engine, Parsed};
use super::path_of;
use crate::case::Case;

#[derive(Debug)]
pub(super) struct RobotsTxt;

impl Engine for RobotsTxt {
    fn name(&self) -> &'static str {
        "robots_txt"
    }

    fn version(&self) -> &'static str {
        "0.7.0"
    }

    fn note(&self) -> &'static str {
        "no wildcards, and the first match decides; takes a path and text"
    }

    fn parse(&self, case: &Case, then: &mut dyn FnMut(&dyn Parsed)) {
        then(&Robots::from_str_lossy(case.text()));
    }
}

impl Parsed for Robots<'_> {
    fn prepare(&self, agent: &str, then: &mut dyn FnMut(&mut Ask<'_>)) {
        let matcher = SimpleMatcher::new(&self.choose_section(agent).rules);
        then(&mut |url| matcher.check_path(path_of(url)));
    }
}
