//! Input of the lints for sitemap addresses.

use std::collections::HashSet;

use super::context::{Context, LocatedRecord};
use super::key::{KeyedRecord, Slip};
use super::steps;
use crate::finding::quoted;
use crate::robots::Agent;
use crate::robots::extent::Access;
use crate::robots::read::directive::RecordKind;
use crate::robots::read::space::is_ascii_space;
use crate::robots::rules::Rules;

/// Maximum number of sitemaps per file that are compared with the rules.
const SITEMAPS: usize = 128;

/// A sitemap address. Each distinct address is checked once.
pub(super) struct Address<'c, 'b> {
    pub context: &'c Context<'b>,
    pub record: &'c LocatedRecord,
    pub value: &'b [u8],
    /// The crawlers whose rules are compared with the address. Empty after the first [`SITEMAPS`] addresses.
    pub audiences: &'c [(String, Rules)],
}

/// Calls `visit` once for each distinct sitemap address.
pub(super) fn each_address(context: &Context<'_>, mut visit: impl FnMut(&Address<'_, '_>)) {
    let mut sitemaps = context.records_of(RecordKind::Sitemap).peekable();
    let audiences = if sitemaps.peek().is_some() { audiences(context) } else { Vec::new() };
    let mut seen = HashSet::new();
    for record in sitemaps {
        let value = context.value(record);
        if seen.insert(value) {
            let audiences = if seen.len() <= SITEMAPS { &audiences[..] } else { &[] };
            visit(&Address { context, record, value, audiences });
        }
    }
}

/// Returns the address of a `Sitemap` record. Returns `None` for other records, and for lines with a second directive
/// or a misplaced colon.
pub(super) fn sitemap_address<'b>(entry: &KeyedRecord<'_, 'b>) -> Option<&'b [u8]> {
    let is_whole = entry.second.is_none() && entry.slip != Some(Slip::ColonMisplaced);
    (entry.record.kind == RecordKind::Sitemap && is_whole).then(|| entry.context.value(entry.record))
}

/// HTML entities that HTML generators leave in addresses, each with its replacement.
const ENTITIES: [(&str, &str); 6] =
    [("&amp;", "&"), ("&#38;", "&"), ("&quot;", "%22"), ("&lt;", "%3C"), ("&gt;", "%3E"), ("&#39;", "'")];

/// Returns the first HTML entity of a value: its position, the entity and the replacement.
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

/// Returns crawlers that read sitemaps, with their rules: crawlers that no group names, and two large search engines if
/// a group names them. Only crawlers that may fetch some URLs, but not all, are included.
fn audiences(context: &Context<'_>) -> Vec<(String, Rules)> {
    let mut audiences = vec![("crawlers that no group names".to_owned(), context.rules_for_everyone())];
    for token in ["Googlebot", "bingbot"] {
        let rules = context.robots.rules_for(&Agent::unchecked_token(token));
        if rules.group().is_some_and(|group| group != "*") {
            audiences.push((token.to_owned(), rules));
        }
    }
    audiences.retain(|(_, rules)| rules.extent().access() == Access::Partly);
    audiences
}

/// Returns the fault of an address and the advice. A relative address is not a fault here.
pub(super) fn malformed_address(value: &[u8]) -> Option<(String, &'static str)> {
    let shown_value = quoted(value);
    if value.is_empty() {
        return Some(("the sitemap has no address".to_owned(), "write the address"));
    }
    if value.iter().any(|byte| matches!(byte, b'"' | b'<' | b'>')) {
        return Some((
            format!("{shown_value} is not an address"),
            "write only the URL, without quotes or brackets",
        ));
    }
    if value.iter().any(|byte| is_ascii_space(*byte)) {
        return Some((
            format!("{shown_value} contains white space"),
            "write a line for each address, and `%20` for a space",
        ));
    }
    let host = [&b"http://"[..], b"https://"].into_iter().find_map(|scheme| {
        let start = value.get(..scheme.len())?;
        start.eq_ignore_ascii_case(scheme).then(|| value.get(scheme.len()..))?
    });
    match host {
        Some(host) if host.first().is_some_and(|byte| !matches!(byte, b'/' | b'?' | b'#')) => None,
        Some(_) => Some((format!("{shown_value} has no host"), "write scheme, host and path")),
        None if has_scheme(value) || starts_like_http(value) => Some((
            format!("{shown_value} is not an http or https URL"),
            "write `https://`, the host and the path",
        )),
        None => None,
    }
}

/// Returns true if the value starts with `name:/`, where `name` may be a URL scheme.
pub(super) fn has_scheme(value: &[u8]) -> bool {
    let Some(colon) = memchr::memchr(b':', value) else { return false };
    let name = value.get(..colon).unwrap_or_default();
    name.first().is_some_and(u8::is_ascii_alphabetic)
        && name.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-'))
        && value.get(colon + 1) == Some(&b'/')
}

/// Returns true if the value starts with `http` or `https` and a colon or slash, such as `http//example.com`.
fn starts_like_http(value: &[u8]) -> bool {
    [&b"http//"[..], b"https//", b"http/", b"https/", b"http:", b"https:"]
        .into_iter()
        .any(|start| value.get(..start.len()).is_some_and(|s| s.eq_ignore_ascii_case(start)))
}
