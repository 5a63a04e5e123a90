//! The reader: detects the format and iterates over the entries and findings.

use std::fmt;
use std::io::Read;

use super::document::Document;
use super::entries::Entries;
use super::entry::Item;
use super::format::Format;
use super::item_queue::Position;
use super::kinds;
use super::options::ReaderOptions;
use super::source::TextSource;
use super::{text, xml};

/// An iterator over the entries and findings of a sitemap in any format.
///
/// Reading never fails: the reader returns the valid parts, and returns each problem as a
/// [`Finding`](crate::finding::Finding) between the entries. It reads the file piece by piece, so memory does not grow
/// with the file. The format, the compression (with the feature `gzip`) and the encoding are detected from the bytes,
/// never from a name or `Content-Type`.
///
/// ```
/// use comity::sitemap::{Item, Reader};
///
/// let text = "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>
///     <url><loc>https://example.com/a?x=1&amp;y=2</loc><lastmod>2026-11</lastmod></url>
///     <url><loc>https://example.com/b</loc><priority>very high</priority></url>";
///
/// let items: Vec<Item> = Reader::new(text.as_bytes()).collect();
/// let [Item::Url(a), Item::Finding(priority), Item::Url(b), Item::Finding(end)] = &items[..] else { panic!() };
/// assert_eq!(a.loc, "https://example.com/a?x=1&y=2");
/// assert_eq!(a.lastmod.map(|date| date.to_string()).as_deref(), Some("2026-11"));
/// assert_eq!((priority.code(), priority.place().line), ("sitemap-bad-priority", Some(3)));
/// assert_eq!(b.loc, "https://example.com/b");
/// assert_eq!(end.code(), "sitemap-truncated");
/// ```
pub struct Reader<R> {
    source: TextSource<R>,
    entries: Entries,
    state: State,
    format: Option<Format>,
}

enum State {
    /// Reading has not started.
    Start,
    Xml(Box<Document>),
    Text,
    Done,
}

impl<R: Read> Reader<R> {
    /// Creates a reader for a source of bytes, such as `&[u8]`. The reader buffers the source.
    pub fn new(source: R) -> Self {
        Reader::with_options(source, ReaderOptions::default())
    }

    /// Creates a reader with options.
    pub fn with_options(source: R, options: ReaderOptions) -> Self {
        Reader {
            source: TextSource::new(source, &options),
            entries: Entries::new(options),
            state: State::Start,
            format: None,
        }
    }

    /// Returns the properties of the file. They are complete once the iterator has ended.
    pub fn summary(&self) -> Summary {
        Summary {
            format: self.format,
            encoding: self.source.encoding().name(),
            entries: self.entries.count(),
            bytes: self.source.bytes(),
            compressed_bytes: self.source.compressed_bytes(),
            truncated: !matches!(self.state, State::Done) || self.is_truncated(),
        }
    }

    fn is_truncated(&self) -> bool {
        self.source.is_cut() || self.entries.is_stopped() || self.entries.findings.has(&kinds::TRUNCATED)
    }

    /// Reads until items are available or the end is reached.
    fn advance(&mut self) {
        let is_done = match &mut self.state {
            State::Start => self.begin(),
            State::Xml(document) => {
                let is_done = xml::advance(&mut self.source, document, &mut self.entries);
                self.format = document.format();
                is_done
            }
            State::Text => text::advance(&mut self.source, &mut self.entries),
            State::Done => true,
        };
        if is_done || self.entries.is_stopped() {
            self.finish();
        }
    }

    fn begin(&mut self) -> bool {
        self.source.begin(&mut self.entries.findings);
        match sniff(&mut self.source, &mut self.entries) {
            Some(SitemapSyntax::Xml) => self.state = State::Xml(Box::default()),
            Some(SitemapSyntax::Text) => {
                self.format = Some(Format::Text);
                self.state = State::Text;
            }
            None => return true,
        }
        false
    }

    fn finish(&mut self) {
        self.state = State::Done;
        let place = self.source.place();
        if self.format.is_some() && self.entries.count() == 0 {
            self.entries.findings.note(&kinds::NO_ENTRIES, place);
        }
        self.entries.findings.finish();
    }
}

impl<R: Read> Iterator for Reader<R> {
    type Item = Item;

    fn next(&mut self) -> Option<Item> {
        loop {
            if let Some(item) = self.entries.findings.items.pop_front() {
                return Some(item);
            }
            if matches!(self.state, State::Done) {
                return None;
            }
            self.advance();
        }
    }
}

impl<R> fmt::Debug for Reader<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reader").field("format", &self.format).finish_non_exhaustive()
    }
}

/// The properties of a sitemap file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Summary {
    /// The format, if it was detected.
    format: Option<Format>,
    /// The name of the encoding, as defined by the Encoding Standard.
    encoding: &'static str,
    /// The number of entries read, without dropped entries.
    entries: u64,
    /// The number of bytes read, after decompression.
    bytes: u64,
    /// The number of bytes read before decompression, if the file was compressed.
    compressed_bytes: Option<u64>,
    /// True if the file was not read to its end, or ends too early.
    truncated: bool,
}

impl Summary {
    /// Returns the format, if it was detected.
    pub fn format(&self) -> Option<Format> {
        self.format
    }

    /// Returns the name of the encoding, as defined by the Encoding Standard.
    pub fn encoding(&self) -> &'static str {
        self.encoding
    }

    /// Returns the number of entries read, without dropped entries.
    pub fn entries(&self) -> u64 {
        self.entries
    }

    /// Returns the number of bytes read, after decompression.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns the number of bytes read before decompression, if the file was compressed.
    pub fn compressed_bytes(&self) -> Option<u64> {
        self.compressed_bytes
    }

    /// Returns true if the file was not read to its end, or ends too early.
    pub fn is_truncated(&self) -> bool {
        self.truncated
    }
}

enum SitemapSyntax {
    Xml,
    Text,
}

/// Skips leading white space and determines whether the text is XML or a list of URLs. Returns `None` if it is neither.
/// Stops reading if it is binary or JSON.
fn sniff<R: Read>(source: &mut TextSource<R>, entries: &mut Entries) -> Option<SitemapSyntax> {
    let findings = &mut entries.findings;
    let mut has_white_space = false;
    let start = loop {
        let text = source.text();
        let rest = text.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '\u{feff}' | '\0'));
        let skipped = text.len() - rest.len();
        has_white_space |= skipped > 0;
        let is_over = !rest.is_empty() || source.is_ended();
        let start = rest.as_bytes().first().copied();
        source.consume(skipped);
        if is_over {
            break start;
        }
        source.fill(findings);
    };
    let place = source.place();
    match start {
        None => {
            if findings.items.is_empty() {
                findings.note(&kinds::EMPTY, Position::START);
            }
            None
        }
        Some(b'<') => {
            if has_white_space && source.text().starts_with("<?xml") {
                findings.note(&kinds::LEADING_WHITE_SPACE, place);
            }
            Some(SitemapSyntax::Xml)
        }
        Some(_) if is_binary(source.text()) => {
            findings.report(&kinds::UNRECOGNISED, place, || "the file is binary".to_owned());
            entries.stop();
            None
        }
        Some(b'{' | b'[') => {
            findings.report(&kinds::UNRECOGNISED, place, || "the file looks like JSON".to_owned());
            entries.stop();
            None
        }
        Some(_) => Some(SitemapSyntax::Text),
    }
}

/// Returns true if the start of a text contains characters that do not occur in text.
fn is_binary(text: &str) -> bool {
    let is_binary = |c: char| c.is_control() && !matches!(c, '\t' | '\n' | '\r' | '\u{c}' | '\u{85}');
    text.chars().take(512).any(is_binary)
}
