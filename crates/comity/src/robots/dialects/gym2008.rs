//! robotexclusionrulesparser with its default syntax.

use super::python;
use super::row::{About, Precedence, Row, StoredBytes, Unsplit};
use crate::robots::agents::select::{GroupSelection, Selection};
use crate::robots::matching::encode;
use crate::robots::matching::pattern::{CompiledRule, Effect, LineEnds, split_anchor};
use crate::robots::read::Reading;
use crate::robots::read::groups::Grouping;
use crate::robots::read::lines::Lines;
use crate::robots::read::pacing::{self, VisitTime};
use crate::robots::read::syntax::Syntax;
use crate::robots::read::text::{Text, lossy, without_controls};

pub(super) const ABOUT: About = About {
    defined_by: "robotexclusionrulesparser 1.7.1, syntax GYM2008",
    quirks: &[
        "the first group whose name is a substring of the agent applies, `*` groups last; its first matching rule decides",
        "a blank `Allow` allows nothing, a blank `Disallow` allows everything",
        "bytes are ISO-8859-1 unless a charset is given; control characters are dropped",
        "a blank line ends a group; a directive is found anywhere in its line",
        "percent-encoded bytes are decoded, except `%2F`; the URL's fragment is compared, too",
    ],
    notes: &[
        "The documentation differs from the program in two points. By the documentation, tabs in values become spaces, \
         and DEL is deleted. The program deletes tabs like other control characters, and keeps DEL. An encoded newline \
         (`%0A`) becomes `%2F`. `%2A` and `%24` in a rule are the wildcards `*` and `$`, because the rule is decoded \
         first.",
    ],
};

pub(super) const ROW: Row = Row {
    name: "gym2008",
    aliases: &[],
    reading: Reading {
        text: Text::Latin1,
        body_limit: None,
        lines: Lines::CrLf,
        syntax: Syntax::Anywhere,
        grouping: Grouping::BlankLine,
    },
    choosing: GroupSelection { selection: Selection::FirstSubstring, name: without_controls },
    compile,
    target: |url| python::target(url, target),
    line_ends: LineEnds::Ordinary,
    precedence: Precedence::FileOrder,
    stored_bytes: StoredBytes::Both,
    is_indexed: false,
    robots_txt_always_allowed: false,
    unsplit: Unsplit::AllowedWithoutGroup,
    has_to_encode: |byte| !encode::is_unreserved(byte) && byte != b'/',
    crawl_delay: |before, value| pacing::float_seconds(value).or(before),
    request_rate: |_, _| None,
    visit_time: VisitTime::parse,
    sitemap: |value| Some(lossy(without_controls(value))),
};

/// Compiles a rule. A path with wildcards is matched as a pattern, any other path as a prefix.
fn compile(effect: Effect, value: &[u8]) -> [Option<CompiledRule<'_>>; 2] {
    let path = path(value);
    if path.contains('*') || path.ends_with('$') {
        let length = path.len();
        let (body, end) = split_anchor(path.as_bytes());
        return [Some(CompiledRule::with_stars(effect, body.to_vec(), end, length)), None];
    }
    [Some(prefix(effect, path)), None]
}

/// Returns the value of a rule as robotexclusionrulesparser stores it: without control characters and
/// percent-decoded.
pub(super) fn path(value: &[u8]) -> String {
    unquote_path(&String::from_utf8_lossy(&without_controls(value)))
}

/// Compiles a path without wildcards. An empty path reverses the effect.
pub(super) fn prefix<'v>(effect: Effect, path: String) -> CompiledRule<'v> {
    let effect = match (path.is_empty(), effect) {
        (false, effect) => effect,
        (true, Effect::Allow) => Effect::Disallow,
        (true, Effect::Disallow) => Effect::Allow,
    };
    CompiledRule::literal(effect, path.into_bytes())
}

/// Returns the path of a URL as robotexclusionrulesparser compares it: the URL without scheme and host,
/// percent-decoded.
fn target(url: &str) -> Option<Vec<u8>> {
    Some(unquote_path(&python::without_authority(url)?).into_bytes())
}

/// Decodes a path, except that an encoded slash (and a newline) becomes `%2F`.
fn unquote_path(path: &str) -> String {
    let mut marked = String::with_capacity(path.len());
    let mut rest = path;
    while let Some(at) = rest.find("%2") {
        let (before, tail) = rest.split_at(at);
        marked.push_str(before);
        let is_slash = matches!(tail.as_bytes().get(2), Some(b'f' | b'F'));
        marked.push_str(if is_slash { "\n" } else { "%2" });
        rest = &tail[if is_slash { 3 } else { 2 }..];
    }
    marked.push_str(rest);
    python::unquote(&marked).replace('\n', "%2F")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn newline_becomes_an_encoded_slash() {
        assert_eq!(unquote_path("/a%2fb%0Ac%41"), "/a%2Fb%2FcA");
        assert_eq!(unquote_path("%2"), "%2");
    }
}
