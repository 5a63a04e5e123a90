//! `pattern-url`: a pattern is a whole URL.

use crate::finding::{Channel, Findings, Kind, Reader, Severity, Shown, quoted};
use crate::robots::lint::pattern::{Pattern, Start};
use crate::robots::lint::{Check, Lint};

pub(super) static LINT: Lint = Lint {
    kind: Kind {
        reader: Reader::RobotsTxt,
        code: "pattern-url",
        severity: Severity::Error,
        summary: "A pattern is a whole URL.",
        why: "A pattern is compared with the URL's path (RFC 9309 \u{a7}2.2.2), so this one matches nothing. The file speaks for its own \
     host only; another host needs its own.",
        help: "write the path alone if the URL is on this site",
        channel: Channel::RobotsTxt,
        bad: Shown::Text(b"User-agent: *\nDisallow: https://example.com/private/\n"),
        good: Shown::Text(b"User-agent: *\nDisallow: /private/\n"),
    },
    checks: &[Check::Value(check)],
};

fn check(pattern: &Pattern<'_, '_>, findings: &mut Findings) {
    let (Start::Url(scheme), value) = (pattern.start, pattern.value) else { return };
    let rest = value.get(scheme..).unwrap_or_default();
    let path = memchr::memchr(b'/', rest).and_then(|at| rest.get(at..)).unwrap_or(b"/");
    let message = format!("{} is a whole URL, so it matches nothing", quoted(value));
    let help = format!("write {} if the URL is on this site", quoted(path));
    findings.push(pattern.finding(&LINT, 0, value.len(), message, help));
}
