//! `malformed-percent`: a `%` does not start a percent-encoded byte.

use crate::finding::{Channel, Findings, Kind, Reader, Severity, Shown, quoted};
use crate::robots::lint::pattern::{Pattern, percent_signs};
use crate::robots::lint::{Check, Lint};

pub(super) static LINT: Lint = Lint {
    kind: Kind {
        reader: Reader::RobotsTxt,
        code: "malformed-percent",
        severity: Severity::Warning,
        summary: "A `%` does not start a percent-encoded byte.",
        why: "Two hexadecimal digits must follow (RFC 3986 \u{a7}2.1). What it matches depends on the parser. At the end or before a \
     `*` it may stand for any encoded byte, and is a note.",
        help: "write `%25` if a percent sign is meant",
        channel: Channel::RobotsTxt,
        bad: Shown::Text(b"User-agent: *\nDisallow: /50%zzz/\n"),
        good: Shown::Text(b"User-agent: *\nDisallow: /50%25zzz/\n"),
    },
    checks: &[Check::Pattern(check)],
};

fn check(pattern: &Pattern<'_, '_>, findings: &mut Findings) {
    let value = pattern.value;
    let Some((at, _)) = percent_signs(value).find(|(_, digits)| digits.is_none()) else { return };
    // Before a wildcard or at the end it may be the start of any encoded byte, and work as meant.
    let after = value.get(at + 1..).unwrap_or_default();
    let digit = usize::from(after.first().is_some_and(u8::is_ascii_hexdigit));
    let is_start = matches!(after.get(digit), None | Some(b'*'));
    let severity = if is_start { Severity::Note } else { Severity::Warning };
    let message = format!("the `%` in {} does not start a percent-encoded byte", quoted(value));
    findings.push(pattern.finding(&LINT, at, 1, message, LINT.kind.help).with_severity(severity));
}
