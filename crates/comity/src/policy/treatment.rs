//! What a preset does about a kind of answer.

use std::fmt;

use super::verdict::{Recommendation, Verdict};

/// The way a preset treats an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Treatment {
    /// The body's rules decide.
    ReadRules,
    /// The rules of the last good copy decide. In a preset's table: while there is one and it may be used; the
    /// preset's [outage steps](super::Preset::outage_steps) say when that is, and what happens without.
    LastGood,
    /// There are no rules: everything is allowed.
    AllowAll,
    /// The answer itself says no: everything is disallowed.
    DisallowAll,
    /// Nothing is known, so nothing is fetched.
    Stop,
    /// The body is not a robots.txt: fetching is allowed with a warning.
    Warn,
    /// Nothing is known, and everything may be fetched all the same.
    FailOpen,
    /// The same without a warning; no preset does that, only [`OnUnreachable::Allow`](super::OnUnreachable::Allow).
    FailOpenUnwarned,
    /// The error is the caller's to handle; until then nothing is fetched.
    HandToCaller,
}

impl Treatment {
    /// The treatment's name in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Treatment::ReadRules => "read_rules",
            Treatment::LastGood => "last_good",
            Treatment::AllowAll => "allow_all",
            Treatment::DisallowAll => "disallow_all",
            Treatment::Stop => "stop",
            Treatment::Warn => "warn",
            Treatment::FailOpen => "fail_open",
            Treatment::FailOpenUnwarned => "fail_open_unwarned",
            Treatment::HandToCaller => "hand_to_caller",
        }
    }

    /// The treatment in the words of a table.
    pub const fn label(self) -> &'static str {
        match self {
            Treatment::ReadRules => "read rules",
            Treatment::LastGood => "last good copy",
            Treatment::AllowAll => "allow all",
            Treatment::DisallowAll => "disallow all",
            Treatment::Stop => "stop",
            Treatment::Warn => "allow, with a warning",
            Treatment::FailOpen => "fail open",
            Treatment::FailOpenUnwarned => "fail open, without a warning",
            Treatment::HandToCaller => "hand the error to the caller",
        }
    }

    /// The verdict on every URL, given whether something was served that is not a robots.txt; `None` where rules
    /// decide.
    pub(super) const fn verdict(self, is_parse_error: bool) -> Option<Verdict> {
        match self {
            Treatment::ReadRules | Treatment::LastGood => None,
            Treatment::AllowAll => Some(Verdict::AllowedImplicit),
            Treatment::DisallowAll => Some(Verdict::DisallowedExplicit),
            Treatment::Stop
            | Treatment::Warn
            | Treatment::FailOpen
            | Treatment::FailOpenUnwarned
            | Treatment::HandToCaller => {
                if is_parse_error {
                    Some(Verdict::UnknownParseError)
                } else {
                    Some(Verdict::UnknownUnreachable)
                }
            }
        }
    }

    /// The recommendation on every URL; `None` where rules decide.
    ///
    /// It is the verdict's own ([`Verdict::recommendation`]) save where a preset knows better: what fails open is
    /// allowed with a warning though nothing is known, and some presets stop at a body that is not a robots.txt.
    pub const fn recommendation(self) -> Option<Recommendation> {
        match self {
            Treatment::ReadRules | Treatment::LastGood => None,
            Treatment::AllowAll | Treatment::FailOpenUnwarned => Some(Recommendation::Recommended),
            Treatment::DisallowAll => Some(Recommendation::NotRecommended),
            Treatment::Stop | Treatment::HandToCaller => Some(Recommendation::UnknownDoNotFetchByDefault),
            Treatment::Warn | Treatment::FailOpen => Some(Recommendation::AllowedButWarn),
        }
    }

    /// Returns whether everything is allowed though nothing is known.
    pub const fn opens(self) -> bool {
        matches!(self, Treatment::FailOpen | Treatment::FailOpenUnwarned)
    }
}

impl fmt::Display for Treatment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
