//! Generated bodies of other formats, which real sites serve as robots.txt: pages, JSON, XML, images, logs, long
//! comments.
//!
//! A tenth of the real answers for robots.txt has such a body, and so do most of the largest answers. Text consists of
//! runs of lines from the samples in `bodies/`. The samples contain lines that a fast parser could misread: style
//! declarations that look like directives, statements, addresses, blank lines.
//!
//! Equal formats, lengths and seeds give equal bodies on every machine.

use crate::generate::{Generator, Rng};

comity::words! {
    /// The format of a body.
    #[expect(clippy::exhaustive_enums, reason = "a list for tests and benchmarks")]
    pub enum Kind {
        /// A page with indentation, scripts and styles.
        Html = "html",
        /// A page without indentation, in one line.
        HtmlMinified = "html-minified",
        /// JSON with one member per line.
        Json = "json",
        /// JSON in one line.
        JsonMinified = "json-minified",
        /// XML: a feed, or the response of an API.
        Xml = "xml",
        /// JavaScript with one statement per line.
        Script = "script",
        /// A style sheet with one declaration per line: `color: red;`.
        Style = "style",
        /// Markdown.
        Markdown = "markdown",
        /// Comma-separated values.
        Csv = "csv",
        /// Lines of an access log.
        Log = "log",
        /// Errors and warnings of a PHP program, between tags.
        PhpErrors = "php-errors",
        /// Hundreds of comments.
        Comments = "comments",
        /// Lines that end in CR alone.
        CarriageReturns = "carriage-returns",
        /// Text in a script other than Latin, as UTF-8.
        NonAscii = "non-ascii",
        /// A JPEG picture.
        Jpeg = "jpeg",
        /// A PNG picture.
        Png = "png",
        /// Compressed data.
        Gzip = "gzip",
        /// Random bytes.
        Random = "random",
        /// A robots.txt in UTF-16, with a byte order mark.
        Utf16 = "utf-16",
        /// Zero bytes.
        Zeros = "zeros",
    }
}

comity::words! {
    /// A family of similar formats.
    #[expect(clippy::exhaustive_enums, reason = "a list for tests and benchmarks")]
    pub enum Family {
        /// Pages.
        Html = "pages",
        /// JSON.
        Json = "all JSON",
        /// Data that is not text.
        Binary = "binaries",
        /// Other text.
        Text = "other text",
    }
}

impl Kind {
    /// Returns the family of the format.
    pub const fn family(self) -> Family {
        match self {
            Kind::Html | Kind::HtmlMinified => Family::Html,
            Kind::Json | Kind::JsonMinified => Family::Json,
            Kind::Jpeg | Kind::Png | Kind::Gzip | Kind::Random | Kind::Utf16 | Kind::Zeros => Family::Binary,
            _ => Family::Text,
        }
    }

    /// Returns the sample whose lines are used for the format; empty for binary data.
    const fn sample(self) -> &'static [u8] {
        match self {
            Kind::Html | Kind::HtmlMinified | Kind::CarriageReturns => include_bytes!("../bodies/html.txt"),
            Kind::Json | Kind::JsonMinified => include_bytes!("../bodies/json.txt"),
            Kind::Xml => include_bytes!("../bodies/xml.txt"),
            Kind::Script => include_bytes!("../bodies/script.txt"),
            Kind::Style => include_bytes!("../bodies/style.txt"),
            Kind::Markdown => include_bytes!("../bodies/markdown.txt"),
            Kind::Csv => include_bytes!("../bodies/csv.txt"),
            Kind::Log => include_bytes!("../bodies/log.txt"),
            Kind::PhpErrors => include_bytes!("../bodies/php-errors.txt"),
            Kind::Comments => include_bytes!("../bodies/comments.txt"),
            Kind::NonAscii => include_bytes!("../bodies/non-ascii.txt"),
            Kind::Jpeg | Kind::Png | Kind::Gzip | Kind::Random | Kind::Utf16 | Kind::Zeros => b"",
        }
    }
}

/// Returns a body of exactly `length` bytes. Its last line may be incomplete.
pub fn body(kind: Kind, length: usize, seed: u64) -> Vec<u8> {
    let mut writer = Writer { out: Vec::with_capacity(length + 1_000), rng: Rng::new(seed), limit: length };
    writer.write(kind);
    writer.out.truncate(length);
    writer.out
}

/// Returns a body into which the lines of a generated robots.txt are inserted; see [`with_lines_of`].
pub fn with_generated_lines(kind: Kind, length: usize, seed: u64) -> Vec<u8> {
    with_lines_of(kind, length, seed, &Generator::new(seed).next_file())
}

/// Returns a body of `length` bytes into which the lines of `robots` are inserted. Most lines are inserted after a line
/// end, others at any byte. Two thirds follow white space, a NUL or a letter outside ASCII.
pub fn with_lines_of(kind: Kind, length: usize, seed: u64, robots: &[u8]) -> Vec<u8> {
    let before: &[&[u8]] = &[b"", b"", b"", b" ", b"    ", b"\t\t", b"\x0b", b"\0", b"\xc3\xa9"];
    let mut rng = Rng::new(seed ^ 0x5eed);
    let host = body(kind, length, seed);
    let (mut out, mut rest) = (Vec::with_capacity(host.len() + robots.len()), &host[..]);
    for line in robots.split_inclusive(|byte| matches!(byte, b'\n' | b'\r')) {
        let mut at = rng.below(rest.len() as u64 / 4 + 1) as usize;
        if !rng.one_in(4) {
            let end = rest[at..].iter().position(|byte| matches!(byte, b'\n' | b'\r'));
            at += end.map_or(0, |place| place + 1);
        }
        out.extend_from_slice(&rest[..at]);
        out.extend_from_slice(rng.pick(before));
        out.extend_from_slice(line);
        rest = &rest[at..];
    }
    out.extend_from_slice(rest);
    out
}

struct Writer {
    out: Vec<u8>,
    rng: Rng,
    limit: usize,
}

impl Writer {
    fn write(&mut self, kind: Kind) {
        match kind {
            Kind::HtmlMinified | Kind::JsonMinified => {
                self.lines(kind.sample(), |line, out| out.extend_from_slice(line.trim_ascii()));
            }
            Kind::CarriageReturns => self.lines(kind.sample(), |line, out| {
                out.extend_from_slice(line);
                out.push(b'\r');
            }),
            Kind::Jpeg => {
                self.binary(b"\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00")
            }
            Kind::Png => self.png(),
            Kind::Gzip => self.binary(b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03"),
            Kind::Random => self.binary(b""),
            Kind::Utf16 => self.utf16(),
            Kind::Zeros => self.out.resize(self.limit, 0),
            _ => self.lines(kind.sample(), |line, out| {
                out.extend_from_slice(line);
                out.push(b'\n');
            }),
        }
    }

    /// Writes the first lines of a sample, and then runs of lines that begin at random lines of the sample.
    fn lines(&mut self, sample: &[u8], write: impl Fn(&[u8], &mut Vec<u8>)) {
        let lines: Vec<&[u8]> = sample.split(|byte| *byte == b'\n').collect();
        let mut start = 0;
        while !self.is_full() {
            let length = self.rng.between(4, 40) as usize;
            lines.iter().skip(start).take(length).for_each(|line| write(line, &mut self.out));
            start = self.rng.below(lines.len() as u64) as usize;
        }
    }

    fn is_full(&self) -> bool {
        self.out.len() >= self.limit
    }

    fn binary(&mut self, head: &[u8]) {
        self.out.extend_from_slice(head);
        while !self.is_full() {
            let word = self.rng.below(u64::MAX);
            self.out.extend_from_slice(&word.to_le_bytes());
        }
    }

    fn png(&mut self) {
        self.out.extend_from_slice(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x01\0\0\0\x01\0\x08\x06\0\0\0");
        while !self.is_full() {
            self.out.extend_from_slice(b"\0\0\x20\0IDAT");
            for _ in 0..self.rng.between(100, 1_024) {
                // Real pictures contain runs of one byte, too.
                let word = if self.rng.one_in(20) { 0 } else { self.rng.below(u64::MAX) };
                self.out.extend_from_slice(&word.to_le_bytes());
            }
        }
    }

    fn utf16(&mut self) {
        self.out.extend_from_slice(b"\xff\xfe");
        let mut files = Generator::new(self.rng.below(u64::MAX));
        while !self.is_full() {
            self.out.extend(files.next_file().iter().flat_map(|byte| [*byte, 0]));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn body_has_the_requested_length_and_is_reproducible() {
        for kind in Kind::ALL {
            for length in [0, 1, 100, 5_000, 70_000] {
                let made = body(kind, length, 7);
                assert_eq!(made.len(), length, "{kind:?}");
                assert_eq!(made, body(kind, length, 7), "{kind:?}");
            }
            assert!(with_generated_lines(kind, 2_000, 7).len() > 2_000, "{kind:?}");
        }
    }

    #[test]
    fn body_of_each_kind_has_its_format() {
        let ends = |kind, end: u8| body(kind, 50_000, 3).iter().filter(|byte| **byte == end).count();
        assert_eq!(ends(Kind::HtmlMinified, b'\n') + ends(Kind::JsonMinified, b'\n'), 0);
        assert_eq!(ends(Kind::CarriageReturns, b'\n'), 0);
        assert!(ends(Kind::CarriageReturns, b'\r') > 500);
        assert!(ends(Kind::Html, b'\n') > 500 && ends(Kind::Style, b':') > 500);
        assert!(ends(Kind::Utf16, 0) > 20_000);
        assert!(std::str::from_utf8(&body(Kind::Random, 1_000, 1)).is_err());
    }
}
