//! `pattern-start`: a pattern starts with neither `/` nor `*`.

use crate::finding::{Channel, Decisions, Findings, Fix, Kind, Reader, Severity, Shown, quoted};
use crate::robots::lint::bytes::is_invisible;
use crate::robots::lint::pattern::{Pattern, Start};
use crate::robots::lint::{Check, Lint};

pub(super) static LINT: Lint = Lint {
    kind: Kind {
        reader: Reader::RobotsTxt,
        code: "pattern-start",
        severity: Severity::Error,
        summary: "A pattern starts with neither `/` nor `*`.",
        why: "A pattern is compared from the start of the URL's path, which is a `/` (RFC 9309 \u{a7}2.2.2), so this one matches \
     nothing. Some parsers put the `/` in front, others do not.",
        help: "put a `/` in front of it",
        channel: Channel::RobotsTxt,
        bad: Shown::Text(b"User-agent: *\nDisallow: private/\n"),
        good: Shown::Text(b"User-agent: *\nDisallow: /private/\n"),
    },
    checks: &[Check::Value(check)],
};

fn check(pattern: &Pattern<'_, '_>, findings: &mut Findings) {
    let value = pattern.value;
    if pattern.start != Start::Other
        || String::from_utf8_lossy(value).chars().next().is_some_and(is_invisible)
    {
        return;
    }
    let message = format!("{} starts with neither `/` nor `*`, so it matches nothing", quoted(value));
    let front = pattern.record.value.start;
    let fix = Fix::new(Decisions::Changed);
    let (help, fix) = if value.first() == Some(&b'.') || value.first() == Some(&b'?') {
        (format!("write {}", quoted([b"/*", value].concat())), fix.replace(front..front, "/*"))
    } else {
        let path = value.strip_prefix(b"^").unwrap_or(value);
        let path = path.strip_prefix(b"/").unwrap_or(path);
        let cut = value.len() - path.len();
        (format!("write {}", quoted([b"/", path].concat())), fix.replace(front..front + cut, "/"))
    };
    findings.push(pattern.finding(&LINT, 0, value.len(), message, help).with_fix(fix));
}
