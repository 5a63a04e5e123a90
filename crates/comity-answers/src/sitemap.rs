//! `sitemap`: the entries of a sitemap, and its problems.

use std::time::SystemTime;

use comity::sitemap::{Item, Reader, ReaderOptions, Sitemap, Summary, Url};
use serde::{Deserialize, Serialize};

use crate::lint::{Counts, FindingOf};
use crate::operation::{RequestOperation, Rows};
use crate::request::RequestError;

/// Maximum number of items of a sitemap in a request.
const MAX_ROWS: usize = 100_000;

/// A sitemap to parse.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct SitemapRequest {
    /// The text of the sitemap.
    pub sitemap: String,
    /// The URL of the sitemap, which is the base of relative URLs.
    pub url: Option<String>,
}

/// A row about a sitemap: an entry, a finding, or the summary at its end.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "SitemapLine"))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum SitemapRow<'a> {
    /// A page in the sitemap.
    #[cfg_attr(feature = "schema", schemars(with = "Url"))]
    Url(&'a Url),
    /// A sitemap in the index.
    #[cfg_attr(feature = "schema", schemars(with = "Sitemap"))]
    Sitemap(&'a Sitemap),
    /// A finding.
    #[cfg_attr(feature = "schema", schemars(with = "FindingOf<'static>"))]
    Finding(FindingOf<'a>),
    /// The facts about the file as a whole.
    Summary {
        /// The name of the file.
        file: &'a str,
        /// The facts.
        #[serde(flatten)]
        summary: &'a Summary,
        /// The number of findings.
        #[serde(flatten)]
        counts: Counts,
    },
}

impl<'a> SitemapRow<'a> {
    /// Creates the row of an item of the sitemap with this name; `None` for items of other kinds.
    pub fn of_item(file: &'a str, item: &'a Item) -> Option<SitemapRow<'a>> {
        match item {
            Item::Url(url) => Some(SitemapRow::Url(url)),
            Item::Sitemap(sitemap) => Some(SitemapRow::Sitemap(sitemap)),
            Item::Finding(finding) => Some(SitemapRow::Finding(FindingOf { file, finding })),
            _ => None,
        }
    }
}

/// A parsed sitemap.
///
/// ```
/// use comity_answers::sitemap::{SitemapRequest, SitemapRows};
///
/// let request = SitemapRequest {
///     sitemap: "https://example.com/a\nhttps://example.com/b\n".to_owned(),
///     ..SitemapRequest::default()
/// };
/// let read = SitemapRows::read(&request)?;
/// let rows = serde_json::to_value(read.rows().collect::<Vec<_>>())?;
/// assert_eq!(rows[1]["loc"], "https://example.com/b");
/// assert_eq!(rows[2]["kind"], "summary");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct SitemapRows {
    items: Vec<Item>,
    summary: Summary,
    counts: Counts,
}

/// File name in the rows about the sitemap of a request.
const NAME: &str = "sitemap.xml";

impl SitemapRows {
    /// Parses the sitemap of a request.
    ///
    /// # Errors
    ///
    /// Returns [`RequestError`] if the URL is invalid, or if there would be too many rows.
    pub fn read(request: &SitemapRequest) -> Result<SitemapRows, RequestError> {
        let mut options = ReaderOptions::new().find_duplicates(true);
        if let Some(url) = &request.url {
            let invalid = |error: &dyn std::fmt::Display| RequestError::Invalid(format!("`url`: {error}"));
            options = options.at(url).map_err(|error| invalid(&error))?;
        }
        let mut reader = Reader::with_options(request.sitemap.as_bytes(), options);
        let (mut items, mut counts) = (Vec::new(), Counts::default());
        for item in reader.by_ref() {
            if items.len() >= MAX_ROWS {
                return Err(RequestError::TooLarge(format!("an answer has at most {MAX_ROWS} rows")));
            }
            if let Item::Finding(finding) = &item {
                counts.add(finding);
            }
            items.push(item);
        }
        Ok(SitemapRows { items, summary: reader.summary(), counts })
    }

    /// Returns the rows: items in the order of the sitemap, and the summary.
    pub fn rows(&self) -> impl Iterator<Item = SitemapRow<'_>> {
        let summary = SitemapRow::Summary { file: NAME, summary: &self.summary, counts: self.counts };
        let items = self.items.iter().filter_map(|item| SitemapRow::of_item(NAME, item));
        items.chain([summary])
    }
}

impl RequestOperation for SitemapRows {
    type Request = SitemapRequest;
    type Answer<'a> = Rows<SitemapRow<'a>>;

    fn read(request: SitemapRequest) -> Result<SitemapRows, RequestError> {
        SitemapRows::read(&request)
    }

    fn answer(&self, _: SystemTime, _: usize) -> Result<Rows<SitemapRow<'_>>, RequestError> {
        Ok(Rows { rows: self.rows().collect() })
    }
}
