//! Filter that withholds unsafe bytes from terminals.
//!
//! Every command escapes untrusted text when it prints it. This filter is for output that is passed on unchanged:
//! bodies of pages and of robots.txt. It filters output to terminals only; files and pipes get every byte.

use std::io::{self, Write};

use comity::shown;

/// Maximum length of the parameters of a colour sequence, in bytes.
const MAX_SEQUENCE: usize = 24;

/// Maximum number of bytes that are examined to classify the first of them: more than a colour sequence has. Without
/// this limit, all remaining bytes would be examined again for every unsafe byte.
const WINDOW: usize = 256;

/// A stream that withholds unsafe bytes from a terminal.
#[derive(Debug)]
pub(crate) struct Screen<W> {
    inner: W,
    is_filtered: bool,
    /// The beginning of a character or escape sequence whose end was not written yet.
    pending: Vec<u8>,
}

impl<W: Write> Screen<W> {
    pub(crate) fn new(inner: W, is_filtered: bool) -> Self {
        Screen { inner, is_filtered, pending: Vec::new() }
    }

    /// Writes the bytes that can be classified. `is_end` is true if no more bytes follow.
    fn pass(&mut self, is_end: bool) -> io::Result<()> {
        let bytes = std::mem::take(&mut self.pending);
        let mut out = String::with_capacity(bytes.len());
        let mut rest = &bytes[..];
        while !rest.is_empty() {
            match next(&rest[..rest.len().min(WINDOW)]) {
                Some(Piece::Safe(text)) => {
                    out.push_str(text);
                    rest = &rest[text.len()..];
                }
                Some(Piece::Bad(length)) => {
                    out.push(char::REPLACEMENT_CHARACTER);
                    rest = &rest[length..];
                }
                None if is_end => {
                    out.push(char::REPLACEMENT_CHARACTER);
                    rest = &rest[1..];
                }
                None => break,
            }
        }
        self.pending = rest.to_vec();
        self.inner.write_all(out.as_bytes())
    }
}

/// A classified prefix of the pending bytes.
enum Piece<'b> {
    Safe(&'b str),
    /// A number of unsafe bytes.
    Bad(usize),
}

/// Classifies the first bytes; `None` if the result depends on bytes that were not written yet.
fn next(bytes: &[u8]) -> Option<Piece<'_>> {
    let chunk = bytes.utf8_chunks().next()?;
    let text = chunk.valid();
    let safe = text.find(|c| c != '\n' && c != '\t' && shown::is_unsafe(c)).unwrap_or(text.len());
    if safe > 0 {
        return Some(Piece::Safe(&text[..safe]));
    }
    match text.chars().next() {
        Some('\u{1b}') => colour(text, bytes.len()),
        // A line may end in CR LF.
        Some('\r') => match bytes.get(1) {
            Some(b'\n') => Some(Piece::Safe(&text[..1])),
            Some(_) => Some(Piece::Bad(1)),
            None => None,
        },
        Some(c) => Some(Piece::Bad(c.len_utf8())),
        // The bytes that follow may complete a truncated character.
        None if chunk.invalid().len() == bytes.len() && is_beginning(bytes) => None,
        None => Some(Piece::Bad(chunk.invalid().len())),
    }
}

/// Returns whether bytes are the beginning of a character in UTF-8.
fn is_beginning(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_err_and(|error| error.error_len().is_none())
}

/// Returns the colour sequence that the text begins with: `ESC [`, digits and semicolons, `m`.
fn colour(text: &str, available: usize) -> Option<Piece<'_>> {
    let bytes = text.as_bytes();
    let body = match bytes.get(1) {
        Some(b'[') => &bytes[2..],
        Some(_) => return Some(Piece::Bad(1)),
        None => return (available > 1).then_some(Piece::Bad(1)),
    };
    let length = body.iter().take_while(|byte| byte.is_ascii_digit() || **byte == b';').count();
    match body.get(length) {
        Some(b'm') if length <= MAX_SEQUENCE => Some(Piece::Safe(&text[..length + 3])),
        None if length <= MAX_SEQUENCE && available == bytes.len() => None,
        _ => Some(Piece::Bad(1)),
    }
}

impl<W: Write> Write for Screen<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !self.is_filtered {
            return self.inner.write(bytes);
        }
        self.pending.extend_from_slice(bytes);
        self.pass(false)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.pass(true)?;
        self.inner.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(pieces: &[&[u8]], is_filtered: bool) -> Vec<u8> {
        let mut out = Vec::new();
        let mut screen = Screen::new(&mut out, is_filtered);
        for piece in pieces {
            screen.write_all(piece).unwrap();
        }
        screen.flush().unwrap();
        drop(screen);
        out
    }

    #[test]
    fn filtered_stream_contains_only_text_and_colours() {
        let cases: [(&[&[u8]], &str); 9] = [
            (&[b"plain\r\n\ttext"], "plain\r\n\ttext"),
            (&[b"\x1b[1;31mred\x1b[0m"], "\u{1b}[1;31mred\u{1b}[0m"),
            (&[b"\x1b[1;3", b"1mred"], "\u{1b}[1;31mred"),
            (&[b"\x1b[2Jgone\x1b]0;title\x07"], "\u{fffd}[2Jgone\u{fffd}]0;title\u{fffd}"),
            (&["\u{9b}31m\u{202e}x\u{2028}".as_bytes()], "\u{fffd}31m\u{fffd}x\u{fffd}"),
            (&[b"caf\xc3", b"\xa9"], "caf\u{e9}"),
            (&[b"a\xff\xfeb"], "a\u{fffd}\u{fffd}b"),
            (&[b"a\rb\r"], "a\u{fffd}b\u{fffd}"),
            (&[b"\x1b"], "\u{fffd}"),
        ];
        for (pieces, expected) in cases {
            assert_eq!(String::from_utf8_lossy(&shown(pieces, true)), expected, "{pieces:?}");
            let whole = shown(&[&pieces.concat()], true);
            assert_eq!(String::from_utf8_lossy(&whole), expected, "{pieces:?}");
            assert_eq!(shown(pieces, false), pieces.concat());
        }
    }
}
