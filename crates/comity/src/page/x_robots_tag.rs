//! `X-Robots-Tag`: one list of directives per field. A field applies to all crawlers until it names one.

use std::borrow::Cow;

use super::kinds;
use super::list::{self, ListKind};
use super::statement::{Source, SourceKind};
use super::{MAX_HEADER_BYTES, PageDirectives};
use crate::finding::quoted;
use crate::http::Headers;

const KIND: SourceKind = SourceKind::XRobotsTag;

/// Reads every `X-Robots-Tag` of a header.
pub(super) fn read(page: &mut PageDirectives, headers: &Headers<'_>) {
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
