//! Field values of a message, including structured fields (RFC 9651).

use std::borrow::Cow;

use comity::http::Headers;
use sfv::{Dictionary, InnerList, Item, ListEntry, ListSerializer, Parser};

/// Maximum size of a structured field, in bytes, for all its lines together.
pub(crate) const MAX_FIELD_BYTES: usize = 16 * 1024;

/// Returns the joined lines of a field (RFC 9421 §2.1); `None` if the message has no such field.
///
/// The value is kept as bytes, so that nothing is lost before the check for ASCII.
pub(crate) fn combined(headers: &Headers<'_>, name: &str) -> Option<Vec<u8>> {
    let mut lines = lines(headers, name);
    let mut value = lines.next()?.into_owned();
    for line in lines {
        value.extend_from_slice(b", ");
        value.extend_from_slice(&line);
    }
    Some(value)
}

/// Returns the lines of a field, without the white space around them and without folds (RFC 9421 §2.1).
pub(crate) fn lines<'h>(headers: &'h Headers<'_>, name: &str) -> impl Iterator<Item = Cow<'h, [u8]>> {
    headers.get_all(name).map(|line| unfolded(line.trim_ascii()))
}

/// Returns a line with each fold (a line end followed by white space) replaced by one space (RFC 9112 §5.2).
fn unfolded(line: &[u8]) -> Cow<'_, [u8]> {
    if !line.contains(&b'\n') {
        return Cow::Borrowed(line);
    }
    let is_space = |byte: &u8| matches!(byte, b' ' | b'\t');
    let mut whole: Vec<u8> = Vec::with_capacity(line.len());
    for (number, piece) in line.split(|byte| *byte == b'\n').enumerate() {
        if number > 0 && piece.first().is_some_and(is_space) {
            whole.truncate(whole.trim_ascii_end().len());
            whole.push(b' ');
            whole.extend_from_slice(piece.trim_ascii_start());
        } else {
            // A line end that is not part of a fold is kept. The parser of the value then rejects it.
            whole.extend_from_slice(if number > 0 { b"\n" } else { b"" });
            whole.extend_from_slice(piece);
        }
    }
    Cow::Owned(whole)
}

/// Error for a field that is too long, or not a dictionary of structured fields.
#[derive(Debug)]
pub(crate) struct InvalidDictionary;

/// Returns a field as a dictionary (RFC 9651 §4.2.2); `None` if the message has no such field.
pub(crate) fn dictionary(headers: &Headers<'_>, name: &str) -> Result<Option<Dictionary>, InvalidDictionary> {
    let Some(value) = combined(headers, name) else { return Ok(None) };
    if value.len() > MAX_FIELD_BYTES {
        return Err(InvalidDictionary);
    }
    Parser::new(&value).parse().map(Some).map_err(|_| InvalidDictionary)
}

/// Returns the strict serialization of a dictionary member (RFC 9421 §2.1.2).
pub(crate) fn member(entry: &ListEntry) -> String {
    let mut serializer = ListSerializer::new();
    serializer.members([entry]);
    serializer.finish().unwrap_or_default()
}

/// Returns the strict serialization of an item.
pub(crate) fn item(item: &Item) -> String {
    member(&ListEntry::Item(item.clone()))
}

/// Returns the strict serialization of an inner list with its parameters.
pub(crate) fn inner_list(list: &InnerList) -> String {
    member(&ListEntry::InnerList(list.clone()))
}
