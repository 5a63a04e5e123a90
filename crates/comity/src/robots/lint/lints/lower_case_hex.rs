//! `lower-case-hex`: a percent-encoded byte has lower-case digits.

use crate::finding::{Channel, Decisions, Findings, Fix, Kind, Reader, Severity, Shown, quoted};
use crate::robots::lint::pattern::{Pattern, percent_signs};
use crate::robots::lint::{Check, Lint};

pub(super) static LINT: Lint = Lint {
    kind: Kind {
        reader: Reader::RobotsTxt,
        code: "lower-case-hex",
        severity: Severity::Note,
        summary: "A percent-encoded byte has lower-case digits.",
        why: "`%c3` and `%C3` are the same byte (RFC 3986 \u{a7}2.1), and RFC 9309 \u{a7}2.2.2 has them compared so. Parsers that compare \
     text tell them apart.",
        help: "write the digits in upper case",
        channel: Channel::RobotsTxt,
        bad: Shown::Text(b"User-agent: *\nDisallow: /caf%c3%a9/\n"),
        good: Shown::Text(b"User-agent: *\nDisallow: /caf%C3%A9/\n"),
    },
    checks: &[Check::Pattern(check)],
};

fn check(pattern: &Pattern<'_, '_>, findings: &mut Findings) {
    let mut found = percent_signs(pattern.value).filter_map(|(at, digits)| {
        let digits = digits.filter(|digits| digits.iter().any(u8::is_ascii_lowercase))?;
        Some((at, digits))
    });
    let Some((at, digits)) = found.next() else { return };
    let fix = found.fold(upper(Fix::new(Decisions::Settled), pattern, at, digits), |fix, (at, digits)| {
        upper(fix, pattern, at, digits)
    });
    let byte = [b"%", digits].concat();
    let message = format!("{} has lower-case digits", quoted(&byte));
    let help = format!("write {}", quoted(byte.to_ascii_uppercase()));
    findings.push(pattern.finding(&LINT, at, 3, message, help).with_fix(fix));
}

/// Writes two digits in upper case.
fn upper(fix: Fix, pattern: &Pattern<'_, '_>, at: usize, digits: &[u8]) -> Fix {
    let start = pattern.record.value.start + at + 1;
    let digits: String = digits.iter().map(|digit| char::from(digit.to_ascii_uppercase())).collect();
    fix.replace(start..start + 2, digits)
}
