//! Addresses of sitemaps: whether they may be fetched, and whether they are real.

use std::collections::HashSet;

use crate::robots::Agent;
use crate::robots::extent::Access;
use crate::robots::lint::catalogue::Lint;
use crate::robots::lint::context::{Context, Findings, Record, shown, shown_rule};
use crate::robots::lint::steps;
use crate::robots::read::directive::DirectiveKind;
use crate::robots::rules::Rules;

/// The largest number of sitemaps of a file that are compared with its rules.
const SITEMAPS: usize = 128;

pub(super) fn check(context: &Context<'_>, findings: &mut Findings) {
    let mut sitemaps = context.records_of(DirectiveKind::Sitemap).peekable();
    let audiences = if sitemaps.peek().is_some() { audiences(context) } else { Vec::new() };
    let mut seen = HashSet::new();
    for record in sitemaps {
        let value = context.value(record);
        if !seen.insert(value) {
            continue;
        }
        entity(context, findings, record);
        separator(context, findings, record);
        placeholder(context, findings, record);
        if seen.len() <= SITEMAPS {
            disallowed(context, findings, record, &audiences);
        }
    }
}

/// The entities that programs which write HTML put into addresses, and what to write instead.
const ENTITIES: [(&str, &str); 6] =
    [("&amp;", "&"), ("&#38;", "&"), ("&quot;", "%22"), ("&lt;", "%3C"), ("&gt;", "%3E"), ("&#39;", "'")];

/// The first HTML entity of a value: where it is, the entity, and what to write instead.
pub(super) fn html_entity(value: &[u8]) -> Option<(usize, &'static str, &'static str)> {
    memchr::memchr_iter(b'&', value).find_map(|at| {
        steps::count(1);
        let rest = value.get(at..)?;
        let is_here = |entity: &str| {
            rest.get(..entity.len()).is_some_and(|start| start.eq_ignore_ascii_case(entity.as_bytes()))
        };
        let (entity, instead) = ENTITIES.into_iter().find(|(entity, _)| is_here(entity))?;
        Some((at, entity, instead))
    })
}

fn entity(context: &Context<'_>, findings: &mut Findings, record: &Record) {
    let Some((at, entity, instead)) = html_entity(context.value(record)) else { return };
    let start = record.value.start + at;
    let message = format!("`{entity}` is HTML; it is part of the address as it stands");
    let span = start..start + entity.len();
    findings.add(context.finding(Lint::HtmlEntity, record.line, span, message, format!("write `{instead}`")));
}

fn separator(context: &Context<'_>, findings: &mut Findings, record: &Record) {
    let Some((&last @ (b',' | b';'), rest)) = context.value(record).split_last() else { return };
    let last = char::from(last);
    let message = format!("the `{last}` at the end is part of the address");
    let help = format!("write {}", shown(rest));
    let span = record.value.end - 1..record.value.end;
    findings.add(context.finding(Lint::TrailingSeparator, record.line, span, message, help));
}

/// Who asks for sitemaps, and may be refused one: everybody, and the two large search engines if they have a group of
/// their own. Those who are let in nowhere know about it.
fn audiences(context: &Context<'_>) -> Vec<(String, Rules)> {
    let mut audiences =
        vec![("crawlers without a group of their own".to_owned(), context.rules_for_everyone())];
    for token in ["Googlebot", "bingbot"] {
        let rules = context.robots.rules_for(&Agent::token(token));
        if rules.group().is_some_and(|group| group != "*") {
            audiences.push((token.to_owned(), rules));
        }
    }
    audiences.retain(|(_, rules)| rules.extent().access() == Access::Partly);
    audiences
}

fn disallowed(
    context: &Context<'_>,
    findings: &mut Findings,
    record: &Record,
    audiences: &[(String, Rules)],
) {
    let value = context.value(record);
    let is_http = |scheme: &[u8]| value.get(..scheme.len()).is_some_and(|s| s.eq_ignore_ascii_case(scheme));
    if !is_http(b"http://") && !is_http(b"https://") {
        return;
    }
    for (who, rules) in audiences {
        steps::count(rules.len() + context.records.len());
        let Ok(decision) = rules.decide(value) else { return };
        let rule = decision.rule().filter(|rule| !rule.allows());
        let Some(line) = rule.map(|rule| rule.line()) else { continue };
        let Some(rule) = context.records.iter().find(|record| Context::number(record.line) == line) else {
            continue;
        };
        let message = format!("{who} may not fetch the sitemap, says {}", shown_rule(context, rule));
        let help = "allow its path, unless it is on another host";
        let span = record.value.clone();
        let finding = context.finding(Lint::SitemapDisallowed, record.line, span, message, help);
        findings.add(finding.with_related(context.related(rule, "the rule that forbids it")));
        return;
    }
}

/// Hosts that stand for one to be filled in.
const PLACEHOLDERS: [&str; 12] = [
    "example.com",
    "example.org",
    "example.net",
    "yoursite.com",
    "your-site.com",
    "yourdomain.com",
    "your-domain.com",
    "yourwebsite.com",
    "your-website.com",
    "mydomain.com",
    "mysite.com",
    "site.com",
];

/// Parts of a host's name by which a site for tests is called.
const STAGING: [&str; 12] = [
    "staging",
    "stage",
    "stg",
    "dev",
    "develop",
    "development",
    "uat",
    "qa",
    "preprod",
    "pre-prod",
    "sandbox",
    "test",
];

/// An address that leads nowhere, or to a site for tests.
fn placeholder(context: &Context<'_>, findings: &mut Findings, record: &Record) {
    let value = context.value(record);
    let shown_value = shown(value);
    let (message, help) = if value.iter().any(|byte| matches!(byte, b'{' | b'}')) {
        (format!("{shown_value} has a placeholder in it"), "write the address of the sitemap")
    } else {
        let Some(host) = host(value) else { return };
        let shown_host = shown(host.as_bytes());
        match &host {
            host if is_local(host) => {
                (format!("{shown_host} is not a host that others can reach"), "write the site's public host")
            }
            host if is_placeholder(host) => {
                (format!("{shown_host} stands for a host to be filled in"), "write the site's own host")
            }
            host if is_staging(host) => (
                format!("{shown_host} looks like a site for tests"),
                "write the public host, unless this file is for the site that is named",
            ),
            _ => return,
        }
    };
    let span = record.value.clone();
    findings.add(context.finding(Lint::PlaceholderSitemap, record.line, span, message, help));
}

/// The host of an http or https URL, in lower case.
fn host(value: &[u8]) -> Option<String> {
    let rest = [&b"http://"[..], b"https://"].into_iter().find_map(|scheme| {
        let start = value.get(..scheme.len())?;
        start.eq_ignore_ascii_case(scheme).then(|| value.get(scheme.len()..))?
    })?;
    let end = rest.iter().position(|byte| matches!(byte, b'/' | b'?' | b'#')).unwrap_or(rest.len());
    let authority = rest.get(..end)?;
    let host = authority.rsplit(|byte| *byte == b'@').next()?;
    let host = match host {
        [b'[', ..] => host.split_inclusive(|byte| *byte == b']').next()?,
        _ => host.split(|byte| *byte == b':').next()?,
    };
    // The longest name that DNS allows.
    (host.len() <= 253).then(|| String::from_utf8_lossy(host).to_ascii_lowercase())
}

/// RFC 1918, RFC 6761, RFC 6762, and names that only a local network knows.
fn is_local(host: &str) -> bool {
    if let Ok(address) = host.parse::<std::net::Ipv4Addr>() {
        return address.is_loopback()
            || address.is_private()
            || address.is_unspecified()
            || address.is_link_local();
    }
    let last = host.rsplit('.').next().unwrap_or(host);
    host == "[::1]"
        || matches!(last, "localhost" | "local" | "lan" | "internal" | "intranet" | "test" | "invalid")
}

fn is_placeholder(host: &str) -> bool {
    let host = host.strip_prefix("www.").unwrap_or(host);
    PLACEHOLDERS.contains(&host) || host.starts_with("your-") && host.contains("domain")
}

/// Returns whether a part of the name says so; the domain itself, its last two parts, may be called anything.
fn is_staging(host: &str) -> bool {
    let parts: Vec<&str> = host.split('.').collect();
    let before = parts.get(..parts.len().saturating_sub(2)).unwrap_or_default();
    before
        .iter()
        .flat_map(|part| std::iter::once(*part).chain(part.split('-')))
        .any(|part| STAGING.contains(&part))
}
