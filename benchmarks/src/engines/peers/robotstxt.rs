//! robotstxt, a port of Google's program. It has no parsed form: it parses the file again for every question.

use std::hint::black_box;

use robotstxt::{DefaultMatcher, RobotsParseHandler, parse_robotstxt};

use super::super::{Ask, Engine, Parsed};
use crate::case::Case;

#[derive(Debug)]
pub(super) struct Robotstxt;

impl Engine for Robotstxt {
    fn name(&self) -> &'static str {
        "robotstxt"
    }

    fn version(&self) -> &'static str {
        "0.3.0"
    }

    fn note(&self) -> &'static str {
        "no parsed form: `parse` runs its callbacks, every question parses the file; takes text"
    }

    fn parse(&self, case: &Case, then: &mut dyn FnMut(&dyn Parsed)) {
        then(&Unparsed(case.text()));
    }

    fn parse_alone(&self, case: &Case) {
        parse_robotstxt(case.text(), &mut Sink);
    }
}

struct Unparsed<'b>(&'b str);

impl Parsed for Unparsed<'_> {
    fn prepare(&self, agent: &str, then: &mut dyn FnMut(&mut Ask<'_>)) {
        then(&mut |url| DefaultMatcher::default().one_agent_allowed_by_robots(self.0, agent, url));
    }
}

/// A handler whose callbacks do nothing.
struct Sink;

impl RobotsParseHandler for Sink {
    fn handle_robots_start(&mut self) {}
    fn handle_robots_end(&mut self) {}
    fn handle_user_agent(&mut self, line: u32, value: &str) {
        black_box((line, value));
    }
    fn handle_allow(&mut self, line: u32, value: &str) {
        black_box((line, value));
    }
    fn handle_disallow(&mut self, line: u32, value: &str) {
        black_box((line, value));
    }
    fn handle_sitemap(&mut self, line: u32, value: &str) {
        black_box((line, value));
    }
    fn handle_unknown_action(&mut self, line: u32, action: &str, value: &str) {
        black_box((line, action, value));
    }
}
