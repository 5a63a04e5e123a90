//! Text sitemaps: one URL per line.

use std::io::Read;

use super::entries::{Entries, is_absolute};
use super::entry::Url;
use super::kinds;
use super::options::MAX_TOKEN;
use super::source::TextSource;
use crate::finding::quoted;

/// Number of queued items after which reading pauses.
const BATCH: usize = 32;

/// Reads some lines. Returns true at the end of the input.
pub(super) fn advance<R: Read>(source: &mut TextSource<R>, entries: &mut Entries) -> bool {
    while entries.findings.items.len() < BATCH && !entries.is_stopped() {
        let text = source.text();
        let (line, used) = match memchr::memchr2(b'\n', b'\r', text.as_bytes()) {
            Some(end) => (&text[..end], end + 1),
            // A last line that was cut off is ignored, since its URL would be a different one.
            None if source.is_ended() && (text.is_empty() || source.is_cut()) => return true,
            None if source.is_ended() => (text, text.len()),
            None if text.len() > MAX_TOKEN => {
                entries.findings.report(&kinds::TOKEN_TOO_LONG, source.place(), || "a line".to_owned());
                entries.stop();
                return true;
            }
            None => {
                source.fill(&mut entries.findings);
                continue;
            }
        };
        take(line, source, entries);
        source.consume(used);
    }
    false
}

/// Handles a line, which may be a URL, empty, or other text.
fn take<R: Read>(line: &str, source: &TextSource<R>, entries: &mut Entries) {
    if line.trim().is_empty() {
        return;
    }
    let place = source.place();
    if !is_absolute(line) {
        let detail = || quoted(line.trim());
        entries.findings.report(&kinds::NOT_A_URL, place, detail);
    } else if let Some(loc) = entries.loc(line, place, None) {
        entries.page(Url::new(loc), place);
    }
}
