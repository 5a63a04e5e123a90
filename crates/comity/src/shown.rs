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
/// invisible characters. Control characters are C0 (with line ends and tabs), DEL, and C1, whose U+009B starts an
/// escape sequence.
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
            '\u{ad}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}'
            | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}'
            | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// Returns true if a character must not be shown after the character `before`. Joiners (U+200C and U+200D) are allowed,
/// because some scripts and emoji need them. After ASCII they have no effect and are invisible, so they are unsafe.
fn is_unsafe_after(before: Option<char>, c: char) -> bool {
    is_unsafe(c) || matches!(c, '\u{200c}' | '\u{200d}') && before.is_none_or(|before| before.is_ascii())
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

/// Returns a text of several lines in which every unsafe character except line ends and tabs is replaced by U+FFFD.
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
    let mut before = None;
    let mut is_changed = false;
    let shown: String = text
        .chars()
        .map(|c| {
            let is_bad = !keeps(c) && is_unsafe_after(before, c);
            before = Some(c);
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

/// Returns a text in which the credentials of URLs are replaced by `...`. Credentials are the characters between `//`
/// and the last `@` before the next slash, backslash, `?`, `#`, quote, angle bracket or white space. The text may be a
/// `Location` or an error message.
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
    while let Some(start) = rest.find("//").map(|at| at + 2) {
        let is_end =
            |c: char| matches!(c, '/' | '\\' | '?' | '#' | '"' | '\'' | '`' | '<' | '>') || c.is_whitespace();
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unsafe_characters_are_replaced() {
        let bad = "\0\u{7}\u{8}\n\r\t\u{1b}\u{7f}\u{80}\u{85}\u{9b}\u{9f}\u{ad}\u{61c}\u{180e}\u{200b}\u{200e}\u{200f}\u{2028}\
                   \u{2029}\u{202a}\u{202e}\u{2060}\u{2064}\u{2066}\u{2069}\u{feff}\u{fff9}\u{e0041}";
        assert!(
            text(bad).chars().all(|c| c == char::REPLACEMENT_CHARACTER),
            "{}",
            text(bad).escape_unicode()
        );
        let good = "/a b~é\u{a0}漢字\u{1f600} \u{645}\u{200c}\u{646} \u{1f469}\u{200d}\u{1f4bb}";
        assert!(matches!(text(good), Cow::Borrowed(_)));
        assert_eq!(text("pri\u{200c}vate\u{200d}"), "pri\u{fffd}vate\u{fffd}");
    }

    #[test]
    fn credentials_of_every_url_in_a_text_are_hidden() {
        for (given, expected) in [
            ("https://u:p@h/", "https://...@h/"),
            ("//u:p@h", "//...@h"),
            ("a http://u:p@h b ftp://x@y/z", "a http://...@h b ftp://...@y/z"),
            ("http://u:p@q@h/", "http://...@h/"),
            ("/path@x", "/path@x"),
            ("http://h/?q=a@b", "http://h/?q=a@b"),
            ("", ""),
        ] {
            assert_eq!(hide_credentials(given), expected);
        }
    }
}
