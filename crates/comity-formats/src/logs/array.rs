//! A JSON array of records as one record per line.
//!
//! `gcloud logging read --format=json` and other exports write an array, with line ends inside its objects. Parsing the array
//! as a whole would need as much memory as the log, so this reader only splits it: between objects it drops brackets, commas
//! and white space, and inside of objects it replaces line ends with blanks.

use std::io::{self, BufRead, BufReader, Cursor, Read};

/// Number of leading bytes in which an array is recognized.
const HEAD: u64 = 64;

/// Size of the read buffer, in bytes.
const BUFFER: usize = 64 * 1024;

/// Returns the bytes of a log, with a line for each object if they are a JSON array of objects.
pub(super) fn as_lines(mut bytes: Box<dyn Read + Send>) -> io::Result<Box<dyn Read + Send>> {
    let mut head = Vec::new();
    bytes.by_ref().take(HEAD).read_to_end(&mut head)?;
    let Some(start) = start_of_array(&head) else { return Ok(Box::new(Cursor::new(head).chain(bytes))) };
    let bytes = Cursor::new(head.split_off(start)).chain(bytes);
    Ok(Box::new(ArrayLines {
        bytes: BufReader::with_capacity(BUFFER, bytes),
        state: State::default(),
        lines: Vec::new(),
        position: 0,
    }))
}

/// Returns the offset of the array if a text begins with an array whose first element is an object.
fn start_of_array(head: &[u8]) -> Option<usize> {
    let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head).trim_ascii_start();
    let rest = text.strip_prefix(b"[")?.trim_ascii_start();
    rest.starts_with(b"{").then_some(head.len() - text.len())
}

/// Reader of the lines.
struct ArrayLines<R> {
    bytes: R,
    state: State,
    /// Converted bytes. The bytes from `position` on are unread.
    lines: Vec<u8>,
    position: usize,
}

/// The position in the array.
#[derive(Default)]
struct State {
    /// Number of open objects.
    depth: u64,
    is_string: bool,
    is_escaped: bool,
    /// True if text outside of objects was written. Its line is damaged.
    is_stray: bool,
}

impl State {
    /// Appends the bytes that replace `byte`.
    fn push(&mut self, byte: u8, lines: &mut Vec<u8>) {
        if self.depth == 0 {
            match byte {
                b'{' => {
                    if std::mem::take(&mut self.is_stray) {
                        lines.push(b'\n');
                    }
                    self.depth = 1;
                    lines.push(byte);
                }
                b'[' | b']' | b',' | b' ' | b'\t' | b'\r' | b'\n' => {}
                _ => {
                    self.is_stray = true;
                    lines.push(byte);
                }
            }
            return;
        }
        lines.push(if matches!(byte, b'\n' | b'\r') { b' ' } else { byte });
        match byte {
            _ if self.is_escaped => self.is_escaped = false,
            b'\\' if self.is_string => self.is_escaped = true,
            b'"' => self.is_string = !self.is_string,
            _ if self.is_string => {}
            b'{' => self.depth += 1,
            b'}' => {
                self.depth -= 1;
                if self.depth == 0 {
                    lines.push(b'\n');
                }
            }
            _ => {}
        }
    }
}

impl<R: BufRead> Read for ArrayLines<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.position == self.lines.len() {
            self.lines.clear();
            self.position = 0;
            let bytes = self.bytes.fill_buf()?;
            let length = bytes.len();
            if length == 0 {
                return Ok(0);
            }
            bytes.iter().for_each(|byte| self.state.push(*byte, &mut self.lines));
            self.bytes.consume(length);
        }
        let length = (&self.lines[self.position..]).read(buffer)?;
        self.position += length;
        Ok(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> String {
        let mut lines = String::new();
        as_lines(Box::new(Cursor::new(text.to_owned()))).unwrap().read_to_string(&mut lines).unwrap();
        lines
    }

    #[test]
    fn array_of_objects_becomes_a_line_per_object() {
        assert_eq!(lines("[{\"a\":1},{\"b\":2}]"), "{\"a\":1}\n{\"b\":2}\n");
        assert_eq!(
            lines("\u{feff}[\n  {\n    \"a\": {\"b\": \"}]\\\",\"}\n  },\r\n  {}\n]\n"),
            "{     \"a\": {\"b\": \"}]\\\",\"}   }\n{}\n"
        );
        assert_eq!(lines("[{\"a\":1}, x {\"b\":2}"), "{\"a\":1}\nx\n{\"b\":2}\n");
    }

    #[test]
    fn text_that_is_not_an_array_of_objects_is_unchanged() {
        for text in ["", "[", "[1]\n", "[21/Nov/2026:06:20:00 +0000] {\n", "{\"a\":1}\n{\"b\":2}\n", " x [{"]
        {
            assert_eq!(lines(text), text);
        }
    }

    #[test]
    fn array_is_split_alike_by_reads_of_any_size() {
        let text = format!("[{}]", vec!["{\"a\":\n\"b\"}"; 50].join(",\n"));
        let whole = lines(&text);
        for size in [1, 2, 3, 7] {
            let mut bytes = as_lines(Box::new(Cursor::new(text.clone()))).unwrap();
            let (mut all, mut part) = (Vec::new(), vec![0; size]);
            while let length @ 1.. = bytes.read(&mut part).unwrap() {
                all.extend_from_slice(&part[..length]);
            }
            assert_eq!(String::from_utf8(all).unwrap(), whole);
        }
    }
}
