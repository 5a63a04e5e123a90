//! Lines for lints about bytes: control characters, invisible characters, stray byte order marks.

use super::context::{Context, LocatedLine};
use crate::robots::read::text::ENCODED_TWICE;

/// A line of the file, for lints that check bytes.
pub(super) struct LineText<'c, 'b> {
    pub context: &'c Context<'b>,
    pub index: usize,
    pub line: &'c LocatedLine,
    /// True if the line has bytes outside ASCII or control characters ([`is_control`]).
    pub is_suspect: bool,
}

impl<'c, 'b> LineText<'c, 'b> {
    pub(super) fn new(context: &'c Context<'b>, index: usize, line: &'c LocatedLine) -> Self {
        let is_suspect = |byte: &u8| !byte.is_ascii() || is_control(*byte);
        LineText { context, index, line, is_suspect: context.bytes(line.span()).iter().any(is_suspect) }
    }
}

/// Returns the range of a second byte order mark. Every parser reads such a mark as part of the first line.
pub(super) fn stray_mark(context: &Context<'_>) -> Option<std::ops::Range<usize>> {
    let start = context.counted.start;
    let text = context.bytes(context.counted.clone());
    let mark = [ENCODED_TWICE, b"\xEF\xBB\xBF"].into_iter().find(|mark| text.starts_with(mark))?;
    Some(start..start + mark.len())
}

/// Returns true for control characters except tab, NUL and line ends.
pub(super) fn is_control(byte: u8) -> bool {
    byte.is_ascii_control() && !matches!(byte, 0 | b'\t' | b'\n' | b'\r')
}

/// Returns true for invisible characters outside ASCII.
pub(super) fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{85}' | '\u{a0}' | '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{2000}'..='\u{200f}' | '\u{2028}'..='\u{202f}'
        | '\u{205f}'..='\u{2064}' | '\u{2066}'..='\u{2069}' | '\u{3000}' | '\u{feff}')
}
