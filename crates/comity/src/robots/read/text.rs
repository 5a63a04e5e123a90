//! From bytes to the text a dialect reads.

use std::borrow::Cow;

use super::Reading;
use super::generous;
use super::syntax::trim_python;

/// RFC 9309 §2.5: parsers must read at least 500 kibibytes; this many bytes count here.
pub(crate) const BODY_LIMIT: usize = 512_000;

/// A way of reading bytes as text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Text {
    /// Bytes are matched as they are; a whole or partial UTF-8 byte order mark is skipped.
    Bytes,
    /// Bytes are matched as they are, a byte order mark included.
    RawBytes,
    /// UTF-8, each invalid sequence replaced by U+FFFD.
    Utf8,
    /// Works like `Utf8`, with the words of lines without a colon joined by single spaces: see `generous.rs`.
    Utf8Words,
    /// ISO-8859-1 unless a charset is given.
    Latin1,
}

/// Returns the part of `body` that counts under `reading`, in the form the dialect matches on.
///
/// Byte dialects borrow the bytes as they are. The others are decoded to UTF-8, so that their programs' character
/// rules (case, white space, lengths) can be followed.
pub(crate) fn read<'b>(body: &'b [u8], reading: &Reading, charset: Option<&str>) -> Cow<'b, [u8]> {
    let counted = counted(body, reading);
    match reading.text {
        Text::Bytes => Cow::Borrowed(without_byte_order_mark(counted)),
        Text::RawBytes => Cow::Borrowed(counted),
        Text::Utf8 => decode(counted, charset, utf8),
        Text::Utf8Words => generous::with_joined_words(decode(counted, charset, utf8)),
        Text::Latin1 => decode(counted, charset, latin1),
    }
}

/// Returns the text of a body in a dialect that matches bytes ([`Text::Bytes`]).
pub(crate) fn of_bytes<'b>(body: &'b [u8], reading: &Reading) -> &'b [u8] {
    without_byte_order_mark(counted(body, reading))
}

/// Returns the part of a body that the reading looks at.
fn counted<'b>(body: &'b [u8], reading: &Reading) -> &'b [u8] {
    match reading.body_limit {
        Some(limit) => whole_lines(body, limit, false),
        None => body,
    }
}

fn without_byte_order_mark(body: &[u8]) -> &[u8] {
    &body[byte_order_mark_len(body)..]
}

/// Returns how many bytes of a UTF-8 byte order mark `body` starts with: 0 to 3, since Google skips partial ones too.
pub(crate) fn byte_order_mark_len(body: &[u8]) -> usize {
    body.iter().zip([0xEF, 0xBB, 0xBF]).take_while(|(byte, mark)| **byte == *mark).count()
}

/// Returns the first `limit` bytes of `body`, without a last line that was cut off: by the limit, or before the body got
/// here (`is_cut`).
pub(crate) fn whole_lines(body: &[u8], limit: usize, is_cut: bool) -> &[u8] {
    let kept = &body[..body.len().min(limit)];
    let next = body.get(kept.len());
    if next.is_none() && !is_cut || matches!(next, Some(b'\n' | b'\r')) {
        return kept;
    }
    match memchr::memrchr2(b'\n', b'\r', kept) {
        Some(end) => &kept[..=end],
        None => &[],
    }
}

fn decode<'b>(
    body: &'b [u8],
    charset: Option<&str>,
    fallback: impl Fn(&'b [u8]) -> Cow<'b, [u8]>,
) -> Cow<'b, [u8]> {
    let label = charset.map(|label| label.trim().to_ascii_lowercase()).unwrap_or_default();
    match label.as_str() {
        "" => fallback(body),
        // The Encoding Standard reads these labels as windows-1252; HTTP meant the bytes themselves.
        "iso-8859-1" | "iso8859-1" | "latin1" | "latin-1" | "l1" => latin1(body),
        _ => match encoding_rs::Encoding::for_label_no_replacement(label.as_bytes()) {
            Some(encoding) => bytes_of(encoding.decode_without_bom_handling(body).0),
            None => fallback(body),
        },
    }
}

fn utf8(body: &[u8]) -> Cow<'_, [u8]> {
    bytes_of(String::from_utf8_lossy(body))
}

fn latin1(body: &[u8]) -> Cow<'_, [u8]> {
    bytes_of(encoding_rs::mem::decode_latin1(body))
}

fn bytes_of(text: Cow<'_, str>) -> Cow<'_, [u8]> {
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
        Cow::Owned(text) => Cow::Owned(text.into_bytes()),
    }
}

/// `value` without control characters, tabs included, and without what Python strips. robotexclusionrulesparser treats names
/// and paths so.
pub(crate) fn without_controls(value: &[u8]) -> Cow<'_, [u8]> {
    let kept: Cow<'_, [u8]> = if value.iter().any(|&byte| byte < 0x20) {
        value.iter().copied().filter(|&byte| byte >= 0x20).collect::<Vec<_>>().into()
    } else {
        value.into()
    };
    let range = trim_python(&kept, 0..kept.len());
    match kept {
        Cow::Borrowed(kept) => Cow::Borrowed(&kept[range]),
        Cow::Owned(kept) => Cow::Owned(kept[range].to_vec()),
    }
}

/// Returns a text whose bytes may not all be UTF-8.
pub(crate) fn lossy(text: Cow<'_, [u8]>) -> Cow<'_, str> {
    match text {
        Cow::Borrowed(text) => String::from_utf8_lossy(text),
        Cow::Owned(text) => Cow::Owned(String::from_utf8_lossy(&text).into_owned()),
    }
}

/// Returns the beginning of a text, for messages.
pub(crate) fn shortened(bytes: &[u8]) -> String {
    const SHOWN: usize = 120;
    let shown = crate::shown::bytes(&bytes[..bytes.len().min(SHOWN)]);
    let more = if bytes.len() > SHOWN { "..." } else { "" };
    format!("{shown}{more}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_cut_by_the_limit_is_dropped() {
        assert_eq!(whole_lines(b"ab\ncd\nef", 7, false), b"ab\ncd\n");
        assert_eq!(whole_lines(b"ab\ncd\nef", 5, false), b"ab\ncd");
        assert_eq!(whole_lines(b"ab\ncd\nef", 8, false), b"ab\ncd\nef");
        assert_eq!(whole_lines(b"abcdef", 3, false), b"");
    }

    #[test]
    fn byte_order_marks_are_counted_even_when_partial() {
        assert_eq!(byte_order_mark_len(b"\xEF\xBB\xBFx"), 3);
        assert_eq!(byte_order_mark_len(b"\xEF\xBBx"), 2);
        assert_eq!(byte_order_mark_len(b"\xEFx"), 1);
        assert_eq!(byte_order_mark_len(b"x\xEF"), 0);
    }
}
