//! `space-in-pattern`: a pattern holds white space.

use crate::finding::{Channel, Findings, Kind, Reader, Severity, Shown, quoted};
use crate::robots::lint::pattern::Pattern;
use crate::robots::lint::{Check, Lint};
use crate::robots::read::syntax::is_ascii_space;

pub(super) static LINT: Lint = Lint {
    kind: Kind {
        reader: Reader::RobotsTxt,
        code: "space-in-pattern",
        severity: Severity::Warning,
        summary: "A pattern holds white space.",
        why: "A rule has one pattern. White space in it equals `%20` for Comity, and matches nothing for parsers that compare it as it \
     stands; often a second pattern or a comment without `#` follows.",
        help: "write `%20` if a space is meant; start comments with `#`",
        channel: Channel::RobotsTxt,
        bad: Shown::Text(b"User-agent: *\nDisallow: /a/ /b/\n"),
        good: Shown::Text(b"User-agent: *\nDisallow: /a/\nDisallow: /b/\n"),
    },
    checks: &[Check::Pattern(check)],
};

fn check(pattern: &Pattern<'_, '_>, findings: &mut Findings) {
    let value = pattern.value;
    let Some(at) = value.iter().position(|byte| is_ascii_space(*byte)) else { return };
    let rest = value.get(at..).unwrap_or_default().trim_ascii_start();
    let looks_like_comment =
        [&b"//"[..], b"/* ", b"--", b"<!--", b";"].iter().any(|mark| rest.starts_with(mark));
    let (message, help) = if looks_like_comment {
        (format!("{} is part of the pattern, not a comment", quoted(rest)), "start comments with `#`")
    } else if matches!(rest.first(), Some(b'/' | b'*')) {
        let message = format!("{} is one pattern with white space in it, not several", quoted(value));
        (message, "write a line for each pattern")
    } else {
        (format!("{} has white space in it", quoted(value)), LINT.kind.help)
    };
    findings.push(pattern.finding(&LINT, at, value.len() - at, message, help));
}
