//! What is asked: for whom, by which preset, from which columns, and which columns come out.

use std::str::FromStr;

use comity::policy::Preset;
use comity::robots::{Agent, Dialect};

use crate::error::AuditError;
use crate::output::{Output, Words};

/// The kind of data that a column of the input holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Input {
    /// The URL to decide.
    Url,
    /// The crawler's product token ([`ProductToken`](comity::robots::ProductToken)), or `*`; anything else is the row's
    /// error. Read if [`Options`] name none.
    Agent,
    /// The body of the robots.txt of the URL's origin.
    Robots,
    /// The key by which the body is found in a [`RobotsTable`](crate::RobotsTable).
    Key,
    /// The status code that robots.txt came with.
    Status,
    /// Why no robots.txt came, by the names of [`Failure`](comity::policy::Failure).
    Failure,
    /// When robots.txt came.
    FetchedAt,
    /// The `Content-Type` that robots.txt came with.
    ContentType,
    /// The time that is decided for.
    SeenAt,
}

impl Input {
    /// Every input.
    pub const ALL: [Input; 9] = [
        Input::Url,
        Input::Agent,
        Input::Robots,
        Input::Key,
        Input::Status,
        Input::Failure,
        Input::FetchedAt,
        Input::ContentType,
        Input::SeenAt,
    ];

    /// The column that is read if none is named. What is about robots.txt says so, since a batch of URLs often has the
    /// page's own `status` and `fetched_at`.
    pub const fn column(self) -> &'static str {
        match self {
            Input::Url => "url",
            Input::Agent => "agent",
            Input::Robots => "robots",
            Input::Key => "robots_key",
            Input::Status => "robots_status",
            Input::Failure => "robots_failure",
            Input::FetchedAt => "robots_fetched_at",
            Input::ContentType => "robots_content_type",
            Input::SeenAt => "seen_at",
        }
    }

    /// The same in a table of robots.txt files, where everything is about robots.txt.
    pub const fn table_column(self) -> &'static str {
        match self {
            Input::Robots => "body",
            Input::Key => "key",
            Input::Status => "status",
            Input::Failure => "failure",
            Input::FetchedAt => "fetched_at",
            Input::ContentType => "content_type",
            other => other.column(),
        }
    }

    pub(crate) const fn meaning(self) -> &'static str {
        match self {
            Input::Url => "the URL",
            Input::Agent => "the crawler",
            Input::Robots => "the robots.txt body",
            Input::Key => "the key of the robots.txt",
            Input::Status => "the status of robots.txt",
            Input::Failure => "the failure to get robots.txt",
            Input::FetchedAt => "the time robots.txt came",
            Input::ContentType => "the Content-Type of robots.txt",
            Input::SeenAt => "the time to decide for",
        }
    }
}

/// The usual name of a column in a batch, or of one in a table.
impl FromStr for Input {
    type Err = AuditError;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let is_it = |input: &Input| input.column() == name || input.table_column() == name;
        Input::ALL.into_iter().find(is_it).ok_or_else(|| AuditError::UnknownInput {
            name: name.to_owned(),
            known: Input::ALL.map(Input::column).to_vec(),
        })
    }
}

/// The columns of the input: the names that were given, and the columns that are not read.
#[derive(Clone, Debug, Default)]
pub struct Columns {
    named: Vec<(Input, Option<String>)>,
}

impl Columns {
    /// The usual names. All but the URL's (in a table, the key's) may be absent.
    pub fn new() -> Self {
        Columns::default()
    }

    /// Reads an input from this column, which must be there.
    #[must_use]
    pub fn with(mut self, input: Input, column: impl Into<String>) -> Self {
        self.set(input, Some(column.into()));
        self
    }

    /// Does not read an input, though there is a column of its usual name.
    #[must_use]
    pub fn without(mut self, input: Input) -> Self {
        self.set(input, None);
        self
    }

    fn set(&mut self, input: Input, column: Option<String>) {
        self.named.retain(|(known, _)| *known != input);
        self.named.push((input, column));
    }

    /// The name that was given; `Some(None)` if the input is not to be read.
    pub(crate) fn get(&self, input: Input) -> Option<Option<&str>> {
        self.named.iter().find(|(known, _)| *known == input).map(|(_, column)| column.as_deref())
    }
}

/// The options of an [`Auditor`](crate::Auditor).
///
/// ```
/// use comity::policy::Preset;
/// use comity::robots::Agent;
/// use comity_audit::{Columns, Input, Options, Output};
///
/// let options = Options::new()
///     .agent(Agent::token("examplebot"))
///     .preset(Preset::Google)
///     .columns(Columns::new().with(Input::Url, "page").with(Input::Status, "robots_code"))
///     .outputs(["verdict", "rule", "line", "error"].into_iter().map(str::parse).collect::<Result<Vec<Output>, _>>()?);
/// # Ok::<(), comity_audit::AuditError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Options {
    pub(crate) agent: Option<Agent>,
    pub(crate) preset: Preset,
    pub(crate) dialect: Dialect,
    pub(crate) columns: Columns,
    pub(crate) outputs: Vec<Output>,
    pub(crate) keeps_input: bool,
    pub(crate) prefix: String,
    pub(crate) words: Words,
    pub(crate) cache_bytes: usize,
}

impl Default for Options {
    fn default() -> Self {
        Options::new()
    }
}

impl Options {
    /// RFC 9309, the usual column names, every verdict column, appended to those of the input.
    pub fn new() -> Self {
        Options {
            agent: None,
            preset: Preset::Rfc9309,
            dialect: Preset::Rfc9309.dialect(),
            columns: Columns::new(),
            outputs: Output::verdicts(),
            keeps_input: true,
            prefix: String::new(),
            words: Words::Text,
            cache_bytes: 256 << 20,
        }
    }

    /// One crawler for every row. Without it the column `agent` names a product token per row.
    #[must_use]
    pub fn agent(self, agent: Agent) -> Self {
        Options { agent: Some(agent), ..self }
    }

    /// Sets the preset: what each kind of answer leads to, and the dialect that bodies are read in. The mode is always
    /// [`Respect`](comity::policy::Mode::Respect): an audit is there to be told.
    #[must_use]
    pub fn preset(self, preset: Preset) -> Self {
        Options { preset, dialect: preset.dialect(), ..self }
    }

    /// Reads bodies in another dialect than the preset's; say it after [`preset`](Options::preset).
    #[must_use]
    pub fn dialect(self, dialect: Dialect) -> Self {
        Options { dialect, ..self }
    }

    /// Sets which columns hold the input.
    #[must_use]
    pub fn columns(self, columns: Columns) -> Self {
        Options { columns, ..self }
    }

    /// The columns that come out, in this order.
    #[must_use]
    pub fn outputs(self, outputs: impl IntoIterator<Item = Output>) -> Self {
        let mut chosen: Vec<Output> = Vec::new();
        for output in outputs {
            if !chosen.contains(&output) {
                chosen.push(output);
            }
        }
        Options { outputs: chosen, ..self }
    }

    /// Sets whether the input's columns come out too, before the verdict columns. They do unless this says no.
    #[must_use]
    pub fn keep_input(self, keeps_input: bool) -> Self {
        Options { keeps_input, ..self }
    }

    /// Put before the name of every verdict column.
    #[must_use]
    pub fn prefix(self, prefix: impl Into<String>) -> Self {
        Options { prefix: prefix.into(), ..self }
    }

    /// Sets how columns of few words are written.
    #[must_use]
    pub fn words(self, words: Words) -> Self {
        Options { words, ..self }
    }

    /// Sets how many bytes of bodies and rules are kept from batch to batch; 256 MiB unless set. Everything that one
    /// batch needs is kept while the batch is decided, even beyond this.
    #[must_use]
    pub fn cache_bytes(self, cache_bytes: usize) -> Self {
        Options { cache_bytes, ..self }
    }

    pub(crate) fn output_name(&self, output: Output) -> String {
        format!("{}{}", self.prefix, output.name())
    }

    /// The field of a column that comes out.
    pub(crate) fn field(&self, output: Output) -> arrow_schema::Field {
        output.field(self.output_name(output), self.words)
    }

    pub(crate) fn wants_usage(&self) -> bool {
        self.outputs.iter().any(|output| matches!(output, Output::Usage(_)))
    }
}
