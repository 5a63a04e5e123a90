//! Reads lines as Protego does: known misspellings, keys of two words, and a second attempt for lines without a colon.

use std::borrow::Cow;
use std::ops::Range;

use super::content::{Content, Directive};
use super::directive::RecordKind;
use super::lines::{self, Lines};
use super::space::{is_python_space, trim_python};

/// The keys that Protego knows, in lower case, and whether they are misspelt. A key of two words has one space here.
const KEYS: [(&str, RecordKind, bool); 20] = [
    ("user-agent", RecordKind::UserAgent, false),
    ("useragent", RecordKind::UserAgent, true),
    ("user agent", RecordKind::UserAgent, true),
    ("allow", RecordKind::Allow, false),
    ("disallow", RecordKind::Disallow, false),
    ("dissallow", RecordKind::Disallow, true),
    ("dissalow", RecordKind::Disallow, true),
    ("disalow", RecordKind::Disallow, true),
    ("diasllow", RecordKind::Disallow, true),
    ("disallaw", RecordKind::Disallow, true),
    ("sitemap", RecordKind::Sitemap, false),
    ("sitemaps", RecordKind::Sitemap, true),
    ("site-map", RecordKind::Sitemap, true),
    ("crawl-delay", RecordKind::CrawlDelay, false),
    ("crawl delay", RecordKind::CrawlDelay, true),
    ("request-rate", RecordKind::RequestRate, false),
    ("request rate", RecordKind::RequestRate, true),
    ("visit-time", RecordKind::VisitTime, false),
    ("visit time", RecordKind::VisitTime, true),
    ("host", RecordKind::Host, false),
];

/// Reads one line. Its first colon ends the key if the key is known, or if white space or the end of the line follows
/// the colon. Any other line may be a known key and a value, separated by white space.
pub(super) fn read(line: &[u8]) -> Content {
    let comment = memchr::memchr(b'#', line);
    let body = trim_python(line, 0..comment.unwrap_or(line.len()));
    if body.is_empty() {
        return if comment.is_some() { Content::Comment } else { Content::Blank };
    }
    let mut unknown = Content::Other;
    if let Some(colon) = memchr::memchr(b':', &line[body.clone()]) {
        let behind = body.start + colon + 1;
        let key = trim_python(line, body.start..behind - 1);
        let value = trim_python(line, behind..body.end);
        if let Some((_, kind, misspelt)) = known(|known| line[key.clone()].eq_ignore_ascii_case(known)) {
            return Content::Directive(Directive { kind, key, value, misspelt, missing_colon: false });
        }
        let kind = RecordKind::from_key(&line[key.clone()]);
        unknown = Content::Directive(Directive { kind, key, value, misspelt: false, missing_colon: false });
        if trim_python(line, behind..body.end).start > behind || behind == body.end {
            return unknown;
        }
    }
    without_colon(line, body).map_or(unknown, Content::Directive)
}

/// Reads a line whose key ends at white space: a known key of one or two words.
fn without_colon(line: &[u8], body: Range<usize>) -> Option<Directive> {
    let mut words = words(line, body.clone());
    let first = words.next()?;
    let second = words.next();
    let found =
        known(|known| line[first.clone()].eq_ignore_ascii_case(known)).map(|found| (found, first.end));
    let found = found.or_else(|| {
        let second = second?;
        let both = [&line[first.clone()], b" ", &line[second.clone()]].concat();
        known(|known| both.eq_ignore_ascii_case(known)).map(|found| (found, second.end))
    });
    let ((_, kind, misspelt), end) = found?;
    let value = trim_python(line, end..body.end);
    Some(Directive { kind, key: first.start..end, value, misspelt, missing_colon: true })
}

fn known(is_key: impl Fn(&[u8]) -> bool) -> Option<(&'static str, RecordKind, bool)> {
    KEYS.into_iter().find(|(key, ..)| is_key(key.as_bytes()))
}

/// Returns the words of a range of a line. Words are separated by Unicode white space. A range that is not UTF-8 has no
/// words.
fn words(line: &[u8], range: Range<usize>) -> impl Iterator<Item = Range<usize>> + '_ {
    // One validation for all words: the time must not grow with the square of the length.
    let mut rest = std::str::from_utf8(&line[range.clone()]).unwrap_or_default();
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches(is_python_space);
        let start = range.end - rest.len();
        let (word, behind) = rest.split_at(rest.find(is_python_space).unwrap_or(rest.len()));
        rest = behind;
        (!word.is_empty()).then(|| start..start + word.len())
    })
}

/// Returns the text with single spaces between the words of each value that has no colon before it. Protego splits
/// such lines into words.
pub(super) fn with_joined_words(text: Cow<'_, [u8]>) -> Cow<'_, [u8]> {
    let (mut joined, mut copied) = (Vec::new(), 0);
    for line in lines::split(&text, Lines::Python) {
        let content = &text[line.start..line.end];
        let Content::Directive(Directive { value, missing_colon: true, .. }) = read(content) else {
            continue;
        };
        let words: Vec<&[u8]> = words(content, value.clone()).map(|word| &content[word]).collect();
        let words = words.join(&b' ');
        if words != content[value.clone()] {
            joined.extend_from_slice(&text[copied..line.start + value.start]);
            joined.extend_from_slice(&words);
            copied = line.start + value.end;
        }
    }
    if copied == 0 {
        return text;
    }
    joined.extend_from_slice(&text[copied..]);
    Cow::Owned(joined)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_without_colon_is_read_as_a_known_key_and_a_value() {
        use RecordKind::*;
        for (line, expected) in [
            ("User Agent: a", Some((UserAgent, "a", false))),
            ("user  agent a b", Some((UserAgent, "a b", true))),
            ("Sitemap https://example.com/s", Some((Sitemap, "https://example.com/s", true))),
            ("Disallow/x", None),
            ("Dissalow: /x", Some((Disallow, "/x", false))),
            ("Unicorn: /x", Some((Unknown, "/x", false))),
            ("Unicorn:/x", Some((Unknown, "/x", false))),
            ("Allow https: /x", Some((Unknown, "/x", false))),
        ] {
            let read = match read(line.as_bytes()) {
                Content::Directive(d) => Some((d.kind, &line[d.value], d.missing_colon)),
                _ => None,
            };
            assert_eq!(read, expected, "{line}");
        }
    }

    /// With quadratic time this would take minutes.
    #[test]
    fn long_line_without_colon_is_read_in_linear_time() {
        let text = format!("Disallow{}", "  \u{e9}".repeat(500_000));
        let joined = with_joined_words(Cow::Borrowed(text.as_bytes()));
        assert_eq!(joined.len(), "Disallow".len() + 2 + 3 * 500_000 - 1);
    }

    #[test]
    fn words_without_a_preceding_colon_are_joined() {
        let text = "Disallow /a \t b\nDisallow: /a \t b\nAllow  /c  d # e";
        let joined = with_joined_words(Cow::Borrowed(text.as_bytes()));
        assert_eq!(&*joined, b"Disallow /a b\nDisallow: /a \t b\nAllow  /c d # e");
    }
}
