//! Makes untrusted text safe to show in terminals, messages and logs.
//!
//! Text from a site, a server or a file must not move the cursor, write elsewhere on the screen, reverse the direction
//! of writing, or be invisible. Every layer that shows such text uses the functions here.

use std::borrow::Cow;
use std::io;

#[cfg(feature = "url")]
use url::Url;

/// Returns true if a character must not be shown unchanged in a text of one line.
///
/// These are control characters, separators of lines and paragraphs, Unicode's bidirectional controls, and common
/// invisible characters. Joiners and the variation selectors U+FE0E and U+FE0F depend on the characters before them:
/// [`text`] decides on them, and this function returns false. Control characters are C0 (with line ends and tabs), DEL,
/// and C1, whose U+009B starts an escape sequence.
///
/// ```
/// use comity::shown::is_unsafe;
///
/// assert!(is_unsafe('\u{1b}') && is_unsafe('\u{9b}') && is_unsafe('\u{202e}') && is_unsafe('\n'));
/// assert!(!is_unsafe('a') && !is_unsafe('é') && !is_unsafe('\u{a0}'));
/// ```
pub fn is_unsafe(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0d}' | '\u{feff}' | '\u{ffa0}'
            | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

/// Number of invisible characters that may follow the characters of a text so far. Some scripts and emoji need a
/// joiner (U+200C or U+200D), the variation selector U+FE0E or U+FE0F, or a selector and a joiner. They are safe only
/// once, and after a visible character outside of ASCII: a sequence of them could hide a text.
#[derive(Default)]
struct Room(u8);

impl Room {
    /// Returns true if the next character of the text must not be shown.
    fn is_unsafe(&mut self, c: char) -> bool {
        let (is_bad, room) = match c {
            '\u{fe0e}' | '\u{fe0f}' => (self.0 < 2, 1),
            '\u{200c}' | '\u{200d}' => (self.0 < 1, 0),
            c if is_unsafe(c) => (true, 0),
            c => (false, if c.is_ascii() || c.is_whitespace() { 0 } else { 2 }),
        };
        self.0 = if is_bad { 0 } else { room };
        is_bad
    }
}

/// Returns a text in which every unsafe character is replaced by U+FFFD.
///
/// ```
/// use comity::shown::text;
///
/// assert_eq!(text("/a\u{9b}31m\u{202e}b"), "/a\u{fffd}31m\u{fffd}b");
/// assert_eq!(text("/café"), "/café");
/// ```
pub fn text(text: &str) -> Cow<'_, str> {
    replace(text, |_| false)
}

/// Returns a text of several lines in which every unsafe character except LF and tab is replaced by U+FFFD.
///
/// ```
/// assert_eq!(comity::shown::lines("a\tb\n\u{1b}[2Jc\r"), "a\tb\n\u{fffd}[2Jc\u{fffd}");
/// ```
pub fn lines(text: &str) -> Cow<'_, str> {
    replace(text, |c| matches!(c, '\n' | '\t'))
}

/// Returns bytes as safe text: decoded as UTF-8 if they are valid, as ISO-8859-1 otherwise.
///
/// ```
/// assert_eq!(comity::shown::bytes(b"/caf\xE9\x1B[31m"), "/café\u{fffd}[31m");
/// ```
pub fn bytes(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(valid) => text(valid),
        Err(_) => Cow::Owned(text(&encoding_rs::mem::decode_latin1(bytes)).into_owned()),
    }
}

/// Returns bytes as safe text, cut after `limit` characters.
///
/// ```
/// assert_eq!(comity::shown::short(b"abcdef", 3), "abc...");
/// assert_eq!(comity::shown::short(b"abc", 3), "abc");
/// ```
pub fn short(bytes: &[u8], limit: usize) -> Cow<'_, str> {
    let text = self::bytes(bytes);
    match text.char_indices().nth(limit) {
        Some((end, _)) => format!("{}...", &text[..end]).into(),
        None => text,
    }
}

/// Returns at most the first `limit` bytes. A character of UTF-8 is not split.
pub(crate) fn cut(bytes: &[u8], limit: usize) -> &[u8] {
    let is_inside = |end: &usize| bytes.get(*end).is_some_and(|byte| byte & 0xC0 == 0x80);
    let end = bytes.len().min(limit);
    // A character has at most three bytes after its first. More such bytes are not UTF-8.
    let start = (end.saturating_sub(3)..=end).rev().find(|end| !is_inside(end)).unwrap_or(end);
    bytes.get(..start).unwrap_or_default()
}

/// Returns the text of an I/O error for the end of a message: its first letter in lower case, without `(os error 2)`.
///
/// ```
/// use std::io;
///
/// assert_eq!(comity::shown::reason(&io::Error::other("Disk full (os error 28)")), "disk full");
/// ```
pub fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    let end = text.find(" (os error").unwrap_or(text.len());
    let mut reason = text[..end].to_owned();
    if let Some(first) = reason.get_mut(..1) {
        first.make_ascii_lowercase();
    }
    reason
}

fn replace(text: &str, keeps: impl Fn(char) -> bool) -> Cow<'_, str> {
    // Most text is printable ASCII.
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return Cow::Borrowed(text);
    }
    let mut room = Room::default();
    let mut is_changed = false;
    let shown: String = text
        .chars()
        .map(|c| {
            let is_bad = room.is_unsafe(c) && !keeps(c);
            is_changed |= is_bad;
            if is_bad { char::REPLACEMENT_CHARACTER } else { c }
        })
        .collect();
    if is_changed { Cow::Owned(shown) } else { Cow::Borrowed(text) }
}

/// Returns a URL without its user name and password. Records and messages contain URLs in this form.
///
/// ```
/// use comity::shown::without_credentials;
/// use url::Url;
///
/// let url = Url::parse("https://user:secret@example.com/a")?;
/// assert_eq!(without_credentials(&url).as_str(), "https://example.com/a");
/// # Ok::<(), url::ParseError>(())
/// ```
#[cfg(feature = "url")]
pub fn without_credentials(url: &Url) -> Cow<'_, Url> {
    if url.username().is_empty() && url.password().is_none() {
        return Cow::Borrowed(url);
    }
    let mut bare = url.clone();
    // Both calls fail only for URLs that cannot have credentials.
    let _ = bare.set_username("");
    let _ = bare.set_password(None);
    Cow::Owned(bare)
}

/// Returns a text in which the credentials of URLs are replaced by `...`. The text may be a `Location` or an error
/// message.
///
/// Credentials start after two slashes, or after a scheme of the web and its colon, with any number of slashes: URL
/// parsers accept `https:/user@host`. They end at the last `@` before the next slash, `?`, `#`, space or line end. A
/// backslash counts as a slash. Quotes are valid in passwords, so they do not end credentials.
///
/// ```
/// use comity::shown::hide_credentials;
///
/// assert_eq!(hide_credentials("to https://user:pass@a.example/b@c"), "to https://...@a.example/b@c");
/// assert_eq!(hide_credentials("//a.example/@b"), "//a.example/@b");
/// ```
pub fn hide_credentials(text: &str) -> Cow<'_, str> {
    let mut out = String::new();
    let mut rest = text;
    while let Some(start) = authority_start(rest) {
        // URL parsers remove tabs.
        let is_end = |c: char| matches!(c, '/' | '\\' | '?' | '#') || c.is_whitespace() && c != '\t';
        let end = rest[start..].find(is_end).map_or(rest.len(), |length| start + length);
        match rest[start..end].rfind('@') {
            Some(at) => {
                out.push_str(&rest[..start]);
                out.push_str("...");
                out.push_str(&rest[start + at..end]);
            }
            None => out.push_str(&rest[..end]),
        }
        rest = &rest[end..];
    }
    if out.is_empty() {
        return Cow::Borrowed(text);
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// Returns the position of the first authority in a text. An authority follows two or more slashes, or a scheme whose
/// URLs always have an authority (WHATWG URL, "special scheme") and any number of slashes.
fn authority_start(text: &str) -> Option<usize> {
    let mut from = 0;
    while let Some(at) = text[from..].find([':', '/', '\\']).map(|length| from + length) {
        let is_colon = text[at..].starts_with(':');
        let slashes = at + usize::from(is_colon);
        let start = text.len() - text[slashes..].trim_start_matches(['/', '\\', '\t']).len();
        if start >= slashes + 2 || is_colon && ends_with_web_scheme(&text[from..at]) {
            return Some(start);
        }
        from = start.max(slashes);
    }
    None
}

fn ends_with_web_scheme(text: &str) -> bool {
    let start = text.rfind(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '+' | '-' | '.'));
    let scheme = &text[start.map_or(0, |at| at + text[at..].chars().next().map_or(0, char::len_utf8))..];
    ["http", "https", "ws", "wss", "ftp"].iter().any(|known| scheme.eq_ignore_ascii_case(known))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unsafe_characters_are_replaced() {
        let bad = "\0\u{7}\u{8}\n\r\t\u{1b}\u{7f}\u{80}\u{85}\u{9b}\u{9f}\u{ad}\u{61c}\u{180e}\u{200b}\u{200e}\u{200f}\u{2028}\
                   \u{2029}\u{202a}\u{202e}\u{2060}\u{2064}\u{2066}\u{2069}\u{feff}\u{fff9}\u{e0041}\u{e0100}\u{e01ef}\u{34f}\u{180b}\u{fe00}\u{fe0f}\u{200d}";
        assert!(
            text(bad).chars().all(|c| c == char::REPLACEMENT_CHARACTER),
            "{}",
            text(bad).escape_unicode()
        );
        let good = "/a b~é\u{a0}漢字\u{1f600} \u{645}\u{200c}\u{646} \u{1f469}\u{200d}\u{1f4bb} \u{2764}\u{fe0f}\u{200d}\u{1f525}";
        assert!(matches!(text(good), Cow::Borrowed(_)));
        assert_eq!(text("pri\u{200c}vate\u{200d}"), "pri\u{fffd}vate\u{fffd}");
        for hidden in ["\u{200d}\u{200c}", "\u{fe0e}\u{fe0f}", "\u{200d}\u{fe0f}"] {
            let first = hidden.chars().next().expect("a character");
            assert_eq!(text(&format!("\u{e9}{hidden}")), format!("\u{e9}{first}\u{fffd}"));
        }
    }

    #[test]
    fn credentials_of_every_url_in_a_text_are_hidden() {
        for (given, expected) in [
            ("https://u:p@h/", "https://...@h/"),
            ("//u:p@h", "//...@h"),
            ("a http://u:p@h b ftp://x@y/z", "a http://...@h b ftp://...@y/z"),
            ("http://u:p@q@h/", "http://...@h/"),
            ("https://u:p'w@h/", "https://...@h/"),
            ("https://u:p\"<`w@h/", "https://...@h/"),
            ("https://u:p\tw@h/", "https://...@h/"),
            ("https:/u:p@h", "https:/...@h"),
            ("HTTPS:u:p@h", "HTTPS:...@h"),
            ("https:///u:p@h", "https:///...@h"),
            ("to \u{2018}https:\\u:p@h", "to \u{2018}https:\\...@h"),
            ("\\\\u:p@h/", "\\\\...@h/"),
            ("news:a@b mailto:a@b x:/a@b", "news:a@b mailto:a@b x:/a@b"),
            ("/path@x", "/path@x"),
            ("http://h/?q=a@b", "http://h/?q=a@b"),
            ("", ""),
        ] {
            assert_eq!(hide_credentials(given), expected);
        }
    }
}
