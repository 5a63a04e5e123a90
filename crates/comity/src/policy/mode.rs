//! Modes: the effect of a decision on a fetch.

use crate::words::words;

words! {
    /// The effect of a decision on a fetch.
    #[derive(Default)]
    Mode as "mode" {
        /// URLs that are not recommended are not fetched.
        #[default]
        Respect = "respect",
        /// The decision is made and recorded, and never blocks.
        ReportOnly = "report_only",
        /// robots.txt is not fetched; every verdict is [`SkippedByUserPolicy`](super::Verdict::SkippedByUserPolicy).
        Ignore = "ignore",
    }
}

impl Mode {
    /// Returns a description of the mode in a sentence.
    pub const fn summary(self) -> &'static str {
        match self {
            Mode::Respect => "URLs that are not recommended are not fetched",
            Mode::ReportOnly => "decisions are made and recorded, and never block",
            Mode::Ignore => "robots.txt is not fetched, and no URL is blocked",
        }
    }
}
