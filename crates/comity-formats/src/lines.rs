//! Lines of bounded length from any reader.

use std::io::{self, BufRead};

/// A reader of lines. It stores at most `limit` bytes of a line, and a carriage return.
pub(crate) struct Lines<R> {
    bytes: R,
    /// Maximum length of a line, in bytes, without its line end.
    limit: usize,
    /// The current line, or its beginning.
    line: Vec<u8>,
    /// Number of the last line, from 1.
    number: u64,
    /// True if the input may grow. Then a line without a line end is not returned until the rest is read.
    is_growing: bool,
    /// True if `line` is the beginning of the next line.
    has_part: bool,
    /// True if the current line is longer than the limit.
    is_too_long: bool,
    /// True if the last line of the input has no line end.
    is_unended: bool,
}

/// The result of reading a line.
pub(crate) enum Next<'l> {
    /// A line with its number, without its line end.
    Line(u64, &'l [u8]),
    /// A line that is too long, with its number. It was skipped.
    TooLong(u64),
    /// There are no more lines.
    End,
}

impl<R: BufRead> Lines<R> {
    pub(crate) fn new(bytes: R, limit: usize) -> Self {
        let line = Vec::new();
        Lines {
            bytes,
            limit,
            line,
            number: 0,
            is_growing: false,
            has_part: false,
            is_too_long: false,
            is_unended: false,
        }
    }

    /// Sets whether the input may grow.
    pub(crate) fn growing(self, is_growing: bool) -> Self {
        Lines { is_growing, ..self }
    }

    /// Marks the end of a growing input. An incomplete line becomes the last line.
    pub(crate) fn end(&mut self) {
        self.is_growing = false;
    }

    /// Returns the number of lines so far.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// Returns true if the last line of the input has no line end, so that it may be incomplete.
    pub(crate) fn is_unended(&self) -> bool {
        self.is_unended
    }

    pub(crate) fn next(&mut self) -> io::Result<Next<'_>> {
        if !self.has_part {
            self.line.clear();
            self.is_too_long = false;
        }
        loop {
            let available = match self.bytes.fill_buf() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                available => available?,
            };
            if available.is_empty() {
                if self.is_growing || !self.has_part {
                    return Ok(Next::End);
                }
                self.is_unended = true;
                break;
            }
            self.has_part = true;
            let end = memchr::memchr(b'\n', available);
            let (part, used) = match end {
                Some(end) => (&available[..end], end + 1),
                None => (available, available.len()),
            };
            self.is_too_long |= self.line.len() + part.len() > self.limit + 1;
            if !self.is_too_long {
                self.line.extend_from_slice(part);
            }
            self.bytes.consume(used);
            if end.is_some() {
                break;
            }
        }
        self.has_part = false;
        self.number += 1;
        // The line end does not count.
        let line = self.line.strip_suffix(b"\r").unwrap_or(&self.line);
        if self.is_too_long || line.len() > self.limit {
            return Ok(Next::TooLong(self.number));
        }
        let line = match self.number {
            1 => line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line),
            _ => line,
        };
        Ok(Next::Line(self.number, line))
    }
}
