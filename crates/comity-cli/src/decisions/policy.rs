//! The decisions of a policy about a site.

use comity::policy;

use super::exit_of;
use crate::exit::Exit;

/// The exit code that a policy's decision asks for. A failure on our own side does not count as the site's answer.
pub(crate) fn exit_of_policy(decision: &policy::Decision<'_>) -> Exit {
    let is_local = decision.evidence().is_some_and(|evidence| evidence.kind() == policy::AnswerKind::Local);
    if is_local && decision.blocks() { Exit::Trouble } else { exit_of(!decision.blocks()) }
}

/// Returns whether a policy's decision is for or against fetching, whatever the mode.
pub(crate) fn recommends(decision: &policy::Decision<'_>) -> bool {
    decision.recommendation().allows()
}
