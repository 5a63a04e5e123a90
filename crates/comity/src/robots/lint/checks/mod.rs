//! The checks, by subject. Each takes the shared [`Context`] and adds what it finds.

mod addresses;
mod agents;
mod bytes;
mod directives;
mod effects;
mod foreign;
mod lines;
mod rivals;
mod rules;
mod star;
mod twins;
mod usage;

pub(super) use bytes::is_invisible;

use std::collections::HashSet;

use super::context::{Context, Findings};
use super::forms;

/// Runs every check that makes sense for the file.
pub(super) fn run(context: &Context<'_>, findings: &mut Findings) {
    bytes::size(context, findings);
    // A file that is not a robots.txt is not checked line by line.
    if bytes::utf_16(context, findings) || foreign::check(context, findings) {
        return;
    }
    bytes::check(context, findings);
    lines::check(context, findings);
    agents::check(context, findings);
    let groups: Vec<_> = context.groups.iter().map(|group| forms::rules(context, group)).collect();
    let is_shared = shared_groups(context);
    rules::check(context, findings, &rivals::Rivals::new(&groups, &is_shared));
    effects::check(context, findings, &groups, &is_shared);
    star::check(context, findings, &groups, &is_shared);
    twins::check(context, findings, &groups);
    directives::check(context, findings);
    addresses::check(context, findings);
    usage::check(context, findings);
}

/// The groups that share a crawler with another one: what it follows is more than the group then.
fn shared_groups(context: &Context<'_>) -> HashSet<usize> {
    context.groups_of.values().filter(|groups| groups.len() > 1).flatten().copied().collect()
}
