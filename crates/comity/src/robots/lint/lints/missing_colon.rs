//! `missing-colon`: a directive has no colon after its name.

use crate::finding::{Channel, Decisions, Findings, Fix, Kind, Reader, Severity, Shown, quoted};
use crate::robots::lint::key::{KeyedRecord, Slip, Stray};
use crate::robots::lint::{Check, Lint};
use crate::robots::read::syntax::is_ascii_space;

pub(super) static LINT: Lint = Lint {
    kind: Kind {
        reader: Reader::RobotsTxt,
        code: "missing-colon",
        severity: Severity::Warning,
        summary: "A directive has no colon after its name.",
        why: "Google's parser, and with it Comity, forgives that if the line has exactly two words; others skip the line, and with \
     more words everybody does (then it is an error).",
        help: "put a colon right after the directive's name",
        channel: Channel::RobotsTxt,
        bad: Shown::Text(b"User-agent: *\nDisallow /private/\n"),
        good: Shown::Text(b"User-agent: *\nDisallow: /private/\n"),
    },
    checks: &[Check::Stray(stray), Check::Key(key)],
};

/// A line of more than two words, which nobody reads without a colon.
fn stray(stray: &Stray<'_, '_>, findings: &mut Findings) {
    let Some((kind, rest)) = stray.directive else { return };
    let name = kind.canonical_name();
    let message = format!("no colon after `{name}`, and more than two words: the line is not read");
    let help = format!("write `{name}:` and the value {}", quoted(rest));
    let finding = stray.context.finding(&LINT, stray.index, stray.span.clone(), message, help);
    let value = stray.span.end - rest.len();
    let fix = Fix::new(Decisions::Changed).replace(stray.span.start + name.len()..value, ": ");
    findings.push(finding.with_severity(Severity::Error).with_fix(fix));
}

fn key(entry: &KeyedRecord<'_, '_>, findings: &mut Findings) {
    let (context, record) = (entry.context, entry.record);
    let (name, value) = (record.kind.canonical_name(), context.value(record));
    let (severity, message, help, fix) = match entry.slip {
        Some(Slip::NoColon) => {
            let help = format!("write {}", quoted([name.as_bytes(), b": ", value].concat()));
            let fix = Fix::new(Decisions::Settled).replace(record.key.end..record.value.start, ": ");
            (Severity::Warning, format!("no colon after `{name}`"), help, fix)
        }
        Some(Slip::ColonMisplaced) => {
            let message = format!(
                "the first colon of the line is not the one after `{name}`, so its value is read as {}",
                quoted(value)
            );
            let end = record.key.start + record.kind.as_str().len();
            let rest = context.bytes(end..record.key.end);
            let gap = rest.iter().take_while(|&&byte| is_ascii_space(byte) || byte == b'=').count();
            let fix = Fix::new(Decisions::Changed).replace(end..end + gap, ": ");
            (Severity::Error, message, format!("put a colon right after `{name}`"), fix)
        }
        _ => return,
    };
    let finding = context.finding(&LINT, record.line, record.key.clone(), message, help);
    findings.push(finding.with_severity(severity).with_fix(fix));
}
