//! CPython's `urllib.robotparser` since its rewrite of 2026.

use super::python;
use super::row::{About, Precedence, Row, StoredBytes, Unsplit};
use crate::robots::agents::select::{GroupSelection, Selection};
use crate::robots::matching::encode;
use crate::robots::matching::pattern::{CompiledRule, Effect, End, LineEnds};
use crate::robots::matching::target::{Target, UrlError};
use crate::robots::read::Reading;
use crate::robots::read::groups::Grouping;
use crate::robots::read::lines::Lines;
use crate::robots::read::pacing::{self, RequestRate, VisitTime};
use crate::robots::read::syntax::Syntax;
use crate::robots::read::text::{SkippedMark, Text};

pub(super) const ABOUT: About = About {
    defined_by: "CPython's urllib.robotparser since its rewrite of 2026",
    quirks: &[
        "the rule that matches the longest part of the URL wins, whatever its own length; ties allow",
        "a group applies if its name equals the agent's name, or is a substring of the part before `/`; case is \
         ignored; groups of one name merge; `*` comes last",
        "percent-encoded bytes are decoded and encoded again, so `%2F` equals `/`; in the query `=` and `&` differ from \
         `%3D` and `%26`",
        "a rule with a `$` before its end does not count; an empty `Disallow` allows everything",
        "the URL's fragment is compared, too",
        "a `Crawl-delay` or `Request-rate` ends the list of agents, a blank line does not",
    ],
    notes: &[
        "Rules and URLs are compared byte by byte, so a body need not be UTF-8. `//` at the start of a URL's path is \
         read as `////`. A `User-agent` without a name names all crawlers. Groups whose names differ only in case \
         apply only to an agent whose whole name is equal (ignoring case), not to one that contains the name.",
    ],
};

pub(super) const ROW: Row = Row {
    name: "urllib-2026",
    aliases: &[],
    reading: Reading {
        text: Text::Bytes(SkippedMark::None),
        body_limit: None,
        lines: Lines::Python,
        syntax: Syntax::Python,
        grouping: Grouping::RulesAndDelays,
    },
    choosing: GroupSelection { selection: Selection::WholeThenFirstSubstring, name: |value| value.into() },
    compile: |effect, value| [compile(effect, value), None],
    target,
    line_ends: LineEnds::Ordinary,
    precedence: Precedence::LongestMatch,
    stored_bytes: StoredBytes::Both,
    is_indexed: false,
    robots_txt_always_allowed: true,
    unsplit: Unsplit::Allowed,
    has_to_encode: |_| false,
    crawl_delay: |before, value| pacing::python_whole_seconds(value).or(before),
    request_rate: |before, value| RequestRate::parse_plain(value).or(before),
    visit_time: VisitTime::parse,
    sitemap: |value| Some(String::from_utf8_lossy(value)),
};

/// Compiles a rule. A run of `*` counts as one `*`. All `*` and `$` directly after a `$` are removed. The length is
/// that of a match, as far as it is known without the URL. For a pattern that ends in a wildcard or in `$`, it is the
/// maximum, because a match is as long as the URL.
fn compile(effect: Effect, value: &[u8]) -> Option<CompiledRule<'_>> {
    let effect = if value.is_empty() { Effect::Allow } else { effect };
    let mut marks: Vec<u8> = Vec::with_capacity(value.len());
    for &byte in value {
        match (marks.last(), byte) {
            (Some(b'*'), b'*') | (Some(b'$'), b'*' | b'$') => {}
            _ => marks.push(byte),
        }
    }
    let pattern = normalized(&marks, [b"*$", b"=&*$"]);
    let (body, end) = match pattern.strip_suffix(b"$") {
        Some(body) => (body, End::Anchored),
        None => (&pattern[..], End::Open),
    };
    if body.contains(&b'$') {
        return None;
    }
    let is_whole = end == End::Anchored || body.ends_with(b"*");
    let length = if is_whole { u32::MAX as usize } else { body.len() };
    Some(CompiledRule::with_stars(effect, body.to_vec(), end, length))
}

/// Returns the path, query and fragment of a URL, normalized.
fn target(url: &[u8]) -> Result<Target<'_>, UrlError> {
    python::target(url, |url| {
        let text = normalized(python::after_authority(url)?.as_bytes(), [b"", b"=&"]);
        Some(if text.is_empty() { b"/".into() } else { text })
    })
}

/// Percent-decodes a text and encodes it again. Raw bytes in `kept` are not encoded; the first set applies to the path,
/// the second to the query.
fn normalized(text: &[u8], kept: [&[u8]; 2]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let (mut at, mut is_query) = (0, false);
    while let Some(&first) = text.get(at) {
        let decoded = encode::percent_byte(&text[at..]);
        let byte = decoded.unwrap_or(first);
        at += if decoded.is_some() { 3 } else { 1 };
        let is_raw = decoded.is_none();
        if is_raw && byte == b'?' && !is_query {
            is_query = true;
            out.push(byte);
        } else if is_raw && kept[usize::from(is_query)].contains(&byte)
            || encode::is_unreserved(byte)
            || byte == b'/'
        {
            out.push(byte);
        } else {
            encode::push_percent(&mut out, byte);
        }
    }
    out
}
