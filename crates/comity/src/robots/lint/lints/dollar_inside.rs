//! `dollar-inside`: a `$` stands within a pattern, not at its end.

use crate::finding::{Channel, Findings, Kind, Reader, Severity, Shown, quoted};
use crate::robots::lint::pattern::Pattern;
use crate::robots::lint::{Check, Lint};

pub(super) static LINT: Lint = Lint {
    kind: Kind {
        reader: Reader::RobotsTxt,
        code: "dollar-inside",
        severity: Severity::Warning,
        summary: "A `$` stands within a pattern, not at its end.",
        why: "Only at the end does `$` mean the end of the URL (RFC 9309 \u{a7}2.2.3); elsewhere it is a character like any other. If \
     that is meant, `%24` says so to everybody; before a letter or a bracket it probably is (a note).",
        help: "put it at the end if the end is meant, else write `%24`",
        channel: Channel::RobotsTxt,
        bad: Shown::Text(b"User-agent: *\nDisallow: /*.pdf$*\n"),
        good: Shown::Text(b"User-agent: *\nDisallow: /*.pdf$\n"),
    },
    checks: &[Check::Pattern(check)],
};

fn check(pattern: &Pattern<'_, '_>, findings: &mut Findings) {
    let value = pattern.value;
    let Some(at) = memchr::memchr(b'$', value).filter(|at| at + 1 < value.len()) else { return };
    // Before a letter or a bracket it is probably the character that is meant.
    let is_literal =
        value.get(at + 1).is_some_and(|byte| byte.is_ascii_alphanumeric() || b"{[(_-%".contains(byte));
    let severity = if is_literal { Severity::Note } else { Severity::Warning };
    let message = format!("the `$` within {} is a plain character, not the end of the URL", quoted(value));
    findings.push(pattern.finding(&LINT, at, 1, message, LINT.kind.help).with_severity(severity));
}
