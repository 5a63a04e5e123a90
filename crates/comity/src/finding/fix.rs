//! Fixes: the edits that resolve a finding, and their effect on decisions.

use std::ops::Range;

use crate::words::words;

words! {
    /// The effect of a [`Fix`] on decisions.
    Decisions as "effect on decisions" {
        /// The decisions of every dialect are unchanged.
        Kept = "kept",
        /// The decisions of the default dialect are unchanged. Dialects that interpret the replaced text differently,
        /// as the finding explains, may decide differently afterwards.
        Settled = "settled",
        /// Decisions change as the finding describes.
        Changed = "changed",
    }
}

/// Edits that resolve a [`Finding`](super::Finding).
///
/// Only findings with a mechanical solution have a fix.
///
/// ```
/// use comity::finding::Decisions;
/// use comity::robots::lint::lint;
///
/// let findings = lint(b"User-agent: *\nDisallow /private\n");
/// let fix = findings[0].fix().expect("a fix");
/// assert!(fix.is_safe());
/// assert_eq!(fix.decisions(), Decisions::Settled);
/// assert_eq!((fix.edits()[0].span(), fix.edits()[0].text()), (22..23, ": "));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    decisions: Decisions,
    edits: Vec<Edit>,
}

/// One edit of a fix: bytes of the document, and the text that replaces them.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Edit {
    /// The first byte that is replaced.
    start: usize,
    /// The byte after the last one that is replaced; equal to `start` for an insertion.
    end: usize,
    /// The replacement text; empty for a deletion.
    text: String,
}

impl Fix {
    /// Makes a fix without edits.
    pub(crate) fn new(decisions: Decisions) -> Self {
        Fix { decisions, edits: Vec::new() }
    }

    /// Appends an edit.
    pub(crate) fn replace(mut self, span: Range<usize>, text: impl Into<String>) -> Self {
        self.edits.push(Edit { start: span.start, end: span.end, text: text.into() });
        self
    }

    /// Appends an edit that deletes bytes.
    pub(crate) fn delete(self, span: Range<usize>) -> Self {
        self.replace(span, "")
    }

    /// Returns the effect on decisions.
    pub fn decisions(&self) -> Decisions {
        self.decisions
    }

    /// Returns true if the meaning of the file does not change: no decision of the default dialect changes.
    pub fn is_safe(&self) -> bool {
        self.decisions != Decisions::Changed
    }

    /// Returns the edits in the order of the document. They do not overlap, and must be applied together.
    pub fn edits(&self) -> &[Edit] {
        &self.edits
    }
}

impl Edit {
    /// Returns the bytes that are replaced; empty for an insertion.
    pub fn span(&self) -> Range<usize> {
        self.start..self.end
    }

    /// Returns the replacement text; empty for a deletion.
    pub fn text(&self) -> &str {
        &self.text
    }
}

/// The edits that resolve a finding.
#[cfg(feature = "serde")]
#[derive(serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Fix"))]
struct FixFields<'f> {
    /// True if the meaning of the file does not change: no decision of the default dialect changes.
    safe: bool,
    /// The effect on decisions: they are unchanged in every dialect, they are unchanged in the default dialect, or they
    /// change.
    decisions: Decisions,
    /// The edits in the order of the document. They do not overlap, and must be applied together.
    edits: &'f [Edit],
}

#[cfg(feature = "serde")]
impl serde::Serialize for Fix {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let fields = FixFields { safe: self.is_safe(), decisions: self.decisions, edits: &self.edits };
        fields.serialize(serializer)
    }
}

#[cfg(feature = "schema")]
crate::schema::written_as!(Fix: FixFields<'static>;);
