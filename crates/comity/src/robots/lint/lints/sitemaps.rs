//! Lints for sitemap addresses.

use super::placeholder_sitemap::PLACEHOLDER_SITEMAP;
use crate::finding::{Decisions, Findings, Fix, quoted};
use crate::robots::lint::address::{Address, has_scheme, malformed_address, sitemap_address};
use crate::robots::lint::context::{Context, shown_rule};
use crate::robots::lint::intended::split_host;
use crate::robots::lint::key::KeyedRecord;
use crate::robots::lint::pattern::cut_by_hash;
use crate::robots::lint::steps;
use crate::robots::read::directive::RecordKind;
use crate::robots::read::space::is_ascii_space;
use std::collections::HashMap;

crate::robots::lint::table! {
    RELATIVE_SITEMAP "relative-sitemap" Error, Record(relative_sitemap);
    "A sitemap's address is not absolute.",
    "The sitemap protocol requires an absolute URL; crawlers skip other addresses.",
    "write the whole URL: scheme, host and path",
    bad(b"User-agent: *\nDisallow: /search\n\nSitemap: /sitemap.xml\n"),
    good(b"User-agent: *\nDisallow: /search\n\nSitemap: https://www.shop.example/sitemap.xml\n");

    MALFORMED_SITEMAP "malformed-sitemap" Error, Record(malformed_sitemap);
    "A sitemap's address is not an http or https URL.",
    "Crawlers skip such an address. Each `Sitemap` line has only one address.",
    "write `https://`, the host and the path",
    bad(b"User-agent: *\nDisallow: /search\n\nSitemap: https:/www.shop.example/sitemap.xml\n"),
    good(b"User-agent: *\nDisallow: /search\n\nSitemap: https://www.shop.example/sitemap.xml\n");

    SITEMAP_FRAGMENT "sitemap-fragment" Warning, Record(sitemap_fragment);
    "A sitemap's address is cut at a `#`, which starts a comment.",
    "The address is only the text before the `#`.",
    "drop the fragment, or write `%23` for the character",
    bad(b"User-agent: *\nDisallow: /search\n\nSitemap: https://www.shop.example/sitemap.xml#pages\n"),
    good(b"User-agent: *\nDisallow: /search\n\nSitemap: https://www.shop.example/sitemap.xml\n");

    SITEMAP_TOO_LONG "sitemap-too-long" Warning, Record(sitemap_too_long);
    "A sitemap's address has 2,048 characters or more.",
    "The sitemap protocol sets that limit for addresses.",
    "shorten it to less than 2,048 characters",
    bad("User-agent: *\nDisallow: /search\n\nSitemap: https://www.shop.example/", "a", 2_048, ""),
    good(b"User-agent: *\nDisallow: /search\n\nSitemap: https://www.shop.example/sitemap.xml\n");

    DUPLICATE_SITEMAP "duplicate-sitemap" Note, File(duplicate_sitemap);
    "A sitemap is listed twice.",
    "One line is sufficient.",
    "drop it",
    bad(b"User-agent: *\nDisallow: /search\n\nSitemap: https://www.shop.example/s.xml\nSitemap: https://www.shop.example/s.xml\n"),
    good(b"User-agent: *\nDisallow: /search\n\nSitemap: https://www.shop.example/s.xml\n");

    SITEMAP_DISALLOWED "sitemap-disallowed" Warning, Sitemap(sitemap_disallowed);
    "The file's own rules forbid a sitemap that it lists.",
    "Crawlers that obey robots.txt do not fetch the sitemap. The lint reports a sitemap that the rules for `*`, \
    `Googlebot` or `bingbot` forbid, unless they forbid the whole site. The rules do not apply to a sitemap on another \
    host.",
    "allow its path, unless it is on another host",
    bad(b"User-agent: *\nDisallow: /*.xml$\n\nSitemap: https://www.shop.example/sitemap.xml\n"),
    good(b"User-agent: *\nDisallow: /*.xml$\nAllow: /sitemap.xml\n\nSitemap: https://www.shop.example/sitemap.xml\n");

    PLACEHOLDER_SITEMAP;
}

fn relative_sitemap(entry: &KeyedRecord<'_, '_>, findings: &mut Findings) {
    let Some(value) = sitemap_address(entry) else { return };
    if malformed_address(value).is_some() || has_scheme(value) {
        return;
    }
    let (context, record) = (entry.context, entry.record);
    let message = format!("{} is not an absolute address", quoted(value));
    let rest = split_host(context, value).map(|_| value.strip_prefix(b"//").unwrap_or(value));
    let help = match rest {
        Some(rest) => format!("write {}", quoted([b"https://", rest].concat())),
        None => RELATIVE_SITEMAP.kind.help.to_owned(),
    };
    let start = record.value.start;
    let fix = rest
        .map(|rest| Fix::new(Decisions::Changed).replace(start..record.value.end - rest.len(), "https://"));
    let finding = context.finding(&RELATIVE_SITEMAP, record.line, record.whole(), message, help);
    findings.push(finding.with_fix(fix));
}

fn malformed_sitemap(entry: &KeyedRecord<'_, '_>, findings: &mut Findings) {
    let Some(value) = sitemap_address(entry) else { return };
    let Some((message, help)) = malformed_address(value) else { return };
    let record = entry.record;
    let finding = entry.context.finding(&MALFORMED_SITEMAP, record.line, record.whole(), message, help);
    findings.push(finding.with_fix(one_per_line(entry, value)));
}

/// Returns a fix that writes each address of a list on its own line. Returns `None` unless all parts of the value are
/// addresses.
fn one_per_line(entry: &KeyedRecord<'_, '_>, value: &[u8]) -> Option<Fix> {
    let (context, record) = (entry.context, entry.record);
    let is_separator = |byte: &u8| is_ascii_space(*byte) || matches!(byte, b',' | b';');
    let parts: Vec<&[u8]> = value.split(is_separator).filter(|part| !part.is_empty()).collect();
    let is_address = |part: &&[u8]| has_scheme(part) && malformed_address(part).is_none();
    if parts.len() < 2 || !parts.iter().all(is_address) {
        return None;
    }
    let key = std::str::from_utf8(context.key(record)).ok()?;
    let parts: Option<Vec<&str>> = parts.into_iter().map(|part| std::str::from_utf8(part).ok()).collect();
    let text = parts?.join(&format!("{}{key}: ", context.line_end(record.line)));
    Some(Fix::new(Decisions::Changed).replace(record.value.clone(), text))
}

fn sitemap_fragment(entry: &KeyedRecord<'_, '_>, findings: &mut Findings) {
    let Some(value) = sitemap_address(entry) else { return };
    let (context, record) = (entry.context, entry.record);
    if cut_by_hash(context, record).is_some() {
        let message = format!("the address ends before the `#`: it is {}", quoted(value));
        findings.push(context.finding(
            &SITEMAP_FRAGMENT,
            record.line,
            record.whole(),
            message,
            SITEMAP_FRAGMENT.kind.help,
        ));
    }
}

/// Minimum length of an address that is too long for the sitemap protocol, in characters.
const CHARACTERS: usize = 2_048;

fn sitemap_too_long(entry: &KeyedRecord<'_, '_>, findings: &mut Findings) {
    let Some(value) = sitemap_address(entry) else { return };
    let characters = String::from_utf8_lossy(value).chars().count();
    if characters < CHARACTERS {
        return;
    }
    let record = entry.record;
    let message = format!("the address has {characters} characters");
    findings.push(entry.context.finding(
        &SITEMAP_TOO_LONG,
        record.line,
        record.whole(),
        message,
        SITEMAP_TOO_LONG.kind.help,
    ));
}

fn duplicate_sitemap(context: &Context<'_>, findings: &mut Findings) {
    let mut first_of = HashMap::new();
    let above = std::iter::once(None).chain(context.records.iter().map(Some));
    let sitemaps = context.records.iter().zip(above).filter(|(record, _)| record.kind == RecordKind::Sitemap);
    for (record, above) in sitemaps {
        let first = *first_of.entry(context.value(record)).or_insert(record);
        if first.line != record.line {
            let message =
                format!("{} is already listed on line {}", quoted(context.value(record)), first.line + 1);
            let finding = context.droppable(
                &DUPLICATE_SITEMAP,
                record.line,
                record.whole(),
                message,
                DUPLICATE_SITEMAP.kind.help,
            );
            // Some parsers end a list of names at any other record. If the record follows a user-agent line, its
            // removal could extend the list for these parsers.
            let is_apart = above.is_none_or(|above| above.kind != RecordKind::UserAgent);
            let fix = is_apart.then(|| context.deletion_of_repeat(record, first)).flatten();
            let finding = finding.with_fix(fix);
            findings.push(finding.with_related(context.related(first, "listed first here")));
        }
    }
}

fn sitemap_disallowed(sitemap: &Address<'_, '_>, findings: &mut Findings) {
    let (context, record, value) = (sitemap.context, sitemap.record, sitemap.value);
    let is_http = |scheme: &[u8]| value.get(..scheme.len()).is_some_and(|s| s.eq_ignore_ascii_case(scheme));
    if !is_http(b"http://") && !is_http(b"https://") {
        return;
    }
    for (name, rules) in sitemap.audiences {
        steps::count(rules.len() + context.records.len());
        let Ok(decision) = rules.decide(value) else { return };
        let rule = decision.rule().filter(|rule| !rule.allows());
        let Some(line) = rule.map(|rule| rule.line()) else { continue };
        let Some(rule) = context.records.iter().find(|record| Context::number(record.line) == line) else {
            continue;
        };
        let message = format!("{name} may not fetch the sitemap, because of {}", shown_rule(context, rule));
        let span = record.value.clone();
        let finding =
            context.finding(&SITEMAP_DISALLOWED, record.line, span, message, SITEMAP_DISALLOWED.kind.help);
        findings.push(finding.with_related(context.related(rule, "the rule that forbids it")));
        return;
    }
}
