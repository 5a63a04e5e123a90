//! `backslash`: a pattern holds a backslash.

use crate::finding::{Channel, Findings, Kind, Reader, Severity, Shown, quoted};
use crate::robots::lint::pattern::{Pattern, regex_mark};
use crate::robots::lint::{Check, Lint};

pub(super) static LINT: Lint = Lint {
    kind: Kind {
        reader: Reader::RobotsTxt,
        code: "backslash",
        severity: Severity::Warning,
        summary: "A pattern holds a backslash.",
        why: "It escapes nothing, and URLs have none: clients turn it into `/` or encode it as `%5C`.",
        help: "write `/` if a separator is meant, `%5C` if the character is",
        channel: Channel::RobotsTxt,
        bad: Shown::Text(b"User-agent: *\nDisallow: /private\\letters\n"),
        good: Shown::Text(b"User-agent: *\nDisallow: /private/letters\n"),
    },
    checks: &[Check::Pattern(check)],
};

fn check(pattern: &Pattern<'_, '_>, findings: &mut Findings) {
    let Some(at) = memchr::memchr(b'\\', pattern.value) else { return };
    if regex_mark(pattern.value).is_some() {
        return;
    }
    let message = format!("{} holds a backslash, which no URL has", quoted(pattern.value));
    findings.push(pattern.finding(&LINT, at, 1, message, LINT.kind.help));
}
