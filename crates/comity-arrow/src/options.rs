//! The options of an audit: the crawler, the preset, the input columns, and the output columns.

use std::str::FromStr;
use std::time::{Duration, SystemTime};

use comity::policy::Preset;
use comity::robots::{Agent, Dialect};

use crate::error::BatchError;
use crate::output::{Output, Words};

comity::words! {
    /// An input column. The word of a variant is the default name of the column.
    #[non_exhaustive]
    pub enum Input with meaning {
        /// The URL to decide.
        Url = "url" => "the URL",
        /// The crawler's product token ([`ProductToken`](comity::robots::ProductToken)), or `*`. Any other text is an error of
        /// the row. The column is used only if the options name no crawler.
        Agent = "agent" => "the crawler",
        /// The body of the robots.txt of the URL's origin.
        Robots = "robots" => "the robots.txt body",
        /// The key of the body in a [`RobotsTable`](crate::RobotsTable).
        Key = "robots_key" => "the key of the robots.txt",
        /// The status code of robots.txt.
        Status = "robots_status" => "the status of robots.txt",
        /// The reason why robots.txt was not received, by the names of [`Failure`](comity::policy::Failure).
        Failure = "robots_failure" => "the failure of the request for robots.txt",
        /// The time of the robots.txt answer.
        FetchedAt = "robots_fetched_at" => "the time of the robots.txt answer",
        /// The `Content-Type` of robots.txt.
        ContentType = "robots_content_type" => "the Content-Type of robots.txt",
        /// The decision time: the URL is decided as of this time. With a table, a row without a value in this column is
        /// `unknown_unreachable`.
        SeenAt = "seen_at" => "the decision time",
        /// The status code of the page itself, for the output `refusal`. Numbers, or texts as in CDX.
        PageStatus = "page_status" => "the status of the page",
        /// The header of the page itself, as `curl -I` prints it, for the output `refusal`. Some browser challenges can be
        /// detected only by the header.
        PageHeaders = "page_headers" => "the header of the page",
    }
}

impl Input {
    /// Returns the default name of the column in a table of robots.txt files, where every column is about robots.txt.
    pub const fn table_column(self) -> &'static str {
        match self {
            Input::Robots => "body",
            Input::Key => "key",
            Input::Status => "status",
            Input::Failure => "failure",
            Input::FetchedAt => "fetched_at",
            Input::ContentType => "content_type",
            other => other.as_str(),
        }
    }
}

/// Parses the default name of a column in a batch or in a table.
impl FromStr for Input {
    type Err = BatchError;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let is_it = |input: &Input| input.as_str() == name || input.table_column() == name;
        Input::ALL.into_iter().find(is_it).ok_or_else(|| BatchError::UnknownInput {
            name: name.to_owned(),
            known: Input::ALL.map(Input::as_str).to_vec(),
        })
    }
}

/// The names of the input columns that are renamed or ignored.
#[derive(Clone, Debug, Default)]
pub struct Columns {
    named: Vec<(Input, Option<String>)>,
}

impl Columns {
    /// Creates the default names. A batch needs a column of URLs, and a table a column of keys. One of them needs a column of
    /// bodies, statuses or failures.
    pub fn new() -> Self {
        Columns::default()
    }

    /// Reads an input from the column of this name. The column must exist.
    #[must_use]
    pub fn with(mut self, input: Input, column: impl Into<String>) -> Self {
        self.set(input, Some(column.into()));
        self
    }

    /// Ignores an input, even if a column has its default name.
    #[must_use]
    pub fn without(mut self, input: Input) -> Self {
        self.set(input, None);
        self
    }

    fn set(&mut self, input: Input, column: Option<String>) {
        self.named.retain(|(known, _)| *known != input);
        self.named.push((input, column));
    }

    /// Returns the name that was set, or `Some(None)` if the input is ignored.
    pub(crate) fn get(&self, input: Input) -> Option<Option<&str>> {
        self.named.iter().find(|(known, _)| *known == input).map(|(_, column)| column.as_deref())
    }
}

/// The options of an [`Auditor`](crate::Auditor).
///
/// ```
/// use comity::policy::Preset;
/// use comity::robots::Agent;
/// use comity_arrow::{Columns, Input, AuditorOptions, Output};
///
/// let options = AuditorOptions::new()
///     .agent(Agent::token("examplebot")?)
///     .preset(Preset::Google)
///     .columns(Columns::new().with(Input::Url, "page").with(Input::Status, "robots_code"))
///     .outputs(["verdict", "rule", "line", "error"].into_iter().map(str::parse).collect::<Result<Vec<Output>, _>>()?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct AuditorOptions {
    pub(crate) agents: Vec<Agent>,
    pub(crate) preset: Preset,
    pub(crate) dialect: Dialect,
    pub(crate) columns: Columns,
    pub(crate) outputs: Vec<Output>,
    pub(crate) keeps_input: bool,
    pub(crate) prefix: String,
    pub(crate) words: Words,
    pub(crate) cache_bytes: usize,
    pub(crate) versions: Versions,
    pub(crate) check_url: Option<UrlCheck>,
    pub(crate) now: Option<SystemTime>,
    pub(crate) max_age: Option<Duration>,
}

/// A function that checks the URL of a row. Its error becomes the error of the row.
pub type UrlCheck = fn(&[u8]) -> Result<(), String>;

comity::words! {
    /// The choice of the answer in a [`RobotsTable`](crate::RobotsTable) for a row with a time (`seen_at`).
    #[derive(Default)]
    #[non_exhaustive]
    pub enum Versions {
        /// The state at that time: the latest answer up to then, and the effect of the answers before it.
        #[default]
        AsOf = "as_of",
        /// The answer nearest in time, before or after. Useful for archives with few captures. An answer after the row's time
        /// is used as if it were received at that time. An answer without a time is used only if there is no other.
        Nearest = "nearest",
    }
}

impl FromStr for Versions {
    type Err = BatchError;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Versions::ALL
            .into_iter()
            .find(|versions| versions.as_str() == name)
            .ok_or_else(|| BatchError::UnknownVersions { name: name.to_owned() })
    }
}

impl Default for AuditorOptions {
    fn default() -> Self {
        AuditorOptions::new()
    }
}

impl AuditorOptions {
    /// Creates the default options: RFC 9309, the default column names, and [`Output::verdicts`] after the input columns.
    pub fn new() -> Self {
        AuditorOptions {
            agents: Vec::new(),
            preset: Preset::Rfc9309,
            dialect: Preset::Rfc9309.dialect(),
            columns: Columns::new(),
            outputs: Output::verdicts(),
            keeps_input: true,
            prefix: String::new(),
            words: Words::Text,
            cache_bytes: 256 << 20,
            versions: Versions::AsOf,
            check_url: None,
            now: None,
            max_age: None,
        }
    }

    /// Sets one crawler for every row. Without it, the column `agent` has a product token for each row.
    #[must_use]
    pub fn agent(self, agent: Agent) -> Self {
        self.agents([agent])
    }

    /// Sets several crawlers. [`decide_each`](crate::Auditor::decide_each) decides every row for each of them. Without
    /// outputs about usage, each URL is decided once for all crawlers that a file treats identically.
    #[must_use]
    pub fn agents(self, agents: impl IntoIterator<Item = Agent>) -> Self {
        AuditorOptions { agents: agents.into_iter().collect(), ..self }
    }

    /// Sets the preset, which determines the effect of each kind of answer, and the dialect for parsing bodies. The mode is
    /// always [`Respect`](comity::policy::Mode::Respect), since an audit only reports.
    #[must_use]
    pub fn preset(self, preset: Preset) -> Self {
        AuditorOptions { preset, dialect: preset.dialect(), ..self }
    }

    /// Sets the dialect for parsing bodies, if it differs from the preset's. [`preset`](AuditorOptions::preset) resets it.
    #[must_use]
    pub fn dialect(self, dialect: Dialect) -> Self {
        AuditorOptions { dialect, ..self }
    }

    /// Sets the names of the input columns.
    #[must_use]
    pub fn columns(self, columns: Columns) -> Self {
        AuditorOptions { columns, ..self }
    }

    /// Sets the output columns, in this order.
    #[must_use]
    pub fn outputs(self, outputs: impl IntoIterator<Item = Output>) -> Self {
        let mut chosen: Vec<Output> = Vec::new();
        for output in outputs {
            if !chosen.contains(&output) {
                chosen.push(output);
            }
        }
        AuditorOptions { outputs: chosen, ..self }
    }

    /// Sets whether the output begins with the input columns. The default is true.
    #[must_use]
    pub fn keep_input(self, keeps_input: bool) -> Self {
        AuditorOptions { keeps_input, ..self }
    }

    /// Sets a prefix for the name of every verdict column.
    #[must_use]
    pub fn prefix(self, prefix: impl Into<String>) -> Self {
        AuditorOptions { prefix: prefix.into(), ..self }
    }

    /// Sets the type of columns that contain one of a few words.
    #[must_use]
    pub fn words(self, words: Words) -> Self {
        AuditorOptions { words, ..self }
    }

    /// Sets the maximum size of the cache between batches, in bytes. The default is 256 MiB. During a batch, the cache may be
    /// larger, since it contains all files that the batch needs.
    #[must_use]
    pub fn cache_bytes(self, cache_bytes: usize) -> Self {
        AuditorOptions { cache_bytes, ..self }
    }

    /// Sets the choice of the answer in a table for a row with a time. The default is [`Versions::AsOf`].
    #[must_use]
    pub fn versions(self, versions: Versions) -> Self {
        AuditorOptions { versions, ..self }
    }

    /// Sets a function that checks the URL of each row before it is decided. Without it, the dialect defines valid URLs.
    #[must_use]
    pub fn check_url(self, check: UrlCheck) -> Self {
        AuditorOptions { check_url: Some(check), ..self }
    }

    /// Sets the time at which the ages of answers are computed if the batch has no column `seen_at`.
    #[must_use]
    pub fn now(self, now: SystemTime) -> Self {
        AuditorOptions { now: Some(now), ..self }
    }

    /// Sets the maximum age of answers. A row is `unknown_unreachable` if the age of its answer is greater or unknown, or if the
    /// answer is later than the row by more than this.
    #[must_use]
    pub fn max_age(self, max_age: Duration) -> Self {
        AuditorOptions { max_age: Some(max_age), ..self }
    }

    pub(crate) fn output_name(&self, output: Output) -> String {
        format!("{}{}", self.prefix, output.name())
    }

    /// Returns the field of an output column.
    pub(crate) fn field(&self, output: Output) -> arrow_schema::Field {
        output.field(self.output_name(output), self.words)
    }

    pub(crate) fn wants_usage(&self) -> bool {
        self.outputs.iter().any(|output| matches!(output, Output::Usage(_)))
    }
}
