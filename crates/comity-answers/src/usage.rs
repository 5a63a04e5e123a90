//! `usage`: the permitted uses of content, by all signals, for each URL and crawler.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::SystemTime;

use comity::decision::DecisionRecord;
use comity::html::FactsOptions;
use comity::http::Headers;
use comity::robots::{Agent, Dialect, RobotsTxt};
use comity::usage::{
    HeaderUsage, LicenseDocument, PageUsage, Report, RobotsUsage, Tdmrep, Usage, Vocabulary,
};
use serde::{Deserialize, Serialize};

use crate::check::text;
use crate::notice::Notice;
use crate::operation::{Prepared, UrlOperation, UrlRow};
use crate::provenance::Provenance;
use crate::request::{RequestError, UrlsParts, UrlsRequest};
use crate::robots_file::{Reading, RobotsFile};
use crate::site::Site;
use crate::url::UrlKind;

/// Maximum number of records that are kept for all crawlers of a request together.
const MAX_RECORDS: usize = 1_000_000;

/// URLs and crawlers, and the documents with preferences on use. Without documents, the robots.txt of each URL's site is
/// requested.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct UsageRequest {
    /// The URLs. With `robots`, paths are accepted, too. In a batch, more URLs follow, one per line, as JSON strings.
    pub urls: Vec<String>,
    /// Product tokens of the crawlers, such as GPTBot.
    pub agents: Vec<String>,
    /// Crawlers by their full User-Agent headers.
    pub user_agents: Vec<String>,
    /// Tokens to try, before `*`, if no group names the crawler.
    pub fallbacks: Vec<String>,
    /// The text of the robots.txt of the site.
    pub robots: Option<String>,
    /// The dialect of `robots`; default `rfc9309`.
    pub dialect: Option<Dialect>,
    /// The charset in the Content-Type of `robots`. It is accepted but has no effect, because `robots` is decoded text.
    pub charset: Option<String>,
    /// The header of the answer with the page, as lines `Name: value`.
    pub headers: Option<String>,
    /// The page.
    pub html: Option<String>,
    /// The `/.well-known/tdmrep.json` of the site.
    pub tdmrep: Option<String>,
    /// RSL documents that the site names as its license.
    pub rsl: Vec<String>,
}

/// Documents other than robots.txt that state preferences on use, and the users for whom the crawler works.
#[derive(Clone, Debug, Default)]
pub struct UsageSources {
    /// Header of the answer with the page, parsed with `vocabulary`.
    pub header: Option<Arc<HeaderUsage>>,
    /// The page.
    pub page: Option<Arc<PageUsage>>,
    /// The `/.well-known/tdmrep.json` of the site.
    pub tdmrep: Option<Tdmrep>,
    /// RSL documents that the site names.
    pub rsl: Vec<LicenseDocument>,
    /// RSL documents that the page names.
    pub rsl_of_page: Vec<LicenseDocument>,
    /// URLs of licenses that could not be fetched or parsed.
    pub unavailable: Vec<String>,
    /// Revision of the vocabulary of `Content-Usage`.
    pub vocabulary: Vocabulary,
    /// Kinds of users that the crawler works for, in the terms of RSL.
    pub users: Vec<String>,
    /// Locations of the users, as country codes.
    pub places: Vec<String>,
}

impl UsageSources {
    /// Returns the query for a crawler.
    pub fn usage<'s>(&'s self, agent: &'s Agent, robots: Option<Arc<RobotsUsage>>) -> Usage<'s> {
        let mut usage = Usage::with_vocabulary(agent, self.vocabulary);
        usage = robots.into_iter().fold(usage, Usage::robots_usage);
        usage = self.header.iter().cloned().fold(usage, Usage::header_usage);
        usage = self.page.iter().cloned().fold(usage, Usage::page_usage);
        usage = self.tdmrep.iter().fold(usage, |usage, tdmrep| usage.tdmrep(tdmrep));
        usage = self.rsl.iter().fold(usage, |usage, document| usage.rsl(document));
        usage = self.rsl_of_page.iter().fold(usage, |usage, document| usage.rsl_of_page(document));
        usage = self.unavailable.iter().fold(usage, |usage, url| usage.rsl_unavailable(url.as_str()));
        usage = self.users.iter().fold(usage, |usage, user| usage.user(user));
        self.places.iter().fold(usage, |usage, place| usage.place(place))
    }

    /// Returns the preferences of a robots.txt for a crawler.
    pub fn robots_usage(&self, robots: &RobotsTxt<'_>, agent: &Agent) -> Arc<RobotsUsage> {
        Arc::new(RobotsUsage::with_vocabulary(robots, agent, self.vocabulary))
    }

    /// Returns true if no document is given.
    pub fn is_empty(&self) -> bool {
        self.header.is_none()
            && self.page.is_none()
            && self.tdmrep.is_none()
            && self.rsl.is_empty()
            && self.rsl_of_page.is_empty()
            && self.unavailable.is_empty()
    }
}

/// The operation `usage`: the permitted uses of content, by all signals.
#[derive(Clone, Debug)]
pub struct UsageOperation {
    agents: Arc<[Agent]>,
    reading: Reading,
    sources: UsageSources,
}

/// Preferences of a robots.txt for each crawler of a request; `None` without a robots.txt.
#[derive(Clone, Debug, Default)]
pub struct UsageFile(Option<Vec<Arc<RobotsUsage>>>);

/// The report about a URL for a crawler. If there is an error, all fields but `url`, `agent` and `error` are null.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct UsageRow<'a> {
    #[serde(flatten)]
    #[cfg_attr(feature = "schema", schemars(with = "crate::or_error::OrError<Report>"))]
    fields: Fields<'a>,
    /// The error that prevents a report; null if there is a report.
    error: Option<String>,
}

/// A report, or its fields without values.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
enum Fields<'a> {
    Report(Box<Report>),
    Error { url: Cow<'a, str>, agent: Cow<'a, str>, group: (), summary: (), signals: (), findings: () },
}

impl UsageRow<'_> {
    /// Returns the report.
    pub fn report(&self) -> Option<&Report> {
        match &self.fields {
            Fields::Report(report) => Some(report),
            Fields::Error { .. } => None,
        }
    }
}

impl From<Report> for UsageRow<'_> {
    fn from(report: Report) -> Self {
        UsageRow { fields: Fields::Report(Box::new(report)), error: None }
    }
}

impl<'a> UsageRow<'a> {
    /// Creates the row of a URL without a report.
    pub fn of_error(url: &'a [u8], agent: &'a Agent, error: String) -> UsageRow<'a> {
        let (url, agent) = (text(url), agent.as_str().into());
        let fields = Fields::Error { url, agent, group: (), summary: (), signals: (), findings: () };
        UsageRow { fields, error: Some(error) }
    }
}

impl UrlRow for UsageRow<'_> {
    fn error(&self) -> Option<&str> {
        self.error.as_deref()
    }

    fn decision(&self) -> Option<&DecisionRecord> {
        None
    }
}

impl UsageOperation {
    /// Creates the operation for these crawlers.
    pub fn new(agents: impl Into<Arc<[Agent]>>, reading: Reading, sources: UsageSources) -> UsageOperation {
        UsageOperation { agents: agents.into(), reading, sources }
    }

    fn rows<'a>(
        &'a self,
        url: &'a [u8],
        robots: impl Fn(usize, &Agent) -> Option<Arc<RobotsUsage>>,
    ) -> Vec<UsageRow<'a>> {
        if let Err(problem) = UrlKind::of(url) {
            return self.error_rows(url, &Provenance::default(), &problem.to_string());
        }
        let row = |(index, agent)| match self.sources.usage(agent, robots(index, agent)).report(url) {
            Ok(report) => report.into(),
            Err(error) => UsageRow::of_error(url, agent, error.to_string()),
        };
        self.agents.iter().enumerate().map(row).collect()
    }
}

impl UrlOperation for UsageOperation {
    type Request = UsageRequest;
    type File = UsageFile;
    type Row<'a> = UsageRow<'a>;

    const NEEDS_FILE: bool = true;
    const IS_LIGHT: bool = false;

    fn body_bytes(request: &UsageRequest) -> usize {
        let UsageRequest { robots, headers, html, tdmrep, rsl, .. } = request;
        let one = [robots, headers, html, tdmrep].into_iter().flatten();
        one.chain(rsl).map(String::len).sum()
    }

    fn prepare(request: UsageRequest) -> Result<Prepared<UsageOperation>, RequestError> {
        let UsageRequest { urls, agents, user_agents, fallbacks, robots, dialect, charset, .. } = request;
        let UsageRequest { headers, html, tdmrep, rsl, .. } = request;
        let request = UrlsRequest { urls, agents, user_agents, fallbacks, robots, dialect, charset };
        let UrlsParts { urls, agents, file, reading } = request.into_parts()?;
        let invalid =
            |field: &str, error: &dyn std::error::Error| RequestError::invalid(format!("`{field}`: {error}"));
        let vocabulary = Vocabulary::default();
        let headers = headers.as_ref().map(|text| Headers::parse(text.as_bytes())).transpose();
        let headers = headers.map_err(|error| invalid("headers", &error))?;
        // JSON text is already decoded, so the charset that the page declares is ignored.
        let facts = html.map(|html| FactsOptions::new().charset("utf-8").read(html.as_bytes()));
        let tdmrep = tdmrep.map(|text| Tdmrep::parse(text.as_bytes())).transpose();
        let rsl = rsl.iter().map(|text| LicenseDocument::parse(text.as_bytes())).collect::<Result<_, _>>();
        let sources = UsageSources {
            header: headers.map(|headers| Arc::new(HeaderUsage::new(&headers, vocabulary))),
            page: facts.map(|facts| Arc::new(PageUsage::new(&facts))),
            tdmrep: tdmrep.map_err(|error| invalid("tdmrep", &error))?,
            rsl: rsl.map_err(|error| invalid("rsl", &error))?,
            vocabulary,
            ..UsageSources::default()
        };
        let has_documents = !sources.is_empty();
        let operation = UsageOperation::new(agents, reading, sources);
        let mut prepared = Prepared::new(operation, urls, file.as_ref())?;
        if prepared.file.is_none() && has_documents {
            prepared.file = Some(UsageFile::default());
        }
        Ok(prepared)
    }

    fn agents(&self) -> &[Agent] {
        &self.agents
    }

    fn read(&self, file: &RobotsFile) -> Result<(UsageFile, Vec<Notice>), RequestError> {
        let robots = file.read(&self.reading);
        let (crawlers, records) = (self.agents.len(), robots.known_records().len());
        if crawlers.saturating_mul(records) > MAX_RECORDS {
            return Err(RequestError::TooLarge(format!(
                "{crawlers} crawlers times {records} records exceed {MAX_RECORDS}; name fewer crawlers"
            )));
        }
        let usage = self.agents.iter().map(|agent| self.sources.robots_usage(&robots, agent));
        let notices = Notice::of_agents(&*self.agents, Some(&robots));
        Ok((UsageFile(Some(usage.collect())), notices))
    }

    fn by_file<'a>(&'a self, url: &'a [u8], file: &'a UsageFile) -> Vec<UsageRow<'a>> {
        self.rows(url, |index, _| file.0.as_ref()?.get(index).cloned())
    }

    fn by_site<'a>(&'a self, url: &'a [u8], site: &'a Site, _: SystemTime) -> Vec<UsageRow<'a>> {
        self.rows(url, |_, agent| site.robots().map(|robots| self.sources.robots_usage(robots, agent)))
    }

    fn error_row<'a>(
        &'a self,
        url: &'a [u8],
        agent: &'a Agent,
        _: Provenance,
        error: String,
    ) -> UsageRow<'a> {
        UsageRow::of_error(url, agent, error)
    }
}
