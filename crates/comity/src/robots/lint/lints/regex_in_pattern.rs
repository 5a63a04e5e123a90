//! `regex-in-pattern`: a pattern looks like a regular expression.

use crate::finding::{Channel, Findings, Kind, Reader, Severity, Shown, quoted};
use crate::robots::lint::pattern::{Pattern, regex_mark};
use crate::robots::lint::{Check, Lint};

pub(super) static LINT: Lint = Lint {
    kind: Kind {
        reader: Reader::RobotsTxt,
        code: "regex-in-pattern",
        severity: Severity::Warning,
        summary: "A pattern looks like a regular expression.",
        why: "Only `*` and a final `$` are special (RFC 9309 \u{a7}2.2.3); everything else is compared as it stands.",
        help: "use `*` for any characters and a final `$` for the end of the URL",
        channel: Channel::RobotsTxt,
        bad: Shown::Text(b"User-agent: *\nDisallow: /page/[0-9]+/print\n"),
        good: Shown::Text(b"User-agent: *\nDisallow: /page/*/print\n"),
    },
    checks: &[Check::Pattern(check)],
};

fn check(pattern: &Pattern<'_, '_>, findings: &mut Findings) {
    let Some((at, mark)) = regex_mark(pattern.value) else { return };
    let message =
        format!("{} is compared as it stands; patterns are not regular expressions", quoted(pattern.value));
    findings.push(pattern.finding(&LINT, at, mark.len(), message, LINT.kind.help));
}
