//! `wildcard-noop`: a `*` changes nothing in what the pattern matches.

use crate::finding::{Channel, Decisions, Findings, Fix, Kind, Reader, Severity, Shown, quoted};
use crate::robots::dialects::Dialect;
use crate::robots::lint::context::{Context, shown_rule};
use crate::robots::lint::pattern::Pattern;
use crate::robots::lint::{Check, Lint};
use memchr::memmem;

pub(super) static LINT: Lint = Lint {
    kind: Kind {
        reader: Reader::RobotsTxt,
        code: "wildcard-noop",
        severity: Severity::Note,
        summary: "A `*` changes nothing in what the pattern matches.",
        why: "A pattern is open at its end: `/fish*` matches what `/fish` matches, and `**` what `*` matches. It adds to the length, \
     though, by which the longest pattern wins (where another rule depends on that, the finding names it), and parsers \
     without wildcards look for the character itself.",
        help: "write the pattern without it",
        channel: Channel::RobotsTxt,
        bad: Shown::Text(b"User-agent: *\nDisallow: /fish*\n"),
        good: Shown::Text(b"User-agent: *\nDisallow: /fish\n"),
    },
    checks: &[Check::Pattern(check)],
};

/// Stars beside a star or at the end.
fn check(pattern: &Pattern<'_, '_>, findings: &mut Findings) {
    let (value, context) = (pattern.value, pattern.context);
    let body = value.strip_suffix(b"$").unwrap_or(value);
    let stars = body.iter().rev().take_while(|byte| **byte == b'*').count();
    let mut shorter = value.to_vec();
    shorter.dedup_by(|later, first| (*later, *first) == (b'*', b'*'));
    let (at, length, message) = if stars > 0 && body.len() > stars {
        let stem = body.len() - stars;
        shorter.truncate(shorter.strip_suffix(b"$").unwrap_or(&shorter).len() - 1);
        let message = format!("the `*` at the end of {} changes nothing in what it matches", quoted(value));
        (stem, value.len() - stem, message)
    } else if let Some(at) = memmem::find(value, b"**") {
        (at, 2, "`**` matches what `*` matches".to_owned())
    } else {
        return;
    };
    // A `$` that was within the pattern would be its end.
    if shorter.last() == Some(&b'$') && at + length == value.len() {
        return;
    }
    let [compiled, _] = Dialect::Rfc9309.row().compile(pattern.record.kind, &shorter);
    let rival = compiled.and_then(|compiled| pattern.rivals.of(pattern.record.line, compiled.length));
    let is_alone = rival.is_none();
    let rival = rival.map(|rival| {
        let line = Context::number(rival.record.line);
        format!(", unless it is to outrank {} on line {line}", shown_rule(context, rival.record))
    });
    let help = format!("write {}{}", quoted(&shorter), rival.unwrap_or_default());
    let fix = is_alone.then(|| Fix::new(Decisions::Settled)).and_then(|fix| {
        // White space at the end is not read.
        let text = String::from_utf8(shorter).ok().filter(|text| text.trim_end() == text)?;
        Some(fix.replace(pattern.record.value.clone(), text))
    });
    findings.push(pattern.finding(&LINT, at, length, message, help).with_fix(fix));
}
