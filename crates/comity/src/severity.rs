//! The severity of findings, shared by all readers.

use std::fmt;
use std::str::FromStr;

/// The severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Severity {
    /// Worth knowing; the file may well mean it.
    Note,
    /// Some crawlers read it otherwise, or it is probably not what was meant.
    Warning,
    /// The line does not do what it says.
    Error,
}

impl Severity {
    /// The severity in lower case.
    pub const fn as_str(self) -> &'static str {
        match self {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Severity {
    type Err = UnknownSeverity;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        [Severity::Note, Severity::Warning, Severity::Error]
            .into_iter()
            .find(|severity| severity.as_str() == name)
            .ok_or_else(|| UnknownSeverity { name: name.to_owned() })
    }
}

/// A name that no severity has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownSeverity {
    name: String,
}

impl fmt::Display for UnknownSeverity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown severity `{}`; known are note, warning, error", self.name)
    }
}

impl std::error::Error for UnknownSeverity {}
