//! The columns that come out: their names, their types, and the words that stand in them.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use arrow_schema::{DataType, Field};
use comity::policy::{Recommendation, Treatment, Verdict};
use comity::robots::Basis;
use comity::usage::{Answer, Reading, Signal, Use};

use crate::error::AuditError;
use crate::options::{Options, Words};

/// A column of verdicts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Output {
    /// The verdict of the rules: the names of [`Verdict`].
    Verdict,
    /// The recommendation to a well-behaved program: the names of [`Recommendation`].
    Recommendation,
    /// True if the URL may be fetched: recommended, or allowed with a warning.
    Allowed,
    /// The path pattern of the rule that decided, as written. Texts are cut after 1,024 bytes.
    Rule,
    /// `allow` or `disallow`, as the rule is written.
    RuleKind,
    /// The line of the rule that decided, from 1.
    Line,
    /// The name by which the crawler's group was chosen: its own, `*`, or null if no group speaks to it.
    Group,
    /// The seconds that `Crawl-delay` asks for.
    CrawlDelay,
    /// The preset's treatment of the answer: the names of [`Treatment`].
    Treatment,
    /// The basis of the rules' verdict: `rule`, `no_rule`, `no_group`, `robots_txt`; null where no rules were read.
    Basis,
    /// True if the answer had expired at the time that the row is decided for; null if its age is not known.
    Stale,
    /// The answer of one signal for one use, as far as robots.txt carries it.
    Usage(UsageColumn),
    /// Why the row could not be decided; every other column is null then.
    Error,
}

/// A column for one signal and one use: `allow`, `disallow` or `unknown`. `unknown` does not mean that the use is
/// allowed.
///
/// No column adds up several signals, since no rule says how.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct UsageColumn {
    name: &'static str,
    signal: Signal,
    reading: Option<Reading>,
    usage: Option<Use>,
}

impl UsageColumn {
    const fn new(name: &'static str, signal: Signal, reading: Option<Reading>, usage: Use) -> Self {
        UsageColumn { name, signal, reading, usage: Some(usage) }
    }

    /// Every column of this kind.
    pub const ALL: [UsageColumn; 11] = {
        use Signal::{ContentSignal, ContentUsage, ControlToken};
        const GROUP: Option<Reading> = Some(Reading::Group);
        const FILE: Option<Reading> = Some(Reading::WholeFile);
        [
            UsageColumn::new("usage_content_usage_train", ContentUsage, None, Use::Train),
            UsageColumn::new("usage_content_usage_search", ContentUsage, None, Use::Search),
            UsageColumn::new("usage_content_signal_train", ContentSignal, GROUP, Use::Train),
            UsageColumn::new("usage_content_signal_search", ContentSignal, GROUP, Use::Search),
            UsageColumn::new("usage_content_signal_ai_input", ContentSignal, GROUP, Use::AiInput),
            UsageColumn::new("usage_content_signal_file_train", ContentSignal, FILE, Use::Train),
            UsageColumn::new("usage_content_signal_file_search", ContentSignal, FILE, Use::Search),
            UsageColumn::new("usage_content_signal_file_ai_input", ContentSignal, FILE, Use::AiInput),
            UsageColumn::new("usage_control_token_train", ControlToken, None, Use::Train),
            UsageColumn::new("usage_control_token_ai_input", ControlToken, None, Use::AiInput),
            UsageColumn { name: "usage_rsl_licences", signal: Signal::Rsl, reading: None, usage: None },
        ]
    };

    /// The column's name.
    pub const fn name(self) -> &'static str {
        self.name
    }

    /// The signal.
    pub const fn signal(self) -> Signal {
        self.signal
    }

    /// Returns which lines are counted, where that is in dispute.
    pub const fn reading(self) -> Option<Reading> {
        self.reading
    }

    /// The use; `None` for the addresses of RSL licences, which robots.txt names but does not hold.
    pub const fn usage(self) -> Option<Use> {
        self.usage
    }

    /// Returns where it stands among all.
    pub(crate) fn place(self) -> usize {
        UsageColumn::ALL.iter().position(|column| *column == self).unwrap_or_default()
    }
}

impl Output {
    /// The columns about fetching: what comes out unless something else is asked for.
    pub const VERDICTS: [Output; 11] = [
        Output::Verdict,
        Output::Recommendation,
        Output::Allowed,
        Output::Rule,
        Output::RuleKind,
        Output::Line,
        Output::Group,
        Output::CrawlDelay,
        Output::Treatment,
        Output::Basis,
        Output::Error,
    ];

    /// Every column.
    pub fn all() -> impl Iterator<Item = Output> {
        let usage = UsageColumn::ALL.into_iter().map(Output::Usage);
        let [verdicts @ .., error] = Output::VERDICTS;
        verdicts.into_iter().chain([Output::Stale]).chain(usage).chain([error])
    }

    /// The columns about use.
    pub fn usage() -> impl Iterator<Item = Output> {
        UsageColumn::ALL.into_iter().map(Output::Usage)
    }

    /// The column's name, before any prefix.
    pub const fn name(self) -> &'static str {
        match self {
            Output::Verdict => "verdict",
            Output::Recommendation => "recommendation",
            Output::Allowed => "allowed",
            Output::Rule => "rule",
            Output::RuleKind => "rule_kind",
            Output::Line => "line",
            Output::Group => "group",
            Output::CrawlDelay => "crawl_delay",
            Output::Treatment => "treatment",
            Output::Basis => "basis",
            Output::Stale => "stale",
            Output::Usage(column) => column.name,
            Output::Error => "error",
        }
    }

    /// The column's field. Every one may be null.
    pub(crate) fn field(self, options: &Options) -> Field {
        Field::new(options.output_name(self), self.data_type(options.words), true)
    }

    fn data_type(self, words: Words) -> DataType {
        match self {
            Output::Allowed | Output::Stale => DataType::Boolean,
            Output::Line => DataType::UInt32,
            Output::CrawlDelay => DataType::Float64,
            Output::Rule | Output::Group | Output::Error => DataType::Utf8,
            Output::Usage(UsageColumn { usage: None, .. }) => {
                DataType::List(Arc::new(Field::new("item", DataType::Utf8, true)))
            }
            _ => match words {
                Words::Text => DataType::Utf8,
                Words::Dictionary => DataType::Dictionary(Box::new(DataType::Int8), Box::new(DataType::Utf8)),
            },
        }
    }
}

impl fmt::Display for Output {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Output {
    type Err = AuditError;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Output::all().find(|output| output.name() == name).ok_or_else(|| Options::unknown_output(name))
    }
}

/// The words of a column that has few, by number.
pub(crate) type WordList = &'static [&'static str];

pub(crate) const VERDICT_WORDS: WordList = &[
    Verdict::AllowedExplicit.as_str(),
    Verdict::AllowedImplicit.as_str(),
    Verdict::DisallowedExplicit.as_str(),
    Verdict::UnknownUnreachable.as_str(),
    Verdict::UnknownParseError.as_str(),
    Verdict::SkippedByUserPolicy.as_str(),
];

pub(crate) const RECOMMENDATION_WORDS: WordList = &[
    Recommendation::Recommended.as_str(),
    Recommendation::NotRecommended.as_str(),
    Recommendation::AllowedButWarn.as_str(),
    Recommendation::UnknownDoNotFetchByDefault.as_str(),
];

pub(crate) const TREATMENT_WORDS: WordList = &[
    Treatment::ReadRules.as_str(),
    Treatment::LastGood.as_str(),
    Treatment::AllowAll.as_str(),
    Treatment::DisallowAll.as_str(),
    Treatment::Stop.as_str(),
    Treatment::Warn.as_str(),
    Treatment::FailOpen.as_str(),
    Treatment::HandToCaller.as_str(),
];

pub(crate) const BASIS_WORDS: WordList = &["rule", "no_rule", "no_group", "robots_txt"];

pub(crate) const KIND_WORDS: WordList = &["allow", "disallow"];

pub(crate) const USAGE_WORDS: WordList =
    &[Answer::Allow.as_str(), Answer::Disallow.as_str(), Answer::Unknown.as_str()];

/// There is no word.
pub(crate) const NO_WORD: u8 = u8::MAX;

/// The number of a word.
pub(crate) fn number_of(words: WordList, word: &str) -> u8 {
    let place = words.iter().position(|known| *known == word);
    place.and_then(|place| u8::try_from(place).ok()).unwrap_or(NO_WORD)
}

pub(crate) const fn basis_word(basis: Basis) -> &'static str {
    match basis {
        Basis::Rule => "rule",
        Basis::NoRule => "no_rule",
        Basis::NoGroup => "no_group",
        Basis::RobotsTxt => "robots_txt",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_of_the_engine_has_a_number() {
        assert_eq!(VERDICT_WORDS.len(), Verdict::ALL.len());
        for verdict in Verdict::ALL {
            assert_ne!(number_of(VERDICT_WORDS, verdict.as_str()), NO_WORD);
        }
        for recommendation in Recommendation::ALL {
            assert_ne!(number_of(RECOMMENDATION_WORDS, recommendation.as_str()), NO_WORD);
        }
        for preset in comity::policy::Preset::ALL {
            for kind in comity::policy::AnswerKind::ALL {
                let treatment = preset.entry(kind).treatment();
                assert_ne!(number_of(TREATMENT_WORDS, treatment.as_str()), NO_WORD, "{treatment}");
            }
        }
    }

    #[test]
    fn every_column_is_found_by_its_name() {
        for output in Output::all() {
            assert_eq!(output.name().parse::<Output>().ok(), Some(output));
        }
        let error = "verdikt".parse::<Output>().expect_err("no such column").to_string();
        assert!(error.starts_with("unknown verdict column `verdikt`; known are verdict, "), "{error}");
    }

    #[test]
    fn every_use_that_robots_txt_can_speak_about_has_a_column() {
        let has = |signal, usage| {
            UsageColumn::ALL.iter().any(|column| column.signal == signal && column.usage == Some(usage))
        };
        for signal in [Signal::ContentUsage, Signal::ContentSignal] {
            assert!(signal.terms().iter().all(|(usage, _)| has(signal, *usage)), "{signal}");
        }
        for token in comity::usage::ControlToken::all() {
            assert!(
                token.uses().iter().all(|(usage, _)| has(Signal::ControlToken, *usage)),
                "{}",
                token.token()
            );
        }
    }
}
