//! `line-too-long`: a line has more than 16,663 bytes.

use crate::finding::{Channel, Findings, Kind, Reader, Severity, Shown};
use crate::robots::lint::bytes::LineText;
use crate::robots::lint::context::What;
use crate::robots::lint::{Check, Lint};
use crate::robots::read::lines::GOOGLE_LINE_LIMIT;

pub(super) static LINT: Lint = Lint {
    kind: Kind {
        reader: Reader::RobotsTxt,
        code: "line-too-long",
        severity: Severity::Warning,
        summary: "A line has more than 16,663 bytes.",
        why: "Google's parser, and with it Comity, drops the rest of the line: a pattern cut short matches more than it says.",
        help: "shorten it; the usual limit for whole URLs is about 2,000 characters",
        channel: Channel::RobotsTxt,
        bad: Shown::Repeated { head: "User-agent: *\nDisallow: /", piece: "a", times: 17_000, end: "" },
        good: Shown::Text(b"User-agent: *\nDisallow: /aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n"),
    },
    checks: &[Check::Line(check)],
};

fn check(line: &LineText<'_, '_>, findings: &mut Findings) {
    let span = line.line.full_span();
    if span.len() <= GOOGLE_LINE_LIMIT {
        return;
    }
    let message =
        format!("the line has {} bytes; what follows the first {GOOGLE_LINE_LIMIT} is not read", span.len());
    let beyond = span.start + GOOGLE_LINE_LIMIT..span.end;
    let severity = if line.line.what == What::Comment { Severity::Note } else { Severity::Warning };
    let finding = line.context.finding(&LINT, line.index, beyond, message, LINT.kind.help);
    findings.push(finding.with_severity(severity));
}
