//! From bytes to records and groups.
//!
//! ```text
//! bytes ──text──▶ text ──lines──▶ lines ──syntax──▶ directives ──groups──▶ Document
//!                  └──────────── scan ─────────────────▲
//! ```
//!
//! Each step is a handful of strategies, and a dialect's [`Reading`] says which of them it takes. `scan` is a faster way
//! through two steps for the dialects that read lines as Google does. A [`Document`] keeps a text and its records, each
//! in the eight bytes of `packed`; `record` is a record as other modules see it. `generous` reads lines as Protego does.
//! `pacing` computes delays and rates. `Rules::delay` selects the one that counts; the pace of the client and the records of
//! decisions take it from there.

pub(crate) mod content;
pub(crate) mod directive;
mod document;
mod generous;
pub(crate) mod groups;
pub(crate) mod lines;
pub(crate) mod pacing;
mod packed;
pub(crate) mod record;
pub(crate) mod scan;
pub(crate) mod space;
pub(crate) mod syntax;
pub(crate) mod text;

pub(crate) use document::Document;

/// A dialect's way of reading a body: one choice for each step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reading {
    /// The way from bytes to text.
    pub text: text::Text,
    /// The number of bytes of the body that count.
    pub body_limit: Option<usize>,
    /// The line ends.
    pub lines: lines::Lines,
    /// The way from a line to a directive and a value.
    pub syntax: syntax::Syntax,
    /// The way from records to groups.
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
