//! robots-parser, the package of npm that most programs in JavaScript use.

use std::borrow::Cow;
use std::time::Duration;

use super::row::{About, Precedence, Row, StoredBytes, Unsplit};
use super::whatwg;
use crate::robots::agents::select::{GroupSelection, Selection};
use crate::robots::matching::encode::{percent_byte, push_percent};
use crate::robots::matching::pattern::{CompiledRule, Effect, LineEnds, split_anchor};
use crate::robots::matching::target::{Target, UrlError};
use crate::robots::read::Reading;
use crate::robots::read::groups::Grouping;
use crate::robots::read::lines::Lines;
use crate::robots::read::pacing::{self, VisitTime};
use crate::robots::read::space::trim_javascript;
use crate::robots::read::syntax::Syntax;
use crate::robots::read::text::{Text, surrogate_at, without_surrogates};

pub(super) const ABOUT: About = About {
    defined_by: "robots-parser 3.0.1 (npm), under Node 20",
    quirks: &[
        "a group's name must equal the agent's name; both are cut at the first `/`, and case is ignored; else \
         `*` applies",
        "a name without a rule or `Crawl-delay` is ignored, so its crawler follows `*`",
        "any line with a key, even an unknown one, ends the list of agents; misspellings and missing colons are not accepted",
        "percent-encoded bytes stay as written, so `%7E` is not `~`; only rules encode `[`, `]`, `|` and `^`, which never \
         match raw",
        "the longest pattern wins, counted after percent-encoding, with `*` and `$`; ties allow; an empty rule does not \
         count",
        "URLs are parsed by the URL Standard: `/a/../b` is `/b`, and an empty query is dropped",
        "`/robots.txt` is a path like any other",
        "the last `Crawl-delay` that is a number in JavaScript counts, so an empty one is 0",
    ],
    notes: &[
        "The program reads text: bytes are decoded as UTF-8, and the encoded form of a lone surrogate (`ED A0 80`) counts as \
         one. A rule with a lone surrogate matches nothing. A negative delay counts as 0 here; the JavaScript package \
         `comity/robots-parser` returns it as the program does.",
        "The program also compares the origin of a URL with the origin of the robots.txt. The dialect decides URLs of every \
         origin; the JavaScript package compares origins.",
    ],
};

pub(super) const ROW: Row = Row {
    name: "robots-parser",
    aliases: &[],
    reading: Reading {
        text: Text::Utf16,
        body_limit: None,
        lines: Lines::CrLf,
        syntax: Syntax::JavaScript,
        grouping: Grouping::AnyKey,
    },
    choosing: GroupSelection { selection: Selection::WholeBeforeSlash, name },
    compile: |effect, value| [compile(effect, value), None],
    target,
    line_ends: LineEnds::Ordinary,
    precedence: Precedence::Longest,
    stored_bytes: StoredBytes::Both,
    is_indexed: true,
    robots_txt_always_allowed: false,
    unsplit: Unsplit::Refused,
    has_to_encode: |byte| byte == b'#',
    crawl_delay: |before, value| delay(value).or(before),
    request_rate: |_, _| None,
    visit_time: VisitTime::parse,
    sitemap: |value| Some(without_surrogates(value)).filter(|value| !value.is_empty()),
};

/// Returns the name that robots-parser stores for a user-agent value, or compares with the names of groups: in lower
/// case, up to the first `/`. An empty value adds no name; it becomes `/`, which no name equals.
fn name(value: &[u8]) -> Cow<'_, [u8]> {
    if value.is_empty() {
        return b"/".into();
    }
    let end = memchr::memchr(b'/', value).unwrap_or(value.len());
    let name = &value[trim_javascript(value, 0..end)];
    if name.iter().all(|&byte| byte.is_ascii() && !byte.is_ascii_uppercase()) {
        return name.into();
    }
    let mut lower = Vec::with_capacity(name.len());
    for chunk in name.utf8_chunks() {
        lower.extend_from_slice(chunk.valid().to_lowercase().as_bytes());
        lower.extend_from_slice(chunk.invalid());
    }
    lower.into()
}

/// Compiles a rule as robots-parser does: by `encodeURI`, with every percent sign as written and hexadecimal digits in
/// upper case.
fn compile(effect: Effect, value: &[u8]) -> Option<CompiledRule<'_>> {
    if value.is_empty() || (0..value.len()).any(|at| surrogate_at(value, at).is_some()) {
        return None;
    }
    let is_written = |byte: u8| is_uri_byte(byte) && byte != b'%';
    let pattern: Cow<'_, [u8]> =
        if value.iter().all(|&byte| is_written(byte)) { value.into() } else { encode_uri(value).into() };
    let length = pattern.len();
    Some(match pattern {
        Cow::Borrowed(pattern) => {
            let (body, end) = split_anchor(pattern);
            CompiledRule::with_stars(effect, body, end, length)
        }
        Cow::Owned(pattern) => {
            let (body, end) = split_anchor(&pattern);
            CompiledRule::with_stars(effect, body.to_vec(), end, length)
        }
    })
}

/// Returns true for a byte that `encodeURI` does not change, and for `%`.
fn is_uri_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(byte, b';' | b',' | b'/' | b'?' | b':' | b'@' | b'&' | b'=' | b'+' | b'$')
        || matches!(byte, b'-' | b'_' | b'.' | b'!' | b'~' | b'*' | b'\'' | b'(' | b')' | b'#' | b'%')
}

fn encode_uri(value: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(value.len() + 16);
    for &byte in value {
        if is_uri_byte(byte) {
            out.push(byte);
        } else {
            push_percent(&mut out, byte);
        }
    }
    uppercase_escapes(&mut out);
    out
}

/// Converts the hexadecimal digits of all escapes to upper case.
fn uppercase_escapes(text: &mut [u8]) {
    let mut at = 0;
    while at < text.len() {
        if percent_byte(&text[at..]).is_some() {
            text[at + 1..at + 3].make_ascii_uppercase();
            at += 2;
        }
        at += 1;
    }
}

/// Returns `pathname + search` of a URL. Most URLs are compared as written.
fn target(url: &[u8]) -> Result<Target<'_>, UrlError> {
    if let Some(text) = written_path(url) {
        return Ok(Target::of(text.into()));
    }
    let text = whatwg::path_and_query(&String::from_utf8_lossy(url)).ok_or_else(|| UrlError::refused(url))?;
    let mut text = text.into_bytes();
    uppercase_escapes(&mut text);
    Ok(Target::of(text.into()))
}

/// Returns the path and query of a URL if robots-parser compares them as written: if they have no dot segments, no
/// fragment, and no bytes that the URL Standard or robots-parser changes.
fn written_path(url: &[u8]) -> Option<&[u8]> {
    let start = match url {
        [b'/', b'/' | b'\\', ..] => return None,
        [b'/', ..] => 0,
        _ => {
            let host =
                [&b"https://"[..], b"http://"].into_iter().find(|scheme| url.starts_with(scheme))?.len();
            let end = host + memchr::memchr3(b'/', b'?', b'\\', url.get(host..)?)?;
            (end > host && url[end] == b'/').then_some(end)?
        }
    };
    let is_plain = |byte: u8| is_uri_byte(byte) && !matches!(byte, b'#' | b'%' | b'\'');
    let path = &url[start..];
    let has_dots = path.windows(2).any(|pair| pair == b"/.");
    let is_written =
        !has_dots && path.last() != Some(&b'?') && url[..start].iter().all(|&b| b > b' ' && b != b'#');
    (is_written && path.iter().all(|&byte| is_plain(byte))).then_some(path)
}

/// Returns the delay of a value that JavaScript's `Number` converts to a number of seconds.
fn delay(value: &[u8]) -> Option<Duration> {
    pacing::saturated(number(std::str::from_utf8(value).ok()?)?.max(0.0))
}

/// Returns the number that JavaScript's `Number` reads from a text without surrounding white space.
fn number(text: &str) -> Option<f64> {
    let in_radix = |digits: &str, radix: u32| {
        let digits = digits.chars().map(|digit| digit.to_digit(radix).map(f64::from));
        let mut digits = digits.peekable();
        digits.peek()?;
        digits.try_fold(0.0, |number, digit| Some(number * f64::from(radix) + digit?))
    };
    let is_decimal = |byte: u8| byte.is_ascii_digit() || matches!(byte, b'.' | b'+' | b'-' | b'e' | b'E');
    match text {
        "" => Some(0.0),
        "Infinity" | "+Infinity" | "-Infinity" => text.parse().ok(),
        _ => match text.get(..2) {
            Some("0x" | "0X") => in_radix(&text[2..], 16),
            Some("0o" | "0O") => in_radix(&text[2..], 8),
            Some("0b" | "0B") => in_radix(&text[2..], 2),
            _ if text.bytes().all(is_decimal) => text.parse().ok(),
            _ => None,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn number_is_read_as_by_javascript() {
        for (text, expected) in [
            ("", Some(0.0)),
            ("1e3", Some(1000.0)),
            ("0x10", Some(16.0)),
            ("0b101", Some(5.0)),
            ("-2", Some(-2.0)),
            ("+.5", Some(0.5)),
            ("5.", Some(5.0)),
            ("Infinity", Some(f64::INFINITY)),
            ("infinity", None),
            ("nan", None),
            ("-0x10", None),
            ("0x", None),
            ("1_0", None),
            ("5 s", None),
            ("1.2.1", None),
            (".", None),
        ] {
            assert_eq!(number(text), expected, "{text}");
        }
    }

    #[test]
    fn rule_is_encoded_and_escapes_are_kept() {
        let pattern =
            |value: &str| compile(Effect::Allow, value.as_bytes()).map(|rule| rule.bytes.into_owned());
        assert_eq!(pattern("/\u{e9} [%2f%25%zz").as_deref(), Some(&b"/%C3%A9%20%5B%2F%25%zz"[..]));
        assert_eq!(compile(Effect::Allow, b"/\xED\xA0\x80"), None);
        assert_eq!(compile(Effect::Allow, b""), None);
    }

    #[test]
    fn written_path_equals_the_path_of_the_standard() {
        for url in [
            "http://h/a?b=c",
            "https://h.i:8/a/b.c",
            "/a",
            "http://h/?",
            "/..",
            "//h/a",
            "http:///x",
            "http://h?a/",
        ] {
            let whole = whatwg::path_and_query(url).map(String::into_bytes);
            if let Some(written) = written_path(url.as_bytes()) {
                assert_eq!(Some(written), whole.as_deref(), "{url}");
            }
        }
        assert!(written_path(b"https://h.i:8/a/b.c").is_some());
    }
}
