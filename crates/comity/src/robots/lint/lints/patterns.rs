//! Lints for path patterns that match other URLs than intended.

use super::case_twin::CASE_TWIN;
use crate::finding::{Decisions, Findings, Fix, Severity, quoted};
use crate::robots::lint::address::{Address, html_entity};
use crate::robots::lint::bytes::is_invisible;
use crate::robots::lint::context::LocatedRecord;
use crate::robots::lint::intended::{intended, split_host, unquoted};
use crate::robots::lint::name::{Name, Owner};
use crate::robots::lint::pattern::{Pattern, Start};

crate::robots::lint::table! {
    PATTERN_START "pattern-start" Error, Value(pattern_start);
    "A pattern starts with neither `/` nor `*`.",
    "A pattern is compared from the start of the URL's path, which is a `/` (RFC 9309 \u{a7}2.2.2), so this one matches \
     nothing. Some parsers add the `/`, others do not.",
     "write a `/` before it",
    bad(b"User-agent: *\nDisallow: private/\n"),
    good(b"User-agent: *\nDisallow: /private/\n");

    PATTERN_URL "pattern-url" Error, Value(pattern_url);
    "A pattern is a whole URL.",
    "A pattern is compared with the URL's path (RFC 9309 \u{a7}2.2.2), so this one matches nothing. The file applies only to \
    its own host; other hosts need their own file.",
    "write only the path if the URL is on this site",
    bad(b"User-agent: *\nDisallow: https://example.com/private/\n"),
    good(b"User-agent: *\nDisallow: /private/\n");

    DOUBLE_SLASH "double-slash" Warning, Pattern(double_slash);
    "A pattern starts with two slashes.",
    "It matches only URLs whose path starts with two slashes, which are rare. `//private` is neither `/private` nor a host \
    (RFC 9309 \u{a7}2.2.2).",
    "write one slash for an ordinary path",
    bad(b"User-agent: *\nDisallow: //private/\n"),
    good(b"User-agent: *\nDisallow: /private/\n");

    CASE_TWIN;

    TRAILING_SEPARATOR "trailing-separator" Warning, Agent(trailing_separator_name) Pattern(trailing_separator_pattern) Sitemap(trailing_separator_sitemap);
    "A value ends in a `,` or `;`.",
    "Only line ends separate lines, so the character is part of the pattern, name or address. After a `*` or a `/` it \
    may be intended, and is reported as a note. If the file also has a rule such as `/a/` or `/a?`, then `/a;` is \
    intended and not reported.",
    "delete it if it only ends the line",
    bad(b"User-agent: *\nDisallow: /private,\nDisallow: /search\n"),
    good(b"User-agent: *\nDisallow: /private\nDisallow: /search\n");

    HTML_ENTITY "html-entity" Warning, Pattern(html_entity_pattern) Sitemap(html_entity_sitemap);
    "A pattern or address contains an HTML entity, such as `&amp;`.",
    "Programs that generate HTML write entities. In a robots.txt, `&amp;` is five ordinary characters; URLs contain `&`.",
    "write the character that the entity represents",
    bad(b"User-agent: *\nDisallow: /list?sort=price&amp;page=\n"),
    good(b"User-agent: *\nDisallow: /list?sort=price&page=\n");
}

fn pattern_start(pattern: &Pattern<'_, '_>, findings: &mut Findings) {
    let value = pattern.value;
    if pattern.start != Start::Other
        || String::from_utf8_lossy(value).chars().next().is_some_and(is_invisible)
    {
        return;
    }
    let message = format!("{} starts with neither `/` nor `*`, so it matches nothing", quoted(value));
    let intended = intended(pattern.context, value);
    let help = match &intended {
        Some(path) => format!("write {}", quoted(path)),
        None if split_host(pattern.context, unquoted(value)).is_some() => {
            "write only the path if the host is this site; other hosts have their own robots.txt".to_owned()
        }
        None => "write a path that starts with `/`; only `*` and a final `$` are special".to_owned(),
    };
    let finding = pattern.finding(&PATTERN_START, 0, value.len(), message, help);
    findings.push(finding.with_fix(intended.and_then(|path| pattern.replacement(path))));
}

fn pattern_url(pattern: &Pattern<'_, '_>, findings: &mut Findings) {
    let (Start::Url(scheme), value) = (pattern.start, pattern.value) else { return };
    let rest = value.get(scheme..).unwrap_or_default();
    let path = memchr::memchr(b'/', rest).and_then(|at| rest.get(at..)).unwrap_or(b"/");
    let message = format!("{} is a whole URL, so it matches nothing", quoted(value));
    let help = match path {
        b"/" | b"/*" => "write the rule into the robots.txt of that host, if it is another host".to_owned(),
        path => format!("write {} if the URL is on this site", quoted(path)),
    };
    let fix = intended(pattern.context, value).and_then(|path| pattern.replacement(path));
    findings.push(pattern.finding(&PATTERN_URL, 0, value.len(), message, help).with_fix(fix));
}

/// Reports two slashes at the start, followed by a path or a host.
fn double_slash(pattern: &Pattern<'_, '_>, findings: &mut Findings) {
    let path = pattern.value.trim_ascii_start();
    let start = path.iter().take_while(|byte| **byte == b'/').count();
    let rest = path.get(start..).unwrap_or_default();
    if start < 2 || !rest.first().is_some_and(u8::is_ascii_alphanumeric) {
        return;
    }
    let message = format!(
        "{} starts with `{}`, so it matches only URLs whose path starts with it",
        quoted(pattern.value),
        "/".repeat(start.min(3))
    );
    let help = format!("write {} for an ordinary path", quoted([b"/", rest].concat()));
    // A first segment with a dot can be a host as well as a path.
    let is_host = rest.iter().take_while(|byte| **byte != b'/').any(|byte| *byte == b'.');
    let front = pattern.record.value.start;
    let fix = (!is_host).then(|| Fix::new(Decisions::Changed).delete(front + 1..front + start));
    findings.push(pattern.finding(&DOUBLE_SLASH, 0, start, message, help).with_fix(fix));
}

/// Reports a separator at the end of a name. Parsers read it as part of the name.
fn trailing_separator_name(name: &Name<'_, '_>, findings: &mut Findings) {
    let Owner::Separated(last) = name.owner else { return };
    let (context, record) = (name.context, name.record);
    let length = name.name.len() - 1;
    let message = format!("the `{last}` at the end is part of the name, which no crawler has");
    let stem = name.value.get(..length).unwrap_or_default();
    let help = format!("write {}", quoted([b"User-agent: ", stem].concat()));
    let span = record.value.start + length..record.value.start + name.name.len();
    let fix = Fix::new(Decisions::Changed).delete(span.clone());
    findings.push(context.finding(&TRAILING_SEPARATOR, record.line, span, message, help).with_fix(fix));
}

/// Reports a separator at the end of a pattern, as in a list. If the file also has `/a/` or `/a?`, then `/a;` is
/// intentional. After a wildcard or a slash it may be intentional.
fn trailing_separator_pattern(pattern: &Pattern<'_, '_>, findings: &mut Findings) {
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
    let finding = pattern.finding(&TRAILING_SEPARATOR, stem.len(), 1, message, help);
    findings.push(finding.with_severity(severity).with_fix(fix));
}

/// Reports a separator at the end of a sitemap address.
fn trailing_separator_sitemap(sitemap: &Address<'_, '_>, findings: &mut Findings) {
    let record = sitemap.record;
    let Some((&last @ (b',' | b';'), rest)) = sitemap.value.split_last() else { return };
    let message = format!("the `{}` at the end is part of the address", char::from(last));
    let help = format!("write {}", quoted(rest));
    let span = record.value.end - 1..record.value.end;
    let fix = Fix::new(Decisions::Changed).delete(span.clone());
    let finding = sitemap.context.finding(&TRAILING_SEPARATOR, record.line, span, message, help);
    findings.push(finding.with_fix(fix));
}

fn html_entity_pattern(pattern: &Pattern<'_, '_>, findings: &mut Findings) {
    let Some((at, entity, instead)) = html_entity(pattern.value) else { return };
    let message = format!("`{entity}` is HTML; it is compared as written");
    let fix = written(pattern.record, pattern.value);
    let finding = pattern.finding(&HTML_ENTITY, at, entity.len(), message, format!("write `{instead}`"));
    findings.push(finding.with_fix(fix));
}

fn html_entity_sitemap(sitemap: &Address<'_, '_>, findings: &mut Findings) {
    let Some((at, entity, instead)) = html_entity(sitemap.value) else { return };
    let record = sitemap.record;
    let start = record.value.start + at;
    let message = format!("`{entity}` is HTML; it is part of the address as written");
    let (span, help) = (start..start + entity.len(), format!("write `{instead}`"));
    let fix = written(record, sitemap.value);
    findings.push(sitemap.context.finding(&HTML_ENTITY, record.line, span, message, help).with_fix(fix));
}

/// Returns a fix that replaces every HTML entity of a value with its character.
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
