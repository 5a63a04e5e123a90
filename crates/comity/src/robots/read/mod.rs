//! Parses bytes into records and groups.
//!
//! ```text
//! bytes ──text──▶ text ──lines──▶ lines ──syntax──▶ directives ──groups──▶ Document
//!                  └──────────── scan ─────────────────▲
//! ```
//!
//! Each step has several strategies, and a dialect's [`Reading`] selects one per step. `scan.rs` is a faster
//! implementation of two steps for the dialects that read lines as Google does. A [`Document`] contains a text and its
//! records, each packed into eight bytes (`packed.rs`). `record.rs` is the form of a record for other modules.
//! `generous.rs` reads lines as Protego does. `content.rs` defines the content of one line (`Content`, `Directive`).
//! `space.rs` trims white space as C, Ruby, Python and JavaScript do. `pacing.rs` computes delays and rates.

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

/// A dialect's way to read a body: one choice for each step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reading {
    /// The conversion of bytes to text.
    pub text: text::Text,
    /// Maximum number of bytes of the body that are read.
    pub body_limit: Option<usize>,
    /// The line ends.
    pub lines: lines::Lines,
    /// The parsing of a line into a directive and a value.
    pub syntax: syntax::Syntax,
    /// The grouping of records.
    pub grouping: groups::Grouping,
}

impl Reading {
    /// Returns true if `scan.rs` implements this reading: it reads lines and keys and forms groups as Google does.
    #[inline]
    pub(crate) const fn is_scanned(&self) -> bool {
        matches!((self.lines, self.syntax), (lines::Lines::CrLfCut, syntax::Syntax::Lenient))
            && matches!(self.grouping, groups::Grouping::Rules)
    }
}
