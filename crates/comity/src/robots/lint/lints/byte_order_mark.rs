//! `byte-order-mark`: the file starts with a byte order mark.

use crate::finding::{Channel, Decisions, Findings, Fix, Kind, Reader, Severity, Shown};
use crate::robots::lint::bytes::stray_mark;
use crate::robots::lint::context::{Context, What};
use crate::robots::lint::{Check, Lint};

pub(super) static LINT: Lint = Lint {
    kind: Kind {
        reader: Reader::RobotsTxt,
        code: "byte-order-mark",
        severity: Severity::Warning,
        summary: "The file starts with a byte order mark.",
        why: "Google and Comity skip it. Parsers that do not (Python's `urllib.robotparser` of many years, Protego, Folyd's \
     robotstxt) take it for part of the first key and so lose the first line, which mostly is the `User-agent` line of \
     the only group. If the first line is blank or a comment, nothing is lost (a note). A mark that was taken for Latin-1 \
     and encoded again (`\u{ef}\u{bb}\u{bf}`) is skipped by Comity alone, and a second mark by nobody: then it is an error.",
        help: "save it as UTF-8 without a byte order mark",
        channel: Channel::RobotsTxt,
        bad: Shown::Text(b"\xef\xbb\xbfUser-agent: *\nDisallow: /search\n"),
        good: Shown::Text(b"User-agent: *\nDisallow: /search\n"),
    },
    checks: &[Check::File(check)],
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    let skipped = 0..context.counted.start;
    let is_encoded_twice = !context.bytes(skipped.clone()).starts_with(b"\xEF");
    let first = context.lines.first();
    if let Some(mark) = stray_mark(context) {
        let rest = first.map(|line| context.bytes(mark.end..line.span().end)).unwrap_or_default();
        let is_harmless = matches!(rest.trim_ascii_start().first(), None | Some(b'#'));
        let what = "two byte order marks, of which one is skipped";
        let (severity, consequence) = if is_harmless {
            (Severity::Note, "it spoils a line that says nothing")
        } else {
            (Severity::Error, "the first line is not read")
        };
        let message = format!("the file starts with {what}; {consequence}");
        let fix = Fix::new(Decisions::Changed).delete(mark.clone());
        let finding = context.finding(&LINT, 0, mark, message, LINT.kind.help);
        findings.push(finding.with_severity(severity).with_fix(fix));
        return;
    }
    let part = match (skipped.len(), is_encoded_twice) {
        (0, _) => return,
        (3, false) | (6, true) => "a",
        _ => "a part of a",
    };
    let is_harmless = first.is_none_or(|line| matches!(line.what, What::Blank | What::Comment));
    let (severity, consequence) = match (is_harmless, is_encoded_twice) {
        (true, _) => (Severity::Note, "parsers that keep it spoil a line that says nothing"),
        (false, true) => (Severity::Error, "other parsers than Comity lose the first line to it"),
        (false, false) => (Severity::Warning, "some parsers lose the first line to it"),
    };
    let encoded = if is_encoded_twice { " that was encoded twice" } else { "" };
    let message = format!("the file starts with {part} byte order mark{encoded}; {consequence}");
    let finding = context.finding(&LINT, 0, skipped.clone(), message, LINT.kind.help).with_severity(severity);
    findings.push(if is_encoded_twice {
        finding.with_fix(Fix::new(Decisions::Settled).delete(skipped))
    } else {
        finding
    });
}
