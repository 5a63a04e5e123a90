//! The content of one line.

use std::ops::Range;

use super::directive::RecordKind;

/// The content of one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    /// Only white space.
    Blank,
    /// Only a comment.
    Comment,
    /// A line that is not a directive.
    Other,
    /// A directive.
    Directive(Directive),
}

/// A directive as written. The ranges are offsets into the line that is passed to [`read`](super::syntax::read).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Directive {
    pub kind: RecordKind,
    pub key: Range<usize>,
    pub value: Range<usize>,
    /// True if the key is a known misspelling.
    pub misspelt: bool,
    /// True if white space replaces the colon.
    pub missing_colon: bool,
}
