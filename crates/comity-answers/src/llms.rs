//! `llms`: the content of an llms.txt, its grade and findings, and the URLs that can replace given pages.

use std::collections::BTreeMap;
use std::time::SystemTime;

use comity::finding::{Finding, Severity};
use comity::llms::{Candidate, Grade, LlmsTxt, Reader, Strategy, candidates, check_strict};
use serde::{Deserialize, Serialize};
use url::Url;

use crate::operation::RequestOperation;
use crate::request::{RequestError, parse_word};

/// Maximum number of pages to resolve.
const MAX_PAGES: usize = 1_000;

/// Maximum number of links to compare with pages, for all pages together.
const MAX_COMPARISONS: usize = 100_000;

/// An llms.txt, and the questions about it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct LlmsRequest {
    /// The text of an llms.txt.
    pub llms: String,
    /// The URL of the file, which is the base of relative links.
    pub url: Option<String>,
    /// True if every line is checked against the grammar of the proposal.
    pub strict: bool,
    /// URLs of pages to list candidates for.
    pub resolve: Vec<String>,
    /// The extent to which the file is followed: `disabled`, `prefer` or `force`; default `prefer`.
    pub strategy: Option<String>,
}

/// The operation `llms`: a parsed llms.txt, and the questions about it.
///
/// ```
/// use comity_answers::llms::{LlmsOperation, LlmsRequest};
///
/// let request = LlmsRequest { llms: "# Title\n".to_owned(), ..LlmsRequest::default() };
/// let operation = LlmsOperation::new(&request)?;
/// let row = serde_json::to_value(operation.row())?;
/// assert_eq!(row["title"]["text"], "Title");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct LlmsOperation {
    body: Vec<u8>,
    llms: LlmsTxt,
    options: LlmsOptions,
}

/// The questions about an llms.txt.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LlmsOptions {
    /// True if every line is checked against the grammar of the proposal.
    pub strict: bool,
    /// URLs of pages to list candidates for.
    pub resolve: Vec<Url>,
    /// The extent to which the file is followed.
    pub strategy: Strategy,
}

/// The content of an llms.txt.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Llms"))]
pub struct LlmsRow<'a> {
    /// The name of the file.
    pub file: String,
    /// The number of bytes.
    pub bytes: usize,
    /// The content.
    #[serde(flatten)]
    pub llms: &'a LlmsTxt,
    /// The grade in a few words.
    pub grade_name: &'static str,
    /// The number of findings of each kind, including findings that are not listed.
    pub finding_counts: BTreeMap<&'static str, u64>,
    /// The result of the strict parser, if it was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strict: Option<Strict>,
    /// The result of the check of its links, if it was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link_check: Option<LinkCheck>,
    /// The candidates for the requested pages.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub resolved: Vec<Resolved>,
}

/// The result of the strict parser.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Strict {
    /// True if the file conforms to the proposal.
    pub is_accepted: bool,
    /// The first violation.
    pub violation: Option<Finding>,
}

/// The result of requesting the documents that the links of an llms.txt lead to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LinkCheck {
    /// The number of documents that were requested.
    pub documents: usize,
    /// The findings, in the order of the file.
    pub findings: Vec<Finding>,
}

/// The candidates for a page.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Resolved {
    /// The URL of the page.
    pub page: String,
    /// The extent to which the llms.txt is followed.
    pub strategy: Strategy,
    /// The candidates, best first.
    pub candidates: Vec<Candidate>,
}

impl LlmsOperation {
    /// Checks a request and parses its file.
    ///
    /// # Errors
    ///
    /// Returns [`RequestError::Invalid`] if a URL or the strategy is invalid, and [`RequestError::TooLarge`] if there are too
    /// many pages.
    pub fn new(request: &LlmsRequest) -> Result<LlmsOperation, RequestError> {
        let LlmsRequest { llms, url, strict, resolve, strategy } = request;
        if resolve.len() > MAX_PAGES {
            return Err(RequestError::TooLarge(format!(
                "candidates are listed for at most {MAX_PAGES} pages"
            )));
        }
        // JSON text is already decoded, so the charset is UTF-8.
        let mut reader = Reader::new().charset("utf-8");
        if let Some(url) = url {
            reader = reader.url(parse_word::<Url>("url", url)?);
        }
        let pages = resolve.iter().map(|page| parse_word("resolve", page));
        let options = LlmsOptions {
            strict: *strict,
            resolve: pages.collect::<Result<_, _>>()?,
            strategy: strategy
                .as_deref()
                .map_or(Ok(Strategy::default()), |name| parse_word("strategy", name))?,
        };
        let body = llms.as_bytes().to_vec();
        let llms = reader.read(&body);
        let (pages, links) = (options.resolve.len(), llms.links().count());
        if pages.saturating_mul(links) > MAX_COMPARISONS {
            return Err(RequestError::TooLarge(format!(
                "{pages} pages are too many for a file with {links} links"
            )));
        }
        Ok(LlmsOperation { llms, body, options })
    }

    /// Returns the row.
    pub fn row(&self) -> LlmsRow<'_> {
        LlmsRow::new("llms.txt".to_owned(), &self.body, &self.llms, &self.options)
    }
}

impl RequestOperation for LlmsOperation {
    type Request = LlmsRequest;
    type Answer<'a> = LlmsRow<'a>;

    fn read(request: LlmsRequest) -> Result<LlmsOperation, RequestError> {
        LlmsOperation::new(&request)
    }

    fn answer(&self, _: SystemTime, _: usize) -> Result<LlmsRow<'_>, RequestError> {
        Ok(self.row())
    }
}

impl<'a> LlmsRow<'a> {
    /// Creates the row of a parsed file.
    pub fn new(file: String, body: &[u8], llms: &'a LlmsTxt, options: &LlmsOptions) -> LlmsRow<'a> {
        let mut finding_counts = BTreeMap::new();
        for finding in llms.findings() {
            *finding_counts.entry(finding.code()).or_default() += finding.repeats().max(1);
        }
        let resolve = |page: &Url| Resolved {
            page: page.to_string(),
            strategy: options.strategy,
            candidates: candidates(page, Some(llms), options.strategy),
        };
        LlmsRow {
            file,
            bytes: body.len(),
            llms,
            grade_name: llms.grade().as_str(),
            finding_counts,
            strict: options.strict.then(|| {
                let violation = check_strict(body);
                Strict { is_accepted: violation.is_none(), violation }
            }),
            link_check: None,
            resolved: options.resolve.iter().map(resolve).collect(),
        }
    }

    /// Returns true if the strict parser rejects the file.
    pub fn fails_strict(&self) -> bool {
        self.strict.as_ref().is_some_and(|strict| !strict.is_accepted)
    }

    /// Returns true if the file is below grade 4, or has findings that are errors.
    pub fn fails_check(&self) -> bool {
        self.llms.grade() < Grade::LinkSections || has_errors(self.llms.findings())
    }

    /// Returns true if the check of the links has findings that are errors.
    pub fn fails_link_check(&self) -> bool {
        self.link_check.as_ref().is_some_and(|check| has_errors(&check.findings))
    }
}

fn has_errors(findings: &[Finding]) -> bool {
    findings.iter().any(|finding| finding.severity() == Severity::Error)
}
