//! Lines of bounded length out of any reader.

use std::io::{self, BufRead};

/// Reads lines without keeping more of one than it may have.
pub(crate) struct Lines<R> {
    bytes: R,
    most: usize,
    /// The line, or the beginning of one.
    line: Vec<u8>,
    number: u64,
    /// True if more may come behind the last byte. A line without its end waits for the rest then.
    is_growing: bool,
    /// True if `line` is the beginning of the next line.
    is_begun: bool,
    /// True if that line is too long already.
    is_cut: bool,
}

/// A line that was read.
pub(crate) enum Next<'l> {
    /// A line with its number, without its end.
    Line(u64, &'l [u8]),
    /// A line with its number that is longer than it may be. It was passed over.
    TooLong(u64),
    End,
}

impl<R: BufRead> Lines<R> {
    pub(crate) fn new(bytes: R, most: usize) -> Self {
        let line = Vec::new();
        Lines { bytes, most, line, number: 0, is_growing: false, is_begun: false, is_cut: false }
    }

    /// Says whether more may come behind the last byte.
    pub(crate) fn growing(self, is_growing: bool) -> Self {
        Lines { is_growing, ..self }
    }

    /// Says that nothing more comes. A line without its end is the last one.
    pub(crate) fn end(&mut self) {
        self.is_growing = false;
    }

    pub(crate) fn next(&mut self) -> io::Result<Next<'_>> {
        if !self.is_begun {
            self.line.clear();
            self.is_cut = false;
        }
        loop {
            let available = match self.bytes.fill_buf() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                available => available?,
            };
            if available.is_empty() {
                if self.is_growing || !self.is_begun {
                    return Ok(Next::End);
                }
                break;
            }
            self.is_begun = true;
            let end = memchr::memchr(b'\n', available);
            let (part, used) = match end {
                Some(end) => (&available[..end], end + 1),
                None => (available, available.len()),
            };
            self.is_cut |= self.line.len() + part.len() > self.most;
            if !self.is_cut {
                self.line.extend_from_slice(part);
            }
            self.bytes.consume(used);
            if end.is_some() {
                break;
            }
        }
        self.is_begun = false;
        self.number += 1;
        if self.is_cut {
            return Ok(Next::TooLong(self.number));
        }
        let line = match self.number {
            1 => self.line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&self.line),
            _ => &self.line,
        };
        Ok(Next::Line(self.number, line.strip_suffix(b"\r").unwrap_or(line)))
    }
}
