//! Reads directives that commas separate: the value of `X-Robots-Tag`, and the content of a `meta`.
//!
//! ```text
//! X-Robots-Tag: googlebot: nofollow, unavailable_after: Friday, 25-Jun-10 15:00:00 EST, otherbot: noindex
//!               ^ agent              ^ directive with a value ^ comma in a date         ^ next agent
//! ```
//!
//! A colon may end the name of a crawler or the name of a directive with a value, or be part of a time. A comma may be
//! part of a date. A table of known directives resolves the ambiguity. A name before a colon names a crawler only if a
//! known directive (or nothing) follows it. A date consists of the fewest pieces that together can be parsed as a date.
//!
//! A known directive counts even if its comma is missing or if it is in quotation marks; the mistake causes a finding.
//! An unknown word is stored as [`DirectiveKind::Unknown`].

use std::ops::Range;

use super::PageDirectives;
use super::directive::DirectiveKind;
use super::kinds;
use super::statement::{Source, Statement};
use crate::finding::{Kind, quoted};

/// Maximum length of a crawler's name with its colon, in bytes.
const MAX_AGENT_BYTES: usize = 100;

/// Maximum number of commas in a date: `Friday, June 25, 2010` has two.
const MAX_DATE_COMMAS: usize = 2;

/// Reads one value into `page`. Its directives apply to `agent` until the value names another crawler.
pub(super) fn read(
    page: &mut PageDirectives,
    value: &str,
    source: &Source,
    agent: Option<String>,
    kind: ListKind,
) {
    let mut reader =
        List { page, value, source, kind, agent, agents_named: 0, reported: ReportedMistakes::default() };
    let mut pieces = pieces(value);
    while let Some(piece) = pieces.next() {
        if reader.page.is_full() {
            if value[piece.clone()].trim().is_empty() {
                continue;
            }
            reader.omit(piece.start);
            return;
        }
        // A date may consume following pieces. The copy of the iterator for the look-ahead is cheap.
        let taken = reader.piece(piece, pieces.clone());
        for _ in 0..taken {
            pieces.next();
        }
    }
    if reader.agents_named > 1 {
        let detail = format!("{} crawlers", reader.agents_named);
        reader.find(&kinds::SEVERAL_AGENTS, 0, || detail);
    }
}

/// The kind of a list.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ListKind {
    /// A header field, which may name crawlers. The offset of each directive is recorded.
    Field,
    /// The content of a `meta`, whose `name` determines the crawler. The position of the element is recorded.
    #[cfg_attr(not(feature = "html"), expect(dead_code, reason = "pages are read with the feature `html`"))]
    Content,
}

/// Returns the ranges of the text between commas.
fn pieces(value: &str) -> impl Iterator<Item = Range<usize>> + Clone {
    let mut start = Some(0);
    std::iter::from_fn(move || {
        let from = start?;
        let end = value[from..].find(',').map(|at| from + at);
        start = end.map(|end| end + 1);
        Some(from..end.unwrap_or(value.len()))
    })
}

/// The mistakes of a value that have been reported. Each is reported once.
#[derive(Default)]
struct ReportedMistakes {
    missing_comma: bool,
    omitted: bool,
    quoted: bool,
}

struct List<'r> {
    page: &'r mut PageDirectives,
    value: &'r str,
    source: &'r Source,
    kind: ListKind,
    agent: Option<String>,
    agents_named: usize,
    reported: ReportedMistakes,
}

impl<'r> List<'r> {
    fn place(&self, offset: usize) -> Source {
        match self.kind {
            ListKind::Field => self.source.at(offset),
            ListKind::Content => self.source.clone(),
        }
    }

    fn find(&mut self, kind: &'static Kind, offset: usize, detail: impl FnOnce() -> String) {
        let place = self.place(offset).place();
        self.page.findings.detail(kind, place, detail);
    }

    /// Adds the directive at `range`, with the text of its value. The text is stored without surrounding white space
    /// and quotation marks.
    fn push(&mut self, kind: DirectiveKind, range: Range<usize>, value: Option<&str>) {
        let written = &self.value[range.clone()];
        let text = unquoted(written.trim());
        let start = range.end - written.trim_start().trim_start_matches(QUOTES).len();
        let read = value.and_then(|value| kind.value(unquoted(value.trim())));
        if kind.takes_value() && read.is_none() {
            self.find(&kinds::BAD_VALUE, start, || quoted(text));
        }
        let place = self.place(start);
        self.page.push(Statement::new(kind, read, text, self.agent.clone(), place));
    }

    /// Reports that the directives from an offset on are omitted.
    fn omit(&mut self, at: usize) {
        if !std::mem::replace(&mut self.reported.omitted, true) {
            self.find(&kinds::TOO_MANY_DIRECTIVES, at, || "the rest is omitted".to_owned());
        }
    }

    fn unknown(&mut self, range: Range<usize>) {
        let text = self.value[range.clone()].trim();
        // `noml` is a proposal of 2023; directives of a later convention have its meaning.
        let hint = if text.eq_ignore_ascii_case("noml") { "; the convention is `noai`" } else { "" };
        self.find(&kinds::UNKNOWN_DIRECTIVE, range.start, || format!("{}{hint}", quoted(text)));
        self.push(DirectiveKind::Unknown, range, None);
    }

    /// Reads the text between two commas, word by word. Returns the number of following pieces that a date consumed.
    fn piece(&mut self, piece: Range<usize>, ahead: impl Iterator<Item = Range<usize>> + Clone) -> usize {
        let mut at = piece.start;
        let mut is_first = true;
        while let Some(word) = next_word(self.value, at..piece.end) {
            if !is_first && !std::mem::replace(&mut self.reported.missing_comma, true) {
                self.find(&kinds::MISSING_COMMA, word.start, || quoted(self.value[piece.clone()].trim()));
            }
            is_first = false;
            if self.page.is_full() {
                self.omit(word.start);
                return 0;
            }
            let Some(kind) = self.kind_of(word.clone()) else {
                (at, is_first) = self.unknown_word(word, piece.end);
                continue;
            };
            let colon = colon_after(self.value, word.end..piece.end);
            at = match colon {
                Some(colon) if kind == DirectiveKind::UnavailableAfter => {
                    let (end, taken) = self.date(word.start, colon + 1..piece.end, ahead.clone());
                    if taken > 0 {
                        return taken;
                    }
                    end
                }
                Some(colon) if kind.takes_value() => self.valued(kind, word.start, colon + 1..piece.end),
                Some(colon) => {
                    self.find(&kinds::UNEXPECTED_VALUE, word.start, || {
                        quoted(self.value[word.start..piece.end].trim())
                    });
                    self.push(kind, word, None);
                    // In `all: noindex` the value counts as a directive; in `noindex: true` it does not.
                    if !self.starts_known(colon + 1..piece.end) {
                        return 0;
                    }
                    is_first = true;
                    colon + 1
                }
                None => {
                    let end = word.end;
                    self.push(kind, word, None);
                    end
                }
            };
        }
        0
    }

    /// Reads a word that is not a directive: the start of a crawler's name, or of an unknown directive. Returns the
    /// next position, and true if a directive may start there without a comma before it.
    fn unknown_word(&mut self, word: Range<usize>, end: usize) -> (usize, bool) {
        if let Some(colon) = self.agent_end(word.start, end) {
            let name = unquoted(self.value[word.start..colon].trim()).to_ascii_lowercase();
            if self.kind == ListKind::Field {
                self.agent = Some(name).filter(|name| name != "*" && name != "robots");
                self.agents_named += 1;
                return (colon + 1, true);
            }
            self.find(&kinds::AGENT_IN_CONTENT, word.start, || quoted(&name));
            self.push(DirectiveKind::Unknown, word.start..end, None);
            return (end, true);
        }
        let known = first_known(self.value, word.end..end).unwrap_or(end);
        self.unknown(word.start..known);
        (known, false)
    }

    /// Returns the position of the colon after a crawler's name that starts at `start`, if a directive or nothing
    /// follows the colon.
    fn agent_end(&self, start: usize, end: usize) -> Option<usize> {
        let far = floor_boundary(self.value, end.min(start + MAX_AGENT_BYTES));
        let colon = start + self.value[start..far].find(':')?;
        let is_empty = self.value[colon + 1..end].trim_start().is_empty();
        (is_empty || self.starts_known(colon + 1..end)).then_some(colon)
    }

    fn starts_known(&self, range: Range<usize>) -> bool {
        next_word(self.value, range).is_some_and(|word| known(&self.value[word]).is_some())
    }

    /// Returns the directive that a word names, with or without quotation marks.
    fn kind_of(&mut self, word: Range<usize>) -> Option<DirectiveKind> {
        let text = &self.value[word.clone()];
        let kind = known(text)?;
        if unquoted(text).len() < text.len() && !std::mem::replace(&mut self.reported.quoted, true) {
            self.find(&kinds::QUOTED, word.start, || quoted(text));
        }
        Some(kind)
    }

    /// Reads a number or a size, which is one word. Returns the next position.
    fn valued(&mut self, kind: DirectiveKind, start: usize, rest: Range<usize>) -> usize {
        let word = next_word(self.value, rest.clone()).unwrap_or(rest.end..rest.end);
        // In `max-snippet: noindex` the value is missing and another directive follows.
        let word = if known(&self.value[word.clone()])
            .is_some_and(|_| kind.value(&self.value[word.clone()]).is_none())
        {
            rest.start..rest.start
        } else {
            word
        };
        let value = self.value;
        self.push(kind, start..word.end, Some(&value[word.clone()]));
        word.end
    }

    /// Reads a date that starts in this piece and consumes as few further pieces as possible. Returns the next
    /// position, and the number of consumed pieces.
    fn date(
        &mut self,
        start: usize,
        rest: Range<usize>,
        ahead: impl Iterator<Item = Range<usize>>,
    ) -> (usize, usize) {
        let value = self.value;
        let kind = DirectiveKind::UnavailableAfter;
        let is_date = |end: usize| kind.value(unquoted(value[rest.start..end].trim())).is_some();
        // If a comma is missing, another directive may follow the date.
        let end = first_known(value, rest.clone()).unwrap_or(rest.end);
        if end < rest.end || is_date(end) {
            self.push(kind, start..end, Some(&value[rest.start..end]));
            return (end, 0);
        }
        for (index, piece) in ahead.take(MAX_DATE_COMMAS).enumerate() {
            let end = first_known(value, piece.clone()).unwrap_or(piece.end);
            if is_date(end) {
                self.push(kind, start..end, Some(&value[rest.start..end]));
                self.after_date(end..piece.end);
                return (piece.end, index + 1);
            }
            if end < piece.end {
                break;
            }
        }
        self.push(kind, start..rest.end, Some(&value[rest.clone()]));
        (rest.end, 0)
    }

    /// Reads the directives that follow a date in its last piece, without a comma between them.
    fn after_date(&mut self, rest: Range<usize>) {
        if !rest.is_empty() && first_known(self.value, rest.clone()).is_some() {
            self.find(&kinds::MISSING_COMMA, rest.start, || quoted(self.value[rest.clone()].trim()));
            self.reported.missing_comma = true;
            self.piece(rest, std::iter::empty());
        }
    }
}

/// Returns true if a list contains a known directive.
pub(super) fn has_known(value: &str) -> bool {
    pieces(value).any(|piece| first_known(value, piece).is_some())
}

/// Returns the last character boundary up to `at`.
pub(super) fn floor_boundary(value: &str, at: usize) -> usize {
    let mut at = at.min(value.len());
    while !value.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// Returns true for a character that ends a word: white space, a semicolon or a colon.
fn is_break(c: char) -> bool {
    c.is_whitespace() || c == ';' || c == ':'
}

/// Returns the next word of a range. Colons and semicolons before it are skipped.
fn next_word(value: &str, range: Range<usize>) -> Option<Range<usize>> {
    let start = range.start + value[range.clone()].find(|c| !is_break(c))?;
    let end = value[start..range.end].find(is_break).map_or(range.end, |length| start + length);
    Some(start..end)
}

/// Returns the position of the colon after a word, if only white space is between them.
fn colon_after(value: &str, range: Range<usize>) -> Option<usize> {
    let text = &value[range.clone()];
    let rest = text.trim_start();
    rest.starts_with(':').then(|| range.end - rest.len())
}

/// Returns the start of the first word in a range that names a directive.
fn first_known(value: &str, mut range: Range<usize>) -> Option<usize> {
    while let Some(word) = next_word(value, range.clone()) {
        if known(&value[word.clone()]).is_some() {
            return Some(word.start);
        }
        range.start = word.end;
    }
    None
}

fn known(word: &str) -> Option<DirectiveKind> {
    DirectiveKind::of(unquoted(word))
}

const QUOTES: [char; 4] = ['"', '\'', '\u{201c}', '\u{201d}'];

fn unquoted(text: &str) -> &str {
    text.trim_matches(QUOTES)
}
