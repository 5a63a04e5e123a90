//! Lines of bounded length out of any reader.

use std::io::{self, BufRead};

/// Reads lines without keeping more of one than it may have.
pub(crate) struct Lines<R> {
    bytes: R,
    most: usize,
    line: Vec<u8>,
    number: u64,
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
        Lines { bytes, most, line: Vec::new(), number: 0 }
    }

    pub(crate) fn next(&mut self) -> io::Result<Next<'_>> {
        self.line.clear();
        let mut is_cut = false;
        let mut is_any = false;
        loop {
            let available = self.bytes.fill_buf()?;
            if available.is_empty() {
                break;
            }
            is_any = true;
            let end = memchr::memchr(b'\n', available);
            let (part, used) = match end {
                Some(end) => (&available[..end], end + 1),
                None => (available, available.len()),
            };
            is_cut |= self.line.len() + part.len() > self.most;
            if !is_cut {
                self.line.extend_from_slice(part);
            }
            self.bytes.consume(used);
            if end.is_some() {
                break;
            }
        }
        if !is_any {
            return Ok(Next::End);
        }
        self.number += 1;
        if is_cut {
            return Ok(Next::TooLong(self.number));
        }
        let line = match self.number {
            1 => self.line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&self.line),
            _ => &self.line,
        };
        Ok(Next::Line(self.number, line.strip_suffix(b"\r").unwrap_or(line)))
    }
}
