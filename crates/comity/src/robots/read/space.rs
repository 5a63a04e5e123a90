//! White space as defined by several programming languages, and its removal.

use std::borrow::Cow;
use std::ops::Range;

/// Returns `text` without NUL bytes.
pub(crate) fn without_nul(text: &[u8]) -> Cow<'_, [u8]> {
    if memchr::memchr(0, text).is_some() {
        text.iter().copied().filter(|&byte| byte != 0).collect::<Vec<_>>().into()
    } else {
        text.into()
    }
}

/// Returns the range without leading and trailing ASCII white space, including vertical tabs.
#[inline]
pub(crate) fn trim_ascii(text: &[u8], range: Range<usize>) -> Range<usize> {
    trim_bytes(text, range, is_ascii_space)
}

pub(crate) fn trim_ruby(text: &[u8], range: Range<usize>) -> Range<usize> {
    trim_bytes(text, range, |byte| byte == 0 || is_ruby_space(byte))
}

#[inline]
fn trim_bytes(text: &[u8], range: Range<usize>, is_space: impl Fn(u8) -> bool) -> Range<usize> {
    let Range { mut start, mut end } = range;
    let mut inner = text.get(start..end).unwrap_or_default();
    while let [first, rest @ ..] = inner
        && is_space(*first)
    {
        inner = rest;
        start += 1;
    }
    while let [rest @ .., last] = inner
        && is_space(*last)
    {
        inner = rest;
        end -= 1;
    }
    start..end
}

/// Returns true for white space in C's sense: space, `\t \n \v \f \r`.
pub(crate) const fn is_ascii_space(byte: u8) -> bool {
    // One comparison excludes most bytes.
    byte <= b' ' && matches!(byte, b' ' | 0x09..=0x0D)
}

pub(super) const fn is_ruby_space(byte: u8) -> bool {
    is_ascii_space(byte)
}

/// Returns the range without the leading and trailing white space that Python's `str.strip` removes.
pub(crate) fn trim_python(text: &[u8], range: Range<usize>) -> Range<usize> {
    trim_chars(text, range, is_python_space)
}

/// Returns the range without the leading and trailing white space that JavaScript's `String.prototype.trim` removes.
pub(crate) fn trim_javascript(text: &[u8], range: Range<usize>) -> Range<usize> {
    // Only ASCII white space and bytes above 127 may have to be removed.
    let Range { start, end } = trim_ascii(text, range);
    let is_ascii = |at: usize| text.get(at).is_none_or(u8::is_ascii);
    if start >= end || is_ascii(start) && is_ascii(end - 1) {
        return start..end;
    }
    trim_chars(text, start..end, is_javascript_space)
}

fn trim_chars(text: &[u8], range: Range<usize>, is_space: fn(char) -> bool) -> Range<usize> {
    let Ok(str) = std::str::from_utf8(&text[range.clone()]) else {
        return trim_undecodable(text, range, is_space);
    };
    let end = range.start + str.trim_end_matches(is_space).len();
    let start = range.end - str.trim_start_matches(is_space).len();
    start.min(end)..end
}

/// Trims bytes that are partly not UTF-8, character by character.
fn trim_undecodable(
    text: &[u8],
    Range { mut start, mut end }: Range<usize>,
    is_space: fn(char) -> bool,
) -> Range<usize> {
    let is_space = |bytes: &[u8]| {
        let mut chars = std::str::from_utf8(bytes).unwrap_or_default().chars();
        chars.next().is_some_and(is_space) && chars.next().is_none()
    };
    while let Some(length) =
        (1..=3).find(|&length| start + length <= end && is_space(&text[start..start + length]))
    {
        start += length;
    }
    while let Some(length) =
        (1..=3).find(|&length| start + length <= end && is_space(&text[end - length..end]))
    {
        end -= length;
    }
    start..end
}

pub(super) fn is_python_space(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\u{1c}'..='\u{1f}')
}

pub(crate) fn is_javascript_space(c: char) -> bool {
    c == '\u{feff}' || c.is_whitespace() && c != '\u{85}'
}
