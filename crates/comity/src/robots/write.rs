//! Writes a robots.txt that is well-formed by RFC 9309 §2.2 and parses back unchanged.

use std::fmt::{self, Write as _};

use super::matching::encode;
use super::read::directive::RecordKind;

/// A builder of a robots.txt.
///
/// The default dialect parses the output back into the same groups, names, rules and values. The builder rejects values
/// that would not parse back unchanged: values with a line end, a `#` or white space at the ends, values of 8,192 bytes
/// or more, and patterns that start with neither `/` nor `*`. In patterns, spaces, `#` and non-ASCII characters are
/// percent-encoded instead.
///
/// ```
/// use comity::robots::{Builder, RobotsTxt};
///
/// let text = Builder::new()
///     .comment("Everyone")
///     .group(["*"])?
///     .disallow("/search")?
///     .allow("/search/about")?
///     .crawl_delay(2.5)?
///     .group(["GPTBot", "CCBot"])?
///     .disallow("/")?
///     .sitemap("https://example.com/sitemap.xml")?
///     .to_string();
///
/// assert_eq!(
///     text,
///     "# Everyone\nUser-agent: *\nDisallow: /search\nAllow: /search/about\nCrawl-delay: 2.5\n\n\
///      User-agent: GPTBot\nUser-agent: CCBot\nDisallow: /\n\nSitemap: https://example.com/sitemap.xml\n"
/// );
/// assert_eq!(RobotsTxt::parse(&text).groups().len(), 2);
/// # Ok::<(), comity::robots::InvalidRecord>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Builder {
    text: String,
    position: Position,
    group: Group,
}

/// The state of the current group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Group {
    #[default]
    None,
    /// The group has agents but no rule: another user-agent line would extend it.
    Open,
    /// The group has at least one rule.
    Closed,
}

/// The kind of the last line written. It determines where blank lines are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Position {
    #[default]
    Start,
    Comment,
    Group,
    FileWide,
}

/// Maximum length of a value in bytes. Google's parser drops the bytes of a line after the first 16,663.
const MAX_VALUE: usize = 8_191;

impl Builder {
    /// Makes an empty robots.txt, which allows everything to every crawler.
    pub fn new() -> Self {
        Builder::default()
    }

    /// Adds a comment; each line of `text` that is not empty becomes a comment line.
    #[must_use]
    pub fn comment(mut self, text: &str) -> Self {
        self.separate(Position::Comment);
        for line in text.split(['\n', '\r']).filter(|line| !line.is_empty()) {
            let line: String = line.chars().map(|c| if can_end_line(c) { ' ' } else { c }).collect();
            self.line(&format!("# {line}"));
        }
        self.position = Position::Comment;
        self
    }

    /// Starts a group for `names`: product tokens, or `*` for every crawler.
    ///
    /// If the previous group has no rule, it gets an empty `Disallow`, which allows everything. Without a rule between
    /// them, the two groups would be read as one.
    ///
    /// # Errors
    ///
    /// Returns an error if no name is given, or if a name would not parse back: it is empty, has white space around it,
    /// contains a `/`, `#` or control character, has a `*` together with other characters, or has more than 8,191
    /// bytes.
    pub fn group<I, S>(mut self, names: I) -> Result<Self, InvalidRecord>
    where
        I: IntoIterator<Item = S>,
        S: AsRef<str>,
    {
        let mut written = 0;
        if self.group == Group::Open {
            self.line("Disallow:");
        }
        for name in names {
            let name = name.as_ref();
            let is_name = !name.contains(['*', '/', '#']) && is_plain_value(name);
            if name != "*" && !is_name {
                return Err(InvalidRecord::new(
                    RecordKind::UserAgent,
                    name,
                    "is not a name; omit `*`, `/`, `#`, control characters, and spaces around it",
                ));
            }
            if written == 0 {
                self.separate(Position::Group);
            }
            self.line(&format!("User-agent: {name}"));
            written += 1;
        }
        if written == 0 {
            return Err(InvalidRecord::new(
                RecordKind::UserAgent,
                "",
                "is missing: a group needs at least one name",
            ));
        }
        self.position = Position::Group;
        self.group = Group::Open;
        Ok(self)
    }

    /// Adds `Allow: pattern` to the current group.
    ///
    /// # Errors
    ///
    /// Returns an error if no group was started, or if `pattern` starts with neither `/` nor `*` (unless it is empty),
    /// contains control characters, or has more than 8,191 bytes after percent-encoding.
    pub fn allow(self, pattern: &str) -> Result<Self, InvalidRecord> {
        self.rule(RecordKind::Allow, pattern)
    }

    /// Adds `Disallow: pattern` to the current group. An empty pattern disallows nothing.
    ///
    /// # Errors
    ///
    /// Returns an error in the cases of [`Builder::allow`].
    pub fn disallow(self, pattern: &str) -> Result<Self, InvalidRecord> {
        self.rule(RecordKind::Disallow, pattern)
    }

    /// Adds `Crawl-delay: seconds` to the current group.
    ///
    /// # Errors
    ///
    /// Returns an error if no group was started, or if `seconds` is negative or not finite.
    pub fn crawl_delay(self, seconds: f64) -> Result<Self, InvalidRecord> {
        let value = seconds.to_string();
        if !seconds.is_finite() || seconds < 0.0 {
            return Err(InvalidRecord::new(
                RecordKind::CrawlDelay,
                &value,
                "is not a delay: it must be 0 seconds or more",
            ));
        }
        self.group_line(RecordKind::CrawlDelay, "Crawl-delay", &value)
    }

    /// Adds `Sitemap: url`, which does not belong to a group.
    ///
    /// # Errors
    ///
    /// Returns an error if `url` is not an absolute http or https URL, contains a space, `#` or control character, or
    /// has more than 8,191 bytes.
    pub fn sitemap(mut self, url: &str) -> Result<Self, InvalidRecord> {
        let is_http =
            ["https://", "http://"].iter().any(|scheme| url.len() > scheme.len() && url.starts_with(scheme));
        if !is_http || !is_plain_value(url) || url.contains(['#', ' ']) {
            return Err(InvalidRecord::new(
                RecordKind::Sitemap,
                url,
                "is not an absolute http(s) URL without spaces and `#`",
            ));
        }
        self.separate(Position::FileWide);
        self.line(&format!("Sitemap: {url}"));
        self.position = Position::FileWide;
        Ok(self)
    }

    /// Adds any other directive to the current group: `Content-Signal`, `Request-rate`, or an unknown one.
    ///
    /// # Errors
    ///
    /// Returns an error if no group was started, or if the value would not parse back. Returns an error for a `key`
    /// that has characters other than letters, digits, `-` and `_`, or that is read as `User-agent`, `Allow`,
    /// `Disallow` or `Sitemap`.
    pub fn extension(self, key: &str, value: &str) -> Result<Self, InvalidRecord> {
        let kind = crate::robots::read::syntax::lenient_kind(key.as_bytes()).0;
        let is_key =
            is_plain_value(key) && key.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'));
        let has_method = matches!(
            kind,
            RecordKind::UserAgent | RecordKind::Allow | RecordKind::Disallow | RecordKind::Sitemap
        );
        if !is_key || has_method {
            return Err(InvalidRecord::new(
                kind,
                key,
                "is not a key for `extension`; use letters, digits, `-` and `_`, or the directive's own method",
            ));
        }
        if !value.is_empty() && !is_plain_value(value) || value.contains('#') {
            return Err(InvalidRecord::new(
                kind,
                value,
                "is not a value; omit `#`, control characters, and spaces around it",
            ));
        }
        self.group_line(kind, key, value)
    }

    fn rule(self, kind: RecordKind, pattern: &str) -> Result<Self, InvalidRecord> {
        if pattern.chars().any(char::is_control) {
            return Err(InvalidRecord::new(kind, pattern, "has control characters"));
        }
        if !pattern.is_empty() && !pattern.starts_with(['/', '*']) {
            return Err(InvalidRecord::new(kind, pattern, "would never match: start it with `/` or `*`"));
        }
        let value = encode::for_writing(pattern);
        if value.len() > MAX_VALUE {
            return Err(InvalidRecord::new(kind, pattern, "is too long: use at most 8,191 bytes"));
        }
        let mut builder = self.group_line(kind, kind.label(), &value)?;
        builder.group = Group::Closed;
        Ok(builder)
    }

    fn group_line(mut self, kind: RecordKind, key: &str, value: &str) -> Result<Self, InvalidRecord> {
        if self.group == Group::None {
            return Err(InvalidRecord::new(kind, value, "belongs to a group: start one first"));
        }
        let line = format!("{key}: {value}");
        self.line(line.trim_end());
        self.position = Position::Group;
        Ok(self)
    }

    fn line(&mut self, line: &str) {
        // Writing to a `String` cannot fail.
        let _ = writeln!(self.text, "{line}");
    }

    /// Writes a blank line before a new part of the file, but not between a comment and the next line.
    fn separate(&mut self, next: Position) {
        let continues = self.position == next && next != Position::Group;
        if !matches!(self.position, Position::Start | Position::Comment) && !continues {
            self.text.push('\n');
        }
    }
}

impl fmt::Display for Builder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Returns true if a value without a `#` parses back unchanged.
fn is_plain_value(value: &str) -> bool {
    !value.is_empty() && value.trim() == value && !value.chars().any(can_end_line) && value.len() <= MAX_VALUE
}

/// Returns true for control characters, and for the other characters that end a line in Python's `str.splitlines`.
fn can_end_line(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}')
}

/// The error for a value that a [`Builder`] rejects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidRecord {
    kind: RecordKind,
    value: String,
    problem: &'static str,
}

impl InvalidRecord {
    fn new(kind: RecordKind, value: &str, problem: &'static str) -> Self {
        InvalidRecord { kind, value: value.to_owned(), problem }
    }
}

impl fmt::Display for InvalidRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: `{}` {}", self.kind, crate::shown::bytes(self.value.as_bytes()), self.problem)
    }
}

impl std::error::Error for InvalidRecord {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::robots::RobotsTxt;

    #[test]
    fn value_that_would_not_parse_back_is_rejected() {
        let group = || Builder::new().group(["*"]).expect("a group");
        assert!(Builder::new().disallow("/").is_err());
        assert!(group().disallow("x").is_err());
        assert!(group().disallow("/a\nAllow: /").is_err());
        assert!(group().crawl_delay(-1.0).is_err());
        assert!(group().sitemap("/sitemap.xml").is_err());
        assert!(group().extension("Disallowed", "/").is_err());
        for name in ["", " a", "a/1", "a*", "a#b", "a\nb", "a\u{2028}b"] {
            assert!(Builder::new().group([name]).is_err(), "{name:?}");
        }
        assert!(group().extension("Note", "a\u{2029}Disallow: /").is_err());
    }

    #[test]
    fn longest_pattern_parses_back_and_a_longer_one_is_rejected() {
        let longest = format!("/{}", "a".repeat(MAX_VALUE - 1));
        let group = || Builder::new().group(["*"]).expect("a group");
        let text = group().disallow(&longest).expect("a rule").to_string();
        let robots = RobotsTxt::parse(&text);
        assert!(robots.records().any(|record| record.value() == longest.as_bytes()));
        assert!(group().disallow(&format!("{longest}a")).is_err());
        assert!(group().allow(&"/\u{e9}".repeat(2_000)).is_err());
    }

    #[test]
    fn comment_has_no_line_end_of_any_dialect() {
        let text = Builder::new().comment("x\u{2028}Disallow: /\u{85}y").to_string();
        assert_eq!(text, "# x Disallow: / y\n");
    }

    #[test]
    fn group_without_rules_is_separated_from_the_next() {
        let text = Builder::new()
            .group(["a"])
            .and_then(|b| b.crawl_delay(1.0)?.comment("b may not").group(["b"])?.disallow("/"))
            .expect("two groups")
            .to_string();
        assert_eq!(RobotsTxt::parse(&text).groups().len(), 2, "{text}");
    }

    #[test]
    fn pattern_is_encoded_so_that_it_parses_back() {
        let text = Builder::new()
            .group(["*"])
            .and_then(|b| b.disallow("/caf\u{e9} #1$"))
            .expect("a rule")
            .to_string();
        assert!(text.contains("Disallow: /caf%C3%A9%20%231$\n"), "{text}");
        let robots = RobotsTxt::parse(&text);
        assert_eq!(robots.records().count(), 2);
    }
}
