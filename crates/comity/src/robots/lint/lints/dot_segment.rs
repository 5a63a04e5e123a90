//! `dot-segment`: a pattern holds a `.` or `..` segment.

use crate::finding::{Channel, Findings, Kind, Reader, Severity, Shown, quoted};
use crate::robots::lint::pattern::Pattern;
use crate::robots::lint::{Check, Lint};
use memchr::memmem;

pub(super) static LINT: Lint = Lint {
    kind: Kind {
        reader: Reader::RobotsTxt,
        code: "dot-segment",
        severity: Severity::Warning,
        summary: "A pattern holds a `.` or `..` segment.",
        why: "Clients take such segments out of a URL before they send it (RFC 3986 \u{a7}5.2.4), so the pattern matches nothing.",
        help: "write the path as it is after such segments are resolved",
        channel: Channel::RobotsTxt,
        bad: Shown::Text(b"User-agent: *\nDisallow: /a/../private/\n"),
        good: Shown::Text(b"User-agent: *\nDisallow: /private/\n"),
    },
    checks: &[Check::Pattern(check)],
};

/// `/./` and `/../` in the path. Without the slash behind them they may be the start of a longer name.
fn check(pattern: &Pattern<'_, '_>, findings: &mut Findings) {
    let value = pattern.value;
    let end = memchr::memchr(b'?', value).unwrap_or(value.len());
    let path = value.get(..end).unwrap_or_default();
    for segment in [&b"/./"[..], b"/../"] {
        let Some(at) = memmem::find(path, segment) else { continue };
        let message =
            format!("{} holds the segment {}, which no URL arrives with", quoted(value), quoted(segment));
        findings.push(pattern.finding(&LINT, at, segment.len(), message, LINT.kind.help));
        return;
    }
}
