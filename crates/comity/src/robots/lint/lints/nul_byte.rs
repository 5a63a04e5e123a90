//! `nul-byte`: a line holds a NUL byte.

use crate::finding::{Channel, Decisions, Findings, Fix, Kind, Reader, Severity, Shown};
use crate::robots::lint::bytes::LineText;
use crate::robots::lint::{Check, Lint};

pub(super) static LINT: Lint = Lint {
    kind: Kind {
        reader: Reader::RobotsTxt,
        code: "nul-byte",
        severity: Severity::Error,
        summary: "A line holds a NUL byte.",
        why: "Google's parser, and with it Comity, ends the line there: the rule is shorter than it looks, so it matches more.",
        help: "take it out; save the file as plain UTF-8",
        channel: Channel::RobotsTxt,
        bad: Shown::Text(b"User-agent: *\nDisallow: /pri\0vate/\n"),
        good: Shown::Text(b"User-agent: *\nDisallow: /private/\n"),
    },
    checks: &[Check::Line(check)],
};

fn check(line: &LineText<'_, '_>, findings: &mut Findings) {
    let (context, span) = (line.context, line.line.full_span());
    let Some(at) = memchr::memchr(0, context.bytes(span.clone())) else { return };
    let at = span.start + at;
    let is_in_comment = context.bytes(span.start..at).contains(&b'#');
    let severity = if is_in_comment { Severity::Note } else { Severity::Error };
    let message = "a NUL byte stands in the line; what follows it is not read";
    let finding = context.finding(&LINT, line.index, at..at + 1, message, LINT.kind.help);
    let all = memchr::memchr_iter(0, context.bytes(span.clone())).map(|at| span.start + at);
    let fix = all.fold(Fix::new(Decisions::Changed), |fix, at| fix.delete(at..at + 1));
    findings.push(finding.with_severity(severity).with_fix(fix));
}
