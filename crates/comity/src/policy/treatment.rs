//! Treatments: the reaction of a preset to a kind of answer.

use super::kind::Availability;
use crate::verdict::{Recommendation, Verdict};
use crate::words::words;

words! {
    /// The reaction of a preset to a kind of answer.
    Treatment as "treatment" {
        /// The body's rules decide.
        ReadRules = "read_rules" => "read rules",
        /// The rules of the last good copy decide while there is a copy that may be used. The preset's
        /// [outage steps](super::Preset::outage_steps) define the time limits, and the treatment without a copy.
        LastGood = "last_good" => "last good copy",
        /// There are no rules: every URL is allowed.
        AllowAll = "allow_all" => "allow all",
        /// The answer itself is a refusal: every URL is disallowed.
        DisallowAll = "disallow_all" => "disallow all",
        /// robots.txt is unknown, so no URL is fetched.
        Stop = "stop" => "stop",
        /// The body is not a robots.txt: fetching is allowed with a warning.
        Warn = "warn" => "allow, with a warning",
        /// robots.txt is unknown, but every URL may be fetched.
        FailOpen = "fail_open" => "fail open",
        /// robots.txt is unknown, but every URL may be fetched, without a warning. Only the override
        /// [`OnUnreachable::Allow`](super::OnUnreachable::Allow) has this effect.
        FailOpenUnwarned = "fail_open_unwarned" => "fail open, without a warning",
        /// The caller has to handle the error. Until then no URL is fetched.
        HandToCaller = "hand_to_caller" => "hand the error to the caller",
    }
}

impl Treatment {
    /// Returns the verdict on every URL, or `None` if rules decide. If robots.txt is available but its rules were not
    /// read, the verdict is that it could not be parsed.
    pub(super) const fn verdict(self, availability: Availability) -> Option<Verdict> {
        match self {
            Treatment::ReadRules | Treatment::LastGood => None,
            Treatment::AllowAll => Some(Verdict::AllowedImplicit),
            Treatment::DisallowAll => Some(Verdict::DisallowedExplicit),
            Treatment::Stop
            | Treatment::Warn
            | Treatment::FailOpen
            | Treatment::FailOpenUnwarned
            | Treatment::HandToCaller => {
                if matches!(availability, Availability::Available) {
                    Some(Verdict::UnknownParseError)
                } else {
                    Some(Verdict::UnknownUnreachable)
                }
            }
        }
    }

    /// Returns the recommendation on every URL, or `None` if rules decide.
    ///
    /// The recommendation does not follow from the verdict. A preset may stop at a body that is not a robots.txt, or
    /// allow a URL with a warning although robots.txt is unknown.
    pub const fn recommendation(self) -> Option<Recommendation> {
        match self {
            Treatment::ReadRules | Treatment::LastGood => None,
            Treatment::AllowAll | Treatment::FailOpenUnwarned => Some(Recommendation::Recommended),
            Treatment::DisallowAll => Some(Recommendation::NotRecommended),
            Treatment::Stop | Treatment::HandToCaller => Some(Recommendation::UnknownDoNotFetchByDefault),
            Treatment::Warn | Treatment::FailOpen => Some(Recommendation::AllowedButWarn),
        }
    }

    /// Returns true if every URL is allowed although robots.txt is unknown.
    pub const fn opens(self) -> bool {
        matches!(self, Treatment::FailOpen | Treatment::FailOpenUnwarned)
    }
}
