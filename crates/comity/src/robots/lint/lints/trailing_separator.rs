//! `trailing-separator`: a value ends in a `,` or `;`.

use crate::finding::{Channel, Decisions, Findings, Fix, Kind, Reader, Severity, Shown, quoted};
use crate::robots::lint::address::{Address, html_entity};
use crate::robots::lint::name::{Name, Who};
use crate::robots::lint::pattern::Pattern;
use crate::robots::lint::{Check, Lint};

pub(super) static LINT: Lint = Lint {
    kind: Kind {
        reader: Reader::RobotsTxt,
        code: "trailing-separator",
        severity: Severity::Warning,
        summary: "A value ends in a `,` or `;`.",
        why: "Nothing separates lines but their ends, so it is part of the pattern, name or address. Behind a `*` or a `/` it may be \
     meant (a note); beside rules such as `/a?` and `/a_`, `/a;` is.",
        help: "take it out if it only ends the line",
        channel: Channel::RobotsTxt,
        bad: Shown::Text(b"User-agent: *\nDisallow: /private,\nDisallow: /search\n"),
        good: Shown::Text(b"User-agent: *\nDisallow: /private\nDisallow: /search\n"),
    },
    checks: &[Check::Agent(name), Check::Pattern(pattern), Check::Sitemap(sitemap)],
};

/// At the end of a name, of which it is part.
fn name(name: &Name<'_, '_>, findings: &mut Findings) {
    let Who::Separated(last) = name.who else { return };
    let (context, record) = (name.context, name.record);
    let length = name.name.len() - 1;
    let message = format!("the `{last}` at the end is part of the name, which nobody has");
    let stem = name.value.get(..length).unwrap_or_default();
    let help = format!("write {}", quoted([b"User-agent: ", stem].concat()));
    let span = record.value.start + length..record.value.start + name.name.len();
    let fix = Fix::new(Decisions::Changed).delete(span.clone());
    findings.push(context.finding(&LINT, record.line, span, message, help).with_fix(fix));
}

/// At the end of a pattern, as in a list. Beside `/a/` or `/a?`, `/a;` is meant; behind a wildcard it may be.
fn pattern(pattern: &Pattern<'_, '_>, findings: &mut Findings) {
    let Some((&last @ (b',' | b';'), stem)) = pattern.value.split_last() else { return };
    if pattern.stems.contains(stem) || html_entity(pattern.value).is_some() {
        return;
    }
    let is_wild = matches!(stem, [] | [.., b'*' | b'/']);
    let severity = if is_wild { Severity::Note } else { Severity::Warning };
    let last = char::from(last);
    let message = format!("the `{last}` at the end of {} is part of the pattern", quoted(pattern.value));
    let help = format!("write {} if the `{last}` only ends the line", quoted(stem));
    let end = pattern.record.value.end;
    let fix = (!is_wild).then(|| Fix::new(Decisions::Changed).delete(end - 1..end));
    let finding = pattern.finding(&LINT, stem.len(), 1, message, help);
    findings.push(finding.with_severity(severity).with_fix(fix));
}

/// At the end of an address.
fn sitemap(sitemap: &Address<'_, '_>, findings: &mut Findings) {
    let record = sitemap.record;
    let Some((&last @ (b',' | b';'), rest)) = sitemap.value.split_last() else { return };
    let message = format!("the `{}` at the end is part of the address", char::from(last));
    let help = format!("write {}", quoted(rest));
    let span = record.value.end - 1..record.value.end;
    let fix = Fix::new(Decisions::Changed).delete(span.clone());
    let finding = sitemap.context.finding(&LINT, record.line, span, message, help);
    findings.push(finding.with_fix(fix));
}
