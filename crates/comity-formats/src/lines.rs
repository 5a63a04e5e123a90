//! Lines of bounded length from any reader.

use std::io::{self, BufRead};

/// Reads lines. Never keeps more of a line than the maximum length.
pub(crate) struct Lines<R> {
    bytes: R,
    most: usize,
    /// The current line, or its beginning.
    line: Vec<u8>,
    number: u64,
    /// True if more bytes may follow the last one. A line without a line end then waits for the rest.
    is_growing: bool,
    /// True if `line` is the beginning of the next line.
    is_begun: bool,
    /// True if that line is already too long.
    is_cut: bool,
    /// True if the last line has no line end.
    is_unended: bool,
}

/// The result of reading a line.
pub(crate) enum Next<'l> {
    /// A line with its number, without its line end.
    Line(u64, &'l [u8]),
    /// A line that is too long, with its number. It was skipped.
    TooLong(u64),
    End,
}

impl<R: BufRead> Lines<R> {
    pub(crate) fn new(bytes: R, most: usize) -> Self {
        let line = Vec::new();
        Lines {
            bytes,
            most,
            line,
            number: 0,
            is_growing: false,
            is_begun: false,
            is_cut: false,
            is_unended: false,
        }
    }

    /// Sets whether more bytes may follow the last one.
    pub(crate) fn growing(self, is_growing: bool) -> Self {
        Lines { is_growing, ..self }
    }

    /// Marks the end of the input. A line without a line end is the last one.
    pub(crate) fn end(&mut self) {
        self.is_growing = false;
    }

    /// Returns the number of lines so far.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// Returns true if the last line had no line end, so that it may be cut off.
    pub(crate) fn is_unended(&self) -> bool {
        self.is_unended
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
                self.is_unended = true;
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
