//! Converts bytes to text: decompresses gzip, detects the encoding, and reads piece by piece.
//!
//! ```text
//! R ──Raw──▶ (gunzip ──Raw──▶) decoder ──▶ text: a window of UTF-8 that slides over the file
//! ```
//!
//! Pieces have a fixed size, even if the source returns fewer bytes at a time. The result therefore does not depend on
//! the source, and an incomplete token is read again only a few times.

use std::io::{self, BufRead, Read};

use encoding_rs::{Decoder, Encoding, UTF_8, UTF_16BE, UTF_16LE};

use super::item_queue::{ItemQueue, Position};
use super::kinds;
use super::options::ReaderOptions;
use crate::charset::encoding_of;
use crate::finding::{Kind, excerpt};

/// Number of bytes that are read and decoded at a time.
const PIECE: usize = 32 * 1024;

/// Maximum number of bytes of a file that are searched for an XML declaration.
const DECLARATION: usize = 1024;

/// A buffered source that counts the bytes read from it, and ends after a maximum number of bytes.
pub(super) struct Raw<R> {
    inner: io::Take<R>,
    buffer: Vec<u8>,
    start: usize,
    taken: u64,
}

impl<R: Read> Raw<R> {
    fn new(inner: R, limit: u64) -> Self {
        Raw { inner: inner.take(limit), buffer: Vec::with_capacity(PIECE), start: 0, taken: 0 }
    }

    /// Reads until the buffer has a whole piece, or the source ends.
    fn fill_piece(&mut self) -> io::Result<()> {
        self.buffer.drain(..self.start);
        self.start = 0;
        let missing = PIECE.saturating_sub(self.buffer.len());
        (&mut self.inner).take(missing as u64).read_to_end(&mut self.buffer)?;
        Ok(())
    }

    fn waiting(&self) -> &[u8] {
        &self.buffer[self.start..]
    }
}

impl<R: Read> Read for Raw<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let waiting = self.fill_buf()?;
        let length = waiting.len().min(out.len());
        out[..length].copy_from_slice(&waiting[..length]);
        self.consume(length);
        Ok(length)
    }
}

impl<R: Read> BufRead for Raw<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.waiting().is_empty() {
            self.fill_piece()?;
        }
        Ok(self.waiting())
    }

    fn consume(&mut self, amount: usize) {
        self.start = (self.start + amount).min(self.buffer.len());
        self.taken += amount as u64;
    }
}

/// The source of uncompressed bytes.
enum Input<R> {
    Plain(Raw<R>),
    #[cfg(feature = "gzip")]
    Gzip(Box<Raw<super::gunzip::Gunzip<Raw<R>>>>),
}

impl<R: Read> Input<R> {
    fn fill_piece(&mut self) -> io::Result<()> {
        match self {
            Input::Plain(raw) => raw.fill_piece(),
            #[cfg(feature = "gzip")]
            Input::Gzip(raw) => raw.fill_piece(),
        }
    }

    fn waiting(&self) -> &[u8] {
        match self {
            Input::Plain(raw) => raw.waiting(),
            #[cfg(feature = "gzip")]
            Input::Gzip(raw) => raw.waiting(),
        }
    }

    fn consume(&mut self, amount: usize) {
        match self {
            Input::Plain(raw) => raw.consume(amount),
            #[cfg(feature = "gzip")]
            Input::Gzip(raw) => raw.consume(amount),
        }
    }

    /// Returns the number of uncompressed bytes so far.
    fn taken(&self) -> u64 {
        match self {
            Input::Plain(raw) => raw.taken,
            #[cfg(feature = "gzip")]
            Input::Gzip(raw) => raw.taken,
        }
    }

    /// Returns the number of compressed bytes so far, if the file is compressed.
    fn compressed(&self) -> Option<u64> {
        match self {
            Input::Plain(_) => None,
            #[cfg(feature = "gzip")]
            Input::Gzip(raw) => raw.inner.get_ref().source().map(|source| source.taken),
        }
    }
}

/// A sliding window of text.
pub(super) struct TextSource<R> {
    /// `None` only while gzip is being set up.
    input: Option<Input<R>>,
    decoder: Decoder,
    text: String,
    /// The start of the window in `text`.
    start: usize,
    /// Number of bytes of text before the window.
    offset: u64,
    lines: Lines,
    is_ended: bool,
    is_cut: bool,
    has_failed: bool,
    /// True if the failure occurred after the end of the compressed data.
    is_failure_harmless: bool,
    max_bytes: u64,
    hard_max_bytes: u64,
    max_ratio: u64,
    stop_at_limits: bool,
}

impl<R: Read> TextSource<R> {
    pub(super) fn new(input: R, options: &ReaderOptions) -> Self {
        TextSource {
            // The limit is one byte above the maximum, to detect whether the file is longer.
            input: Some(Input::Plain(Raw::new(input, options.hard_max_bytes.saturating_add(1)))),
            decoder: UTF_8.new_decoder_without_bom_handling(),
            text: String::new(),
            start: 0,
            offset: 0,
            lines: Lines::starting_at(Position::START),
            is_ended: false,
            is_cut: false,
            has_failed: false,
            is_failure_harmless: false,
            max_bytes: options.max_bytes,
            hard_max_bytes: options.hard_max_bytes,
            max_ratio: options.max_ratio,
            stop_at_limits: options.stop_at_limits,
        }
    }

    /// Reads the first bytes, sets up decompression and detects the encoding. The window remains empty.
    pub(super) fn begin(&mut self, findings: &mut ItemQueue) {
        if !self.fill_input(findings) {
            return;
        }
        if self.first_bytes().starts_with(&[0x1f, 0x8b]) && !self.begin_gzip(findings) {
            return;
        }
        if self.first_bytes().is_empty() {
            findings.note(&kinds::EMPTY, Position::START);
            self.cut();
            return;
        }
        self.begin_encoding(findings);
    }

    fn first_bytes(&self) -> &[u8] {
        self.input.as_ref().map_or(&[], |input| input.waiting())
    }

    #[cfg(feature = "gzip")]
    fn begin_gzip(&mut self, findings: &mut ItemQueue) -> bool {
        if let Some(Input::Plain(raw)) = self.input.take() {
            let gunzip = super::gunzip::Gunzip::new(raw);
            self.input = Some(Input::Gzip(Box::new(Raw::new(gunzip, self.hard_max_bytes.saturating_add(1)))));
        }
        if !self.fill_input(findings) {
            return false;
        }
        if self.first_bytes().starts_with(&[0x1f, 0x8b]) {
            findings.note(&kinds::GZIP_NESTED, Position::START);
            self.cut();
            return false;
        }
        true
    }

    #[cfg(not(feature = "gzip"))]
    fn begin_gzip(&mut self, findings: &mut ItemQueue) -> bool {
        findings.note(&kinds::GZIP_UNSUPPORTED, Position::START);
        self.cut();
        false
    }

    fn begin_encoding(&mut self, findings: &mut ItemQueue) {
        let bytes = self.first_bytes();
        let (encoding, mark) = match Encoding::for_bom(bytes) {
            Some((encoding, length)) => (encoding, length),
            None => (encoding_without_mark(bytes, findings), 0),
        };
        if mark > 0 {
            findings.note(&kinds::BYTE_ORDER_MARK, Position::START);
        }
        if encoding != UTF_8 {
            findings
                .report(&kinds::NOT_UTF8, Position::START, || format!("the file is in {}", encoding.name()));
        }
        if let Some(input) = &mut self.input {
            input.consume(mark);
        }
        self.decoder = encoding.new_decoder_without_bom_handling();
    }

    /// Reads the next piece of bytes. Returns false if the source failed and no bytes are left to decode.
    fn fill_input(&mut self, findings: &mut ItemQueue) -> bool {
        let place = self.place_of_end();
        let Some(input) = &mut self.input else { return false };
        if !self.has_failed {
            let Err(error) = input.fill_piece() else { return true };
            let (kind, detail) = failure(&error);
            findings.report(kind, place, || detail);
            self.has_failed = true;
            self.is_failure_harmless = kind == &kinds::GZIP_TRAILING;
        }
        // Bytes that were buffered before the failure are still decoded.
        if input.waiting().is_empty() && !self.is_failure_harmless {
            self.cut();
            return false;
        }
        true
    }

    /// Returns the window.
    pub(super) fn text(&self) -> &str {
        &self.text[self.start..]
    }

    /// Returns the window, the number of bytes before it, and the line counter.
    pub(super) fn view(&mut self) -> (&str, u64, &mut Lines) {
        (&self.text[self.start..], self.offset, &mut self.lines)
    }

    /// Returns true if the window reaches the end of the input.
    pub(super) fn is_ended(&self) -> bool {
        self.is_ended
    }

    /// Returns true if reading ended early, at a limit or by an error of the source.
    pub(super) fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// Returns the number of uncompressed bytes so far.
    pub(super) fn bytes(&self) -> u64 {
        self.input.as_ref().map_or(0, Input::taken)
    }

    /// Returns the number of compressed bytes so far, if the file is compressed.
    pub(super) fn compressed_bytes(&self) -> Option<u64> {
        self.input.as_ref().and_then(Input::compressed)
    }

    pub(super) fn encoding(&self) -> &'static Encoding {
        self.decoder.encoding()
    }

    /// Stops reading. The text in the window remains.
    fn cut(&mut self) {
        self.is_ended = true;
        self.is_cut = true;
    }

    /// Advances the start of the window.
    pub(super) fn consume(&mut self, amount: usize) {
        self.lines.advance(&self.text[self.start..], self.offset, self.offset + amount as u64);
        self.start += amount;
        self.offset += amount as u64;
    }

    /// Returns the position of the start of the window.
    pub(super) fn place(&self) -> Position {
        self.lines.place
    }

    fn place_of_end(&self) -> Position {
        Position { offset: self.offset + self.text().len() as u64, line: self.lines.place.line }
    }

    /// Appends the next piece to the window, or marks the window as ended.
    pub(super) fn fill(&mut self, findings: &mut ItemQueue) {
        if self.is_ended {
            return;
        }
        self.text.drain(..self.start);
        self.start = 0;
        if !self.fill_input(findings) {
            return;
        }
        self.check_ratio(findings);
        let limit = self.check_bytes(findings);
        let place = self.place_of_end();
        let Some(input) = &mut self.input else { return };
        let bytes = input.waiting();
        let bytes = &bytes[..bytes.len().min(limit)];
        let is_last = bytes.is_empty();
        self.text.reserve(self.decoder.max_utf8_buffer_length(bytes.len()).unwrap_or(4 * PIECE));
        let (_, read, had_errors) = self.decoder.decode_to_string(bytes, &mut self.text, is_last);
        input.consume(read);
        if had_errors {
            findings.report(&kinds::INVALID_BYTES, place, || "in the text after this place".to_owned());
        }
        self.is_ended |= is_last;
    }

    /// Returns the number of bytes that may still be read. At the limit, it reports a finding and marks the window as
    /// ended.
    fn check_bytes(&mut self, findings: &mut ItemQueue) -> usize {
        let (taken, place) = (self.bytes(), self.place_of_end());
        let has_more = !self.first_bytes().is_empty();
        let hard = if self.stop_at_limits { self.max_bytes } else { self.hard_max_bytes };
        if has_more && taken >= self.max_bytes {
            let limit = self.max_bytes;
            findings.once(&kinds::TOO_MANY_BYTES, place, || format!("the limit is {limit} bytes"));
        }
        let compressed = self.compressed_bytes().unwrap_or(0);
        if has_more && taken.max(compressed) >= hard {
            findings.report(&kinds::STOPPED, place, || format!("stopped after {taken} bytes"));
            self.cut();
            return 0;
        }
        // A piece ends at the soft limit, so that the finding about the soft limit has the right position.
        let next = if taken < self.max_bytes { self.max_bytes.min(hard) } else { hard };
        usize::try_from(next - taken.min(next)).unwrap_or(usize::MAX)
    }

    fn check_ratio(&mut self, findings: &mut ItemQueue) {
        let Some(compressed) = self.compressed_bytes() else { return };
        let taken = self.bytes();
        if taken > super::options::RATIO_FROM && taken / compressed.max(1) > self.max_ratio {
            let place = self.place_of_end();
            findings.report(&kinds::GZIP_BOMB, place, || {
                format!("{compressed} bytes became {taken}: more than {} times as much", self.max_ratio)
            });
            if let Some(input) = &mut self.input {
                let waiting = input.waiting().len();
                input.consume(waiting);
            }
            self.cut();
        }
    }
}

/// Returns the kind and the detail of the finding for an error of the source or of the decompression.
fn failure(error: &io::Error) -> (&'static Kind, String) {
    #[cfg(feature = "gzip")]
    if let Some(damage) = error.get_ref().and_then(|inner| inner.downcast_ref::<super::gunzip::Damage>()) {
        return (damage.kind(), damage.to_string());
    }
    (&kinds::READ_ERROR, excerpt(error.to_string()))
}

/// Returns the encoding of a file without a byte order mark: by the byte pattern of UTF-16, or by the XML declaration.
fn encoding_without_mark(bytes: &[u8], findings: &mut ItemQueue) -> &'static Encoding {
    match bytes {
        [0, b'<', ..] => return UTF_16BE,
        [b'<', 0, ..] => return UTF_16LE,
        _ => {}
    }
    let Some(label) = declared_encoding(bytes) else { return UTF_8 };
    if label.eq_ignore_ascii_case(b"us-ascii") || label.eq_ignore_ascii_case(b"ascii") {
        return UTF_8;
    }
    match encoding_of(label) {
        Some(encoding) if encoding.is_ascii_compatible() => encoding,
        _ => {
            let label = excerpt(label);
            findings.report(&kinds::UNKNOWN_ENCODING, Position::START, || format!("declared as `{label}`"));
            UTF_8
        }
    }
}

/// Returns the value of `encoding` in an XML declaration at the start; white space may precede it.
fn declared_encoding(bytes: &[u8]) -> Option<&[u8]> {
    let bytes = bytes[..bytes.len().min(DECLARATION)].trim_ascii_start();
    let declaration = bytes.strip_prefix(b"<?xml")?;
    let end = memchr::memchr(b'>', declaration)?;
    let declaration = &declaration[..end];
    let at = memchr::memmem::find(declaration, b"encoding")?;
    let value = declaration[at + b"encoding".len()..].trim_ascii_start().strip_prefix(b"=")?;
    let (quote, value) = value.trim_ascii_start().split_first()?;
    let end = memchr::memchr(*quote, value).filter(|_| matches!(quote, b'"' | b'\''))?;
    Some(&value[..end])
}

/// A line counter. Each byte is examined once, so positions must be requested in ascending order.
#[derive(Debug)]
pub(super) struct Lines {
    place: Position,
}

impl Lines {
    pub(super) fn starting_at(place: Position) -> Self {
        Lines { place }
    }

    /// Returns the position of an offset in a window. If the offset precedes the last position, the last position is
    /// returned.
    pub(super) fn advance(&mut self, window: &str, window_offset: u64, offset: u64) -> Position {
        let index = |offset: u64| usize::try_from(offset.saturating_sub(window_offset)).unwrap_or(usize::MAX);
        if let Some(passed) = window.as_bytes().get(index(self.place.offset)..index(offset)) {
            self.place.line += memchr::memchr_iter(b'\n', passed).count() as u64;
            self.place.offset = self.place.offset.max(offset);
        }
        self.place
    }
}

/// The position of a token. Its line is counted only on request.
pub(super) struct TokenPosition<'w> {
    pub window: &'w str,
    pub window_offset: u64,
    pub lines: &'w mut Lines,
    pub offset: u64,
}

impl TokenPosition<'_> {
    pub(super) fn place(&mut self) -> Position {
        self.lines.advance(self.window, self.window_offset, self.offset)
    }
}
