//! The output columns: names, types, and words.

use std::fmt;
use std::str::FromStr;
use std::sync::{Arc, LazyLock};

use arrow_schema::DataType;
use comity::decision::{DecisionRecord, Field, FieldKind, Value};
use comity::usage::{Interpretation, Signal, Stance, Use};

use crate::error::BatchError;

/// A verdict column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Output {
    /// A field of the decision. Text is truncated to 1,024 bytes.
    Decision(DecisionColumn),
    /// True if the URL may be fetched: recommended, or allowed with a warning.
    Allowed,
    /// The `Crawl-delay`, in seconds.
    CrawlDelay,
    /// The robots.txt answer on which the decision is based: `http_200`, `http_503`, …, or a failure (`timeout`, `dns`, …).
    ///
    /// Other words: `none` if there is no answer; `not_yet` if the first answer is later than the [decision time];
    /// `no_time` if that time is missing; `undated` if the time of the answer is missing; `too_old` if the answer
    /// exceeds [`AuditorOptions::max_age`] or has an unknown age.
    ///
    /// [decision time]: crate::Input::SeenAt
    /// [`AuditorOptions::max_age`]: crate::AuditorOptions::max_age
    Answer,
    /// The age of the answer on which the decision is based, at the decision time, in seconds. During an outage, the
    /// last good copy counts as this answer. Negative if the answer is later. Null without an answer or a time.
    AnswerAge,
    /// The refusal of the page by the server, although robots.txt allows the page: `unauthorized`, `payment_required`,
    /// `forbidden`, `too_many_requests` or `challenge`. Null for every other row, and if the status of the page is unknown. The
    /// server may answer other crawlers differently.
    Refusal,
    /// The stance of one usage signal in robots.txt on one use, or the URLs of RSL licenses.
    Usage(UsageColumn),
    /// The reason why the row could not be decided. Every other output column is then null.
    Error,
}

/// A column for a field of [`DecisionRecord`], or of the rule in it.
///
/// Every field of type word, text, number, duration or boolean has a column, so a new field of the record becomes a column
/// automatically. The columns of the rule are called `rule` (its pattern), `line`, `rule_kind`, and so on.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct DecisionColumn(u8);

/// The location of a value in a record, and the kind of its column.
struct Definition {
    name: String,
    about: &'static str,
    field: usize,
    /// Index of the field in the rule, if `field` is the rule.
    part: Option<usize>,
    kind: ValueKind,
}

/// The kind of the values in a column.
#[derive(Clone, Debug)]
pub(crate) enum ValueKind {
    Words(Vec<&'static str>),
    Text,
    Flag,
    Number,
    Seconds,
}

impl ValueKind {
    fn of(field: &Field) -> Option<Self> {
        match field.kind {
            FieldKind::Word(words) => Some(ValueKind::Words(words())),
            FieldKind::Text => Some(ValueKind::Text),
            FieldKind::Flag => Some(ValueKind::Flag),
            FieldKind::Number => Some(ValueKind::Number),
            FieldKind::Seconds => Some(ValueKind::Seconds),
            _ => None,
        }
    }

    /// Returns the number of cells that store one value.
    pub(crate) fn cells(&self) -> usize {
        if matches!(self, ValueKind::Seconds) { 2 } else { 1 }
    }
}

static DEFINITIONS: LazyLock<Vec<Definition>> = LazyLock::new(|| {
    let mut definitions = Vec::new();
    for (index, field) in DecisionRecord::FIELDS.iter().enumerate() {
        if let Some(kind) = ValueKind::of(field) {
            let (name, about) = (field.name.to_owned(), field.about);
            definitions.push(Definition { name, about, field: index, part: None, kind });
        }
        // The other nested records describe the answer, whose data is already in the input.
        let FieldKind::Record("Rule", parts) = field.kind else { continue };
        for (part, of_rule) in parts.iter().enumerate() {
            let name = match of_rule.name {
                "pattern" => field.name.to_owned(),
                "line" => of_rule.name.to_owned(),
                name => format!("{}_{name}", field.name),
            };
            let (kind, about) = (ValueKind::of(of_rule), of_rule.about);
            let part = Some(part);
            definitions.extend(kind.map(|kind| Definition { name, about, field: index, part, kind }));
        }
    }
    definitions
});

impl DecisionColumn {
    /// Returns every column of this kind, in the order of the fields of the record.
    pub fn all() -> impl Iterator<Item = DecisionColumn> {
        (0..=u8::MAX).zip(DEFINITIONS.iter()).map(|(number, _)| DecisionColumn(number))
    }

    /// Returns the column's name.
    pub fn name(self) -> &'static str {
        &self.definition().name
    }

    /// Returns the meaning of the column, in one or two sentences.
    pub fn about(self) -> &'static str {
        self.definition().about
    }

    pub(crate) fn kind(self) -> &'static ValueKind {
        &self.definition().kind
    }

    /// Returns the value of the column in a record.
    pub(crate) fn value(self, record: &DecisionRecord) -> Value<'_> {
        let Definition { field, part, .. } = self.definition();
        match part {
            None => record.value(*field),
            Some(part) => record.rule.as_ref().map_or(Value::None, |rule| rule.value(*part)),
        }
    }

    fn definition(self) -> &'static Definition {
        // Only `all` creates columns.
        &DEFINITIONS[usize::from(self.0)]
    }
}

impl fmt::Debug for DecisionColumn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DecisionColumn({})", self.name())
    }
}

/// A column for one usage signal and one use (`allow`, `disallow` or `unknown`), or for the URLs of RSL licenses. The word
/// `unknown` is not a permission.
///
/// No column combines several signals, since no standard defines their combination.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct UsageColumn {
    name: &'static str,
    signal: Signal,
    interpretation: Option<Interpretation>,
    usage: Option<Use>,
}

impl UsageColumn {
    const fn new(
        name: &'static str,
        signal: Signal,
        interpretation: Option<Interpretation>,
        usage: Use,
    ) -> Self {
        UsageColumn { name, signal, interpretation, usage: Some(usage) }
    }

    /// Every column of this kind.
    pub const ALL: [UsageColumn; 12] = {
        use Signal::{ContentSignal, ContentUsage, ControlToken};
        const GROUP: Option<Interpretation> = Some(Interpretation::Group);
        const FILE: Option<Interpretation> = Some(Interpretation::WholeFile);
        [
            UsageColumn::new("usage_content_usage_train", ContentUsage, None, Use::Train),
            UsageColumn::new("usage_content_usage_ai_input", ContentUsage, None, Use::AiInput),
            UsageColumn::new("usage_content_usage_search", ContentUsage, None, Use::Search),
            UsageColumn::new("usage_content_signal_train", ContentSignal, GROUP, Use::Train),
            UsageColumn::new("usage_content_signal_search", ContentSignal, GROUP, Use::Search),
            UsageColumn::new("usage_content_signal_ai_input", ContentSignal, GROUP, Use::AiInput),
            UsageColumn::new("usage_content_signal_file_train", ContentSignal, FILE, Use::Train),
            UsageColumn::new("usage_content_signal_file_search", ContentSignal, FILE, Use::Search),
            UsageColumn::new("usage_content_signal_file_ai_input", ContentSignal, FILE, Use::AiInput),
            UsageColumn::new("usage_control_token_train", ControlToken, None, Use::Train),
            UsageColumn::new("usage_control_token_ai_input", ControlToken, None, Use::AiInput),
            UsageColumn {
                name: "usage_rsl_licenses",
                signal: Signal::Rsl,
                interpretation: None,
                usage: None,
            },
        ]
    };

    /// Returns the column's name.
    pub const fn name(self) -> &'static str {
        self.name
    }

    /// Returns the signal.
    pub const fn signal(self) -> Signal {
        self.signal
    }

    /// Returns the interpretation of the signal's lines, if several interpretations exist.
    pub const fn interpretation(self) -> Option<Interpretation> {
        self.interpretation
    }

    /// Returns the use, or `None` for the column with the URLs of RSL licenses.
    pub const fn usage(self) -> Option<Use> {
        self.usage
    }

    /// Returns the index in [`ALL`](UsageColumn::ALL).
    pub(crate) fn index(self) -> usize {
        UsageColumn::ALL.iter().position(|column| *column == self).unwrap_or_default()
    }
}

impl Output {
    /// Returns the default outputs, which are about fetching.
    pub fn verdicts() -> Vec<Output> {
        const NAMES: [&str; 12] = [
            "verdict",
            "recommendation",
            "allowed",
            "rule",
            "rule_kind",
            "line",
            "group",
            "crawl_delay",
            "treatment",
            "basis",
            "answer",
            "error",
        ];
        NAMES.iter().filter_map(|name| Output::all().find(|output| output.name() == *name)).collect()
    }

    /// Returns every column.
    pub fn all() -> impl Iterator<Item = Output> {
        let decision = DecisionColumn::all().map(Output::Decision);
        decision
            .chain([Output::Allowed, Output::CrawlDelay, Output::Answer, Output::AnswerAge, Output::Refusal])
            .chain(Output::usage())
            .chain([Output::Error])
    }

    /// Returns the columns about usage preferences.
    pub fn usage() -> impl Iterator<Item = Output> {
        UsageColumn::ALL.into_iter().map(Output::Usage)
    }

    /// Returns the column's name, without a prefix.
    pub fn name(self) -> &'static str {
        match self {
            Output::Decision(column) => column.name(),
            Output::Allowed => "allowed",
            Output::CrawlDelay => "crawl_delay",
            Output::Answer => "answer",
            Output::AnswerAge => "answer_age",
            Output::Refusal => "refusal",
            Output::Usage(column) => column.name,
            Output::Error => "error",
        }
    }

    /// Returns true if the value requires parsed rules. A quick scan of a body ignores `Request-rate`, so it cannot compute
    /// the columns `crawl_delay_…`.
    pub(crate) fn needs_rules(self) -> bool {
        matches!(self, Output::Decision(column) if column.name().starts_with("crawl_delay_"))
    }

    /// Returns the column's field, which is always nullable.
    pub(crate) fn field(self, name: String, words: Words) -> arrow_schema::Field {
        arrow_schema::Field::new(name, self.data_type(words), true)
    }

    fn data_type(self, words: Words) -> DataType {
        let words = || match words {
            Words::Text => DataType::Utf8,
            Words::Dictionary => DataType::Dictionary(Box::new(DataType::Int8), Box::new(DataType::Utf8)),
        };
        match self {
            Output::Decision(column) => match column.kind() {
                ValueKind::Words(_) => words(),
                ValueKind::Text => DataType::Utf8,
                ValueKind::Flag => DataType::Boolean,
                ValueKind::Number => DataType::UInt32,
                ValueKind::Seconds => DataType::Float64,
            },
            Output::Allowed => DataType::Boolean,
            Output::CrawlDelay => DataType::Float64,
            Output::Answer | Output::Error => DataType::Utf8,
            Output::AnswerAge => DataType::Int64,
            Output::Usage(UsageColumn { usage: None, .. }) => {
                DataType::List(Arc::new(arrow_schema::Field::new("item", DataType::Utf8, true)))
            }
            Output::Usage(_) | Output::Refusal => words(),
        }
    }
}

/// The type of columns that contain one of a few words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Words {
    /// `Utf8`, which every reader supports.
    #[default]
    Text,
    /// `Dictionary(Int8, Utf8)`, which needs a twentieth of the memory. Spark's `mapInArrow` does not support it.
    Dictionary,
}

impl fmt::Display for Output {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Output {
    type Err = BatchError;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Output::all().find(|output| output.name() == name).ok_or_else(|| BatchError::UnknownOutput {
            name: name.to_owned(),
            known: Output::all().map(|output| output.name().to_owned()).collect(),
        })
    }
}

/// The words of usage columns.
pub(crate) const USAGE_WORDS: &[&str] =
    &[Stance::Allow.as_str(), Stance::Disallow.as_str(), Stance::Unknown.as_str()];

/// The word number for a missing word.
pub(crate) const NO_WORD: u8 = u8::MAX;

/// Returns the index of a word in a list, or [`NO_WORD`].
pub(crate) fn number_of(words: &[&str], word: &str) -> u8 {
    let index = words.iter().position(|known| *known == word);
    index.and_then(|index| u8::try_from(index).ok()).unwrap_or(NO_WORD)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn column_name_parses_to_its_column() {
        for output in Output::all() {
            assert_eq!(output.name().parse::<Output>().ok(), Some(output));
        }
        assert_eq!(Output::verdicts().len(), 12);
        let error = "verdikt".parse::<Output>().expect_err("no such column").to_string();
        assert!(error.starts_with("unknown verdict column `verdikt`; must be one of: verdict, "), "{error}");
    }

    #[test]
    fn every_use_of_a_signal_in_robots_txt_has_a_column() {
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
