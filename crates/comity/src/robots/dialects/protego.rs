//! Protego, the parser of Scrapy.

use std::borrow::Cow;

use super::python;
use super::row::{About, Precedence, Row, StoredBytes, Unsplit};
use crate::robots::agents::select::{GroupSelection, Selection};
use crate::robots::matching::encode;
use crate::robots::matching::pattern::{CompiledRule, Effect, LineEnds, split_anchor};
use crate::robots::read::Reading;
use crate::robots::read::groups::Grouping;
use crate::robots::read::lines::Lines;
use crate::robots::read::pacing::{self, RequestRate, VisitTime};
use crate::robots::read::syntax::Syntax;
use crate::robots::read::text::Text;

pub(super) const ABOUT: About = About {
    defined_by: "Protego 0.7.0",
    quirks: &[
        "the longest name that starts a word of the agent decides, so `foo` also applies to `foobot`; `*` counts as a \
         name of one character",
        "a name with `*` also counts without its `*`: `foo*` counts as `foo*` and as `foo`",
        "any directive except `Sitemap` and `Host`, even an unknown one, ends the list of agents",
        "the longest pattern wins, counted after percent-encoding; ties allow; an empty rule does not count",
        "a value that ends in `$` is two rules, one with an anchor and one with the character; `Allow: /dir/index.html` \
         also allows exactly `/dir/`",
        "percent-encoded bytes are decoded, except `%2F`, `%25` and, in rules, `%2A`",
        "misspellings, keys of two words and missing colons are read",
    ],
    notes: &[
        "`/robots.txt` is always allowed, even with a query or parameters, unless one of its bytes is percent-encoded. A rule \
         that is a whole URL matches a path that starts with a slash and this URL.",
    ],
};

pub(super) const ROW: Row = Row {
    name: "protego",
    aliases: &["scrapy"],
    reading: Reading {
        text: Text::Utf8Words,
        body_limit: None,
        lines: Lines::Python,
        syntax: Syntax::Generous,
        grouping: Grouping::AnyDirective,
    },
    choosing: GroupSelection { selection: Selection::LongestWordStart, name: |value| value.into() },
    compile,
    target: |url| {
        let target = python::target(url, target)?;
        Ok(target.with_always_allowed(is_robots_txt(&String::from_utf8_lossy(url))))
    },
    line_ends: LineEnds::Ordinary,
    precedence: Precedence::Longest,
    stored_bytes: StoredBytes::Both,
    is_indexed: true,
    robots_txt_always_allowed: true,
    unsplit: Unsplit::AllowedWithoutGroup,
    has_to_encode: |byte| byte == b'#',
    crawl_delay: |before, value| pacing::finite_seconds(value).or(before),
    request_rate: |before, value| RequestRate::parse_protego(value).or(before),
    visit_time: VisitTime::parse_protego,
    sitemap: |value| Some(String::from_utf8_lossy(value)).filter(|value| !value.is_empty()),
};

/// Compiles a rule. A value that ends in `$` becomes two rules: in one the `$` is an anchor, in the other each `$` is a
/// character. An `Allow` of `…/index.html` also becomes a rule for exactly its folder.
fn compile(effect: Effect, value: &[u8]) -> [Option<CompiledRule<'_>>; 2] {
    if value.is_empty() {
        return [None, None];
    }
    let value = String::from_utf8_lossy(value);
    let pattern = quote_pattern(&value);
    let second = match pattern.strip_suffix(b"index.html") {
        _ if value.ends_with('$') => Some(quote_pattern(&value.replace('$', "%24"))),
        Some(folder @ [.., b'/']) if effect == Effect::Allow => Some([folder, b"$"].concat()),
        _ => None,
    };
    [Some(rule(effect, &pattern)), second.map(|pattern| rule(effect, &pattern))]
}

fn rule<'v>(effect: Effect, pattern: &[u8]) -> CompiledRule<'v> {
    let (body, end) = split_anchor(pattern);
    CompiledRule::with_stars(effect, body.to_vec(), end, pattern.len())
}

/// Returns the pattern of a value as Protego compares it, including the anchor.
fn quote_pattern(value: &str) -> Vec<u8> {
    let is_url = value.starts_with("https://") || value.starts_with("http://");
    let value: Cow<'_, str> = if is_url { format!("/{value}").into() } else { value.into() };
    let (body, anchor) = value.strip_suffix('$').map_or((&*value, &b""[..]), |body| (body, b"$"));
    let mut pattern = quote(body, b"/%*");
    pattern.extend_from_slice(anchor);
    pattern
}

/// Returns the path and query of a URL in the form that Protego compares.
fn target(url: &str) -> Option<Vec<u8>> {
    if let Some(path) = plain_path(url) {
        return Some(path.as_bytes().to_vec());
    }
    let url = url.split('#').next().unwrap_or_default();
    let split = python::urlsplit(url)?;
    let mut path = split.path;
    if url.contains('?') {
        path = format!("{path}?{}", split.query);
    }
    let mut text = quote(&path, b"/%");
    if text.first() != Some(&b'/') {
        text.insert(0, b'/');
    }
    Some(text)
}

/// Returns the path of a URL that Protego does not need to split: it has only a host before the path, and no byte
/// that quoting changes. The host is not checked in this case.
fn plain_path(url: &str) -> Option<&str> {
    let path = match url.split_once("://") {
        Some((scheme, rest)) if is_scheme(scheme) => rest.get(rest.find(['/', '?', '#'])?..)?,
        _ => url,
    };
    let is_plain = |byte: u8| encode::is_unreserved(byte) || matches!(byte, b'/' | b'=');
    (path.starts_with('/') && !path.starts_with("//") && path.bytes().all(is_plain)).then_some(path)
}

fn is_scheme(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'.' | b'-'))
}

/// Returns true if Protego always allows the URL, as the URL of the robots.txt itself.
fn is_robots_txt(url: &str) -> bool {
    url.contains("/robots.txt") && python::urlparse(url).is_some_and(|split| split.path == "/robots.txt")
}

/// Percent-decodes a text except the bytes in `kept`, then encodes all characters except letters, digits, `_.-~`, `=`
/// and `kept`.
fn quote(text: &str, kept: &[u8]) -> Vec<u8> {
    let mut decoded = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        match encode::percent_byte(rest) {
            Some(byte) if kept.contains(&byte) => decoded.extend_from_slice(&encode::percent(byte)),
            Some(byte) => decoded.push(byte),
            None => decoded.push(first),
        }
        rest = if encode::percent_byte(rest).is_some() { &rest[3..] } else { tail };
    }
    let mut quoted = Vec::with_capacity(decoded.len());
    for byte in String::from_utf8_lossy(&decoded).bytes() {
        if encode::is_unreserved(byte) || byte == b'=' || kept.contains(&byte) {
            quoted.push(byte);
        } else {
            encode::push_percent(&mut quoted, byte);
        }
    }
    quoted
}
