//! The signals that a site can give, and the operators that ignore them.

use super::aipref::Vocabulary;
use super::words::Use;

crate::words::words! {
    /// A signal by which a site states the permitted uses of its content.
    #[derive(PartialOrd, Ord)]
    #[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "snake_case"))]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
    #[non_exhaustive]
    pub enum Signal as "signal" {
        /// `Content-Usage`, in robots.txt and as a header field (IETF AIPREF).
        ContentUsage = "content_usage",
        /// `Content-Signal` (Cloudflare).
        ContentSignal = "content_signal",
        /// Really Simple Licensing: `License` in robots.txt, links, license documents.
        Rsl = "rsl",
        /// TDM Reservation Protocol: `tdmrep.json`, header fields, meta elements.
        Tdmrep = "tdmrep",
        /// A product token under which nothing is fetched: its rules in robots.txt control use.
        ControlToken = "control_token",
        /// The page directives `noai` and `noimageai`, in `X-Robots-Tag`, `Robots-Tag` and meta robots.
        PageDirectives = "page_directives",
    }
}

impl Signal {
    /// Returns the specification according to which the signal is read by default, with its revision.
    pub const fn specification(self) -> &'static str {
        match self {
            Signal::ContentUsage => Vocabulary::Vocab08.specification(),
            Signal::ContentSignal => "contentsignals.org, as published by Cloudflare in 2025 and 2026",
            Signal::Rsl => "RSL 1.0 with errata to 2026-08-07",
            Signal::Tdmrep => "TDM Reservation Protocol, W3C Community Group Final Report 2024-05-10",
            Signal::ControlToken => "the operator's documentation",
            Signal::PageDirectives => "DeviantArt's convention of 2022",
        }
    }

    /// Returns the operators that are known to ignore the signal. An operator that is not listed does not necessarily
    /// obey it.
    ///
    /// ```
    /// use comity::usage::Signal;
    ///
    /// let [google] = Signal::ContentSignal.not_in_force() else { unreachable!() };
    /// assert_eq!(google.at(), "Google");
    /// ```
    pub const fn not_in_force(self) -> &'static [NotInForce] {
        const PARSER: &str = "github.com/google/robotstxt, reporting_robots.cc at 22b355f";
        match self {
            Signal::ContentUsage => &[NotInForce {
                at: "Google",
                statement: "its parser of robots.txt lists `Content-Usage` among the lines that it does not support",
                source: PARSER,
                checked: "2026-11-22",
            }],
            Signal::ContentSignal => &[NotInForce {
                at: "Google",
                statement: "its parser of robots.txt lists `Content-Signal` among the lines that it does not support, and a \
                       member of its search team is reported to have said in July 2026 that the line has no effect there",
                source: PARSER,
                checked: "2026-11-22",
            }],
            Signal::Rsl | Signal::Tdmrep | Signal::ControlToken | Signal::PageDirectives => &[],
        }
    }

    /// Returns the uses that the signal has terms for, with its terms.
    pub const fn terms(self) -> &'static [(Use, &'static str)] {
        match self {
            Signal::ContentUsage => Vocabulary::Vocab08.terms(),
            Signal::ContentSignal => {
                &[(Use::Train, "ai-train"), (Use::Search, "search"), (Use::AiInput, "ai-input")]
            }
            Signal::Rsl => &[
                (Use::Train, "ai-train"),
                (Use::Search, "search"),
                (Use::AiInput, "ai-input"),
                (Use::AiIndex, "ai-index"),
            ],
            Signal::Tdmrep => &[(Use::TextAndDataMining, "tdm-reservation")],
            // Each control token has its own terms.
            Signal::ControlToken => &[],
            Signal::PageDirectives => &[(Use::Train, "noai")],
        }
    }
}

/// A claim that operators ignore a signal, with its source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct NotInForce {
    /// The operators whose programs ignore the signal.
    at: &'static str,
    /// The reason for the claim, in a sentence.
    statement: &'static str,
    /// The source of the claim.
    source: &'static str,
    /// The day on which the source was read, as `YYYY-MM-DD`.
    checked: &'static str,
}

impl NotInForce {
    /// Returns the operators that ignore the signal.
    pub fn at(&self) -> &'static str {
        self.at
    }

    /// Returns the reason for the claim, in a sentence.
    pub fn statement(&self) -> &'static str {
        self.statement
    }

    /// Returns the source of the claim.
    pub fn source(&self) -> &'static str {
        self.source
    }

    /// Returns the day on which the source was read, as `YYYY-MM-DD`.
    pub fn checked(&self) -> &'static str {
        self.checked
    }
}
