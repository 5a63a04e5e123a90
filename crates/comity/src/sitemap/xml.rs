//! Reads XML tokens with quick-xml from a sliding window of text.
//!
//! Each time the window changes, a new tokenizer borrows its text, so nothing is copied. A token that is cut off by the
//! end of the window is read again once the window is longer. A token longer than [`MAX_TOKEN`] stops the reader. Input
//! that is not XML is read as text.

use std::io::Read;

use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader as Tokens;

use super::document::Document;
use super::entries::Entries;
use super::kinds;
use super::options::MAX_TOKEN;
use super::source::{TextSource, TokenPosition};
use crate::finding::{excerpt, quoted};

/// Number of queued items after which reading pauses.
const BATCH: usize = 32;
/// Number of read bytes after which reading pauses if items are queued.
const BATCH_BYTES: usize = 32 * 1024;

/// Maximum length of a name, in bytes.
const MAX_NAME: usize = 256;

/// The state of the window after a read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    /// Items are available, or reading stops.
    Pause,
    /// The rest of the window is not a complete token.
    Exhausted,
}

/// Reads some tokens. Returns true at the end of the input.
pub(super) fn advance<R: Read>(
    source: &mut TextSource<R>,
    document: &mut Document,
    entries: &mut Entries,
) -> bool {
    let is_ended = source.is_ended();
    let (window, offset, lines) = source.view();
    let mut window = Window { text: window, is_ended, consumed: 0 };
    let mut at = TokenPosition { window: window.text, window_offset: offset, lines, offset };
    let outcome = window.read(document, &mut at, entries);
    let consumed = window.consumed;
    source.consume(consumed);
    if outcome == Outcome::Pause {
        return entries.is_stopped();
    }
    if is_ended {
        document.finish(source.text(), source.place(), source.is_cut(), entries);
        return true;
    }
    if source.text().len() > MAX_TOKEN {
        let start = excerpt(source.text().get(..40).unwrap_or_default());
        entries.findings.report(&kinds::TOKEN_TOO_LONG, source.place(), || format!("`{start}`"));
        entries.stop();
        return true;
    }
    source.fill(&mut entries.findings);
    false
}

/// The text that is available.
struct Window<'t> {
    text: &'t str,
    /// True if no text follows.
    is_ended: bool,
    consumed: usize,
}

/// The next action after a token.
enum Next {
    /// Continue with the current tokenizer.
    Token,
    /// Continue with a new tokenizer at this position.
    Restart(usize),
    /// Continue once the window is longer.
    Wait(usize),
}

impl<'t> Window<'t> {
    fn read(
        &mut self,
        document: &mut Document,
        at: &mut TokenPosition<'_>,
        entries: &mut Entries,
    ) -> Outcome {
        loop {
            let origin = self.consumed;
            // The tokenizer would skip a byte order mark without counting its bytes.
            if self.text[origin..].starts_with('\u{feff}') {
                document.text("\u{feff}", at, entries);
                self.consumed += '\u{feff}'.len_utf8();
                continue;
            }
            let mut tokens = tokens(&self.text[origin..]);
            loop {
                let before = self.consumed;
                let event = tokens.read_event();
                let after = origin + usize::try_from(tokens.buffer_position()).unwrap_or(usize::MAX);
                at.offset = at.window_offset + before as u64;
                let is_end = matches!(event, Ok(Event::Eof));
                match self.take(event, before, after, document, at, entries) {
                    Next::Token => self.consumed = after,
                    Next::Restart(place) => self.consumed = place,
                    Next::Wait(place) => {
                        self.consumed = place;
                        return Outcome::Exhausted;
                    }
                }
                if is_end {
                    return Outcome::Exhausted;
                }
                let is_enough = entries.findings.items.len() >= BATCH || self.consumed >= BATCH_BYTES;
                if entries.is_stopped() || is_enough && !entries.findings.items.is_empty() {
                    return Outcome::Pause;
                }
                if self.consumed != after {
                    break;
                }
            }
        }
    }

    fn take(
        &self,
        event: Result<Event<'_>, quick_xml::Error>,
        before: usize,
        after: usize,
        document: &mut Document,
        at: &mut TokenPosition<'_>,
        entries: &mut Entries,
    ) -> Next {
        match event {
            Ok(Event::Start(tag)) if is_sound(&tag) => document.start(&tag, at, entries),
            Ok(Event::Empty(tag)) if is_sound(&tag) => {
                document.start(&tag, at, entries);
                document.close(at, entries);
            }
            Ok(Event::Start(_) | Event::Empty(_)) => {
                return self.bad_tag(before, after, document, at, entries);
            }
            Ok(Event::End(tag)) => document.end(tag.name().as_ref(), at, entries),
            Ok(Event::Text(text)) if text.starts_with('&') => {
                if after == self.text.len() && !self.is_ended {
                    return Next::Wait(before);
                }
                document.lone_ampersand(&text, at, entries);
            }
            Ok(Event::Text(text)) => document.text(&text, at, entries),
            Ok(Event::CData(text)) => document.text(&text, at, entries),
            Ok(Event::GeneralRef(reference)) => document.reference(&reference, at, entries),
            Ok(Event::DocType(_)) => self.doctype(before, after, at, entries),
            Ok(Event::Decl(_) | Event::PI(_) | Event::Comment(_) | Event::Eof) => {}
            Err(_) => return self.failed(before, after, document, at, entries),
        }
        Next::Token
    }

    /// Handles text that the tokenizer cannot parse, because it is cut off or is not markup.
    fn failed(
        &self,
        before: usize,
        after: usize,
        document: &mut Document,
        at: &mut TokenPosition<'_>,
        entries: &mut Entries,
    ) -> Next {
        let rest = &self.text[before..];
        let can_grow = !self.is_ended && rest.len() < MAX_DOCTYPE && !rest.contains('[');
        if is_doctype(rest) && !can_grow {
            self.doctype(before, self.text.len(), at, entries);
            return Next::Token;
        }
        if after >= self.text.len() || rest.len() < 4 {
            return Next::Wait(before);
        }
        entries.findings.report(&kinds::BAD_MARKUP, at.place(), || quoted(rest));
        document.text("<", at, entries);
        Next::Restart(after.max(before + 1))
    }

    /// Handles text that looks like a tag but is not one, such as `a < b` or a tag without an end. The text after its
    /// last `<` may be a tag, so it is tokenized again.
    fn bad_tag(
        &self,
        before: usize,
        after: usize,
        document: &mut Document,
        at: &mut TokenPosition<'_>,
        entries: &mut Entries,
    ) -> Next {
        let tag = &self.text[before..after];
        entries.findings.report(&kinds::BAD_MARKUP, at.place(), || quoted(tag));
        let inner = tag.rfind('<').filter(|&at| at > 0).unwrap_or(tag.len());
        document.text(&tag[..inner], at, entries);
        Next::Restart(before + inner)
    }

    /// Handles a document type declaration. A complete declaration without an internal subset is ignored: it defines
    /// nothing, since external identifiers are never fetched. Any other declaration, and that of HTML, stops the
    /// reader.
    fn doctype(&self, before: usize, after: usize, at: &mut TokenPosition<'_>, entries: &mut Entries) {
        let declaration = &self.text[before..after];
        let name = declaration.get("<!DOCTYPE".len()..).unwrap_or_default().trim_start();
        let is_html = name.get(..4).is_some_and(|name| name.eq_ignore_ascii_case("html"));
        let is_harmless = declaration.ends_with('>') && !declaration.contains('[');
        let kind = match (is_html, is_harmless) {
            (true, _) => &kinds::HTML,
            (false, true) => &kinds::EXTERNAL_DOCTYPE,
            (false, false) => &kinds::DOCTYPE,
        };
        let line = declaration.lines().next().unwrap_or_default();
        entries.findings.report(kind, at.place(), || quoted(line));
        if is_html || !is_harmless {
            entries.stop();
        }
    }
}

/// Maximum size of a document type declaration without an internal subset, in bytes.
const MAX_DOCTYPE: usize = 4_096;

/// Returns a tokenizer that does not check the structure of the document.
fn tokens(text: &str) -> Tokens<&[u8]> {
    let mut tokens = Tokens::from_str(text);
    let config = tokens.config_mut();
    config.check_end_names = false;
    config.allow_unmatched_ends = true;
    config.allow_dangling_amp = true;
    tokens
}

/// Returns true if the text starts with `<!DOCTYPE`, in any case.
fn is_doctype(text: &str) -> bool {
    const START: &str = "<!DOCTYPE";
    text.get(..START.len()).is_some_and(|start| start.eq_ignore_ascii_case(START))
}

/// Returns true if a tag has a valid name of at most [`MAX_NAME`] bytes and contains no other `<`.
fn is_sound(tag: &BytesStart<'_>) -> bool {
    let name = tag.name();
    let name = name.as_ref().as_bytes();
    let is_start = |byte: u8| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b':') || !byte.is_ascii();
    name.first().is_some_and(|&first| is_start(first))
        && name.len() <= MAX_NAME
        && memchr::memchr(b'<', tag.as_bytes()).is_none()
}
