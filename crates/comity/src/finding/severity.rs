//! The severity of findings.

use crate::words::words;

words! {
    /// The severity of a finding.
    Severity as "severity" {
        /// A fact worth knowing, which the author may have intended.
        Note = "note",
        /// Some crawlers interpret the text differently, or the text is probably not what the author intended.
        Warning = "warning",
        /// The text does not have the effect that it suggests.
        Error = "error",
    }
}
