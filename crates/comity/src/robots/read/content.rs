//! The content of one line.

use std::ops::Range;

use super::directive::RecordKind;

/// The content of one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    /// Nothing but white space.
    Blank,
    /// A comment alone.
    Comment,
    /// A line that is not a directive.
    Other,
    /// A directive.
    Directive(Directive),
}

/// A directive as it stands in the text: ranges are offsets into the line given to [`read`](super::syntax::read).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Directive {
    pub kind: RecordKind,
    pub key: Range<usize>,
    pub value: Range<usize>,
    /// The key is a known misspelling.
    pub misspelt: bool,
    /// White space stands where the colon should.
    pub missing_colon: bool,
}
