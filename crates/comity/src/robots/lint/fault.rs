//! Mistakes in values, with their fixes.

use std::ops::Range;

/// A mistake at one position of a value.
pub(super) struct Fault {
    pub at: Range<usize>,
    pub message: String,
    pub help: String,
    /// The replacement text, if only one replacement is possible.
    pub instead: Option<String>,
}

impl Fault {
    pub(super) fn new(at: Range<usize>, message: impl Into<String>, help: impl Into<String>) -> Self {
        Fault { at, message: message.into(), help: help.into(), instead: None }
    }

    /// Sets the replacement text.
    pub(super) fn or_write(self, instead: Option<String>) -> Self {
        Fault { instead, ..self }
    }
}
