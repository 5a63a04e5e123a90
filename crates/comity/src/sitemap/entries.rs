//! Checks that all formats share: URLs, duplicates, limits on entries.

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};

use super::entry::{Item, Sitemap, Url};
use super::item_queue::{ItemQueue, Position};
use super::kinds;
use super::options::{MAX_LOC, MAX_VALUE, ReaderOptions, Scope};
use super::scope::AllowedUrls;
use crate::finding::{Kind, quoted};

/// A collector of finished entries.
pub(super) struct Entries {
    pub findings: ItemQueue,
    pub options: ReaderOptions,
    allowed: Option<AllowedUrls>,
    seen: HashSet<u64>,
    hasher: RandomState,
    count: u64,
    news: u64,
    is_stopped: bool,
}

impl Entries {
    pub(super) fn new(options: ReaderOptions) -> Self {
        Entries {
            findings: ItemQueue::default(),
            allowed: AllowedUrls::new(&options),
            options,
            seen: HashSet::new(),
            hasher: RandomState::new(),
            count: 0,
            news: 0,
            is_stopped: false,
        }
    }

    /// Returns the number of entries that were added so far.
    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// Returns true if a limit or an error has stopped the reading.
    pub(super) fn is_stopped(&self) -> bool {
        self.is_stopped
    }

    /// Stops reading.
    pub(super) fn stop(&mut self) {
        self.is_stopped = true;
    }

    /// Adds a page, if the scope and the limits permit it.
    pub(super) fn page(&mut self, url: Url, place: Position) {
        let objection = self.allowed.as_ref().and_then(|allowed| allowed.objection_to_page(&url.loc));
        if self.is_admitted(objection, &url.loc, place) {
            self.findings.items.push_back(Item::Url(url));
        }
    }

    /// Adds a sitemap, if the scope and the limits permit it.
    pub(super) fn sitemap(&mut self, sitemap: Sitemap, place: Position) {
        let objection = self.allowed.as_ref().and_then(|allowed| allowed.objection_to_sitemap(&sitemap.loc));
        if self.is_admitted(objection, &sitemap.loc, place) {
            self.findings.items.push_back(Item::Sitemap(sitemap));
        }
    }

    fn is_admitted(&mut self, objection: Option<&'static Kind>, loc: &str, place: Position) -> bool {
        if let Some(kind) = objection.filter(|_| self.options.scope != Scope::Any) {
            self.findings.report(kind, place, || quoted(loc));
            if self.options.scope == Scope::Drop {
                return false;
            }
        }
        if self.options.find_duplicates && !self.seen.insert(self.hasher.hash_one(loc)) {
            self.findings.report(&kinds::DUPLICATE_LOC, place, || quoted(loc));
        }
        self.is_counted(place)
    }

    /// Counts an entry. Returns false if it exceeds the limit.
    fn is_counted(&mut self, place: Position) -> bool {
        let (soft, hard) = (self.options.max_entries, self.options.hard_max_entries);
        if self.count == soft {
            self.findings.once(&kinds::TOO_MANY_ENTRIES, place, || format!("the limit is {soft} entries"));
        }
        let hard = if self.options.stop_at_limits { soft.min(hard) } else { hard };
        if self.count >= hard {
            let count = self.count;
            self.findings.report(&kinds::STOPPED, place, || format!("stopped after {count} entries"));
            self.stop();
            return false;
        }
        self.count += 1;
        true
    }

    /// Counts a news article. Returns true if it is added.
    pub(super) fn is_news_admitted(&mut self, place: Position) -> bool {
        self.news += 1;
        let limit = self.options.max_news;
        if self.news > limit {
            self.findings.once(&kinds::TOO_MANY_NEWS, place, || format!("the limit is {limit} articles"));
            return !self.options.stop_at_limits;
        }
        true
    }

    /// Normalizes the text of a URL. Returns `None` if the text is not a URL, has a scheme other than http, https and
    /// ftp, or is relative without a base. `feed` is the base in a feed if the sitemap's own URL is unknown.
    pub(super) fn loc(&mut self, text: &str, place: Position, feed: Option<&url::Url>) -> Option<String> {
        let trimmed = trim(text);
        let looks = UrlProperties::of(trimmed);
        let mut loc = trimmed.to_owned();
        if looks.has_white_space || trim(text).len() != text.trim_ascii().len() {
            self.findings.report(&kinds::WHITE_SPACE_IN_LOC, place, || quoted(text.trim_ascii()));
            loc.retain(|c| !matches!(c, '\t' | '\n' | '\r'));
        }
        if looks.has_ampersand && loc.contains("&amp;") {
            self.findings.report(&kinds::DOUBLE_ESCAPED, place, || quoted(&loc));
            loc = loc.replace("&amp;", "&");
        }
        if looks.has_unescaped {
            self.findings.report(&kinds::UNESCAPED_LOC, place, || quoted(&loc));
        }
        self.check_length(&loc, place);
        self.absolute(loc, place, feed)
    }

    fn check_length(&mut self, loc: &str, place: Position) {
        // A short text needs no count of characters, since it has at most as many characters as bytes.
        if loc.len() < self.options.max_loc.min(MAX_LOC) {
            return;
        }
        let characters = loc.chars().count();
        if characters > self.options.max_loc {
            self.findings.report(&kinds::LOC_TOO_LONG, place, || {
                format!("a URL of {characters} characters: {}", quoted(loc))
            });
        } else if characters == MAX_LOC {
            self.findings.report(&kinds::LOC_AT_LIMIT, place, || quoted(loc));
        }
    }

    fn absolute(&mut self, loc: String, place: Position, feed: Option<&url::Url>) -> Option<String> {
        match Shape::of(&loc) {
            Shape::Http => Some(loc),
            Shape::Ftp => {
                self.findings.report(&kinds::OTHER_SCHEME, place, || quoted(&loc));
                Some(loc)
            }
            // Programs that display or open the page could run a script: `javascript://example.com/%0aalert(1)`.
            Shape::OtherScheme => {
                self.findings.report(&kinds::OTHER_SCHEME, place, || format!("{} is dropped", quoted(&loc)));
                None
            }
            Shape::Relative => {
                self.findings.report(&kinds::RELATIVE_LOC, place, || quoted(&loc));
                let base = self.allowed.as_ref().map(AllowedUrls::base).or(feed)?;
                base.join(&loc).ok().map(String::from)
            }
            Shape::Other => {
                self.findings.report(&kinds::NOT_A_URL, place, || quoted(&loc));
                None
            }
        }
    }
}

/// Returns a text without leading and trailing white space of any script, byte order marks and zero-width spaces.
pub(super) fn trim(text: &str) -> &str {
    let text = text.trim_ascii();
    let is_odd = |c: char| c.is_whitespace() || matches!(c, '\u{feff}' | '\u{200b}' | '\u{2060}');
    if text.bytes().next().is_some_and(|byte| !byte.is_ascii())
        || text.bytes().next_back().is_some_and(|byte| !byte.is_ascii())
    {
        text.trim_matches(is_odd)
    } else {
        text
    }
}

/// Returns true if a text, after white space, starts like a URL with a scheme of the web or ftp, and a host.
pub(super) fn is_absolute(text: &str) -> bool {
    matches!(Shape::of(trim(text)), Shape::Http | Shape::Ftp)
}

/// The properties of a URL that one pass over its bytes determines.
#[derive(Default)]
struct UrlProperties {
    has_white_space: bool,
    has_ampersand: bool,
    /// True for a character, other than white space, that must be percent-encoded by RFC 3986.
    has_unescaped: bool,
}

const WHITE_SPACE: u8 = 1;
const AMPERSAND: u8 = 2;
const UNESCAPED: u8 = 4;

/// The properties of each byte.
const PROPERTIES: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = match byte as u8 {
            b' ' | b'\t' | b'\n' | b'\r' => WHITE_SPACE,
            b'&' => AMPERSAND,
            b'"' | b'<' | b'>' | b'\\' | b'^' | b'`' | b'{' | b'|' | b'}' | 0..0x20 | 0x7f.. => UNESCAPED,
            _ => 0,
        };
        byte += 1;
    }
    table
};

impl UrlProperties {
    fn of(text: &str) -> Self {
        let all = text.bytes().fold(0, |all, byte| all | PROPERTIES[usize::from(byte)]);
        UrlProperties {
            has_white_space: all & WHITE_SPACE != 0,
            has_ampersand: all & AMPERSAND != 0,
            has_unescaped: all & UNESCAPED != 0,
        }
    }
}

/// The shape of a text that should be a URL.
#[derive(Debug, PartialEq, Eq)]
enum Shape {
    /// `http://host...` or `https://host...`
    Http,
    /// `ftp://host...`
    Ftp,
    /// A URL with a host and any other scheme.
    OtherScheme,
    /// `/page`, `page`, `//host/page`
    Relative,
    /// Text that is not an address.
    Other,
}

impl Shape {
    fn of(text: &str) -> Self {
        let scheme_end = text.find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '+' | '-' | '.'));
        let (scheme, rest) = text.split_at(scheme_end.unwrap_or(text.len()));
        if let Some(rest) = rest.strip_prefix("://") {
            let is_host = rest.starts_with(|c: char| !matches!(c, '/' | '?' | '#' | ':' | ' '));
            return match scheme.to_ascii_lowercase().as_str() {
                _ if !is_host => Shape::Other,
                "http" | "https" => Shape::Http,
                "ftp" => Shape::Ftp,
                other if other.starts_with(|c: char| c.is_ascii_alphabetic()) => Shape::OtherScheme,
                _ => Shape::Other,
            };
        }
        // Examples: `mailto:x`, `example.com:80`, `www.example.com`, `not a url`.
        let is_other = rest.starts_with(':') || text.starts_with("www.") || text.contains(' ');
        if is_other || text.is_empty() || text.starts_with('#') { Shape::Other } else { Shape::Relative }
    }
}

/// Appends a text to a value, up to the maximum length of the value. Returns true if the whole text was appended.
pub(super) fn push_capped(value: &mut String, text: &str) -> bool {
    let room = MAX_VALUE.saturating_sub(value.len());
    if text.len() <= room {
        value.push_str(text);
        return true;
    }
    let end = (0..=room).rev().find(|&end| text.is_char_boundary(end)).unwrap_or(0);
    value.push_str(&text[..end]);
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shape_of_each_text_is_determined() {
        for (text, shape) in [
            ("https://example.com/", Shape::Http),
            ("HTTP://example.com", Shape::Http),
            ("http://[::1]/", Shape::Http),
            ("FTP://example.com/a", Shape::Ftp),
            ("javascript://example.com/%0aalert(1)", Shape::OtherScheme),
            ("/a", Shape::Relative),
            ("a.html", Shape::Relative),
            ("//example.com/a", Shape::Relative),
            ("?page=2", Shape::Relative),
            ("http:///a", Shape::Other),
            ("http://", Shape::Other),
            ("://example.com", Shape::Other),
            ("mailto:a@example.com", Shape::Other),
            ("javascript:alert(1)", Shape::Other),
            ("www.example.com", Shape::Other),
            ("not a url", Shape::Other),
            ("#top", Shape::Other),
            ("", Shape::Other),
        ] {
            assert_eq!(Shape::of(text), shape, "{text}");
        }
    }

    #[test]
    fn white_space_of_any_script_is_removed() {
        assert_eq!(trim(" \u{a0}\u{3000}http://a/\u{200b}\n"), "http://a/");
        assert_eq!(trim("\u{feff}"), "");
    }
}
