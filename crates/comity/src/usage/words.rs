//! The words of a report: uses, stances, signals, and interpretations.

use super::aipref::Vocabulary;

crate::words::words! {
    /// A use of content.
    ///
    /// Each signal has its own words for these uses and its own definition of them; [`Preference::term`] returns the signal's
    /// word. They are listed together here for comparison, not because they are equivalent.
    ///
    /// [`Preference::term`]: super::Preference::term
    #[derive(PartialOrd, Ord)]
    #[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "snake_case"))]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
    #[non_exhaustive]
    pub enum Use {
        /// Training or fine-tuning models: `train-ai` (AIPREF), `ai-train` (Content-Signal, RSL).
        Train = "train",
        /// A search index and results that lead to the page: `search` everywhere.
        Search = "search",
        /// Input to a model while it answers, such as grounding and summaries: `ai-input` (Content-Signal, RSL), `ai-use`
        /// (AIPREF, where the user did not provide the content).
        AiInput = "ai_input",
        /// A place in the index of an AI system: `ai-index` (RSL).
        AiIndex = "ai_index",
        /// Text and data mining in the sense of Directive (EU) 2019/790: `tdm-reservation` (TDMRep).
        TextAndDataMining = "text_and_data_mining",
    }
}

crate::words::words! {
    /// The stance of a signal on a use.
    #[derive(Default)]
    #[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "snake_case"))]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
    #[non_exhaustive]
    pub enum Stance {
        /// The signal allows the use.
        Allow = "allow",
        /// The signal disallows the use, or requires an arrangement first.
        Disallow = "disallow",
        /// The signal does not state a preference. This is not a permission.
        #[default]
        Unknown = "unknown",
    }
}

impl Stance {
    /// Returns the more restrictive of two stances (draft-ietf-aipref-vocab-08 §5.1): a disallow takes precedence over an allow,
    /// and an allow over unknown.
    ///
    /// ```
    /// use comity::usage::Stance;
    ///
    /// assert_eq!(Stance::Allow.and(Stance::Disallow), Stance::Disallow);
    /// assert_eq!(Stance::Allow.and(Stance::Unknown), Stance::Allow);
    /// ```
    #[must_use]
    pub const fn and(self, other: Stance) -> Stance {
        match (self, other) {
            (Stance::Disallow, _) | (_, Stance::Disallow) => Stance::Disallow,
            (Stance::Allow, _) | (_, Stance::Allow) => Stance::Allow,
            _ => Stance::Unknown,
        }
    }
}

crate::words::words! {
    /// A way to state usage preferences.
    #[derive(PartialOrd, Ord)]
    #[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "snake_case"))]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
    #[non_exhaustive]
    pub enum Signal {
        /// `Content-Usage`, in robots.txt and as a header field (IETF AIPREF).
        ContentUsage = "content_usage",
        /// `Content-Signal` (Cloudflare).
        ContentSignal = "content_signal",
        /// Really Simple Licensing: `License` in robots.txt, links, licence documents.
        Rsl = "rsl",
        /// TDM Reservation Protocol: `tdmrep.json`, header fields, meta elements.
        Tdmrep = "tdmrep",
        /// A product token that fetches nothing: its rules in robots.txt are about use.
        ControlToken = "control_token",
    }
}

impl Signal {
    /// Returns the specification that defines the signal by default, with its revision.
    pub const fn specification(self) -> &'static str {
        match self {
            Signal::ContentUsage => Vocabulary::Vocab08.specification(),
            Signal::ContentSignal => "contentsignals.org, as published by Cloudflare in 2025 and 2026",
            Signal::Rsl => "RSL 1.0 with errata to 2026-08-07",
            Signal::Tdmrep => "TDM Reservation Protocol, W3C Community Group Final Report 2024-05-10",
            Signal::ControlToken => "the operator's documentation",
        }
    }

    /// Returns the places where the signal is known not to be in force. A place that is not listed does not necessarily honour
    /// it.
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
                says: "its parser of robots.txt lists `Content-Usage` among the lines that it does not support",
                source: PARSER,
                checked: "2026-11-22",
            }],
            Signal::ContentSignal => &[NotInForce {
                at: "Google",
                says: "its parser of robots.txt lists `Content-Signal` among the lines that it does not support, and a \
                       member of its search team is reported to have said in July 2026 that the line has no effect there",
                source: PARSER,
                checked: "2026-11-22",
            }],
            Signal::Rsl | Signal::Tdmrep | Signal::ControlToken => &[],
        }
    }

    /// Returns the uses that the signal can express, with its own words.
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
            // The terms differ from token to token.
            Signal::ControlToken => &[],
        }
    }
}

/// A place where a signal is not in force, with the source of that claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct NotInForce {
    /// The operators whose programs ignore the signal.
    at: &'static str,
    /// The reason for that claim, in a sentence.
    says: &'static str,
    /// The source of the claim.
    source: &'static str,
    /// The day on which the source was read, as `YYYY-MM-DD`.
    checked: &'static str,
}

impl NotInForce {
    /// Returns the operators whose programs ignore the signal.
    pub fn at(&self) -> &'static str {
        self.at
    }

    /// Returns the reason for the claim, in a sentence.
    pub fn says(&self) -> &'static str {
        self.says
    }

    /// Returns the source of the claim.
    pub fn source(&self) -> &'static str {
        self.source
    }

    /// Returns the day on which the source was read.
    pub fn checked(&self) -> &'static str {
        self.checked
    }
}

crate::words::words! {
    /// The set of a signal's lines that were counted, where the specification is ambiguous.
    ///
    /// The scope of a `Content-Signal` line is not defined. Some programs apply it to the crawlers of its group, others to the
    /// whole site, wherever the line is placed. Both interpretations are reported, and a header field as a third.
    #[derive(PartialOrd, Ord)]
    #[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "snake_case"))]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
    #[non_exhaustive]
    pub enum Interpretation {
        /// The lines of the groups that apply to the crawler.
        Group = "group",
        /// Every line of the file.
        WholeFile = "whole_file",
        /// The fields of the HTTP header.
        Header = "header",
    }
}
