//! `X-Robots-Tag`: one list of directives per field. A field applies to all crawlers until it names one.

use std::borrow::Cow;

use super::kinds;
use super::list::{self, ListKind};
use super::statement::{Source, SourceKind};
use super::{MAX_HEADER_BYTES, PageDirectives};
use crate::agents::edit_distance;
use crate::finding::{Channel, Place, quoted};
use crate::http::Headers;

const KIND: SourceKind = SourceKind::XRobotsTag;

/// Maximum number of edits between `X-Robots-Tag` and a similar name of a field.
const MAX_EDITS: usize = 2;

/// Reports fields with directives whose name is similar to `X-Robots-Tag`.
fn report_similar(page: &mut PageDirectives, headers: &Headers<'_>) {
    let is_similar = |name: &str| {
        // Most fields of an answer differ in the first letter.
        if !name.starts_with(['x', 'X', 'r', 'R', 'm', 'M']) {
            return false;
        }
        let is_exact = ["x-robots-tag", "robots-tag"].iter().any(|known| known.eq_ignore_ascii_case(name));
        let is_short =
            ["robots", "x-robots", "meta-robots"].iter().any(|short| short.eq_ignore_ascii_case(name));
        !is_exact && (is_short || edit_distance(name.as_bytes(), b"x-robots-tag", MAX_EDITS).is_some())
    };
    for (name, value) in headers.iter().filter(|(name, _)| is_similar(name)) {
        let value = text(value);
        if list::has_known(&value[..list::floor_boundary(&value, MAX_HEADER_BYTES)]) {
            let place = Place {
                part: Some(crate::shown::text(name).into_owned()),
                ..Place::new(Channel::HttpHeader)
            };
            page.findings.detail(&kinds::MISSPELT_FIELD, place, || quoted(name));
        }
    }
}

/// Reads every `X-Robots-Tag` of a header.
pub(super) fn read(page: &mut PageDirectives, headers: &Headers<'_>) {
    report_similar(page, headers);
    let mut left = MAX_HEADER_BYTES;
    for (index, value) in headers.get_all("x-robots-tag").enumerate() {
        let source = Source::field(KIND, index + 1, 0);
        let value = text(value);
        let (read, rest) = value.split_at(list::floor_boundary(&value, left));
        left -= read.len();
        list::read(page, read, &source, None, ListKind::Field);
        if !rest.is_empty() {
            let detail = format!("{} and the rest is omitted", quoted(rest));
            page.findings.detail(&kinds::HEADER_TOO_LONG, source.at(read.len()).place(), || detail);
            return;
        }
    }
}

/// Returns a value as text with unchanged byte positions. If the value is not valid UTF-8, every byte that is not ASCII
/// becomes `?`.
pub(super) fn text(value: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(value) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => value.iter().map(|&byte| if byte.is_ascii() { char::from(byte) } else { '?' }).collect(),
    }
}
