//! `limited-directive`: only one crawler reads the directive.

use crate::finding::{Channel, Findings, Kind, Reader, Severity, Shown};
use crate::robots::lint::key::KeyedRecord;
use crate::robots::lint::{Check, Lint};
use crate::robots::read::directive::RecordKind;

pub(super) static LINT: Lint = Lint {
    kind: Kind {
        reader: Reader::RobotsTxt,
        code: "limited-directive",
        severity: Severity::Note,
        summary: "Only one crawler reads the directive.",
        why: "`Clean-param` is Yandex's, `Request-rate` Seznam's (Python's `urllib.robotparser` knows it too).",
        help: "keep it if it is for that crawler",
        channel: Channel::RobotsTxt,
        bad: Shown::Text(b"User-agent: *\nDisallow: /search\nClean-param: sid /forum/\n"),
        good: Shown::Text(b"User-agent: *\nDisallow: /search\n"),
    },
    checks: &[Check::Record(check)],
};

fn check(entry: &KeyedRecord<'_, '_>, findings: &mut Findings) {
    let (message, help) = match entry.record.kind {
        RecordKind::CleanParam => ("only Yandex reads `Clean-param`", "keep it if it is for Yandex"),
        RecordKind::RequestRate => ("only Seznam reads `Request-rate`", "keep it if it is for Seznam"),
        _ => return,
    };
    let record = entry.record;
    findings.push(entry.context.finding(&LINT, record.line, record.key.clone(), message, help));
}
