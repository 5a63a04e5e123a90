//! `malformed-value`: a `Request-rate` or `Visit-time` cannot be read.

use crate::finding::{Channel, Findings, Kind, Reader, Severity, Shown, quoted};
use crate::robots::lint::key::KeyedRecord;
use crate::robots::lint::{Check, Lint};
use crate::robots::read::directive::RecordKind;
use crate::robots::read::pacing::{RequestRate, VisitTime};

pub(super) static LINT: Lint = Lint {
    kind: Kind {
        reader: Reader::RobotsTxt,
        code: "malformed-value",
        severity: Severity::Warning,
        summary: "A `Request-rate` or `Visit-time` cannot be read.",
        why: "A rate is `documents/time` with a unit of `s`, `m`, `h` or `d`, perhaps followed by a window: `1/10s 1800-1900`. A time \
     is a window in UTC: `0600-0845`.",
        help: "write it like `Request-rate: 1/10s` or `Visit-time: 0600-0845`",
        channel: Channel::RobotsTxt,
        bad: Shown::Text(b"User-agent: *\nDisallow: /search\nRequest-rate: 10 per minute\n"),
        good: Shown::Text(b"User-agent: *\nDisallow: /search\nRequest-rate: 10/1m\n"),
    },
    checks: &[Check::Record(check)],
};

fn check(entry: &KeyedRecord<'_, '_>, findings: &mut Findings) {
    let record = entry.record;
    let value = entry.context.value(record);
    let (is_readable, example) = match record.kind {
        RecordKind::RequestRate => (RequestRate::parse(value).is_some(), "Request-rate: 1/10s"),
        RecordKind::VisitTime => (VisitTime::parse(value).is_some(), "Visit-time: 0600-0845"),
        _ => return,
    };
    if !is_readable {
        let message = format!("{} cannot be read as a `{}`", quoted(value), record.kind.canonical_name());
        let help = format!("write it like `{example}`");
        findings.push(entry.context.finding(&LINT, record.line, record.whole(), message, help));
    }
}
