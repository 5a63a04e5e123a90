//! Modes: what a decision does to a fetch.

use std::fmt;
use std::str::FromStr;

use super::names::{self, UnknownName};

/// The effect of a decision on a fetch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Mode {
    /// URLs that are not recommended are not fetched.
    #[default]
    Respect,
    /// The decision is made and recorded, and never blocks.
    ReportOnly,
    /// robots.txt is not even fetched; every verdict is
    /// [`SkippedByUserPolicy`](super::Verdict::SkippedByUserPolicy).
    Ignore,
}

impl Mode {
    /// Every mode, the default first.
    pub const ALL: [Mode; 3] = [Mode::Respect, Mode::ReportOnly, Mode::Ignore];

    /// The mode's name in JSON and on the command line.
    pub const fn as_str(self) -> &'static str {
        match self {
            Mode::Respect => "respect",
            Mode::ReportOnly => "report_only",
            Mode::Ignore => "ignore",
        }
    }

    /// Returns what the mode does, in a sentence.
    pub const fn summary(self) -> &'static str {
        match self {
            Mode::Respect => "what is not recommended is not fetched",
            Mode::ReportOnly => "decisions are made and recorded, and never block",
            Mode::Ignore => "robots.txt is not even fetched",
        }
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// Case does not matter, and `report-only` is `report_only`.
impl FromStr for Mode {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        names::find("mode", &Mode::ALL, Mode::as_str, name)
    }
}
