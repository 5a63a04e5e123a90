//! The words of a report: uses, stances, and where they were found.

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
