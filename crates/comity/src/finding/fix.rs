//! The way out of a finding as data: edits of the document, and what they do to decisions.

use std::ops::Range;

use crate::words::words;

words! {
    /// What becomes of decisions when a [`Fix`] is made.
    Decisions as "effect on decisions" {
        /// Every dialect decides as before.
        Kept = "kept",
        /// The default dialect decides as before. Dialects that read the place otherwise, as the finding says, may decide
        /// otherwise from then on.
        Settled = "settled",
        /// Decisions change as the finding says.
        Changed = "changed",
    }
}

/// Edits that make a [`Finding`](super::Finding) go away.
///
/// Only findings whose way out is mechanical have one.
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
    /// The byte after the last one that is replaced; equal to `start` where text is inserted.
    end: usize,
    /// The new text; empty where bytes are taken out.
    text: String,
}

impl Fix {
    /// A fix without edits yet.
    pub(crate) fn new(decisions: Decisions) -> Self {
        Fix { decisions, edits: Vec::new() }
    }

    /// Adds an edit behind the others.
    pub(crate) fn replace(mut self, span: Range<usize>, text: impl Into<String>) -> Self {
        self.edits.push(Edit { start: span.start, end: span.end, text: text.into() });
        self
    }

    /// Adds an edit that takes bytes out.
    pub(crate) fn delete(self, span: Range<usize>) -> Self {
        self.replace(span, "")
    }

    /// Returns what becomes of decisions when it is made.
    pub fn decisions(&self) -> Decisions {
        self.decisions
    }

    /// Returns whether the file means the same afterwards: no decision of the default dialect changes.
    pub fn is_safe(&self) -> bool {
        self.decisions != Decisions::Changed
    }

    /// Returns the edits in the order of the document. They do not overlap and belong together.
    pub fn edits(&self) -> &[Edit] {
        &self.edits
    }
}

impl Edit {
    /// Returns the bytes that are replaced; empty where something is put in.
    pub fn span(&self) -> Range<usize> {
        self.start..self.end
    }

    /// Returns what stands there afterwards; empty where something is taken out.
    pub fn text(&self) -> &str {
        &self.text
    }
}

/// The edits that make a finding go away.
#[cfg(feature = "serde")]
#[derive(serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Fix"))]
struct FixFields<'f> {
    /// True if the file means the same afterwards: no decision of the default dialect changes.
    safe: bool,
    /// The effect on decisions: those of every dialect are kept, those of the default dialect are, or decisions change.
    decisions: Decisions,
    /// The edits in the order of the document. They do not overlap and belong together.
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
