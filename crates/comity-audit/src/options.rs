//! What to decide, for whom, and which columns to read and write.

use std::fmt;
use std::str::FromStr;

use comity::policy::{Mode, Preset};
use comity::robots::{Agent, Dialect};
use comity::usage::Use;

/// How an [`Auditor`](crate::Auditor) decides.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// On whose behalf; `None`: as the column `agent` says, row by row.
    pub agent: Option<Agent>,
    /// What each kind of answer leads to.
    pub preset: Preset,
    /// The mode; `None`: the preset's own.
    pub mode: Option<Mode>,
    /// Another dialect than the preset's.
    pub dialect: Option<Dialect>,
    /// What the columns that are read are called.
    pub names: Names,
    /// The columns that are written, in this order.
    pub columns: Vec<Column>,
    /// The uses to write columns about; see [`UsageColumn`](crate::UsageColumn).
    pub usage: Vec<Use>,
    /// What the names of the columns that are written begin with.
    pub prefix: String,
    /// Whether the columns that were given come first.
    pub append: bool,
    /// How many octets the cache may hold before it starts anew, about.
    pub cache_bytes: usize,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            agent: None,
            preset: Preset::default(),
            mode: None,
            dialect: None,
            names: Names::default(),
            columns: Column::ALL.to_vec(),
            usage: Vec::new(),
            prefix: String::new(),
            append: true,
            cache_bytes: 256 << 20,
        }
    }
}

impl Options {
    /// The defaults, on behalf of one crawler.
    pub fn for_agent(agent: Agent) -> Self {
        Options { agent: Some(agent), ..Options::default() }
    }
}

/// What the columns that are read are called.
///
/// A column with another name than the usual one has to be there; of the usual ones, those that are there are read.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Names {
    /// `url`.
    pub url: Option<String>,
    /// `agent`. The usual one is not read where the options name an agent.
    pub agent: Option<String>,
    /// `robots`.
    pub robots: Option<String>,
    /// `robots_status`.
    pub status: Option<String>,
    /// `robots_failure`.
    pub failure: Option<String>,
    /// `robots_key`.
    pub key: Option<String>,
}

/// A column that is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Column {
    /// What is known: `allowed_explicit`, ... (Utf8).
    Verdict,
    /// What a well-behaved program does about it: `recommended`, ... (Utf8).
    Recommendation,
    /// Whether preset and mode let the URL be fetched (Boolean).
    Allowed,
    /// The pattern of the rule that decided, of a very long one the first 1024 characters or fewer (Utf8).
    Rule,
    /// `allow` or `disallow`, as written (Utf8).
    RuleKind,
    /// The line that decided, from 1 (UInt32).
    Line,
    /// The name by which the group was chosen (Utf8).
    Group,
    /// The seconds to wait between two requests (Float64).
    CrawlDelay,
    /// What the rules' verdict rests on: `rule`, `no_rule`, `no_group` or `robots_txt` (Utf8).
    Basis,
    /// What the preset does about the answer: `read_rules`, `allow_all`, ... (Utf8).
    Treatment,
    /// Why the row cannot be decided; then all the others are null (Utf8).
    Error,
}

impl Column {
    /// Every column, in the usual order.
    pub const ALL: [Column; 11] = [
        Column::Verdict,
        Column::Recommendation,
        Column::Allowed,
        Column::Rule,
        Column::RuleKind,
        Column::Line,
        Column::Group,
        Column::CrawlDelay,
        Column::Basis,
        Column::Treatment,
        Column::Error,
    ];

    /// The column's name, without a prefix.
    pub const fn as_str(self) -> &'static str {
        match self {
            Column::Verdict => "verdict",
            Column::Recommendation => "recommendation",
            Column::Allowed => "allowed",
            Column::Rule => "rule",
            Column::RuleKind => "rule_kind",
            Column::Line => "line",
            Column::Group => "group",
            Column::CrawlDelay => "crawl_delay",
            Column::Basis => "basis",
            Column::Treatment => "treatment",
            Column::Error => "error",
        }
    }
}

impl FromStr for Column {
    type Err = UnknownColumn;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let found = Column::ALL.into_iter().find(|column| column.as_str() == name);
        found.ok_or_else(|| UnknownColumn { name: name.to_owned() })
    }
}

/// A name that no column has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownColumn {
    name: String,
}

impl fmt::Display for UnknownColumn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known: Vec<_> = Column::ALL.into_iter().map(Column::as_str).collect();
        write!(f, "there is no column `{}`; there are {}", self.name, known.join(", "))
    }
}

impl std::error::Error for UnknownColumn {}
