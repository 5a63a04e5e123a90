//! `unknown-directive`: no known crawler reads the directive.

use crate::finding::{Channel, Findings, Kind, Reader, Severity, Shown, quoted};
use crate::robots::lint::key::{KeyedRecord, Slip};
use crate::robots::lint::{Check, Lint};

pub(super) static LINT: Lint = Lint {
    kind: Kind {
        reader: Reader::RobotsTxt,
        code: "unknown-directive",
        severity: Severity::Note,
        summary: "No known crawler reads the directive.",
        why: "It is skipped (RFC 9309 \u{a7}2.2.4) and does not end the group.",
        help: "drop the line, or put `#` in front of it if it is a comment",
        channel: Channel::RobotsTxt,
        bad: Shown::Text(b"User-agent: *\nDisallow: /private/\nRobot-version: 2.0\n"),
        good: Shown::Text(b"User-agent: *\nDisallow: /private/\n"),
    },
    checks: &[Check::Key(check)],
};

fn check(entry: &KeyedRecord<'_, '_>, findings: &mut Findings) {
    if entry.slip != Some(Slip::Unknown) {
        return;
    }
    let (context, record) = (entry.context, entry.record);
    let message = format!("no known crawler reads {}", quoted(context.key(record)));
    findings.push(context.droppable(&LINT, record.line, record.key.clone(), message, LINT.kind.help));
}
