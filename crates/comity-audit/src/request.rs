//! Requests for jobs.

#![expect(
    clippy::exhaustive_structs,
    clippy::exhaustive_enums,
    reason = "plain data that front ends construct"
)]

use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use comity::agents::{self, Purpose, Status};
use comity::policy::Preset;
use comity::robots::{Agent, Dialect};
use comity_answers::url::check_cell;
use comity_arrow::{Output, Versions};
use comity_formats::PageOptions;
use serde::{Deserialize, Serialize};

use crate::condition::Condition;
use crate::error::AuditError;
use crate::options::{AuditJobOptions, Moment, Only, RowForm};

/// A request to collect robots.txt answers with their history into one table.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IndexRequest {
    /// Archives, tables, stores, folders and patterns; `-` is standard input.
    pub sources: Vec<PathBuf>,
    /// The Parquet file to write.
    pub output: PathBuf,
}

/// A request to decide the pages of archives and tables.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct AuditRequest {
    /// Archives and tables of pages, folders and patterns; `-` is standard input.
    pub inputs: Vec<PathBuf>,
    /// The sources of robots.txt answers: an index, or the sources of an index.
    pub robots: Vec<PathBuf>,
    /// True if robots.txt is requested from sites without an answer in the sources.
    pub live: bool,
    /// The largest number of sites that are requested; null for 1,000.
    pub live_limit: Option<u32>,
    /// The crawlers.
    #[serde(flatten)]
    pub whom: Whom,
    /// The preset; null for `rfc9309`.
    pub preset: Option<Preset>,
    /// The dialect, if it is not the preset's.
    pub dialect: Option<Dialect>,
    /// The moments for which rows are decided. Null means `now` with `live`, or if no page or no answer has a
    /// time; otherwise `seen`.
    pub as_of: Option<AsOf>,
    /// True if the answer nearest in time decides, even if it is later than the page.
    pub nearest: bool,
    /// The time that counts as now (RFC 3339), to repeat a result; null for the beginning of the job.
    pub now: Option<String>,
    /// The largest age of the answer that a decision rests on, such as `30d`; rows with an older one are unknown. Null for any age.
    pub max_age: Option<String>,
    /// True if rows have columns for preferences on use.
    pub usage: bool,
    /// True if rows have the columns that join with the indexes of public crawls.
    pub join_keys: bool,
    /// The name of the crawl to which all pages belong; null to find it in paths and archives.
    pub crawl: Option<String>,
    /// The columns for each crawler, or `all`; empty for the default ones.
    pub columns: Vec<String>,
    /// The prefix for the names of new columns.
    pub prefix: String,
    /// The form of the rows.
    pub rows: RowForm,
    /// The rows that are written; null for all of them.
    pub only: Option<Only>,
    /// The column that holds the URL; null to detect it.
    pub url_column: Option<String>,
    /// The column that holds the time at which a page was seen.
    pub time_column: Option<String>,
    /// The forms of the times, as for `strptime`: `%d/%m/%Y`; empty to read the usual forms.
    pub time_formats: Vec<String>,
    /// The column that holds the crawler of each row.
    pub agent_column: Option<String>,
    /// The ASCII character between the fields of a table of text; null for the usual ones.
    pub delimiter: Option<char>,
    /// The format of the inputs; null to detect it.
    pub input_format: Option<String>,
    /// The file for the rows: `.parquet`, `.csv` or `.jsonl`, the last two also with `.gz` or `.zst`.
    pub output: Option<PathBuf>,
    /// The file for the report.
    pub report: Option<PathBuf>,
    /// The approximate maximum number of bytes in memory; null for no limit.
    pub memory: Option<usize>,
    /// True if a stopped job can be resumed: finished inputs are not read again.
    pub resume: bool,
    /// The conditions on totals that count as objections, such as `disallowed>0`.
    pub fail_if: Vec<Condition>,
}

/// A request to compare robots.txt, sitemaps and pages of one live site.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SiteRequest {
    /// A URL of the site.
    pub url: String,
    /// The crawlers; without any, the audit is about crawlers that robots.txt does not name.
    #[serde(default, flatten)]
    pub whom: Whom,
    /// The largest number of pages that are fetched.
    #[serde(default = "SiteRequest::usual_limit")]
    pub limit: u32,
    /// The largest number of sitemaps that are requested.
    #[serde(default = "SiteRequest::usual_limit")]
    pub max_sitemaps: u32,
    /// The largest number of pages that are taken from sitemaps.
    #[serde(default = "SiteRequest::usual_max_urls")]
    pub max_urls: u32,
    /// The file for the rows.
    #[serde(default)]
    pub output: Option<PathBuf>,
    /// The file for the report.
    #[serde(default)]
    pub report: Option<PathBuf>,
    /// The conditions that count as objections; empty for `errors>0` and `warnings>0`.
    #[serde(default)]
    pub fail_if: Vec<Condition>,
}

/// The request of a manifest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum JobRequest {
    /// One live site.
    Site(SiteRequest),
    /// The pages of archives and tables.
    Run(Box<AuditRequest>),
}

/// The crawlers of a job.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Whom {
    /// Product tokens.
    pub agents: Vec<String>,
    /// Whole User-Agent headers.
    pub user_agents: Vec<String>,
    /// Purposes: each selects its known crawlers that are not retired.
    pub purposes: Vec<Purpose>,
}

/// The moments for which rows are decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
#[serde(rename_all = "snake_case")]
pub enum AsOf {
    /// The time at which each page was seen.
    Seen,
    /// The latest answer.
    Now,
    /// Both, side by side.
    Both,
}

impl AuditRequest {
    /// Returns the moments for which rows are decided if pages and answers have times. With `live`, the default
    /// is `now`: a current answer does not apply to an earlier time.
    pub fn moments(&self) -> &'static [Moment] {
        match self.as_of.unwrap_or(if self.live { AsOf::Now } else { AsOf::Seen }) {
            AsOf::Seen => &[Moment::Seen],
            AsOf::Now => &[Moment::Now],
            AsOf::Both => &[Moment::Seen, Moment::Now],
        }
    }

    /// Returns the time that counts as now; `started` if the request names none.
    pub(crate) fn now(&self, started: SystemTime) -> Result<SystemTime, AuditError> {
        let named = self.now.as_ref();
        named.map_or(Ok(started), |text| comity::date::any(text).ok_or_else(|| AuditError::Now(text.clone())))
    }

    /// Returns the maximum age of the answer that a decision rests on.
    ///
    /// # Errors
    ///
    /// Returns [`AuditError::MaxAge`] if the text is not a duration.
    pub fn max_age(&self) -> Result<Option<Duration>, AuditError> {
        self.max_age.as_deref().map(comity::date::duration).transpose().map_err(AuditError::MaxAge)
    }

    /// Returns the maximum number of sites to request.
    pub fn live_limit(&self) -> u32 {
        self.live_limit.unwrap_or(1_000)
    }

    /// Returns the requested verdict columns, each once; empty for the default ones.
    ///
    /// # Errors
    ///
    /// Returns [`AuditError::Batch`] if a name is not that of a column.
    pub fn outputs(&self) -> Result<Vec<Output>, AuditError> {
        let mut outputs: Vec<Output> = Vec::new();
        for name in &self.columns {
            let columns: Vec<Output> = match name.trim() {
                "all" => Output::all().filter(|column| !matches!(column, Output::Usage(_))).collect(),
                name => vec![name.parse()?],
            };
            for column in columns {
                if !outputs.contains(&column) {
                    outputs.push(column);
                }
            }
        }
        Ok(outputs)
    }

    /// Returns the options for reading pages.
    pub(crate) fn page_options(&self) -> Result<PageOptions, AuditError> {
        let mut options = PageOptions::new().statements(self.usage).join_keys(self.join_keys);
        if let Some(crawl) = &self.crawl {
            options = options.crawl(crawl);
        }
        if let Some(format) = &self.input_format {
            options = options.format(format.parse().map_err(AuditError::InputFormat)?);
        }
        if let Some(column) = &self.url_column {
            options = options.url_column(column);
        }
        if let Some(column) = &self.time_column {
            options = options.time_column(column);
        }
        if let Some(delimiter) = self.delimiter {
            let delimiter = u8::try_from(delimiter).ok().filter(u8::is_ascii).ok_or(AuditError::Delimiter)?;
            options = options.delimiter(delimiter);
        }
        for format in &self.time_formats {
            options = options.time_format(format).map_err(AuditError::TimeFormat)?;
        }
        if let Some(column) = &self.agent_column {
            options = options.agent_column(column);
        }
        Ok(options)
    }

    /// Returns the options of the job that decides the pages.
    pub(crate) fn job_options(&self, now: SystemTime) -> Result<AuditJobOptions, AuditError> {
        let moments = self.moments();
        let mut options = AuditJobOptions::new()
            .agents(self.whom.resolve()?)
            .check_url(check_cell)
            .moments(moments.iter().copied())
            .now(now)
            .max_age(self.max_age()?)
            .versions(if self.nearest { Versions::Nearest } else { Versions::AsOf })
            .form(self.rows)
            .only(self.only)
            .prefix(self.prefix.clone());
        if let Some(preset) = self.preset {
            options = options.preset(preset);
        }
        if let Some(dialect) = self.dialect {
            options = options.dialect(dialect);
        }
        let outputs = self.outputs()?;
        if !outputs.is_empty() {
            options = options.outputs(outputs);
        }
        if let Some(memory) = self.memory {
            // The rules of all crawlers are cached together, once for each moment.
            options = options.cache_bytes((memory / 8 / moments.len()).max(1 << 20));
        }
        if self.usage {
            options = options.and_outputs(Output::usage()).page_signals(true);
        }
        Ok(options)
    }
}

impl JobRequest {
    /// Returns the request with paths that JSON can represent.
    pub(crate) fn for_manifest(mut self) -> JobRequest {
        let paths: Vec<&mut PathBuf> = match &mut self {
            JobRequest::Run(request) => {
                let AuditRequest { inputs, robots, output, report, .. } = &mut **request;
                inputs.iter_mut().chain(robots).chain(output).chain(report).collect()
            }
            JobRequest::Site(request) => request.output.iter_mut().chain(&mut request.report).collect(),
        };
        for path in paths.into_iter().filter(|path| path.to_str().is_none()) {
            *path = path.to_string_lossy().into_owned().into();
        }
        self
    }
}

impl SiteRequest {
    /// Creates the request about a site with the default limits: 100 pages, 100 sitemaps, 100,000 listed pages.
    pub fn new(url: impl Into<String>) -> SiteRequest {
        SiteRequest {
            url: url.into(),
            whom: Whom::default(),
            limit: SiteRequest::usual_limit(),
            max_sitemaps: SiteRequest::usual_limit(),
            max_urls: SiteRequest::usual_max_urls(),
            output: None,
            report: None,
            fail_if: Vec::new(),
        }
    }

    fn usual_limit() -> u32 {
        100
    }

    fn usual_max_urls() -> u32 {
        100_000
    }
}

impl Whom {
    /// Returns the crawlers without duplicates.
    ///
    /// # Errors
    ///
    /// Returns [`AuditError::NoCrawlerOfPurpose`] if purposes are named, and select no crawler.
    pub fn resolve(&self) -> Result<Vec<Agent>, AuditError> {
        let is_wanted = |known: &&agents::KnownAgent| {
            self.purposes.contains(&known.purpose()) && known.status() != Status::Retired
        };
        let of_purpose: Vec<&str> =
            agents::all().iter().filter(is_wanted).map(|known| known.token()).collect();
        if !self.purposes.is_empty() && of_purpose.is_empty() {
            return Err(AuditError::NoCrawlerOfPurpose);
        }
        let mut agents: Vec<Agent> = Vec::new();
        let tokens = self.agents.iter().map(String::as_str).chain(of_purpose).map(Agent::unchecked_token);
        for agent in tokens.chain(self.user_agents.iter().map(Agent::header)) {
            if !agents.iter().any(|known| known.to_string().eq_ignore_ascii_case(&agent.to_string())) {
                agents.push(agent);
            }
        }
        Ok(agents)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeated_column_is_written_once() {
        let outputs = |names: &[&str]| {
            let columns = names.iter().map(|name| (*name).to_owned()).collect();
            AuditRequest { columns, ..AuditRequest::default() }.outputs().map(|outputs| outputs.len()).ok()
        };
        assert_eq!(outputs(&["verdict", "rule", "verdict"]), Some(2));
        assert_eq!(outputs(&["all", "verdict"]), outputs(&["all"]));
    }
}
