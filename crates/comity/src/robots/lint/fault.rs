//! A mistake at one place of a value, and its fix.

use std::ops::Range;

/// A mistake at one place of a value.
pub(super) struct Fault {
    pub at: Range<usize>,
    pub message: String,
    pub help: String,
    /// What to write there instead, if that is certain.
    pub instead: Option<String>,
}

impl Fault {
    pub(super) fn new(at: Range<usize>, message: impl Into<String>, help: impl Into<String>) -> Self {
        Fault { at, message: message.into(), help: help.into(), instead: None }
    }

    /// Says what to write instead.
    pub(super) fn or_write(self, instead: Option<String>) -> Self {
        Fault { instead, ..self }
    }
}
