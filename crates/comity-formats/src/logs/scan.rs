//! Shared parsers of words, quoted fields and numbers.

use std::borrow::Cow;

/// Removes the next word, which ends at a space, from the beginning of a text.
pub(super) fn word<'l>(rest: &mut &'l [u8]) -> Option<&'l [u8]> {
    let text = rest.trim_ascii_start();
    if text.is_empty() {
        return None;
    }
    let end = memchr::memchr(b' ', text).unwrap_or(text.len());
    *rest = &text[end..];
    Some(&text[..end])
}

/// Removes a quoted field from the beginning of a text, and decodes its escapes.
pub(super) fn quoted<'l>(rest: &mut &'l [u8]) -> Option<Cow<'l, [u8]>> {
    let text = rest.trim_ascii_start().strip_prefix(b"\"")?;
    let end = end_of_quoted(text)?;
    *rest = &text[end + 1..];
    Some(unescaped(&text[..end]))
}

/// Returns the position of the first quotation mark that is not escaped.
pub(super) fn end_of_quoted(text: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        at += memchr::memchr2(b'"', b'\\', text.get(at..)?)?;
        if text[at] == b'"' {
            return Some(at);
        }
        at += 2;
    }
}

/// Decodes the escapes of Apache (`\"`, `\\`, `\xhh`), nginx (`\xhh`) and JSON (`\u00hh`). Escaped line ends become
/// spaces.
pub(super) fn unescaped(text: &[u8]) -> Cow<'_, [u8]> {
    let Some(first) = memchr::memchr(b'\\', text) else { return Cow::Borrowed(text) };
    let mut plain = text[..first].to_vec();
    let mut rest = &text[first..];
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != b'\\' {
            plain.push(byte);
            continue;
        }
        match rest {
            [b'x', high, low, more @ ..] | [b'u', b'0', b'0', high, low, more @ ..] => {
                match (hex(*high), hex(*low)) {
                    (Some(high), Some(low)) => {
                        plain.push(high << 4 | low);
                        rest = more;
                    }
                    _ => plain.push(b'\\'),
                }
            }
            [b't', more @ ..] => {
                plain.push(b'\t');
                rest = more;
            }
            [b'n' | b'r' | b'v' | b'f' | b'b', more @ ..] => {
                plain.push(b' ');
                rest = more;
            }
            [escaped, more @ ..] => {
                plain.push(*escaped);
                rest = more;
            }
            [] => plain.push(b'\\'),
        }
    }
    Cow::Owned(plain)
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

/// Decodes percent-encoding.
pub(super) fn percent_decoded(text: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((&byte, after)) = rest.split_first() {
        let pair = match (byte, after) {
            (b'%', [high, low, ..]) => hex(*high).zip(hex(*low)),
            _ => None,
        };
        match pair {
            Some((high, low)) => {
                plain.push(high << 4 | low);
                rest = &after[2..];
            }
            None => {
                plain.push(byte);
                rest = after;
            }
        }
    }
    plain
}

/// Parses a decimal number.
pub(super) fn number<N: std::str::FromStr>(text: &[u8]) -> Option<N> {
    let is_number = !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    std::str::from_utf8(text).ok().filter(|_| is_number)?.parse().ok()
}

/// Returns the value, or `None` if it is empty or `-`, which logs write for a missing value.
pub(super) fn present(value: Cow<'_, [u8]>) -> Option<Cow<'_, [u8]>> {
    (!matches!(&*value, b"-" | b"")).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_decoded() {
        assert_eq!(&*unescaped(br#"a\"b\\c\x41\x4g\"#), br#"a"b\cA\x4g\"#);
        assert_eq!(&*unescaped(br"\u0022\u00e9\u1234"), b"\"\xe9u1234");
        assert_eq!(end_of_quoted(br#"a\"b" c"#), Some(4));
        assert_eq!(end_of_quoted(br"a\"), None);
    }
}
