//! The default dialect: RFC 9309, and Google's published parser for cases that the RFC leaves open.

use std::borrow::Cow;

use super::row::{About, Precedence, Row, StoredBytes, Unsplit, WalkDialect};
use crate::robots::agents::select::{GroupSelection, Selection};
use crate::robots::bytes;
use crate::robots::matching::encode::{self, Byte, Zone};
use crate::robots::matching::pattern::{CompiledRule, ESCAPED_STAR, Effect, End, LineEnds, split_anchor};
use crate::robots::matching::target::Target;
use crate::robots::read::Reading;
use crate::robots::read::groups::Grouping;
use crate::robots::read::lines::Lines;
use crate::robots::read::pacing::{self, VisitTime};
use crate::robots::read::syntax::Syntax;
use crate::robots::read::text::{BODY_LIMIT, SkippedMark, Text};

pub(super) const ABOUT: About = About {
    defined_by: "RFC 9309; google/robotstxt fills its gaps",
    quirks: &[
        "longest pattern wins, counted in bytes after percent-encoding; ties allow",
        "percent-encoding is normalized on both sides (RFC 9309 §2.2.2, Figure 4)",
        "a group's name is its whole value or the part before `/` or white space; groups of one name merge",
        "`/robots.txt` is always allowed",
        "misspellings, missing colons and byte order marks are read as Google reads them",
        "a byte order mark that was decoded as Latin-1 (`\u{ef}\u{bb}\u{bf}`) is skipped, too",
        "text after 512,000 bytes does not count",
    ],
    notes: &[
        "A trailing `*` in a name is ignored (`foobot*`), and `*` followed by white space names all crawlers, as in Google's \
         program. Spaces, and other characters that a URL cannot contain raw, equal their percent-encoded form. `%2A` and \
         `%24` are the characters `*` and `$`. A percent sign that encodes nothing is the character `%25`; at the end of a \
         rule, or before a `*`, it also matches the first byte of any encoded character.",
    ],
};

pub(super) const ROW: Row = Row {
    name: "rfc9309",
    aliases: &["rfc", "default"],
    reading: Reading {
        text: Text::Bytes(SkippedMark::Utf8OrEncodedTwice),
        body_limit: Some(BODY_LIMIT),
        lines: Lines::CrLfCut,
        syntax: Syntax::Lenient,
        grouping: Grouping::Rules,
    },
    choosing: GroupSelection { selection: Selection::Name, name: |value| value.into() },
    compile: |effect, value| [compile(effect, value), None],
    target: |url| Target::normalized(url),
    line_ends: LineEnds::Ordinary,
    precedence: Precedence::Longest,
    stored_bytes: StoredBytes::Written,
    is_indexed: true,
    robots_txt_always_allowed: true,
    unsplit: Unsplit::Refused,
    has_to_encode: |byte| byte == b'#',
    crawl_delay: pacing::longest_delay,
    request_rate: pacing::slowest_rate,
    visit_time: VisitTime::parse,
    sitemap,
};

/// The dialect as a type parameter, for generic code that is compiled once for each dialect.
pub(crate) enum Rfc9309 {}

impl WalkDialect for Rfc9309 {
    const ROW: Row = ROW;
    const MATCHES_AS_WRITTEN: bool = true;
}

/// Compiles a rule by RFC 9309 §2.2.2 and §2.2.3. A value that starts with neither `/` nor `*` never matches.
pub(super) fn compile(effect: Effect, value: &[u8]) -> Option<CompiledRule<'_>> {
    if !matches!(value.first(), Some(b'/' | b'*')) {
        return None;
    }
    let (body, end) = split_anchor(value);
    if bytes::is_normal(body) {
        return Some(CompiledRule::with_stars(effect, body, end, value.len()));
    }
    let mut bytes = Vec::with_capacity(body.len() + 16);
    let mut in_query = Vec::with_capacity(body.len() + 16);
    let mut length = u32::from(end == End::Anchored);
    let (mut zone, mut may_move, mut has_two_forms) = (Zone::Path, false, false);
    let mut rest = body;
    while !rest.is_empty() {
        let byte = Byte::first(rest);
        let starts_any_escape = encode::starts_any_escape(rest, end == End::Open);
        rest = &rest[byte.width()..];
        if !byte.encoded && byte.value == b'*' {
            bytes.push(ESCAPED_STAR);
            in_query.push(ESCAPED_STAR);
            length += 1;
            may_move = true;
            continue;
        }
        if starts_any_escape {
            bytes.push(b'%');
            in_query.push(b'%');
            length += 1;
            continue;
        }
        if !byte.encoded && byte.value == b'?' {
            zone = Zone::Query;
        }
        let (path_start, query_start) = (bytes.len(), in_query.len());
        length += byte.push(zone, &mut bytes);
        byte.push(if may_move { Zone::Query } else { zone }, &mut in_query);
        has_two_forms |= bytes[path_start..] != in_query[query_start..];
    }
    let star = may_move.then_some(ESCAPED_STAR);
    let in_query = has_two_forms.then_some(in_query);
    Some(CompiledRule { effect, bytes: bytes.into(), in_query, star, end, length })
}

/// Returns a `Sitemap` value in readable form, without surrounding white space, or `None` if the result is empty.
fn sitemap(value: &[u8]) -> Option<Cow<'_, str>> {
    let listed = match crate::shown::bytes(value) {
        Cow::Borrowed(text) => Cow::Borrowed(text.trim()),
        Cow::Owned(text) => Cow::Owned(text.trim().to_owned()),
    };
    (!listed.is_empty()).then_some(listed)
}
