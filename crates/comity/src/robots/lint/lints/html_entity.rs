//! `html-entity`: a pattern or address holds an HTML entity, such as `&amp;`.

use crate::finding::{Channel, Decisions, Findings, Fix, Kind, Reader, Severity, Shown};
use crate::robots::lint::address::{Address, html_entity};
use crate::robots::lint::context::LocatedRecord;
use crate::robots::lint::pattern::Pattern;
use crate::robots::lint::{Check, Lint};

pub(super) static LINT: Lint = Lint {
    kind: Kind {
        reader: Reader::RobotsTxt,
        code: "html-entity",
        severity: Severity::Warning,
        summary: "A pattern or address holds an HTML entity, such as `&amp;`.",
        why: "A program that writes HTML wrote it. Here it is five characters like any other; URLs have `&`.",
        help: "write the character that it stands for",
        channel: Channel::RobotsTxt,
        bad: Shown::Text(b"User-agent: *\nDisallow: /list?sort=price&amp;page=\n"),
        good: Shown::Text(b"User-agent: *\nDisallow: /list?sort=price&page=\n"),
    },
    checks: &[Check::Pattern(pattern), Check::Sitemap(sitemap)],
};

fn pattern(pattern: &Pattern<'_, '_>, findings: &mut Findings) {
    let Some((at, entity, instead)) = html_entity(pattern.value) else { return };
    let message = format!("`{entity}` is HTML; it is compared as it stands");
    let fix = written(pattern.record, pattern.value);
    let finding = pattern.finding(&LINT, at, entity.len(), message, format!("write `{instead}`"));
    findings.push(finding.with_fix(fix));
}

fn sitemap(sitemap: &Address<'_, '_>, findings: &mut Findings) {
    let Some((at, entity, instead)) = html_entity(sitemap.value) else { return };
    let record = sitemap.record;
    let start = record.value.start + at;
    let message = format!("`{entity}` is HTML; it is part of the address as it stands");
    let (span, help) = (start..start + entity.len(), format!("write `{instead}`"));
    let fix = written(record, sitemap.value);
    findings.push(sitemap.context.finding(&LINT, record.line, span, message, help).with_fix(fix));
}

/// Writes every entity of a value as the character that it stands for.
fn written(record: &LocatedRecord, value: &[u8]) -> Fix {
    let mut fix = Fix::new(Decisions::Changed);
    let mut from = 0;
    while let Some((at, entity, instead)) = value.get(from..).and_then(html_entity) {
        let start = record.value.start + from + at;
        fix = fix.replace(start..start + entity.len(), instead);
        from += at + entity.len();
    }
    fix
}
