//! `several-directives`: several directives stand on one line.

use crate::finding::{Channel, Decisions, Findings, Fix, Kind, Reader, Severity, Shown};
use crate::robots::lint::key::KeyedRecord;
use crate::robots::lint::{Check, Lint};

pub(super) static LINT: Lint = Lint {
    kind: Kind {
        reader: Reader::RobotsTxt,
        code: "several-directives",
        severity: Severity::Error,
        summary: "Several directives stand on one line.",
        why: "A line holds one directive; the second one is read as part of the first one's value.",
        help: "put it on a line of its own",
        channel: Channel::RobotsTxt,
        bad: Shown::Text(b"User-agent: * Disallow: /private/\n"),
        good: Shown::Text(b"User-agent: *\nDisallow: /private/\n"),
    },
    checks: &[Check::Key(check)],
};

fn check(entry: &KeyedRecord<'_, '_>, findings: &mut Findings) {
    let Some((at, kind)) = entry.second else { return };
    let record = entry.record;
    let message = format!("`{kind}` starts within the value of `{}`, and is read as part of it", record.kind);
    let span = at..record.value.end;
    let context = entry.context;
    let before = context.bytes(record.value.start..at).trim_ascii_end().len();
    let fix =
        Fix::new(Decisions::Changed).replace(record.value.start + before..at, context.line_end(record.line));
    let finding = context.finding(&LINT, record.line, span, message, LINT.kind.help);
    findings.push(finding.with_fix(fix));
}
