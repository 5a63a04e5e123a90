//! The severity of findings.

use crate::words::words;

words! {
    /// The severity of a finding.
    Severity as "severity" {
        /// Worth knowing, but possibly intended by the author.
        Note = "note",
        /// Some crawlers read it differently, or it is probably not what the author intended.
        Warning = "warning",
        /// It does not have the effect that its text suggests.
        Error = "error",
    }
}
