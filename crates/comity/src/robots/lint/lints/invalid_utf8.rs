//! `invalid-utf8`: a line is not valid UTF-8.

use crate::finding::{Channel, Findings, Kind, Reader, Severity, Shown};
use crate::robots::lint::bytes::LineText;
use crate::robots::lint::{Check, Lint};

pub(super) static LINT: Lint = Lint {
    kind: Kind {
        reader: Reader::RobotsTxt,
        code: "invalid-utf8",
        severity: Severity::Warning,
        summary: "A line is not valid UTF-8.",
        why: "A robots.txt is UTF-8 (RFC 9309 \u{a7}2.3). Some parsers drop such characters, some replace them, some skip the line or \
     refuse the file, so nobody knows what the rule matches. In a comment it is only a note.",
        help: "save the file as UTF-8, and percent-encode what is not ASCII in a pattern",
        channel: Channel::RobotsTxt,
        bad: Shown::Text(b"User-agent: *\nDisallow: /caf\xe9/\n"),
        good: Shown::Text(b"User-agent: *\nDisallow: /caf%C3%A9/\n"),
    },
    checks: &[Check::Line(check)],
};

fn check(line: &LineText<'_, '_>, findings: &mut Findings) {
    let (context, span) = (line.context, line.line.span());
    if !line.is_suspect {
        return;
    }
    let Err(error) = std::str::from_utf8(context.bytes(span.clone())) else { return };
    let start = span.start + error.valid_up_to();
    let end = error.error_len().map_or(span.end, |length| start + length);
    let is_in_comment = start >= context.before_comment(line.line).end;
    let severity = if is_in_comment { Severity::Note } else { Severity::Warning };
    let byte = context.bytes(start..end).first().copied().unwrap_or_default();
    let message = format!("not valid UTF-8 from byte {byte:#04X} on");
    let finding = context.finding(&LINT, line.index, start..end, message, LINT.kind.help);
    findings.push(finding.with_severity(severity));
}
