//! `utf-16`: the file is encoded in UTF-16.

use crate::finding::{Channel, Findings, Kind, Reader, Severity, Shown};
use crate::robots::lint::context::Context;
use crate::robots::lint::{Check, Lint};

pub(super) static LINT: Lint = Lint {
    kind: Kind {
        reader: Reader::RobotsTxt,
        code: "utf-16",
        severity: Severity::Error,
        summary: "The file is encoded in UTF-16.",
        why: "A robots.txt is UTF-8 (RFC 9309 \u{a7}2.3). Every second byte of this one is NUL, at which Google's parser ends the line; \
     no rule is read.",
        help: "save it as UTF-8 without a byte order mark",
        channel: Channel::RobotsTxt,
        bad: Shown::Text(b"\xff\xfeU\0s\0e\0r\0-\0a\0g\0e\0n\0t\0:\0 \0*\0\n\0"),
        good: Shown::Text(b"User-agent: *\nDisallow: /search\n"),
    },
    checks: &[Check::Foreign(check)],
};

/// Returns whether the file is UTF-16; nothing else can be said of it then.
fn check(context: &Context<'_>, findings: &mut Findings) -> bool {
    let start = context.bytes(0..context.body.len().min(1_024));
    let is_marked = start.starts_with(&[0xFF, 0xFE]) || start.starts_with(&[0xFE, 0xFF]);
    let nul_at = |parity: usize| start.iter().skip(parity).step_by(2).filter(|byte| **byte == 0).count();
    let (even, odd) = (nul_at(0), nul_at(1));
    // ASCII text in UTF-16: nearly every other byte is NUL, always on the same side.
    let is_alternating =
        start.len() >= 8 && even.max(odd) * 2 > start.len() / 2 * 3 / 2 && even.min(odd) <= 1;
    if !is_marked && !is_alternating {
        return false;
    }
    let end = context.body.len().min(2);
    let message = "the file is encoded in UTF-16; no crawler reads a rule from it";
    findings.push(context.finding(&LINT, 0, 0..end, message, LINT.kind.help));
    true
}
