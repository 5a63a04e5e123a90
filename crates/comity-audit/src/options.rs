//! Options of a job.

use std::time::{Duration, SystemTime};

use comity::policy::Preset;
use comity::robots::{Agent, Dialect};
use comity_arrow::{Output, UrlCheck, Versions};
use serde::{Deserialize, Serialize};

comity::words! {
    /// The time for which a row is decided.
    #[derive(Default, Serialize, Deserialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
    #[serde(rename_all = "snake_case")]
    #[non_exhaustive]
    pub enum Moment as "moment" with in_words {
        /// The time at which the page was seen.
        #[default]
        Seen = "seen" => "as of when each page was seen",
        /// The time of the job, so that the latest known answer decides.
        Now = "now" => "as of now",
    }
}

/// The rows that are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Only {
    /// Pages that every crawler may fetch.
    Allowed,
    /// Pages that at least one crawler must not fetch.
    Disallowed,
    /// Pages that are unknown for at least one crawler, and disallowed for none.
    Unknown,
}

/// The form of the verdicts for several crawlers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RowForm {
    /// One row for each page, with columns for each crawler: `gptbot_verdict`, ….
    #[default]
    Wide,
    /// One row for each page, crawler and moment, with the columns `agent` and `moment`.
    Long,
}

/// The options of an [`AuditJob`](crate::AuditJob).
///
/// ```
/// use comity::robots::Agent;
/// use comity_audit::{AuditJobOptions, Moment};
///
/// let options = AuditJobOptions::new()
///     .agents([Agent::unchecked_token("GPTBot"), Agent::unchecked_token("CCBot")])
///     .moments([Moment::Seen, Moment::Now]);
/// ```
#[derive(Clone, Debug)]
pub struct AuditJobOptions {
    pub(crate) agents: Vec<Agent>,
    pub(crate) moments: Vec<Moment>,
    pub(crate) preset: Preset,
    pub(crate) dialect: Dialect,
    pub(crate) versions: Versions,
    pub(crate) outputs: Vec<Output>,
    pub(crate) form: RowForm,
    pub(crate) only: Option<Only>,
    pub(crate) prefix: String,
    pub(crate) cache_bytes: usize,
    pub(crate) page_signals: bool,
    pub(crate) check_url: Option<UrlCheck>,
    pub(crate) now: Option<SystemTime>,
    pub(crate) max_age: Option<Duration>,
}

impl Default for AuditJobOptions {
    fn default() -> Self {
        AuditJobOptions::new()
    }
}

/// The default columns.
const USUAL: [&str; 8] = ["verdict", "allowed", "rule", "line", "group", "answer", "answer_age", "error"];

impl AuditJobOptions {
    /// Creates the default options: RFC 9309, decisions for the time at which each page was seen, and a column with the
    /// crawler of each row.
    pub fn new() -> Self {
        AuditJobOptions {
            agents: Vec::new(),
            moments: vec![Moment::Seen],
            preset: Preset::Rfc9309,
            dialect: Preset::Rfc9309.dialect(),
            versions: Versions::AsOf,
            outputs: USUAL.iter().filter_map(|name| name.parse().ok()).collect(),
            form: RowForm::Wide,
            only: None,
            prefix: String::new(),
            cache_bytes: 64 << 20,
            page_signals: false,
            check_url: None,
            now: None,
            max_age: None,
        }
    }

    /// Sets the crawlers. Without any, a column names the crawler of each row.
    #[must_use]
    pub fn agents(self, agents: impl IntoIterator<Item = Agent>) -> Self {
        AuditJobOptions { agents: agents.into_iter().collect(), ..self }
    }

    /// Sets the moments for which each row is decided.
    #[must_use]
    pub fn moments(self, moments: impl IntoIterator<Item = Moment>) -> Self {
        AuditJobOptions { moments: moments.into_iter().collect(), ..self }
    }

    /// Sets the preset and its dialect.
    #[must_use]
    pub fn preset(self, preset: Preset) -> Self {
        AuditJobOptions { preset, dialect: preset.dialect(), ..self }
    }

    /// Replaces the dialect of the preset. Call it after [`preset`](AuditJobOptions::preset).
    #[must_use]
    pub fn dialect(self, dialect: Dialect) -> Self {
        AuditJobOptions { dialect, ..self }
    }

    /// Sets which answer decides for a page with a time: the state at that time, or the nearest answer.
    #[must_use]
    pub fn versions(self, versions: Versions) -> Self {
        AuditJobOptions { versions, ..self }
    }

    /// Sets the output columns for each crawler and moment.
    #[must_use]
    pub fn outputs(self, outputs: impl IntoIterator<Item = Output>) -> Self {
        AuditJobOptions { outputs: outputs.into_iter().collect(), ..self }
    }

    /// Adds output columns.
    #[must_use]
    pub fn and_outputs(mut self, outputs: impl IntoIterator<Item = Output>) -> Self {
        self.outputs.extend(outputs);
        self
    }

    /// Sets whether the pages have the columns of [`PageSignals`](crate::PageSignals).
    #[must_use]
    pub fn page_signals(self, page_signals: bool) -> Self {
        AuditJobOptions { page_signals, ..self }
    }

    /// Sets the form of the verdicts for several crawlers.
    #[must_use]
    pub fn form(self, form: RowForm) -> Self {
        AuditJobOptions { form, ..self }
    }

    /// Sets the rows to write. All rows are counted.
    #[must_use]
    pub fn only(self, only: Option<Only>) -> Self {
        AuditJobOptions { only, ..self }
    }

    /// Sets the prefix of the names of output columns.
    #[must_use]
    pub fn prefix(self, prefix: impl Into<String>) -> Self {
        AuditJobOptions { prefix: prefix.into(), ..self }
    }

    /// Sets the maximum size of cached rules for all crawlers, in bytes. It applies to each moment separately.
    #[must_use]
    pub fn cache_bytes(self, cache_bytes: usize) -> Self {
        AuditJobOptions { cache_bytes, ..self }
    }

    /// Sets the current time. For [`Moment::Now`], the ages of answers are computed from it.
    #[must_use]
    pub fn now(self, now: SystemTime) -> Self {
        AuditJobOptions { now: Some(now), ..self }
    }

    /// Sets the maximum age of the answer that a decision rests on. Rows with an older answer, or with one whose age is unknown,
    /// are unknown.
    #[must_use]
    pub fn max_age(self, max_age: Option<Duration>) -> Self {
        AuditJobOptions { max_age, ..self }
    }

    /// Sets a function that checks the URL of each page before it is decided. Without it, the dialect defines valid URLs.
    #[must_use]
    pub fn check_url(self, check: UrlCheck) -> Self {
        AuditJobOptions { check_url: Some(check), ..self }
    }
}
