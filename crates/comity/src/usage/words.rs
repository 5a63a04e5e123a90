//! The vocabulary of a report: uses, stances, interpretations.

crate::words::words! {
    /// A use of content.
    ///
    /// Each signal has its own term for a use, and its own definition; [`Preference::term`] returns the signal's term.
    /// Terms of different signals for one use are comparable, but not equivalent.
    ///
    /// [`Preference::term`]: super::Preference::term
    #[derive(PartialOrd, Ord)]
    #[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "snake_case"))]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
    #[non_exhaustive]
    pub enum Use as "use" {
        /// Training or fine-tuning models: `train-ai` (AIPREF), `ai-train` (Content-Signal, RSL).
        Train = "train",
        /// A search index and results that link to the page: `search` (AIPREF, Content-Signal, RSL).
        Search = "search",
        /// Input to a model while it answers, such as grounding and summaries: `ai-input` (Content-Signal, RSL),
        /// `ai-use` (AIPREF, only for content that the user did not provide).
        AiInput = "ai_input",
        /// An entry in the index of an AI system: `ai-index` (RSL).
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
    pub enum Stance as "stance" {
        /// The signal allows the use.
        Allow = "allow",
        /// The signal disallows the use, or allows it only after a payment, a token or a report.
        Disallow = "disallow",
        /// The signal states no preference, or its permission is in doubt. This is not a permission.
        #[default]
        Unknown = "unknown",
    }
}

impl Stance {
    /// Returns the more restrictive of two stances (draft-ietf-aipref-vocab-08 §5.1): a disallow takes precedence over
    /// an allow, and an allow over unknown.
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
    /// The set of lines of a signal that were counted, if the specification is ambiguous.
    ///
    /// The scope of a `Content-Signal` line is not defined. Some programs apply it to the crawlers of its group, others
    /// to the whole site, wherever the line is placed. Both interpretations are reported. A header field is reported as
    /// a third interpretation.
    #[derive(PartialOrd, Ord)]
    #[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "snake_case"))]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
    #[non_exhaustive]
    pub enum Interpretation as "interpretation" {
        /// The lines of the groups that apply to the crawler.
        Group = "group",
        /// Every line of the file.
        WholeFile = "whole_file",
        /// The fields of the HTTP header.
        Header = "header",
    }
}
