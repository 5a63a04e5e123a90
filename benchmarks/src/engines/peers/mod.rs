//! Published crates of others, at fixed versions. Their wrong verdicts show in their agreement.

mod fast_robots;
mod robots_txt;
mod robotstxt;
mod robotxt;
mod texting_robots;

use super::Engine;

pub(super) fn all() -> Vec<Box<dyn Engine>> {
    vec![
        Box::new(fast_robots::FastRobots),
        Box::new(fast_robots::FastRobotsMatcher),
        Box::new(robotxt::Robotxt),
        Box::new(texting_robots::TextingRobots),
        Box::new(robotstxt::Robotstxt),
        Box::new(robots_txt::RobotsTxt),
    ]
}

/// Path and query of an absolute URL, for engines that take a path: the cheapest way there is.
fn path_of(url: &str) -> &str {
    let after_scheme = url.find("://").map_or(0, |at| at + 3);
    url[after_scheme..].find('/').map_or("/", |at| &url[after_scheme + at..])
}
