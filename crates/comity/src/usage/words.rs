//! The words of a report: uses, stances, signals, and where they were found.

use super::aipref::Vocabulary;

crate::words::words! {
    /// What content may be used for.
    ///
    /// Each signal has its own words for these and its own idea of what they cover; [`Preference::term`] keeps the signal's
    /// word. They stand side by side here so that they can be compared, not because they are the same.
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
    /// What a signal says of a use.
    #[derive(Default)]
    #[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "snake_case"))]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
    #[non_exhaustive]
    pub enum Stance {
        /// It allows it.
        Allow = "allow",
        /// It does not, or not without more being arranged first.
        Disallow = "disallow",
        /// It does not say. That is not leave to use it.
        #[default]
        Unknown = "unknown",
    }
}

impl Stance {
    /// The more restrictive of two statements (draft-ietf-aipref-vocab-08 §5.1): any disallow counts first, then any
    /// allow.
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
    /// A way of saying what content may be used for.
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
    /// Returns the text that the signal is read by unless told otherwise, with its revision.
    pub const fn specification(self) -> &'static str {
        match self {
            Signal::ContentUsage => Vocabulary::Vocab08.specification(),
            Signal::ContentSignal => "contentsignals.org, as published by Cloudflare in 2025 and 2026",
            Signal::Rsl => "RSL 1.0 with errata to 2026-08-07",
            Signal::Tdmrep => "TDM Reservation Protocol, W3C Community Group Final Report 2024-05-10",
            Signal::ControlToken => "the operator's documentation",
        }
    }

    /// Returns where the signal is known not to be in force. Where it is in force is not known by this: a place that is
    /// not listed need not mind it.
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

    /// Returns what the signal speaks about, in its own words.
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
            // Differs from token to token.
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
    /// Returns whose programs do not mind the signal.
    pub fn at(&self) -> &'static str {
        self.at
    }

    /// Returns what that rests on, in a sentence.
    pub fn says(&self) -> &'static str {
        self.says
    }

    /// Returns where it was read.
    pub fn source(&self) -> &'static str {
        self.source
    }

    /// Returns the day on which it was read.
    pub fn checked(&self) -> &'static str {
        self.checked
    }
}

crate::words::words! {
    /// Which lines of a signal were counted, where that is in dispute.
    ///
    /// What a `Content-Signal` line speaks about is not defined: some programs take it to speak to the crawlers of its group,
    /// others about the whole site wherever it stands. Both interpretations are reported, and so is a header field.
    #[derive(PartialOrd, Ord)]
    #[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "snake_case"))]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
    #[non_exhaustive]
    pub enum Interpretation {
        /// The lines of the groups that speak to the crawler.
        Group = "group",
        /// Every line of the file.
        WholeFile = "whole_file",
        /// The fields of the HTTP header.
        Header = "header",
    }
}
