//! Applies the fixes of findings to a file.
//!
//! Fixes are applied in rounds. Each round starts with a new lint run. The fixes of one round change different lines,
//! so the positions from its lint run remain valid. Other fixes are applied in later rounds. An unsafe fix is applied
//! only if no safe fix remains.

use std::fmt;
use std::ops::Range;

use crate::finding::{Finding, Fix};
use crate::robots::read::text::BODY_LIMIT;

/// Maximum number of rounds.
const ROUNDS: usize = 64;

/// A file after its fixes were applied.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FixedFile {
    /// The fixed file.
    pub body: Vec<u8>,
    /// The findings whose fixes were applied. The position of a finding refers to the file at the start of the round
    /// that applied its fix.
    pub fixed: Vec<Finding>,
}

/// The error for a body that is longer than the part that crawlers read. Fixes are not applied to such a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLong {
    length: usize,
}

impl fmt::Display for TooLong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let TooLong { length } = self;
        write!(
            f,
            "the file has {length} bytes, and crawlers read only the first {BODY_LIMIT}; a fix that deletes bytes would \
             give an effect to rules after this limit"
        )
    }
}

impl std::error::Error for TooLong {}

/// Applies to a robots.txt those fixes for which `accept` returns true.
///
/// If `accept` selects only fixes with [`Fix::is_safe`](crate::finding::Fix::is_safe), no decision of the default
/// dialect changes. Line ends, the byte order mark and all text without findings remain unchanged. A fix is omitted if
/// the text that it inserts does not fit into the part that crawlers read.
///
/// # Errors
///
/// Returns [`TooLong`] if the file is already longer than that part.
///
/// ```
/// use comity::robots::lint::apply_fixes;
///
/// let body = b"User-agent: *\nDissalow: /caf%c3%a9/*\nAlow: /open/\n";
/// let safe = apply_fixes(body, |_, fix| fix.is_safe())?;
/// assert_eq!(safe.body, b"User-agent: *\nDisallow: /caf%C3%A9/\nAlow: /open/\n");
/// let all = apply_fixes(body, |_, _| true)?;
/// assert_eq!(all.body, b"User-agent: *\nDisallow: /caf%C3%A9/\nAllow: /open/\n");
/// # Ok::<(), comity::robots::lint::TooLong>(())
/// ```
pub fn apply_fixes(body: &[u8], accept: impl Fn(&Finding, &Fix) -> bool) -> Result<FixedFile, TooLong> {
    if body.len() > BODY_LIMIT {
        return Err(TooLong { length: body.len() });
    }
    let mut fixed_file = FixedFile { body: body.to_vec(), fixed: Vec::new() };
    for _ in 0..ROUNDS {
        let findings = super::up_to(usize::MAX, &fixed_file.body);
        let wanted = |is_safe: bool| {
            let accept = &accept;
            move |finding: &&Finding| {
                finding.fix().is_some_and(|fix| fix.is_safe() == is_safe && accept(finding, fix))
            }
        };
        let is_done = [true, false].into_iter().all(|is_safe| {
            let (body, made) = round(&fixed_file.body, findings.iter().filter(wanted(is_safe)));
            if made.is_empty() {
                return true;
            }
            fixed_file.body = body;
            fixed_file.fixed.extend(made.into_iter().cloned());
            false
        });
        if is_done {
            break;
        }
    }
    Ok(fixed_file)
}

/// Applies each fix unless an earlier fix of the round changes one of its lines. Returns the changed file, and the
/// findings whose fixes were applied.
fn round<'f>(body: &[u8], findings: impl Iterator<Item = &'f Finding>) -> (Vec<u8>, Vec<&'f Finding>) {
    let mut taken: Vec<Range<usize>> = Vec::new();
    let mut edits = Vec::new();
    let mut made = Vec::new();
    let mut length = body.len();
    for finding in findings {
        let Some(fix) = finding.fix() else { continue };
        let places: Vec<_> = fix.edits().iter().map(|edit| whole_lines(body, edit.span())).collect();
        let added: usize = fix.edits().iter().map(|edit| edit.text().len()).sum();
        let removed: usize = fix.edits().iter().map(|edit| edit.span().len()).sum();
        let new_length = (length + added).saturating_sub(removed);
        let is_free = |place: &Range<usize>| {
            let after = taken.partition_point(|other| other.start < place.end);
            after.checked_sub(1).and_then(|last| taken.get(last)).is_none_or(|last| last.end <= place.start)
        };
        if places.is_empty() || !places.iter().all(is_free) || added > removed && new_length > BODY_LIMIT {
            continue;
        }
        length = new_length;
        for place in places {
            let at = taken.partition_point(|other| other.start < place.start);
            taken.insert(at, place);
        }
        edits.extend(fix.edits());
        made.push(finding);
    }
    edits.sort_by_key(|edit| edit.span().start);
    let mut output = Vec::with_capacity(length);
    let mut at = 0;
    for edit in edits {
        output.extend_from_slice(body.get(at..edit.span().start).unwrap_or_default());
        output.extend_from_slice(edit.text().as_bytes());
        at = edit.span().end;
    }
    output.extend_from_slice(body.get(at..).unwrap_or_default());
    (output, made)
}

/// Returns the range of the whole lines that overlap with `span`, including their line ends. The last line of the file
/// may have no line end.
fn whole_lines(body: &[u8], span: Range<usize>) -> Range<usize> {
    let is_end = |byte: &u8| matches!(byte, b'\n' | b'\r');
    let before = body.get(..span.start).unwrap_or_default();
    let start = before.iter().rposition(is_end).map_or(0, |at| at + 1);
    let last = span.end.saturating_sub(1).max(span.start);
    let rest = body.get(last..).unwrap_or_default();
    let end = rest.iter().position(is_end).map_or(body.len() + 1, |at| last + at + 1);
    start..end
}
