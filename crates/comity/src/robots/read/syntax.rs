//! Parses a line into a directive and its value.

use std::ops::Range;

use super::content::{Content, Directive};
use super::directive::RecordKind;
use super::generous;
use super::space::{is_ruby_space, trim_ascii, trim_javascript, trim_python, trim_ruby, without_nul};

/// A way to parse a line into a directive and a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Syntax {
    /// As in Google's parser: key prefixes, known misspellings, white space in place of a missing colon.
    Lenient,
    /// Exact keys and a colon; ASCII white space.
    Exact,
    /// Exact keys and a colon; Python's definition of white space.
    Python,
    /// Exact keys and a colon; JavaScript's definition of white space. A line with an empty key is not a directive.
    JavaScript,
    /// The first `allow:`, `disallow:`, `user-agent:`, `useragent:`, `sitemap:` or `crawl-delay:` anywhere in the line.
    Anywhere,
    /// As in the Ruby class: `user-agent` or `useragent`, NULs are removed, and a comment starts only after white space
    /// in a value.
    Ruby,
    /// As in Protego: misspellings, keys of two words, white space in place of a missing colon; see `generous.rs`.
    Generous,
}

/// Reads one line (without its terminator).
pub(crate) fn read(line: &[u8], syntax: Syntax) -> Content {
    match syntax {
        Syntax::Lenient => lenient(line),
        Syntax::Exact => exact(line, trim_ascii),
        Syntax::Python => exact(line, trim_python),
        Syntax::JavaScript => javascript(line),
        Syntax::Anywhere => anywhere(line),
        Syntax::Ruby => ruby(line),
        Syntax::Generous => generous::read(line),
    }
}

/// Reads a line as Google does: `key [ \t]* : [ \t]* value`, or exactly two words without a colon.
fn lenient(line: &[u8]) -> Content {
    let comment = memchr::memchr(b'#', line);
    let body = trim_ascii(line, 0..comment.unwrap_or(line.len()));
    if body.is_empty() {
        return if comment.is_some() { Content::Comment } else { Content::Blank };
    }
    let content = &line[body.clone()];
    let (key_end, value_start, missing_colon) = match memchr::memchr(b':', content) {
        Some(colon) => (colon, colon + 1, false),
        None => match two_words(content) {
            Some((key_end, value_start)) => (key_end, value_start, true),
            None => return Content::Other,
        },
    };
    let key = trim_ascii(line, body.start..body.start + key_end);
    if key.is_empty() {
        return Content::Other;
    }
    let (kind, misspelt) = lenient_kind(&line[key.clone()]);
    let value = trim_ascii(line, body.start + value_start..body.end);
    Content::Directive(Directive { kind, key, value, misspelt, missing_colon })
}

/// Returns the end of the first word and the start of the second word, if there are exactly two words. Only spaces and
/// tabs separate words.
fn two_words(content: &[u8]) -> Option<(usize, usize)> {
    let is_gap = |byte: &u8| matches!(byte, b' ' | b'\t');
    let key_end = content.iter().position(is_gap)?;
    let value_start = key_end + content[key_end..].iter().position(|byte| !is_gap(byte))?;
    (!content[value_start..].iter().any(is_gap)).then_some((key_end, value_start))
}

/// Returns the kind of a key, and true if the key is a misspelling. Common keys are recognized by their prefix, all
/// other keys by the whole name.
pub(crate) fn lenient_kind(key: &[u8]) -> (RecordKind, bool) {
    const PREFIXES: [(&[u8], RecordKind, bool); 12] = [
        (b"user-agent", RecordKind::UserAgent, false),
        (b"useragent", RecordKind::UserAgent, true),
        (b"user agent", RecordKind::UserAgent, true),
        (b"allow", RecordKind::Allow, false),
        (b"disallow", RecordKind::Disallow, false),
        (b"dissallow", RecordKind::Disallow, true),
        (b"dissalow", RecordKind::Disallow, true),
        (b"disalow", RecordKind::Disallow, true),
        (b"diasllow", RecordKind::Disallow, true),
        (b"disallaw", RecordKind::Disallow, true),
        (b"sitemap", RecordKind::Sitemap, false),
        (b"site-map", RecordKind::Sitemap, true),
    ];
    let starts_with =
        |prefix: &[u8]| key.len() >= prefix.len() && key[..prefix.len()].eq_ignore_ascii_case(prefix);
    if let Some((_, kind, misspelt)) = PREFIXES.into_iter().find(|(prefix, ..)| starts_with(prefix)) {
        return (kind, misspelt);
    }
    match RecordKind::from_key(key) {
        RecordKind::Unknown
            if [&b"crawldelay"[..], b"crawl delay"].iter().any(|k| k.eq_ignore_ascii_case(key)) =>
        {
            (RecordKind::CrawlDelay, true)
        }
        kind => (kind, false),
    }
}

/// Reads a line with an exact key, a colon, and a comment from the first `#` on.
fn exact(line: &[u8], trim: fn(&[u8], Range<usize>) -> Range<usize>) -> Content {
    let comment = memchr::memchr(b'#', line);
    let body = trim(line, 0..comment.unwrap_or(line.len()));
    if body.is_empty() {
        return if comment.is_some() { Content::Comment } else { Content::Blank };
    }
    let Some(colon) = memchr::memchr(b':', &line[body.clone()]) else { return Content::Other };
    let key = trim(line, body.start..body.start + colon);
    let value = trim(line, body.start + colon + 1..body.end);
    let kind = RecordKind::from_key(&line[key.clone()]);
    Content::Directive(Directive { kind, key, value, misspelt: false, missing_colon: false })
}

/// Reads a line as [`exact`] does, but a line with an empty key is not a directive.
fn javascript(line: &[u8]) -> Content {
    let end = memchr::memchr(b'#', line).unwrap_or(line.len());
    let Some(colon) = memchr::memchr(b':', &line[..end]) else { return exact(line, trim_javascript) };
    let key = trim_javascript(line, 0..colon);
    if key.is_empty() {
        return Content::Other;
    }
    let value = trim_javascript(line, colon + 1..end);
    let kind = RecordKind::from_key(&line[key.clone()]);
    Content::Directive(Directive { kind, key, value, misspelt: false, missing_colon: false })
}

/// Reads the directive of the first known key with a colon, anywhere in the line.
fn anywhere(line: &[u8]) -> Content {
    let whole = trim_python(line, 0..line.len());
    if whole.is_empty() {
        return Content::Blank;
    }
    if line[whole.start] == b'#' {
        return Content::Comment;
    }
    let end = memchr::memchr(b'#', &line[whole.clone()]).map_or(whole.end, |at| whole.start + at);
    let body = trim_python(line, whole.start..end);
    for colon in memchr::memchr_iter(b':', &line[body.clone()]).map(|at| body.start + at) {
        let Some((kind, length)) = key_before(&line[body.start..colon]) else { continue };
        let after = colon + 1;
        let gap = line[after..body.end].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        return Content::Directive(Directive {
            kind,
            key: colon - length..colon,
            value: after + gap..body.end,
            misspelt: false,
            missing_colon: false,
        });
    }
    Content::Other
}

/// Returns the known key at the end of `text`.
fn key_before(text: &[u8]) -> Option<(RecordKind, usize)> {
    const KEYS: [(&[u8], RecordKind); 6] = [
        (b"disallow", RecordKind::Disallow),
        (b"allow", RecordKind::Allow),
        (b"user-agent", RecordKind::UserAgent),
        (b"useragent", RecordKind::UserAgent),
        (b"sitemap", RecordKind::Sitemap),
        (b"crawl-delay", RecordKind::CrawlDelay),
    ];
    KEYS.into_iter().find_map(|(key, kind)| {
        let start = text.len().checked_sub(key.len())?;
        text[start..].eq_ignore_ascii_case(key).then_some((kind, key.len()))
    })
}

/// Reads a line as Ruby does: NULs are ignored, and white space before `#` starts a comment in a value.
fn ruby(line: &[u8]) -> Content {
    if trim_ruby(line, 0..line.len()).is_empty() {
        return Content::Blank;
    }
    let Some(colon) = memchr::memchr(b':', line) else { return Content::Other };
    let key = trim_ruby(line, 0..colon);
    let value = trim_ruby(line, colon + 1..line.len());
    let kind = match RecordKind::from_key(&without_nul(&line[key.clone()])) {
        RecordKind::Unknown if without_nul(&line[key.clone()]).eq_ignore_ascii_case(b"useragent") => {
            RecordKind::UserAgent
        }
        kind => kind,
    };
    let value = value.start..ruby_comment(line, value.clone()).unwrap_or(value.end);
    Content::Directive(Directive { kind, key, value, misspelt: false, missing_colon: false })
}

/// Returns the end of a value that a comment follows: the position of the white space before the first `#` that has
/// white space before it.
fn ruby_comment(line: &[u8], value: Range<usize>) -> Option<usize> {
    for hash in memchr::memchr_iter(b'#', &line[value.clone()]).map(|at| value.start + at) {
        let before = &line[value.start..hash];
        let kept = before.iter().rposition(|&byte| byte != 0 && !is_ruby_space(byte)).map_or(0, |at| at + 1);
        if before[kept..].iter().any(|&byte| is_ruby_space(byte)) {
            return Some(value.start + kept);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns (kind, key, value) of a line, or `None` if it is not a directive.
    fn directive(line: &str, syntax: Syntax) -> Option<(RecordKind, &str, &str)> {
        match read(line.as_bytes(), syntax) {
            Content::Directive(d) => Some((d.kind, &line[d.key], &line[d.value])),
            _ => None,
        }
    }

    #[test]
    fn lenient_syntax_reads_lines_like_google() {
        use RecordKind::*;
        let read = |line| directive(line, Syntax::Lenient);
        assert_eq!(read(" Disallow : /x # y"), Some((Disallow, "Disallow", "/x")));
        assert_eq!(read("disallow /x"), Some((Disallow, "disallow", "/x")));
        assert_eq!(read("disallow /x y"), None);
        assert_eq!(read("Disallowed: /x"), Some((Disallow, "Disallowed", "/x")));
        assert_eq!(read("Disallow= /x"), Some((Disallow, "Disallow=", "/x")));
        assert_eq!(read("user agent: a"), Some((UserAgent, "user agent", "a")));
        assert_eq!(read(": /x"), None);
        assert_eq!(read("Unicorn: 1"), Some((Unknown, "Unicorn", "1")));
        assert_eq!(read("Crawl-delay: 1"), Some((CrawlDelay, "Crawl-delay", "1")));
    }

    #[test]
    fn blank_line_differs_from_a_comment_line() {
        assert_eq!(read(b" \t", Syntax::Lenient), Content::Blank);
        assert_eq!(read(b" # x", Syntax::Lenient), Content::Comment);
        assert_eq!(read(b"x", Syntax::Lenient), Content::Other);
    }

    #[test]
    fn first_key_anywhere_in_the_line_is_found() {
        use RecordKind::*;
        let read = |line| directive(line, Syntax::Anywhere);
        assert_eq!(read("- Disallow: /x"), Some((Disallow, "Disallow", "/x")));
        assert_eq!(read("note: useragent:\tfoo # c"), Some((UserAgent, "useragent", "foo")));
        assert_eq!(read("disallow : /x"), None);
    }

    #[test]
    fn hash_without_white_space_is_part_of_a_value_in_ruby() {
        use RecordKind::*;
        let read = |line| directive(line, Syntax::Ruby);
        assert_eq!(read("Disallow: /x#y"), Some((Disallow, "Disallow", "/x#y")));
        assert_eq!(read("Disallow: /x \t#y"), Some((Disallow, "Disallow", "/x")));
        assert_eq!(read("Disallow: #y"), Some((Disallow, "Disallow", "#y")));
        assert_eq!(read("Useragent: a"), Some((UserAgent, "Useragent", "a")));
    }
}
