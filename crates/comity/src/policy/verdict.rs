//! The words of a decision.
//!
//! A **verdict** says what the rules say; a **recommendation** says what a well-behaved program does about it.
//! Keeping the two apart is what makes "robots.txt could not be read" different from both yes and no.

use std::fmt;

/// The verdict of robots.txt on fetching one URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Verdict {
    /// A rule allows it.
    AllowedExplicit,
    /// No rule speaks about it, so it is allowed (RFC 9309 §2.2.2).
    AllowedImplicit,
    /// A rule disallows it.
    DisallowedExplicit,
    /// robots.txt could not be reached (5xx, network): nothing is known (RFC 9309 §2.3.1.4).
    UnknownUnreachable,
    /// robots.txt was reached but is not a robots.txt: nothing is known.
    UnknownParseError,
    /// The user asked for robots.txt not to be consulted.
    SkippedByUserPolicy,
}

impl Verdict {
    /// Every verdict, in the order of the documentation.
    pub const ALL: [Verdict; 6] = [
        Verdict::AllowedExplicit,
        Verdict::AllowedImplicit,
        Verdict::DisallowedExplicit,
        Verdict::UnknownUnreachable,
        Verdict::UnknownParseError,
        Verdict::SkippedByUserPolicy,
    ];

    /// The verdict's name in JSON and on the command line.
    ///
    /// ```
    /// use comity::policy::Verdict;
    /// assert_eq!(Verdict::AllowedImplicit.as_str(), "allowed_implicit");
    /// ```
    pub const fn as_str(self) -> &'static str {
        match self {
            Verdict::AllowedExplicit => "allowed_explicit",
            Verdict::AllowedImplicit => "allowed_implicit",
            Verdict::DisallowedExplicit => "disallowed_explicit",
            Verdict::UnknownUnreachable => "unknown_unreachable",
            Verdict::UnknownParseError => "unknown_parse_error",
            Verdict::SkippedByUserPolicy => "skipped_by_user_policy",
        }
    }

    /// Returns what a well-behaved program does about this verdict.
    ///
    /// ```
    /// use comity::policy::{Recommendation, Verdict};
    /// assert_eq!(Verdict::DisallowedExplicit.recommendation(), Recommendation::NotRecommended);
    /// ```
    pub const fn recommendation(self) -> Recommendation {
        match self {
            Verdict::AllowedExplicit | Verdict::AllowedImplicit | Verdict::SkippedByUserPolicy => {
                Recommendation::Recommended
            }
            Verdict::DisallowedExplicit => Recommendation::NotRecommended,
            Verdict::UnknownUnreachable => Recommendation::UnknownDoNotFetchByDefault,
            Verdict::UnknownParseError => Recommendation::AllowedButWarn,
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// The recommendation to a well-behaved program that follows from a [`Verdict`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Recommendation {
    /// Fetch.
    Recommended,
    /// Do not fetch.
    NotRecommended,
    /// Fetch if you must, and say that the rules could not be read.
    AllowedButWarn,
    /// Do not fetch until the rules can be read, unless a policy of your own says otherwise.
    UnknownDoNotFetchByDefault,
}

impl Recommendation {
    /// The recommendation's name in JSON and on the command line.
    pub const fn as_str(self) -> &'static str {
        match self {
            Recommendation::Recommended => "recommended",
            Recommendation::NotRecommended => "not_recommended",
            Recommendation::AllowedButWarn => "allowed_but_warn",
            Recommendation::UnknownDoNotFetchByDefault => "unknown_do_not_fetch_by_default",
        }
    }
}

impl fmt::Display for Recommendation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
