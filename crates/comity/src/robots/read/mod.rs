//! From bytes to records and groups.
//!
//! ```text
//! bytes ──text──▶ text ──lines──▶ lines ──syntax──▶ directives ──groups──▶ Document
//!                  └──────────── scan ─────────────────▲
//! ```
//!
//! Each step is a handful of strategies, and a dialect's [`Reading`] says which of them it takes. `scan` is a faster way
//! through two steps for the dialects that read lines as Google does. A [`Document`] keeps a text and its records, each
//! in the eight bytes of `packed`; `record` is what others see of one.

pub(crate) mod directive;
mod document;
pub(crate) mod groups;
pub(crate) mod lines;
pub(crate) mod pacing;
mod packed;
pub(crate) mod record;
pub(crate) mod scan;
pub(crate) mod syntax;
pub(crate) mod text;

pub(crate) use document::Document;

/// How a dialect reads a body: one choice for each step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reading {
    /// How bytes become text.
    pub text: text::Text,
    /// How many bytes of the body count.
    pub body_limit: Option<usize>,
    /// Where lines end.
    pub lines: lines::Lines,
    /// How a line becomes a directive and a value.
    pub syntax: syntax::Syntax,
    /// How records form groups.
    pub grouping: groups::Grouping,
}

impl Reading {
    /// Returns true if `scan` and `groups` together read as this does: lines and keys are Google's, and no blank line matters.
    #[inline]
    pub(crate) const fn is_scanned(&self) -> bool {
        matches!((self.lines, self.syntax), (lines::Lines::CrLfCut, syntax::Syntax::Lenient))
            && matches!(self.grouping, groups::Grouping::Rules)
    }
}
