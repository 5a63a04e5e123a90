//! The checks, by subject. Each takes the shared [`Context`] and adds what it finds.

mod agents;
mod bytes;
mod directives;
mod effects;
mod lines;
mod rules;
mod usage;

pub(super) use bytes::is_invisible;

use super::context::{Context, Findings};

/// Runs every check that makes sense for the file.
pub(super) fn run(context: &Context<'_>, findings: &mut Findings) {
    bytes::size(context, findings);
    // Of a file that is no robots.txt, line by line, there is nothing more to say.
    if bytes::utf_16(context, findings) || bytes::html(context, findings) {
        return;
    }
    bytes::check(context, findings);
    lines::check(context, findings);
    agents::check(context, findings);
    rules::check(context, findings);
    effects::check(context, findings);
    directives::check(context, findings);
    usage::check(context, findings);
}
