//! The parts that all commands that decide URLs share: the URLs, the exit code, what was probably meant. Decisions as JSON
//! are in `comity_answers`.

pub(crate) mod guess;
#[cfg(feature = "live")]
mod policy;
pub(crate) mod urls;

#[cfg(feature = "live")]
pub(crate) use self::policy::{exit_of_policy, recommends};
pub(crate) use self::urls::Urls;
use comity::robots::{Agent, RobotsTxt};
use comity_answers::near_miss::NearMiss;

use crate::exit::Exit;
use crate::output::Output;

/// The exit code that one decision asks for.
pub(crate) fn exit_of(allowed: bool) -> Exit {
    if allowed { Exit::Success } else { Exit::Objection }
}

/// Warns of names that may be slips of others.
pub(crate) fn warn_of_near_misses(agents: &[Agent], robots: Option<&RobotsTxt<'_>>, output: &mut Output) {
    for near_miss in agents.iter().filter_map(|agent| NearMiss::of(agent, robots)) {
        output.warning(&near_miss.to_string());
    }
}
