//! `lower-case-hex`: a percent-encoded byte has lower-case digits.

use crate::finding::{Channel, Findings, Kind, Reader, Severity, Shown, quoted};
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
    let found = percent_signs(pattern.value).find_map(|(at, digits)| {
        let digits = digits.filter(|digits| digits.iter().any(u8::is_ascii_lowercase))?;
        Some((at, digits))
    });
    let Some((at, digits)) = found else { return };
    let byte = [b"%", digits].concat();
    let message = format!("{} has lower-case digits", quoted(&byte));
    let help = format!("write {}", quoted(byte.to_ascii_uppercase()));
    findings.push(pattern.finding(&LINT, at, 3, message, help));
}
