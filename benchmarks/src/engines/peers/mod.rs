//! Published crates at fixed versions. Wrong verdicts reduce the share in the column `agrees`.

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

/// Returns path and query of an absolute URL, for engines that accept paths. Its time is part of the time of these
/// engines, so it does as little work as possible.
fn path_of(url: &str) -> &str {
    let after_scheme = url.find("://").map_or(0, |at| at + 3);
    url[after_scheme..].find('/').map_or("/", |at| &url[after_scheme + at..])
}
