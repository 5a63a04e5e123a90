//! webcanon, a program in Python.

use super::python;
use super::row::{About, Precedence, Row, StoredBytes, Unsplit};
use crate::robots::agents::select::{GroupSelection, Selection};
use crate::robots::matching::encode;
use crate::robots::matching::pattern::{CompiledRule, Effect, End, LineEnds, split_anchor};
use crate::robots::read::Reading;
use crate::robots::read::groups::Grouping;
use crate::robots::read::lines::Lines;
use crate::robots::read::pacing::VisitTime;
use crate::robots::read::syntax::Syntax;
use crate::robots::read::text::{Text, lossy};

pub(super) const ABOUT: About = About {
    defined_by: "webcanon 0.3.0",
    quirks: &[
        "every group whose name is a substring of the agent counts, merged; else `*`",
        "patterns are matched as written against the percent-decoded path, so `%2F` in a rule never matches",
        "the longest pattern in characters wins, without counting a final `$`; ties allow",
        "an empty `Allow` matches everything with length 0",
        "lines end at every Unicode line boundary; rules before any agent belong to `*`",
    ],
    notes: &[
        "The documentation differs from the program in one point. For names, it has \"prefix of (or substring \
         within)\", but the program only looks for a substring. Matched groups without a rule fall back to `*`, although \
         RFC 9309 would allow everything. All `$` at the end of a pattern are left out of its length, not only the \
         anchor.",
    ],
};

pub(super) const ROW: Row = Row {
    name: "webcanon",
    aliases: &[],
    reading: Reading {
        text: Text::Utf8,
        body_limit: None,
        lines: Lines::Python,
        syntax: Syntax::Python,
        grouping: Grouping::RulesOrStar,
    },
    choosing: GroupSelection { selection: Selection::AllSubstrings, name: |value| value.into() },
    compile: |effect, value| [compile(effect, value), None],
    target: |url| python::target(url, target),
    line_ends: LineEnds::StopStars,
    precedence: Precedence::Longest,
    stored_bytes: StoredBytes::Both,
    is_indexed: false,
    robots_txt_always_allowed: true,
    unsplit: Unsplit::Refused,
    has_to_encode: |byte| !encode::is_unreserved(byte) && byte != b'/',
    crawl_delay: |_, _| None,
    request_rate: |_, _| None,
    visit_time: VisitTime::parse,
    sitemap: |value| Some(lossy(value.into())),
};

/// Compiles a rule as written. The length is the number of characters, without `$`s at the end.
fn compile(effect: Effect, value: &[u8]) -> Option<CompiledRule<'_>> {
    if value.is_empty() && effect == Effect::Disallow {
        return None;
    }
    let (body, end) = split_anchor(value);
    let end = if end == End::Anchored { End::PythonAnchored } else { end };
    let characters = String::from_utf8_lossy(value).trim_end_matches('$').chars().count();
    Some(CompiledRule::with_stars(effect, body, end, characters))
}

/// Returns the path and query of a URL, percent-decoded. An empty path counts as `/`, and an empty query is omitted.
fn target(url: &str) -> Option<Vec<u8>> {
    let split = python::urlsplit(url)?;
    let mut path = if split.path.is_empty() { "/".to_owned() } else { split.path };
    if !split.query.is_empty() {
        path = format!("{path}?{}", split.query);
    }
    Some(python::unquote(&path).into_owned().into_bytes())
}
