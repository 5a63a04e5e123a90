//! `misspelt-directive`: a directive's name is misspelt.

use crate::finding::{Channel, Decisions, Findings, Fix, Kind, Reader, Severity, Shown, quoted};
use crate::robots::lint::key::{KeyedRecord, Slip};
use crate::robots::lint::{Check, Lint};

pub(super) static LINT: Lint = Lint {
    kind: Kind {
        reader: Reader::RobotsTxt,
        code: "misspelt-directive",
        severity: Severity::Error,
        summary: "A directive's name is misspelt.",
        why: "RFC 9309 \u{a7}2.2.4 lets parsers accept slips; Google's accepts `useragent`, `user agent`, `dissallow`, `dissalow`, \
     `disalow`, `diasllow`, `disallaw` and `site-map` (then it is a warning), and skips all others.",
        help: "write the name as its specification spells it",
        channel: Channel::RobotsTxt,
        bad: Shown::Text(b"User-agent: *\nDesallow: /private/\n"),
        good: Shown::Text(b"User-agent: *\nDisallow: /private/\n"),
    },
    checks: &[Check::Key(check)],
};

fn check(entry: &KeyedRecord<'_, '_>, findings: &mut Findings) {
    let (context, record) = (entry.context, entry.record);
    let key = quoted(context.key(record));
    let meant = match entry.slip {
        Some(Slip::Meant(kind)) => Some(kind),
        Some(Slip::Misspelt) => Some(record.kind),
        _ => None,
    };
    let (decisions, severity, message, help) = match entry.slip {
        Some(Slip::Meant(kind)) => {
            let name = kind.canonical_name();
            let message = format!("{key} is not a directive, so the line is not read; is `{name}` meant?");
            let help = format!("write `{name}: {}`", String::from_utf8_lossy(context.value(record)));
            let help = if help.len() > 100 { format!("write `{name}`") } else { help };
            (Decisions::Changed, Severity::Error, message, help)
        }
        Some(Slip::Misspelt) => {
            let name = record.kind.canonical_name();
            let message =
                format!("{key} is misspelt; some parsers read it as `{name}`, others skip the line");
            (Decisions::Settled, Severity::Warning, message, format!("write `{name}`"))
        }
        _ => return,
    };
    let fix = meant.map(|kind| Fix::new(decisions).replace(record.key.clone(), kind.canonical_name()));
    let finding = context.finding(&LINT, record.line, record.key.clone(), message, help);
    findings.push(finding.with_severity(severity).with_fix(fix));
}
