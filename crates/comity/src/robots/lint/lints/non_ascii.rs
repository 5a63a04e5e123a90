//! `non-ascii`: a pattern holds characters beyond ASCII, not percent-encoded.

use crate::finding::{Channel, Decisions, Findings, Fix, Kind, Reader, Severity, Shown, quoted};
use crate::robots::lint::bytes::is_invisible;
use crate::robots::lint::pattern::Pattern;
use crate::robots::lint::{Check, Lint};
use crate::robots::matching::encode::push_percent;

pub(super) static LINT: Lint = Lint {
    kind: Kind {
        reader: Reader::RobotsTxt,
        code: "non-ascii",
        severity: Severity::Note,
        summary: "A pattern holds characters beyond ASCII, not percent-encoded.",
        why: "URLs hold them encoded, and RFC 9309 \u{a7}2.2.2 has parsers encode both sides before comparing. Not all do.",
        help: "percent-encode them",
        channel: Channel::RobotsTxt,
        bad: Shown::Text(b"User-agent: *\nDisallow: /caf\xc3\xa9/\n"),
        good: Shown::Text(b"User-agent: *\nDisallow: /caf%C3%A9/\n"),
    },
    checks: &[Check::Pattern(check)],
};

fn check(pattern: &Pattern<'_, '_>, findings: &mut Findings) {
    let value = pattern.value;
    let Some(at) = value.iter().position(|byte| !byte.is_ascii()) else { return };
    let Ok(text) = std::str::from_utf8(value) else { return };
    if text.chars().any(is_invisible) {
        return;
    }
    let mut encoded = Vec::new();
    for &byte in value {
        if byte.is_ascii() {
            encoded.push(byte);
        } else {
            push_percent(&mut encoded, byte);
        }
    }
    let message = format!("{} is not percent-encoded", quoted(value));
    let help = format!("write {}", quoted(&encoded));
    let fix = String::from_utf8(encoded)
        .ok()
        .map(|text| Fix::new(Decisions::Settled).replace(pattern.record.value.clone(), text));
    findings.push(pattern.finding(&LINT, at, value.len() - at, message, help).with_fix(fix));
}
