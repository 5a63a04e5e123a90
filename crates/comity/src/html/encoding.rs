//! The encoding of a page, as the HTML standard determines it.
//!
//! The order is: the byte order mark, the charset of the `Content-Type`, a declaration in the first 1,024 bytes, UTF-8.
//! The declaration is found by the standard's prescan ("prescan a byte stream to determine its encoding"), which reads
//! comments, tags and attributes without the tokenizer. If the prescan finds no declaration, an XML declaration counts.
//!
//! One rule differs from the standard: labels of encodings that browsers do not decode ("replacement") are treated as
//! unknown, so that a page cannot hide its directives with such a label.

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252, X_USER_DEFINED};
use memchr::{memchr, memmem};

use crate::charset::{self, encoding_of};

/// Number of bytes that are searched for a declaration (HTML standard, "determining the character encoding").
const PRESCANNED: usize = 1024;

/// Decodes a page and removes its byte order mark. `charset` is the label in the `Content-Type` of the page.
///
/// The first of these determines the encoding: the byte order mark, the `Content-Type`, a `<meta>` in the first 1,024
/// bytes, an XML declaration. The default is UTF-8. Invalid bytes become U+FFFD.
///
/// ```
/// let page = b"<meta charset=windows-1252><p>caf\xE9";
/// assert_eq!(comity::html::decode(page, None), "<meta charset=windows-1252><p>caf\u{e9}");
/// ```
pub fn decode<'p>(page: &'p [u8], charset: Option<&str>) -> Cow<'p, str> {
    match other_encoding(page, charset) {
        (Some(encoding), mark) => encoding.decode_without_bom_handling(&page[mark..]).0,
        (None, mark) => String::from_utf8_lossy(&page[mark..]),
    }
}

/// Returns the encoding of a page, or `None` for UTF-8, and the length of its byte order mark.
pub(super) fn other_encoding(page: &[u8], charset: Option<&str>) -> (Option<&'static Encoding>, usize) {
    let (encoding, mark) = encoding_of_page(page, charset);
    // Without the tables, no page is decoded.
    (Some(encoding).filter(|&encoding| charset::HAS_TABLES && encoding != UTF_8), mark)
}

fn encoding_of_page(page: &[u8], charset: Option<&str>) -> (&'static Encoding, usize) {
    if let Some(marked) = Encoding::for_bom(page) {
        return marked;
    }
    let sent = charset.and_then(|label| encoding_of(label.as_bytes()));
    (sent.or_else(|| declared(page)).unwrap_or(UTF_8), 0)
}

/// Returns the encoding that a page declares.
fn declared(page: &[u8]) -> Option<&'static Encoding> {
    let head = &page[..page.len().min(PRESCANNED)];
    if head.starts_with(b"<\0?\0x\0") {
        return Some(UTF_16LE);
    }
    if head.starts_with(b"\0<\0?\0x") {
        return Some(UTF_16BE);
    }
    Prescan { head, at: 0 }.run().or_else(|_| in_xml_declaration(head).ok_or(EndOfBytes)).ok()
}

/// Replaces UTF-16 by UTF-8. A page whose declaration could be read as ASCII is not in UTF-16.
fn ascii_compatible(encoding: &'static Encoding) -> &'static Encoding {
    if encoding == UTF_16BE || encoding == UTF_16LE { UTF_8 } else { encoding }
}

/// Returns the encoding of `<?xml … encoding="…"?>` (HTML standard, "get an XML encoding").
fn in_xml_declaration(head: &[u8]) -> Option<&'static Encoding> {
    let rest = head.strip_prefix(b"<?xml")?;
    let declaration = &rest[..memchr(b'>', rest)?];
    let at = memmem::find(declaration, b"encoding")? + b"encoding".len();
    let (&quote, value) =
        skip_controls(skip_controls(&declaration[at..]).strip_prefix(b"=")?).split_first()?;
    if !matches!(quote, b'"' | b'\'') {
        return None;
    }
    let label = &value[..memchr(quote, value)?];
    let has_space = label.iter().any(|&byte| byte <= b' ');
    if has_space { None } else { encoding_of(label).map(ascii_compatible) }
}

fn skip_controls(text: &[u8]) -> &[u8] {
    let start = text.iter().position(|&byte| byte > b' ').unwrap_or(text.len());
    &text[start..]
}

/// Returns the encoding in the `content` of a meta element (HTML standard, "extracting a character encoding from a meta
/// element").
fn in_content(mut value: &[u8]) -> Option<&'static Encoding> {
    const NAME: &[u8] = b"charset";
    loop {
        let at = value.windows(NAME.len()).position(|found| found.eq_ignore_ascii_case(NAME))?;
        value = value[at + NAME.len()..].trim_ascii_start();
        let Some(label) = value.strip_prefix(b"=") else { continue };
        let label = label.trim_ascii_start();
        let label = match label.split_first()? {
            (&quote @ (b'"' | b'\''), quoted) => &quoted[..memchr(quote, quoted)?],
            _ => label.split(|byte| byte.is_ascii_whitespace() || *byte == b';').next()?,
        };
        return encoding_of(label);
    }
}

/// The error if the bytes end before the prescan is complete.
struct EndOfBytes;

/// Name and value of an attribute.
type Attribute = (Vec<u8>, Vec<u8>);

/// The state of the prescan.
struct Prescan<'p> {
    head: &'p [u8],
    at: usize,
}

impl Prescan<'_> {
    fn run(&mut self) -> Result<&'static Encoding, EndOfBytes> {
        loop {
            self.at += memchr(b'<', self.rest()).ok_or(EndOfBytes)?;
            match self.rest() {
                [_, b'!', b'-', b'-', ..] => {
                    // The dashes of `<!--` may also be the dashes of `-->`, as in `<!-->`.
                    self.at += 2;
                    self.at += memmem::find(self.rest(), b"-->").ok_or(EndOfBytes)? + 2;
                }
                [_, name @ ..] if is_meta(name) => {
                    self.at += b"<meta".len();
                    if let Some(encoding) = self.meta()? {
                        return Ok(encoding);
                    }
                }
                [_, b'a'..=b'z' | b'A'..=b'Z', ..] | [_, b'/', b'a'..=b'z' | b'A'..=b'Z', ..] => {
                    let is_end = |byte: &u8| byte.is_ascii_whitespace() || *byte == b'>';
                    self.at += self.rest().iter().position(is_end).ok_or(EndOfBytes)?;
                    while self.attribute()?.is_some() {}
                }
                [_, b'!' | b'/' | b'?', ..] => self.at += memchr(b'>', self.rest()).ok_or(EndOfBytes)?,
                _ => {}
            }
            self.at += 1;
        }
    }

    /// Reads the attributes of a meta element. Returns the encoding that it declares.
    fn meta(&mut self) -> Result<Option<&'static Encoding>, EndOfBytes> {
        let mut names = Vec::new();
        let mut is_content_type = false;
        // The encoding (`None` if its label is unknown), and true if the element needs `http-equiv=content-type`.
        let mut declared: Option<(Option<&'static Encoding>, bool)> = None;
        while let Some((name, value)) = self.attribute()? {
            if names.contains(&name) {
                continue;
            }
            match &*name {
                b"http-equiv" => is_content_type = value == b"content-type",
                b"content" if declared.is_none() => {
                    declared = in_content(&value).map(|encoding| (Some(encoding), true));
                }
                b"charset" => declared = Some((encoding_of(&value), false)),
                _ => {}
            }
            names.push(name);
        }
        let encoding = match declared {
            Some((encoding, needs_content_type)) if is_content_type || !needs_content_type => encoding,
            _ => None,
        };
        let encoding = encoding.map(ascii_compatible);
        Ok(encoding.map(|encoding| if encoding == X_USER_DEFINED { WINDOWS_1252 } else { encoding }))
    }

    /// Returns the next attribute, with name and value in lower case, or `None` at the end of the tag.
    fn attribute(&mut self) -> Result<Option<Attribute>, EndOfBytes> {
        while self.byte()?.is_ascii_whitespace() || self.byte()? == b'/' {
            self.at += 1;
        }
        if self.byte()? == b'>' {
            return Ok(None);
        }
        let mut name = Vec::new();
        loop {
            match self.byte()? {
                b'=' if !name.is_empty() => break,
                byte if byte.is_ascii_whitespace() => break,
                b'/' | b'>' => return Ok(Some((name, Vec::new()))),
                byte => name.push(byte.to_ascii_lowercase()),
            }
            self.at += 1;
        }
        self.skip_space()?;
        if self.byte()? != b'=' {
            return Ok(Some((name, Vec::new())));
        }
        self.at += 1;
        self.skip_space()?;
        Ok(Some((name, self.value()?)))
    }

    fn value(&mut self) -> Result<Vec<u8>, EndOfBytes> {
        let quote = Some(self.byte()?).filter(|byte| matches!(byte, b'"' | b'\''));
        self.at += usize::from(quote.is_some());
        let length = match quote {
            Some(quote) => memchr(quote, self.rest()),
            None => self.rest().iter().position(|byte| byte.is_ascii_whitespace() || *byte == b'>'),
        };
        let value = self.rest()[..length.ok_or(EndOfBytes)?].to_ascii_lowercase();
        self.at += value.len() + usize::from(quote.is_some());
        Ok(value)
    }

    fn skip_space(&mut self) -> Result<(), EndOfBytes> {
        while self.byte()?.is_ascii_whitespace() {
            self.at += 1;
        }
        Ok(())
    }

    fn byte(&self) -> Result<u8, EndOfBytes> {
        self.head.get(self.at).copied().ok_or(EndOfBytes)
    }

    fn rest(&self) -> &[u8] {
        self.head.get(self.at..).unwrap_or_default()
    }
}

/// Returns true if a tag's name is `meta`.
fn is_meta(text: &[u8]) -> bool {
    let name = text.get(..4).unwrap_or_default();
    let ends = text.get(4).is_some_and(|byte| byte.is_ascii_whitespace() || *byte == b'/');
    ends && name.eq_ignore_ascii_case(b"meta")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(page: &[u8], charset: Option<&str>) -> &'static str {
        encoding_of_page(page, charset).0.name()
    }

    #[test]
    fn declaration_after_the_prescanned_bytes_is_ignored() {
        let declaration = "<meta charset=sjis>";
        let within = " ".repeat(PRESCANNED - declaration.len()) + declaration;
        assert_eq!(name(within.as_bytes(), None), "Shift_JIS");
        assert_eq!(name(format!(" {within}").as_bytes(), None), "UTF-8");
    }
}
