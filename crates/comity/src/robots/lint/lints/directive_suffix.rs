//! `directive-suffix`: a directive's name goes on where a known one ends.

use crate::finding::{Channel, Findings, Kind, Reader, Severity, Shown, quoted};
use crate::robots::lint::key::{KeyedRecord, Slip};
use crate::robots::lint::{Check, Lint};

pub(super) static LINT: Lint = Lint {
    kind: Kind {
        reader: Reader::RobotsTxt,
        code: "directive-suffix",
        severity: Severity::Warning,
        summary: "A directive's name goes on where a known one ends.",
        why: "Google's parser, and with it Comity, looks only at the start: `Disallowed` is read as `Disallow`, and so is \
     `DisallowAITraining`, which then blocks crawling. Others skip the line.",
        help: "write the known name if that is meant, else put `#` in front of the line",
        channel: Channel::RobotsTxt,
        bad: Shown::Text(b"User-agent: *\nDisallowed: /private/\n"),
        good: Shown::Text(b"User-agent: *\nDisallow: /private/\n"),
    },
    checks: &[Check::Key(check)],
};

fn check(entry: &KeyedRecord<'_, '_>, findings: &mut Findings) {
    if entry.slip != Some(Slip::Suffix) {
        return;
    }
    let (context, record) = (entry.context, entry.record);
    let (key, name) = (quoted(context.key(record)), record.kind.canonical_name());
    let message = format!("{key} is read as `{name}` by Google's parser, and skipped by others");
    let help = format!("write `{name}` if that is meant, else put `#` in front of it");
    findings.push(context.finding(&LINT, record.line, record.key.clone(), message, help));
}
