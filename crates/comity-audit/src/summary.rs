//! Totals in the form of JSON, reports and terminals.

use comity::policy::Preset;
use comity::robots::Dialect;
use comity_answers::shown::number;
use serde::{Deserialize, Serialize};

use crate::options::Moment;

/// The totals of a pass over pages.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct AuditSummary {
    /// The number of rows that were read.
    pub rows: u64,
    /// The number of rows that were written.
    pub rows_written: u64,
    /// The preset.
    pub preset: Preset,
    /// The dialect.
    pub dialect: Dialect,
    /// The totals for each crawler and moment.
    pub views: Vec<ViewSummary>,
    /// For each crawler, the number of rows with different results at the two moments; only if both moments are decided.
    pub differing: Vec<u64>,
}

/// The totals for one crawler at one moment.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "AuditView"))]
#[non_exhaustive]
pub struct ViewSummary {
    /// The crawler's product token or User-Agent header; null if each row names its crawler.
    pub agent: Option<String>,
    /// The state of robots.txt that decided: `seen`, at the time when each page was seen, or `now`, the latest answer.
    pub moment: Moment,
    /// The rows by verdict.
    pub shares: Shares,
    /// Rows by verdict, the most frequent first.
    pub verdicts: Vec<(String, u64)>,
    /// Rows by the answer behind the decision, the most frequent first.
    pub answers: Vec<(String, u64)>,
    /// The ages of the answers that the decisions rest on.
    #[serde(default)]
    pub ages: AnswerAges,
    /// Rows by the month in which the page was seen.
    pub months: Vec<MonthTotals>,
    /// The sites with the most rows that are disallowed or unknown.
    pub hosts: Vec<HostTotals>,
    /// The number of sites with few rows that were left out to limit memory. A site can count several times.
    pub hosts_left_out: u64,
    /// The rules that disallow the most rows.
    pub rules: Vec<RuleTotals>,
    /// The stances of sites and pages on use, by column; empty if there are no such columns.
    #[serde(default)]
    pub usage: Vec<UsageTotals>,
    /// Examples of rows that may be fetched.
    pub allowed: Vec<Example>,
    /// Examples of rows that must not be fetched.
    pub disallowed: Vec<Example>,
    /// Examples of rows with an unknown result.
    pub unknown: Vec<Example>,
    /// Examples of rows that cannot be decided.
    pub undecidable: Vec<Example>,
}

impl ViewSummary {
    /// Returns the crawler and the moment: `GPTBot, as of when each page was seen`.
    pub fn title(&self) -> String {
        format!("{}, {}", self.agent_name(), self.moment.in_words())
    }

    /// Returns the name of the crawler.
    pub fn agent_name(&self) -> &str {
        match self.agent.as_deref() {
            Some("*") => "crawlers without a group of their own",
            Some(agent) => agent,
            None => "the crawlers of the rows",
        }
    }

    /// Returns the signals with a stance for at least one row.
    pub fn usage_said(&self) -> Vec<&UsageTotals> {
        self.usage.iter().filter(|totals| totals.allow + totals.disallow > 0).collect()
    }
}

/// The number of rows by verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "AuditShares"))]
#[non_exhaustive]
pub struct Shares {
    /// Rows that may be fetched: recommended, or allowed with a warning.
    pub allowed: u64,
    /// Rows that are disallowed by a rule, or by the preset's treatment of an answer.
    pub disallowed: u64,
    /// Rows with an unknown result.
    pub unknown: u64,
    /// Rows that cannot be decided.
    pub undecidable: u64,
}

impl Shares {
    /// Returns the total number of rows.
    pub fn total(&self) -> u64 {
        let others = [self.disallowed, self.unknown, self.undecidable];
        others.into_iter().fold(self.allowed, u64::saturating_add)
    }

    /// Returns a part of the total in percent; 0 if the total is 0.
    pub fn percent(&self, part: u64) -> f64 {
        percent(part, self.total())
    }

    /// Returns the allowed rows in percent.
    pub fn allowed_percent(&self) -> f64 {
        self.percent(self.allowed)
    }

    /// Returns the disallowed rows in percent.
    pub fn disallowed_percent(&self) -> f64 {
        self.percent(self.disallowed)
    }

    /// Returns the unknown rows in percent.
    pub fn unknown_percent(&self) -> f64 {
        self.percent(self.unknown)
    }
}

/// The ages of the answers that decisions rest on, at the time for which the rows are decided.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "AuditAges"))]
#[non_exhaustive]
pub struct AnswerAges {
    /// The number of decisions that rest on an answer.
    pub decided: u64,
    /// The number of decisions whose answer is more than 24 hours older or newer than the time of the decision.
    pub stale: u64,
    /// The number of decisions whose answer has an unknown age.
    pub unknown: u64,
    /// The largest age in seconds.
    pub oldest: Option<i64>,
}

impl AnswerAges {
    /// The number of seconds after which a client requests robots.txt again (RFC 9309 §2.4).
    const FRESH: u64 = 24 * 3600;

    /// Adds a decision that rests on an answer of this age, in seconds.
    pub(crate) fn add(&mut self, age: Option<i64>) {
        self.decided += 1;
        match age {
            Some(age) => {
                self.stale += u64::from(age.unsigned_abs() > AnswerAges::FRESH);
                self.oldest = self.oldest.max(Some(age));
            }
            None => self.unknown += 1,
        }
    }

    /// Adds the counts of other rows.
    pub(crate) fn join(&mut self, other: AnswerAges) {
        self.decided += other.decided;
        self.stale += other.stale;
        self.unknown += other.unknown;
        self.oldest = self.oldest.max(other.oldest);
    }

    /// Returns the counts in words: `49,123 of 49,257 decisions rest on an answer more than 24 h older or newer`.
    pub fn in_words(&self) -> String {
        let mut text = format!(
            "{} of {} {} on an answer more than 24 h older or newer",
            number(self.stale),
            number(self.decided),
            if self.decided == 1 { "decision rests" } else { "decisions rest" }
        );
        if let Some(oldest) = self.oldest.filter(|_| self.stale > 0) {
            text.push_str(&format!("; the oldest is {} old", age_text(oldest)));
        }
        if self.unknown > 0 {
            text.push_str(&format!("; {} on an answer of unknown age", number(self.unknown)));
        }
        text
    }
}

/// Returns a part of a total in percent; 0 if the total is 0.
pub(crate) fn percent(part: u64, total: u64) -> f64 {
    match total {
        0 => 0.0,
        total => part as f64 * 100.0 / total as f64,
    }
}

/// Returns an age in words: `3 days`, `7 h`.
fn age_text(seconds: i64) -> String {
    match seconds / 86_400 {
        0 | 1 => format!("{} h", seconds / 3600),
        days => format!("{} days", number(days)),
    }
}

/// The number of rows by the stance of one signal on one use.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "AuditUsage"))]
#[non_exhaustive]
pub struct UsageTotals {
    /// The column: `usage_content_signal_train` is the stance of robots.txt, `usage_page_content_signal_train`
    /// that of the page.
    pub column: String,
    /// Rows whose use is allowed.
    pub allow: u64,
    /// Rows whose use is disallowed.
    pub disallow: u64,
    /// Rows without a stance.
    pub unknown: u64,
}

/// The rows of a month.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "AuditMonth"))]
#[non_exhaustive]
pub struct MonthTotals {
    /// The month: `2024-03`.
    pub month: String,
    /// The results of its rows.
    #[serde(flatten)]
    pub shares: Shares,
}

/// The rows of a site.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "AuditHost"))]
#[non_exhaustive]
pub struct HostTotals {
    /// The site: scheme and authority of its URLs.
    pub host: String,
    /// The results of its rows.
    #[serde(flatten)]
    pub shares: Shares,
}

/// The rows that a rule disallows.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "AuditRule"))]
#[non_exhaustive]
pub struct RuleTotals {
    /// The site.
    pub host: String,
    /// The rule's pattern.
    pub rule: String,
    /// The line of the rule, in the copy that decided last.
    pub line: u32,
    /// The number of rows that it disallows.
    pub rows: u64,
}

/// A row as an example.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "AuditExample"))]
#[non_exhaustive]
pub struct Example {
    /// The URL.
    pub url: String,
    /// The time at which the page was seen, in microseconds since 1970.
    pub seen_at: Option<i64>,
    /// The verdict.
    pub verdict: Option<String>,
    /// The pattern of the rule that decided.
    pub rule: Option<String>,
    /// The line of the rule.
    pub line: Option<u32>,
    /// The answer behind the decision.
    pub answer: Option<String>,
    /// The reason why the row cannot be decided.
    pub error: Option<String>,
}
