//! `hash-in-pattern`: a pattern is cut at a `#`, which starts a comment.

use crate::finding::{Channel, Findings, Kind, Reader, Severity, Shown, quoted};
use crate::robots::lint::pattern::{Pattern, cut_by_hash};
use crate::robots::lint::{Check, Lint};

pub(super) static LINT: Lint = Lint {
    kind: Kind {
        reader: Reader::RobotsTxt,
        code: "hash-in-pattern",
        severity: Severity::Warning,
        summary: "A pattern is cut at a `#`, which starts a comment.",
        why: "What stands before it is the whole pattern, which matches more than it seems to: `/#!/` is read as `/`. Crawlers do \
     not see fragments; a `#` in a path is `%23`.",
        help: "write `%23` if the character is meant, or put a space in front of the comment",
        channel: Channel::RobotsTxt,
        bad: Shown::Text(b"User-agent: *\nDisallow: /page#comments\n"),
        good: Shown::Text(b"User-agent: *\nDisallow: /page%23comments\n"),
    },
    checks: &[Check::Value(check)],
};

fn check(pattern: &Pattern<'_, '_>, findings: &mut Findings) {
    let Some(lost) = cut_by_hash(pattern.context, pattern.record) else { return };
    let message = format!("the pattern ends before the `#`: it is {}", quoted(pattern.value));
    findings.push(pattern.finding(&LINT, pattern.value.len(), lost, message, LINT.kind.help));
}
