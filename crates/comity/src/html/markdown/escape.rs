//! Escapes characters that have a meaning in Markdown, in text and in URLs.

/// Appends text, and escapes the characters that have a meaning in Markdown. Control characters are dropped.
///
/// `in_brackets` is true in the text of a link or of an image, which a closing bracket would end. `before_space` is
/// true if a space follows the text.
pub(super) fn text(out: &mut String, text: &str, in_brackets: bool, before_space: bool) {
    let bytes = text.as_bytes();
    let mut plain = 0;
    for at in 0..bytes.len() {
        let byte = bytes[at];
        // The control characters from U+0080 to U+009F.
        if byte == 0xC2 && bytes.get(at + 1).is_some_and(|next| (0x80..0xA0).contains(next)) {
            out.push_str(&text[plain..at]);
            plain = at + 2;
            continue;
        }
        if byte >= 0x80 || byte.is_ascii_alphabetic() || byte == b' ' {
            continue;
        }
        let before = match at {
            0 => out.as_bytes().last().copied(),
            _ => Some(bytes[at - 1]),
        };
        let starts_line = match at {
            0 => before.is_none_or(|byte| byte == b'\n'),
            _ => plain == 0 && starts_with_number(out, &bytes[..at], byte),
        };
        if byte.is_ascii_control() {
            out.push_str(&text[plain..at]);
            plain = at + 1;
        } else if must_escape(byte, before, &bytes[at + 1..], starts_line, in_brackets)
            && !(byte == b'<' && before_space && at + 1 == bytes.len())
        {
            out.push_str(&text[plain..at]);
            out.push('\\');
            plain = at;
        }
    }
    out.push_str(&text[plain..]);
}

/// Returns true if a dot or parenthesis follows a number at the beginning of a line.
fn starts_with_number(out: &str, passed: &[u8], byte: u8) -> bool {
    matches!(byte, b'.' | b')')
        && passed.len() <= 9
        && passed.iter().all(u8::is_ascii_digit)
        && out.as_bytes().last().is_none_or(|&byte| byte == b'\n')
}

fn must_escape(byte: u8, before: Option<u8>, after: &[u8], starts_line: bool, in_brackets: bool) -> bool {
    let next = after.first().copied();
    let ends_word = next.is_none_or(|byte| byte == b' ');
    match byte {
        b'\\' | b'*' | b'`' | b'[' => true,
        b']' => in_brackets,
        b'_' => {
            let is_word =
                |byte: Option<u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || byte >= 0x80);
            !(is_word(before) && is_word(next))
        }
        b'<' => next.is_none_or(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'/' | b'!' | b'?')),
        b'&' => is_reference(after),
        b'~' => before == Some(b'~') || next == Some(b'~'),
        b'>' => starts_line,
        b'#' => starts_line && (ends_word || next == Some(b'#')),
        b'-' | b'+' | b'=' => starts_line && (ends_word || next == Some(byte)),
        b'.' | b')' => starts_line && ends_word,
        _ => false,
    }
}

/// Returns true if an ampersand before the text `after` starts a character reference.
pub(super) fn is_reference(after: &[u8]) -> bool {
    let name = &after[..after.len().min(32)];
    let digits = name.strip_prefix(b"#").unwrap_or(name);
    let length = digits.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
    length > 0 && digits.get(length) == Some(&b';')
}

/// Appends the URL of a link or an image.
pub(super) fn address(out: &mut String, url: &str) {
    let keeps_parentheses = are_balanced(url);
    for (at, char) in url.char_indices() {
        match char {
            ' ' => out.push_str("%20"),
            '<' => out.push_str("%3C"),
            '>' => out.push_str("%3E"),
            '\\' => out.push_str("%5C"),
            '(' if !keeps_parentheses => out.push_str("%28"),
            ')' if !keeps_parentheses => out.push_str("%29"),
            '&' if is_reference(&url.as_bytes()[at + 1..]) => out.push_str("\\&"),
            char if is_dropped(char) => {}
            char => out.push(char),
        }
    }
}

/// Returns true for characters that are dropped from URLs.
pub(super) fn is_dropped(char: char) -> bool {
    char.is_control() || char.is_whitespace()
}

fn are_balanced(url: &str) -> bool {
    let mut open = 0_u32;
    for byte in url.bytes() {
        match byte {
            b'(' => open += 1,
            b')' if open == 0 => return false,
            b')' => open -= 1,
            _ => {}
        }
        // CommonMark only guarantees three levels of parentheses.
        if open > 3 {
            return false;
        }
    }
    open == 0
}

/// Appends the title after the URL of a link or an image.
pub(super) fn title(out: &mut String, title: &str) {
    let mut words = title.split_whitespace().peekable();
    if words.peek().is_none() {
        return;
    }
    let mut between = " \"";
    for word in words {
        out.push_str(between);
        between = " ";
        for (at, char) in word.char_indices() {
            let is_special =
                matches!(char, '"' | '\\') || char == '&' && is_reference(&word.as_bytes()[at + 1..]);
            if is_special {
                out.push('\\');
            }
            if !char.is_control() {
                out.push(char);
            }
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn escaped(given: &str) -> String {
        let mut out = String::new();
        text(&mut out, given, false, false);
        out
    }

    #[test]
    fn only_characters_with_a_meaning_in_markdown_are_escaped() {
        for (given, expected) in [
            ("a * b", r"a \* b"),
            ("snake_case _x_", r"snake_case \_x\_"),
            ("# no", r"\# no"),
            ("#hashtag", "#hashtag"),
            ("- no", r"\- no"),
            ("-5", "-5"),
            ("---", r"\---"),
            ("1. no", r"1\. no"),
            ("1.5", "1.5"),
            ("x 1. y", "x 1. y"),
            ("> no", r"\> no"),
            ("a > b < c", "a > b < c"),
            ("<b>", r"\<b>"),
            ("AT&T &amp; &#38; &x", r"AT&T \&amp; \&#38; &x"),
            ("[a](b)", r"\[a](b)"),
            ("~5 ~~no~~", r"~5 \~\~no\~\~"),
            ("a\u{0}b\u{7f}", "ab"),
            ("a\u{80}*\u{9b}\u{9f}b\u{a0}\u{c2}", "a\\*b\u{a0}\u{c2}"),
            (r"C:\x", r"C:\\x"),
        ] {
            assert_eq!(escaped(given), expected);
        }
    }

    #[test]
    fn address_with_spaces_stays_one_word() {
        let written = |url: &str| {
            let mut out = String::new();
            address(&mut out, url);
            out
        };
        assert_eq!(written("/a b<c>\n"), "/a%20b%3Cc%3E");
        assert_eq!(written("/Foo_(bar)"), "/Foo_(bar)");
        assert_eq!(written("/a)b("), "/a%29b%28");
        assert_eq!(written("/?a&copy;b&c"), "/?a\\&copy;b&c");
    }
}
