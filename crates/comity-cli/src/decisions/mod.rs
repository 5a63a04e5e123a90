//! The parts that all commands that decide URLs share: the URLs, the exit code, a decision as JSON, names that look
//! like others, what was probably meant.

pub(crate) mod guess;
mod near_miss;
#[cfg(feature = "live")]
mod policy;
mod row;
pub(crate) mod urls;

pub(crate) use self::near_miss::NearMiss;
#[cfg(feature = "live")]
pub(crate) use self::policy::{exit_of_policy, recommends};
pub(crate) use self::row::{Answer, DecisionJson, DecisionRow, ErrorRow, ExplanationJson};
pub(crate) use self::urls::Urls;
use crate::exit::Exit;

/// The exit code that one decision asks for.
pub(crate) fn exit_of(allowed: bool) -> Exit {
    if allowed { Exit::Success } else { Exit::Objection }
}
