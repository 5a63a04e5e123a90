//! Verdicts and recommendations.
//!
//! A **verdict** is the result of the rules; a **recommendation** is the action of a well-behaved program. Since the
//! two are separate, an unreadable robots.txt is neither an allowance nor a prohibition. If robots.txt was read, its
//! rules determine both. Otherwise, the [`Preset`](crate::policy::Preset) determines the recommendation.

use crate::words::words;

words! {
    /// The verdict of robots.txt on fetching one URL.
    ///
    /// ```
    /// use comity::policy::Verdict;
    ///
    /// assert_eq!(Verdict::AllowedImplicit.as_str(), "allowed_implicit");
    /// assert_eq!("disallowed_explicit".parse(), Ok(Verdict::DisallowedExplicit));
    /// ```
    Verdict as "verdict" {
        /// A rule allows the URL.
        AllowedExplicit = "allowed_explicit",
        /// No rule applies to the URL, so it is allowed (RFC 9309 §2.2.2).
        AllowedImplicit = "allowed_implicit",
        /// A rule disallows the URL, or the preset disallows every URL because of the answer.
        DisallowedExplicit = "disallowed_explicit",
        /// robots.txt could not be reached (for example 5xx, network), so its rules are unknown (RFC 9309 §2.3.1.4).
        UnknownUnreachable = "unknown_unreachable",
        /// The site's answer is not a robots.txt file, so the rules are unknown.
        UnknownParseError = "unknown_parse_error",
        /// The user chose not to consult robots.txt.
        SkippedByUserPolicy = "skipped_by_user_policy",
    }
}

words! {
    /// The recommendation to a well-behaved program that is about to fetch a URL.
    ///
    /// ```
    /// use comity::policy::Recommendation;
    ///
    /// assert!(Recommendation::AllowedButWarn.allows());
    /// assert!(!Recommendation::UnknownDoNotFetchByDefault.allows());
    /// ```
    Recommendation as "recommendation" {
        /// Fetch.
        Recommended = "recommended",
        /// Do not fetch.
        NotRecommended = "not_recommended",
        /// Fetch if necessary, and report that the rules could not be read.
        AllowedButWarn = "allowed_but_warn",
        /// Do not fetch until the rules can be read, unless your own policy decides otherwise.
        UnknownDoNotFetchByDefault = "unknown_do_not_fetch_by_default",
    }
}

impl Recommendation {
    /// Returns true if a well-behaved program may fetch, possibly with a warning.
    pub const fn allows(self) -> bool {
        matches!(self, Recommendation::Recommended | Recommendation::AllowedButWarn)
    }
}
