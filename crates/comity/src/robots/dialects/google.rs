//! google/robotstxt, the parser that Google publishes.

use std::borrow::Cow;

use super::rfc9309;
use super::row::{About, Row, StoredBytes, WalkDialect};
use crate::robots::agents::select::{GroupSelection, Selection};
use crate::robots::matching::encode::{Byte, push_percent};
use crate::robots::matching::pattern::{CompiledRule, Effect, End, split_anchor};
use crate::robots::matching::target::{Target, with_leading_slash};
use crate::robots::read::Reading;
use crate::robots::read::directive::RecordKind;
use crate::robots::read::text::{SkippedMark, Text};

pub(super) const ABOUT: About = About {
    defined_by: "google/robotstxt (C++)",
    quirks: &[
        "a group's name is cut at the first byte outside A-Z a-z _ -, so `MJ12bot` is read as `MJ`",
        "the URL is matched as given; only rules are normalized (upper-case hex digits, non-ASCII encoded)",
        "`Allow: /dir/index.html` also allows exactly `/dir/`",
        "`/robots.txt` itself can be disallowed",
        "a key may have any suffix: `Disallowed:` disallows",
        "lines end after 16,663 bytes; a NUL ends the line's content",
    ],
    notes: &[
        "The package `jwm.robotstxt` on PyPI contains the unchanged program.",
        "Google's documentation differs from the program in three points. By the documentation, text after 500 KiB is \
         ignored, a caller named `googlebot/1.2` or `googlebot*` counts as `googlebot`, and a crawler such as \
         `googlebot-image` obeys the group of `googlebot` if it has no group. The program has no size limit, compares \
         the caller's whole token, and has no such fallback; `--fallback` and `Agent::or_token` add it.",
    ],
};

pub(super) const ROW: Row = Row {
    name: "google",
    aliases: &[],
    reading: Reading { text: Text::Bytes(SkippedMark::Utf8), body_limit: None, ..rfc9309::ROW.reading },
    choosing: GroupSelection { selection: Selection::GoogleToken, ..rfc9309::ROW.choosing },
    compile,
    target: |url| Ok(Target::of(with_leading_slash(Cow::Borrowed(path(url))))),
    stored_bytes: StoredBytes::Both,
    robots_txt_always_allowed: false,
    ..rfc9309::ROW
};

/// The dialect as a type parameter, for generic code that is compiled once for each dialect.
pub(crate) enum Google {}

impl WalkDialect for Google {
    const ROW: Row = ROW;
    const MATCHES_AS_WRITTEN: bool = false;

    /// Returns true for an `Allow` of `/index.htm…`. Such a rule also matches the folder, and thus a URL that does not
    /// start with the value.
    #[inline]
    fn matches_otherwise(kind: RecordKind, value: &[u8]) -> bool {
        kind == RecordKind::Allow && memchr::memmem::find(value, b"/index.htm").is_some()
    }
}

/// Returns the path as Google's `GetPathParamsQuery` does. Every text has a path. The path ends at a NUL, because the
/// program reads it as a C string.
fn path(url: &[u8]) -> &[u8] {
    let search_start = if url.starts_with(b"//") { 2 } else { 0 };
    let find_delimiter = |from: usize| memchr::memchr3(b'/', b'?', b';', &url[from..]).map(|at| from + at);
    let early_path = find_delimiter(search_start);
    let protocol = memchr::memmem::find(&url[search_start..], b"://").map(|at| search_start + at);
    let after_protocol = match (protocol, early_path) {
        (Some(protocol), Some(early)) if early < protocol => search_start,
        (Some(protocol), _) => protocol + 3,
        (None, _) => search_start,
    };
    let Some(start) = find_delimiter(after_protocol) else { return b"/" };
    let hash = memchr::memchr(b'#', &url[search_start..]).map(|at| search_start + at);
    if hash.is_some_and(|hash| hash < start) {
        return b"/";
    }
    let path = &url[start..hash.unwrap_or(url.len())];
    &path[..memchr::memchr(0, path).unwrap_or(path.len())]
}

/// Compiles a rule. `Allow: …/index.htm…` also allows `…/` itself, unless a longer rule disallows it.
fn compile(effect: Effect, value: &[u8]) -> [Option<CompiledRule<'_>>; 2] {
    if value.is_empty() {
        return [None, None];
    }
    let escaped = escape(value);
    let length = escaped.len();
    let folded = memchr::memrchr(b'/', &escaped)
        .filter(|&slash| effect == Effect::Allow && escaped[slash..].starts_with(b"/index.htm"))
        .map(|slash| CompiledRule::with_stars(effect, escaped[..=slash].to_vec(), End::Anchored, slash + 2));
    let compiled = match escaped {
        Cow::Borrowed(pattern) => {
            let (body, end) = split_anchor(pattern);
            CompiledRule::with_stars(effect, body, end, length)
        }
        Cow::Owned(mut pattern) => {
            let (body, end) = split_anchor(&pattern);
            pattern.truncate(body.len());
            CompiledRule::with_stars(effect, pattern, end, length)
        }
    };
    [Some(compiled), folded]
}

/// Escapes a rule as Google does: upper-cases hex digits, encodes bytes above 127, and changes nothing else.
pub(crate) fn escape(value: &[u8]) -> Cow<'_, [u8]> {
    if value.iter().all(|&byte| byte != b'%' && byte.is_ascii()) {
        return Cow::Borrowed(value);
    }
    let mut out = Vec::with_capacity(value.len() + 16);
    let mut rest = value;
    while !rest.is_empty() {
        let byte = Byte::first(rest);
        if byte.encoded {
            out.push(b'%');
            out.extend(rest[1..3].iter().map(u8::to_ascii_uppercase));
        } else if byte.value.is_ascii() {
            out.push(byte.value);
        } else {
            push_percent(&mut out, byte.value);
        }
        rest = &rest[byte.width()..];
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn path_is_found_in_any_text() {
        let path = |url: &'static str| String::from_utf8_lossy(super::path(url.as_bytes())).into_owned();
        assert_eq!(path("http://www.example.com/a/b?c=http://d.e/f"), "/a/b?c=http://d.e/f");
        assert_eq!(path("example.com/a"), "/a");
        assert_eq!(path("example.com"), "/");
        assert_eq!(path("//a/b/c"), "/b/c");
        assert_eq!(path("http://example.com#f/x"), "/");
        assert_eq!(path("http://example.com;p"), ";p");
        assert_eq!(path("a?b#c"), "?b");
    }

    #[test]
    fn only_the_bytes_that_google_escapes_are_escaped() {
        assert_eq!(*escape(b"/a%aa b\xc3"), *b"/a%AA b%C3");
        assert_eq!(*escape(b"/%62%"), *b"/%62%");
    }
}
