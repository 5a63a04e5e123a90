//! The Ruby class `Robotstxt::Parser`, as in the source code that its documentation contains.

use std::borrow::Cow;

use super::row::{About, Precedence, Row, StoredBytes, Unsplit};
use crate::robots::agents::select::{GroupSelection, Selection};
use crate::robots::matching::encode::{self, Byte};
use crate::robots::matching::pattern::{CompiledRule, Effect, End, LineEnds, split_anchor};
use crate::robots::matching::target::{Target, scheme_len};
use crate::robots::read::Reading;
use crate::robots::read::groups::Grouping;
use crate::robots::read::lines::Lines;
use crate::robots::read::pacing::VisitTime;
use crate::robots::read::space::without_nul;
use crate::robots::read::syntax::Syntax;
use crate::robots::read::text::{Text, lossy};

pub(super) const ABOUT: About = About {
    defined_by: "Robotstxt::Parser (Ruby)",
    quirks: &[
        "the first section whose name matches decides, and in it the first rule that matches",
        "names are globs, compared in both directions and without case: `bot` also applies to `foobot`, and `foobot` to `bot`",
        "agents listed together do not share rules: only the last one gets them",
        "a final `$` also matches before a query",
        "percent-encoded bytes are decoded, except `%26 %2F %3D %3F`",
        "rules before any agent apply to everyone",
    ],
    notes: &[
        "The documentation differs from the program in two points. By the documentation, several agents may share \
         rules; the program applies them only to the last one. By the documentation, four escapes are kept; the \
         program puts a percent sign before the decoded character (`%2F` becomes `%/`). Its regular expressions use \
         `^` and `$` as in Ruby, where they match at every line, so a rule can also start after an encoded newline. \
         A later release compares paths without case; this one does not.",
    ],
};

pub(super) const ROW: Row = Row {
    name: "robotstxt-gem",
    aliases: &["ruby"],
    reading: Reading {
        text: Text::Utf8,
        body_limit: None,
        lines: Lines::CrLf,
        syntax: Syntax::Ruby,
        grouping: Grouping::EachAgent,
    },
    choosing: GroupSelection { selection: Selection::FirstGlob, name: without_nul },
    compile: |effect, value| [Some(compile(effect, value)), None],
    target: |url| Ok(Target::of(Cow::Owned(target(url).into_bytes()))),
    line_ends: LineEnds::StartLines,
    precedence: Precedence::FileOrder,
    stored_bytes: StoredBytes::Both,
    is_indexed: false,
    robots_txt_always_allowed: false,
    unsplit: Unsplit::Refused,
    // These four characters stay plain, because their encoded forms would be decoded with an additional percent sign.
    has_to_encode: |byte| !encode::is_unreserved(byte) && !matches!(byte, b'/' | b'&' | b'=' | b'?'),
    crawl_delay: |_, _| None,
    request_rate: |_, _| None,
    visit_time: VisitTime::parse,
    sitemap: |value| Some(lossy(without_nul(value))),
};

/// Compiles a rule as a decoded glob; a blank `Disallow` allows everything.
fn compile(effect: Effect, value: &[u8]) -> CompiledRule<'_> {
    let value = without_nul(value);
    let (effect, value) = if value.is_empty() && effect == Effect::Disallow {
        (Effect::Allow, b"*".into())
    } else {
        (effect, value)
    };
    let (glob, end) = split_anchor(&value);
    let end = if end == End::Anchored { End::BeforeQuery } else { end };
    let glob = unescape(&String::from_utf8_lossy(glob));
    CompiledRule::with_stars(effect, glob.into_bytes(), end, value.len())
}

/// Returns `path + "?" + query` of the parsed URI, decoded.
fn target(url: &[u8]) -> String {
    let url = String::from_utf8_lossy(url);
    let url = url.split('#').next().unwrap_or_default();
    let (scheme, rest) = match scheme_len(url.as_bytes()) {
        Some(length) => (&url[..length], &url[length + 1..]),
        None => ("", url),
    };
    if !scheme.is_empty() && !rest.is_empty() && !rest.starts_with(['/', '?']) {
        // An opaque URI has no path; `Robotstxt::Parser` uses `/`.
        return "/".to_owned();
    }
    let path = match rest.strip_prefix("//") {
        Some(rest) => &rest[rest.find(['/', '?']).unwrap_or(rest.len())..],
        None => rest,
    };
    if scheme.eq_ignore_ascii_case("ftp") {
        // Ruby's FTP paths are relative unless they start with an encoded slash.
        let path = path.strip_prefix('/').unwrap_or(path);
        let (slash, path) = path.strip_prefix("%2F").map_or(("", path), |rest| ("/", rest));
        return unescape(&format!("{slash}{path}"));
    }
    unescape(path)
}

/// Percent-decodes a text, and removes invalid UTF-8. `%26 %2F %3D %3F` become `%&`, `%/`, `%=` and `%?`.
///
/// The Ruby program escapes these four characters a second time before it decodes once.
fn unescape(text: &str) -> String {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while !rest.is_empty() {
        let byte = Byte::first(rest);
        if byte.encoded && matches!(byte.value, b'&' | b'/' | b'=' | b'?') {
            out.push(b'%');
        }
        out.push(byte.value);
        rest = &rest[byte.width()..];
    }
    String::from_utf8(out)
        .unwrap_or_else(|error| error.as_bytes().utf8_chunks().map(|chunk| chunk.valid()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percent_sign_stays_before_four_decoded_characters() {
        assert_eq!(unescape("/a%2fb%3F%41%FF"), "/a%/b%?A");
    }
}
