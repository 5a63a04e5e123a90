//! Input of the lints for patterns.

use std::collections::HashSet;

use memchr::memmem;

use super::Lint;
use super::context::{Context, LocatedRecord};
use super::rivals::Rivals;
use crate::finding::{Decisions, Finding, Fix};
use crate::robots::read::space::is_ascii_space;

/// Advice for a rule without effect that is the only rule in its group.
pub(super) const ONLY_RULE: &str =
    "write an empty `Disallow:` instead; a group without rules is joined with the next one";

/// Pattern of one rule.
pub(super) struct Pattern<'c, 'b> {
    pub context: &'c Context<'b>,
    pub record: &'c LocatedRecord,
    pub value: &'b [u8],
    pub start: Start,
    pub rivals: &'c Rivals<'c, 'c>,
    pub stems: &'c HashSet<&'b [u8]>,
}

/// Start of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Start {
    /// `/` or `*`: the pattern may match.
    Path,
    /// `http://` or `https://`, ending at this position.
    Url(usize),
    /// Any other text: the pattern cannot match.
    Other,
}

impl Start {
    pub(super) fn of(value: &[u8]) -> Self {
        if matches!(value.first(), Some(b'/' | b'*')) {
            return Start::Path;
        }
        let is_start =
            |scheme: &&[u8]| value.get(..scheme.len()).is_some_and(|s| s.eq_ignore_ascii_case(scheme));
        let scheme = [&b"http://"[..], b"https://"].into_iter().find(is_start);
        scheme.map_or(Start::Other, |scheme| Start::Url(scheme.len()))
    }
}

impl Pattern<'_, '_> {
    /// Returns a finding for a range of the pattern.
    pub(super) fn finding(
        &self,
        lint: &'static Lint,
        at: usize,
        length: usize,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Finding {
        let start = self.record.value.start + at;
        self.context.finding(lint, self.record.line, start..start + length, message, help)
    }

    /// Returns a fix that replaces the pattern and changes decisions. Returns `None` if the new pattern is not UTF-8.
    pub(super) fn replacement(&self, pattern: Vec<u8>) -> Option<Fix> {
        let text = String::from_utf8(pattern).ok()?;
        Some(Fix::new(Decisions::Changed).replace(self.record.value.clone(), text))
    }
}

/// Returns the patterns of all rules without their last character: `/a` for `/a/` and `/a?`. Patterns that end in a
/// letter, a digit, `,` or `;` are omitted.
pub(super) fn stems<'b>(context: &Context<'b>) -> HashSet<&'b [u8]> {
    let values =
        context.records.iter().filter(|record| record.kind.is_rule()).map(|rule| context.value(rule));
    let stem = |value: &'b [u8]| match value {
        [stem @ .., last] if !last.is_ascii_alphanumeric() && !matches!(last, b',' | b';') => Some(stem),
        _ => None,
    };
    values.filter_map(stem).collect()
}

/// Returns the position of a mark of a regular expression in a pattern, and the mark.
pub(super) fn regex_mark(value: &[u8]) -> Option<(usize, &'static [u8])> {
    const MARKS: [&[u8]; 14] = [
        b"[0-9", b"[a-z", b"[A-Z", b"[^", b"(?:", b"(?!", b"(?=", b"\\d", b"\\w", b"\\s", b"\\.", b"\\/",
        b"\\?", b"(.*)",
    ];
    MARKS.into_iter().find_map(|mark| Some((memmem::find(value, mark)?, mark)))
}

/// Returns the position of each percent sign in a pattern, with the two bytes after it if both are hex digits.
pub(super) fn percent_signs(value: &[u8]) -> impl Iterator<Item = (usize, Option<&[u8]>)> {
    memchr::memchr_iter(b'%', value).map(|at| {
        let digits = value.get(at + 1..at + 3);
        (at, digits.filter(|digits| digits.iter().all(u8::is_ascii_hexdigit)))
    })
}

/// Returns the length of a comment that is probably a part of the value: its `#` directly follows the value, and it
/// contains no white space.
pub(super) fn cut_by_hash(context: &Context<'_>, record: &LocatedRecord) -> Option<usize> {
    let line = context.lines.get(record.line)?;
    let rest = context.bytes(record.value.end..line.span().end).trim_ascii_end();
    let is_glued = !record.value.is_empty() && rest.first() == Some(&b'#');
    let is_decoration = rest.len() > 1 && rest.iter().all(|byte| *byte == b'#');
    (is_glued && !is_decoration && !rest.iter().any(|byte| is_ascii_space(*byte))).then_some(rest.len())
}
