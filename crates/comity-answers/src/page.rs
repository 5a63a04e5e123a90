//! `page`: the directives of a page and its header for a crawler.

use std::time::SystemTime;

use comity::finding::Finding;
use comity::html::FactsOptions;
use comity::http::Headers;
use comity::page::{PageDirectives, PageOutcome, Profile};
use serde::{Deserialize, Serialize};

use crate::operation::RequestOperation;
use crate::request::{RequestError, parse_word};

/// A page, its header, and the crawler to evaluate them for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct PageRequest {
    /// The header of the answer with the page, as lines `Name: value`.
    pub headers: Option<String>,
    /// The page.
    pub html: Option<String>,
    /// Product token of the crawler; `*` means any crawler.
    pub agent: String,
    /// The profile with the rules for combining directives; all profiles if empty.
    pub profile: Option<String>,
}

/// The directives of a page for a crawler.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Page"))]
pub struct PageRow<'p> {
    /// Path or URL of the header; null if the request contains it.
    pub headers: Option<String>,
    /// Path or URL of the page; null if the request contains it.
    pub html: Option<String>,
    /// The fetch of the page: URLs and status.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fetched: Option<Fetched>,
    /// The number of statements.
    pub statements: usize,
    /// The findings in the documents.
    pub findings: Vec<Finding>,
    /// The outcome under each profile.
    pub outcomes: Vec<PageOutcome<'p>>,
}

/// The names of a page and its header, and the fetch of both.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageNames {
    /// Path or URL of the header.
    pub headers: Option<String>,
    /// Path or URL of the page.
    pub html: Option<String>,
    /// The fetch of both: URLs and status.
    pub fetched: Option<Fetched>,
}

/// The fetch of a page: requested URL, final URL and status.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Fetched {
    /// The requested URL.
    pub requested_url: String,
    /// The final URL, after redirects.
    pub final_url: String,
    /// The status code.
    pub status: u16,
}

/// The operation `page`: a parsed page and its header, a crawler, and profiles.
///
/// ```
/// use std::time::SystemTime;
///
/// use comity_answers::page::{PageOperation, PageRequest};
///
/// let request = PageRequest {
///     headers: Some("X-Robots-Tag: noindex".to_owned()),
///     agent: "ExampleBot".to_owned(),
///     profile: Some("google".to_owned()),
///     ..PageRequest::default()
/// };
/// let operation = PageOperation::new(&request)?;
/// let row = operation.row(SystemTime::UNIX_EPOCH);
/// assert_eq!(row.outcomes[0].warnings()[0].restriction().to_string(), "do_not_index");
/// # Ok::<(), comity_answers::request::RequestError>(())
/// ```
#[derive(Clone, Debug)]
pub struct PageOperation {
    directives: PageDirectives,
    agent: String,
    profiles: Vec<Profile>,
}

impl PageOperation {
    /// Checks a request and parses its documents.
    ///
    /// # Errors
    ///
    /// Returns [`RequestError::Invalid`] if no crawler is named, if the header cannot be parsed, or if the profile is unknown.
    pub fn new(request: &PageRequest) -> Result<PageOperation, RequestError> {
        if request.agent.trim().is_empty() {
            return Err(RequestError::invalid("name a crawler, in `agent`; `*` is any crawler"));
        }
        let header = request.headers.as_deref().unwrap_or_default();
        let headers = Headers::parse(header.as_bytes())
            .map_err(|error| RequestError::Invalid(format!("`headers`: {error}")))?;
        let html = request.html.as_deref().unwrap_or_default();
        let profile = request.profile.as_deref().map(|name| parse_word("profile", name)).transpose()?;
        // JSON text is already decoded, so the charset that the page declares is ignored.
        let directives = directives(&headers, html.as_bytes(), Some("utf-8"));
        Ok(PageOperation { directives, agent: request.agent.clone(), profiles: profiles(profile) })
    }

    /// Returns the row. `now` is the current time, which is compared with the dates in `unavailable_after`.
    pub fn row(&self, now: SystemTime) -> PageRow<'_> {
        let names = PageNames::default();
        PageRow::new(names, &self.directives, &self.agent, &self.profiles, now)
    }
}

impl RequestOperation for PageOperation {
    type Request = PageRequest;
    type Answer<'a> = PageRow<'a>;

    fn read(request: PageRequest) -> Result<PageOperation, RequestError> {
        PageOperation::new(&request)
    }

    fn answer(&self, now: SystemTime, _: usize) -> Result<PageRow<'_>, RequestError> {
        Ok(self.row(now))
    }
}

/// Parses a header and a page. `charset` overrides the one in the header.
pub fn directives(headers: &Headers<'_>, page: &[u8], charset: Option<&str>) -> PageDirectives {
    let sent = headers.charset();
    let options = FactsOptions::new().charset(charset.or(sent.as_deref()));
    PageDirectives::of_header(headers).and_page(&options.read(page))
}

/// Returns the named profile, or all profiles.
pub fn profiles(named: Option<Profile>) -> Vec<Profile> {
    named.map_or_else(|| Profile::ALL.to_vec(), |profile| vec![profile])
}

impl<'p> PageRow<'p> {
    /// Creates the row of a parsed page.
    pub fn new(
        names: PageNames,
        directives: &'p PageDirectives,
        agent: &str,
        profiles: &[Profile],
        now: SystemTime,
    ) -> PageRow<'p> {
        PageRow {
            headers: names.headers,
            html: names.html,
            fetched: names.fetched,
            statements: directives.statements().len(),
            findings: directives.findings(),
            outcomes: profiles.iter().map(|&profile| directives.outcome(agent, profile, now)).collect(),
        }
    }
}
