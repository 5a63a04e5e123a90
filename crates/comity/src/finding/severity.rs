//! The severity of findings.

use crate::words::words;

words! {
    /// The severity of a finding.
    Severity as "severity" {
        /// Worth knowing. The author may have meant it so.
        Note = "note",
        /// Some crawlers read it otherwise, or it is probably not what was meant.
        Warning = "warning",
        /// The line does not do what it says.
        Error = "error",
    }
}
