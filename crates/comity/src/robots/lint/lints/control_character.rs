//! `control-character`: a directive holds a control character.

use crate::finding::{Channel, Decisions, Findings, Fix, Kind, Reader, Severity, Shown};
use crate::robots::lint::bytes::{LineText, is_control};
use crate::robots::lint::{Check, Lint};

pub(super) static LINT: Lint = Lint {
    kind: Kind {
        reader: Reader::RobotsTxt,
        code: "control-character",
        severity: Severity::Warning,
        summary: "A directive holds a control character.",
        why: "RFC 9309 \u{a7}2.2 has no place for them. No URL holds one unencoded, so a pattern with one matches nothing; and for \
     Python's parsers several of them (vertical tab, form feed, the separators 1C to 1E) end the line.",
        help: "take it out",
        channel: Channel::RobotsTxt,
        bad: Shown::Text(b"User-agent: *\nDisallow: /a\x08b/\n"),
        good: Shown::Text(b"User-agent: *\nDisallow: /ab/\n"),
    },
    checks: &[Check::Line(check)],
};

fn check(line: &LineText<'_, '_>, findings: &mut Findings) {
    if !line.is_suspect {
        return;
    }
    let context = line.context;
    let directive = context.before_comment(line.line);
    let Some(at) = context.bytes(directive.clone()).iter().position(|byte| is_control(*byte)) else { return };
    let at = directive.start + at;
    let byte = context.bytes(at..at + 1).first().copied().unwrap_or_default();
    let message = format!("a control character (U+{byte:04X}) stands in the line");
    let all = directive.filter(|at| context.bytes(*at..*at + 1).iter().any(|byte| is_control(*byte)));
    let fix = all.fold(Fix::new(Decisions::Changed), |fix, at| fix.delete(at..at + 1));
    findings.push(context.finding(&LINT, line.index, at..at + 1, message, LINT.kind.help).with_fix(fix));
}
