//! CPython's `urllib.robotparser`.

use std::borrow::Cow;

use super::python;
use super::row::{About, Precedence, Row, StoredBytes, Unsplit};
use crate::robots::agents::select::{GroupSelection, Selection};
use crate::robots::matching::pattern::{CompiledRule, Effect, LineEnds};
use crate::robots::read::Reading;
use crate::robots::read::groups::Grouping;
use crate::robots::read::lines::Lines;
use crate::robots::read::pacing::{self, RequestRate, VisitTime};
use crate::robots::read::syntax::Syntax;
use crate::robots::read::text::Text;

pub(super) const ABOUT: About = About {
    defined_by: "CPython 3.11 urllib.robotparser",
    quirks: &[
        "the first group whose name is a substring of the agent applies, else the first `*` group; its first matching rule decides",
        "no wildcards: `*` and `$` in a path are plain characters",
        "an empty `Disallow` allows everything",
        "rule and URL are decoded and quoted again, so `%2F` equals `/`",
        "a blank line ends a group and drops user-agent lines that have no rule yet",
    ],
    notes: &[
        "CPython rewrote the module in 2026; this dialect is the previous module, which the crawler Ladon uses. The \
         module raises an exception for a rule that Python cannot split as a URL (`//[`); here, such a rule never \
         matches.",
    ],
};

pub(super) const ROW: Row = Row {
    name: "urllib",
    aliases: &["python", "urllib.robotparser"],
    reading: Reading {
        text: Text::Utf8,
        body_limit: None,
        lines: Lines::Python,
        syntax: Syntax::Python,
        grouping: Grouping::Urllib,
    },
    choosing: GroupSelection { selection: Selection::FirstSubstringBeforeSlash, name: unquoted },
    compile: |effect, value| [compile(effect, value), None],
    target: |url| python::target(url, target),
    line_ends: LineEnds::Ordinary,
    precedence: Precedence::FileOrder,
    stored_bytes: StoredBytes::Both,
    is_indexed: false,
    robots_txt_always_allowed: false,
    unsplit: Unsplit::Refused,
    has_to_encode: |byte| byte == b'#',
    crawl_delay: |before, value| pacing::python_whole_seconds(&unquoted(value)).or(before),
    request_rate: |before, value| RequestRate::parse_plain(&unquoted(value)).or(before),
    visit_time: VisitTime::parse,
    sitemap: |value| Some(python::unquote(&String::from_utf8_lossy(value)).into_owned().into()),
};

/// Returns a value as `urllib.robotparser` stores it: percent-decoded.
fn unquoted(value: &[u8]) -> Cow<'_, [u8]> {
    match std::str::from_utf8(value).map(python::unquote) {
        Ok(Cow::Owned(name)) => Cow::Owned(name.into_bytes()),
        _ => value.into(),
    }
}

/// Compiles a rule as a quoted prefix. Python raises an error for some values that look like URLs; such a rule is
/// ignored.
fn compile(effect: Effect, value: &[u8]) -> Option<CompiledRule<'_>> {
    let value = String::from_utf8_lossy(value);
    let value = python::unquote(&value);
    let effect = if value.is_empty() { Effect::Allow } else { effect };
    let path = python::quote(&python::urlunparse(&python::urlparse(&value)?));
    Some(CompiledRule::literal(effect, path))
}

/// Returns a URL as `urllib.robotparser` compares it: decoded, without scheme and host, and quoted.
fn target(url: &str) -> Option<Vec<u8>> {
    let text = python::quote(&python::without_authority(&python::unquote(url))?);
    Some(if text.is_empty() { b"/".to_vec() } else { text })
}
