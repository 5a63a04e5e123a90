//! `Robots-Tag` as defined by draft-illyes-repext-03: a List of RFC 9651 whose members are product tokens, with
//! directives as their parameters.
//!
//! ```text
//! Robots-Tag: *;nosnippet, ExampleBot;noindex;max-snippet=20
//! ```
//!
//! Structured fields are strict: if one member cannot be parsed, the whole field is ignored. But if the field exceeds
//! the size limit, the members up to the limit are used. So this module splits the field at the commas outside strings,
//! and parses each member individually, which preserves its position.

use std::ops::Range;

use sfv::{BareItem, Item, List, ListEntry, Parser};

use super::directive::DirectiveKind;
use super::kinds;
use super::statement::{Source, SourceKind, Statement};
use super::x_robots_tag::text;
use super::{MAX_ROBOTS_TAG_BYTES, PageDirectives};
use crate::finding::quoted;
use crate::http::Headers;

const KIND: SourceKind = SourceKind::RobotsTag;

/// Reads every `Robots-Tag` of a header. Together they form one List.
pub(super) fn read(page: &mut PageDirectives, headers: &Headers<'_>) {
    let mut members = Vec::new();
    let mut left = MAX_ROBOTS_TAG_BYTES;
    for (index, value) in headers.get_all("robots-tag").enumerate() {
        let source = Source::field(KIND, index + 1, 0);
        let value = text(value);
        if value.trim().is_empty() {
            continue;
        }
        for range in split(&value) {
            if range.end > left {
                let detail = format!("{} and the rest is omitted", quoted(&value[range.clone()]));
                page.findings.detail(&kinds::HEADER_TOO_LONG, source.at(range.start).place(), || detail);
                return keep(page, members);
            }
            match member(&value[range.clone()]) {
                Some(entry) => members.push((source.at(range.start), entry)),
                None => {
                    let detail = quoted(&value[range.clone()]);
                    return page.findings.detail(
                        &kinds::MALFORMED_ROBOTS_TAG,
                        source.at(range.start).place(),
                        || detail,
                    );
                }
            }
        }
        left = left.saturating_sub(value.len());
    }
    keep(page, members);
}

/// The characters that are permitted around commas (RFC 9651 §4.2.1).
const WHITE_SPACE: [char; 2] = [' ', '\t'];

/// Returns the ranges between commas outside strings, without leading white space. In a string, a backslash escapes the
/// next character.
fn split(value: &str) -> impl Iterator<Item = Range<usize>> {
    let bytes = value.as_bytes();
    let mut start = Some(0);
    std::iter::from_fn(move || {
        let from = start?;
        let mut in_string = false;
        let mut at = from;
        while at < bytes.len() {
            match bytes[at] {
                b'"' => in_string = !in_string,
                b'\\' if in_string => at += 1,
                b',' if !in_string => break,
                _ => {}
            }
            at += 1;
        }
        let end = at.min(bytes.len());
        start = (end < bytes.len()).then_some(end + 1);
        let member = &value[from..end];
        let from = end - member.trim_start_matches(WHITE_SPACE).len();
        Some(from..end)
    })
}

/// Parses one member. Returns `None` if it is invalid.
fn member(text: &str) -> Option<ListEntry> {
    let list: List = Parser::new(text.trim_end_matches(WHITE_SPACE)).parse().ok()?;
    list.into_iter().next()
}

fn keep(page: &mut PageDirectives, members: Vec<(Source, ListEntry)>) {
    for (source, member) in members {
        let ListEntry::Item(item) = member else {
            page.findings.detail(&kinds::BAD_MEMBER, source.place(), || "a list in brackets".to_owned());
            continue;
        };
        let name = match &item.bare_item {
            BareItem::Token(token) => token.as_str(),
            BareItem::String(string) => string.as_str(),
            _ => {
                page.findings
                    .detail(&kinds::BAD_MEMBER, source.place(), || "neither a token nor a string".to_owned());
                continue;
            }
        };
        let agent = Some(name.to_ascii_lowercase()).filter(|name| name != "*");
        keep_directives(page, &item, &agent, &source);
    }
}

fn keep_directives(page: &mut PageDirectives, item: &Item, agent: &Option<String>, source: &Source) {
    for (key, value) in &item.params {
        if page.is_full() {
            page.findings
                .detail(&kinds::TOO_MANY_DIRECTIVES, source.place(), || "the rest is omitted".to_owned());
            return;
        }
        let kind = DirectiveKind::of(key.as_str()).unwrap_or(DirectiveKind::Unknown);
        let written = written(value);
        let text = match &written {
            Some(value) => format!("{key}={value}"),
            None => key.to_string(),
        };
        let read = written.as_deref().and_then(|value| kind.value(value));
        let finding = match (kind, &written) {
            (DirectiveKind::Unknown, _) => Some(&kinds::UNKNOWN_DIRECTIVE),
            (kind, _) if kind.takes_value() && read.is_none() => Some(&kinds::BAD_VALUE),
            (kind, Some(_)) if !kind.takes_value() => Some(&kinds::UNEXPECTED_VALUE),
            _ => None,
        };
        if let Some(finding) = finding {
            page.findings.detail(finding, source.place(), || quoted(&text));
        }
        // `noindex=?0` is a false value, so the directive is absent.
        if !matches!(value, BareItem::Boolean(false)) {
            page.push(Statement::new(kind, read, text, agent.clone(), source.clone()));
        }
    }
}

/// Returns the value of a parameter as text. Returns `None` for true, the implicit value of a parameter without a
/// value.
fn written(value: &BareItem) -> Option<String> {
    Some(match value {
        BareItem::Boolean(true) => return None,
        BareItem::Boolean(false) => "?0".to_owned(),
        BareItem::Integer(number) => number.to_string(),
        BareItem::Decimal(number) => number.to_string(),
        BareItem::String(text) => text.as_str().to_owned(),
        BareItem::Token(token) => token.as_str().to_owned(),
        BareItem::DisplayString(text) => text.clone(),
        BareItem::Date(date) => {
            let seconds = i64::from(date.unix_seconds());
            crate::rfc3339::text(seconds).unwrap_or_else(|| seconds.to_string())
        }
        BareItem::ByteSequence(bytes) => format!("{} bytes", bytes.len()),
    })
}
