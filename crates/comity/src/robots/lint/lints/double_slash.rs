//! `double-slash`: a pattern starts with two slashes.

use crate::finding::{Channel, Decisions, Findings, Fix, Kind, Reader, Severity, Shown, quoted};
use crate::robots::lint::pattern::Pattern;
use crate::robots::lint::{Check, Lint};

pub(super) static LINT: Lint = Lint {
    kind: Kind {
        reader: Reader::RobotsTxt,
        code: "double-slash",
        severity: Severity::Warning,
        summary: "A pattern starts with two slashes.",
        why: "It matches only URLs whose path starts with two, which a site rarely has; it is neither `/private` nor a host \
     (RFC 9309 \u{a7}2.2.2).",
        help: "write one slash if an ordinary path is meant",
        channel: Channel::RobotsTxt,
        bad: Shown::Text(b"User-agent: *\nDisallow: //private/\n"),
        good: Shown::Text(b"User-agent: *\nDisallow: /private/\n"),
    },
    checks: &[Check::Pattern(check)],
};

/// Two slashes at the start, with a path or a host behind them.
fn check(pattern: &Pattern<'_, '_>, findings: &mut Findings) {
    let path = pattern.value.trim_ascii_start();
    let start = path.iter().take_while(|byte| **byte == b'/').count();
    let rest = path.get(start..).unwrap_or_default();
    if start < 2 || !rest.first().is_some_and(u8::is_ascii_alphanumeric) {
        return;
    }
    let message = format!(
        "{} starts with `{}`, so it matches only URLs whose path does",
        quoted(pattern.value),
        "/".repeat(start.min(3))
    );
    let help = format!("write {} if an ordinary path is meant", quoted([b"/", rest].concat()));
    // A first segment with a dot is a host as often as a path.
    let is_host = rest.iter().take_while(|byte| **byte != b'/').any(|byte| *byte == b'.');
    let front = pattern.record.value.start;
    let fix = (!is_host).then(|| Fix::new(Decisions::Changed).delete(front + 1..front + start));
    findings.push(pattern.finding(&LINT, 0, start, message, help).with_fix(fix));
}
