//! The three kinds of operations: those that answer for each URL and crawler, those that answer about files as a whole, and those
//! that answer from their request alone.
//!
//! A [`UrlOperation`] (`check`, `explain`, `usage`) makes rows of a URL and what decides about it: a robots.txt that is given ([`UrlOperation::by_file`]), or what the URL's
//! site says ([`UrlOperation::by_site`]). It fetches nothing and reads no clock, so a front end can answer one URL or a stream of millions in
//! whatever way suits it.
//!
//! A [`FileOperation`] (`matrix`, `diff`, `lint`, `new`, `robots`) gets files from [`Sources`] and makes one row of them. Making it takes
//! processor time and waits for nothing, so a service can do that on another thread.
//!
//! A [`RequestOperation`] (`status`, `page`, `sitemap`, `llms`, `agents`, `dialects`, `presets`) needs no robots.txt but what comes with the request.

use std::collections::HashSet;
use std::hash::Hash;
use std::io;
use std::time::SystemTime;

use comity::decision::DecisionRecord;
use comity::robots::Agent;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::notice::{Notice, Noticed};
use crate::provenance::Provenance;
use crate::request::RequestError;
use crate::robots_file::RobotsFile;
use crate::site::Site;
use crate::sources::{SourceError, Sources};

/// The answer of an operation for a URL and a crawler.
pub trait UrlRow: Serialize {
    /// Returns the error that prevents an answer.
    fn error(&self) -> Option<&str>;

    /// Returns the decision that says whether the URL may be fetched, if the operation makes one.
    fn decision(&self) -> Option<&DecisionRecord>;
}

/// A request that is ready to be answered.
#[derive(Debug)]
pub struct Prepared<O: UrlOperation> {
    /// The operation.
    pub operation: O,
    /// The URLs.
    pub urls: Vec<String>,
    /// The robots.txt and other documents that decide all URLs; `None` if the sites of the URLs are asked.
    pub file: Option<O::File>,
    /// The notices about the names of the crawlers.
    pub notices: Vec<Notice>,
}

impl<O: UrlOperation> Prepared<O> {
    /// Creates a request that is ready, with the robots.txt that came with it, if there is one.
    pub(crate) fn new(
        operation: O,
        urls: Vec<String>,
        file: Option<&RobotsFile>,
    ) -> Result<Prepared<O>, RequestError> {
        let (file, notices) = match file {
            Some(file) => {
                let (file, notices) = operation.read(file)?;
                (Some(file), notices)
            }
            None => (None, Notice::of_agents(operation.agents(), None)),
        };
        Ok(Prepared { operation, urls, file, notices })
    }
}

/// An operation that answers for each URL and crawler.
pub trait UrlOperation: Send + Sync + Sized + 'static {
    /// The request, as it is sent.
    type Request: DeserializeOwned + Send;

    /// A robots.txt that was prepared for the crawlers of the request.
    type File: Send + Sync;

    /// The answer for a URL and a crawler.
    type Row<'a>: UrlRow;

    /// True if the operation needs the robots.txt of a site itself, and not only what follows from it.
    const NEEDS_FILE: bool;

    /// True if the rows of a URL take microseconds, so that they can be made between other work.
    const IS_LIGHT: bool;

    /// Returns the number of bytes of documents that come with a request and have to be read.
    fn body_bytes(request: &Self::Request) -> usize;

    /// Checks a request and reads the documents that come with it.
    ///
    /// # Errors
    ///
    /// [`RequestError`] if the request cannot be answered.
    fn prepare(request: Self::Request) -> Result<Prepared<Self>, RequestError>;

    /// Returns the crawlers of the request, each of which has a row for every URL.
    fn agents(&self) -> &[Agent];

    /// Prepares a robots.txt that decides about URLs, and returns it with the notices about the names of the crawlers.
    ///
    /// # Errors
    ///
    /// [`RequestError::TooLarge`] if the file is too long for so many crawlers.
    fn read(&self, file: &RobotsFile) -> Result<(Self::File, Vec<Notice>), RequestError>;

    /// Returns the rows of a URL by a robots.txt.
    fn by_file<'a>(&'a self, url: &'a [u8], file: &'a Self::File) -> Vec<Self::Row<'a>>;

    /// Returns the rows of a URL by what its site says.
    fn by_site<'a>(&'a self, url: &'a [u8], site: &'a Site, now: SystemTime) -> Vec<Self::Row<'a>>;

    /// Returns the row of a URL that cannot be decided.
    fn error_row<'a>(
        &'a self,
        url: &'a [u8],
        agent: &'a Agent,
        robots_txt: Provenance,
        error: String,
    ) -> Self::Row<'a>;

    /// Returns the rows of a URL that cannot be decided, one for each crawler.
    fn error_rows<'a>(&'a self, url: &'a [u8], robots_txt: &Provenance, error: &str) -> Vec<Self::Row<'a>> {
        let row = |agent| self.error_row(url, agent, robots_txt.clone(), error.to_owned());
        self.agents().iter().map(row).collect()
    }
}

/// Maximum number of decisions in a row about files, unless a front end sets another limit.
pub const MAX_DECISIONS: usize = 10_000;

/// An operation that answers with one row about files as a whole. A value is a request with its files.
pub trait FileOperation: Sized + Send + 'static {
    /// The request, as it is sent.
    type Request: DeserializeOwned + Send;

    /// The answer.
    type Row: Serialize;

    /// True if an answer has a field for notices.
    const HAS_NOTICES: bool = false;

    /// Checks a request, and gets the files that it names.
    ///
    /// # Errors
    ///
    /// [`SourceError`] if the request cannot be answered, or if a file cannot be read or fetched.
    fn prepare(
        request: Self::Request,
        sources: &Sources,
    ) -> impl Future<Output = Result<Self, SourceError>> + Send;

    /// Makes the row and its notices, with a maximum number of decisions.
    ///
    /// # Errors
    ///
    /// [`RequestError`] if the row would be too large, or if a part of the request does not fit the files.
    fn row(self, max_decisions: usize) -> Result<Noticed<Self::Row>, RequestError>;
}

/// An operation that answers from its request alone. A value is a request whose documents were read.
pub trait RequestOperation: Sized + Send + 'static {
    /// The request, as it is sent.
    type Request: DeserializeOwned + Send;

    /// The answer.
    type Answer<'a>: Serialize;

    /// Checks a request and reads the documents that come with it.
    ///
    /// # Errors
    ///
    /// [`RequestError`] if the request cannot be answered.
    fn read(request: Self::Request) -> Result<Self, RequestError>;

    /// Makes the answer. `now` is the current time, and `max_decisions` the maximum number of decisions.
    ///
    /// # Errors
    ///
    /// [`RequestError`] if the request cannot be answered, or if the answer would be too large.
    fn answer(&self, now: SystemTime, max_decisions: usize) -> Result<Self::Answer<'_>, RequestError>;
}

/// The rows of an answer. As JSON it is an object with `rows`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Rows<R> {
    /// The rows.
    pub rows: Vec<R>,
}

/// Returns the first of equal names each: a request that repeats a name has no longer answer.
pub(crate) fn each_once<T: Copy + Eq + Hash>(names: impl Iterator<Item = T>) -> impl Iterator<Item = T> {
    let mut seen = HashSet::new();
    names.filter(move |name| seen.insert(*name))
}

/// Maximum number of bytes that the decisions of an answer have as JSON.
pub const MAX_DECISION_BYTES: usize = 64 << 20;

/// Collects decisions up to [`MAX_DECISION_BYTES`]: a long rule or a long chain of redirects can be a part of each.
pub(crate) fn collect_decisions<R: Serialize>(
    rows: impl IntoIterator<Item = R>,
) -> Result<Vec<R>, RequestError> {
    let mut room = Room(MAX_DECISION_BYTES);
    let is_within = |row: R| match serde_json::to_writer(&mut room, &row) {
        Ok(()) => Ok(row),
        Err(_) => {
            let most = MAX_DECISION_BYTES >> 20;
            Err(RequestError::TooLarge(format!(
                "the rows of an answer have at most {most} MiB; ask for fewer"
            )))
        }
    };
    rows.into_iter().map(is_within).collect()
}

/// Counts bytes down, and fails if there are more.
struct Room(usize);

impl io::Write for Room {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 = self.0.checked_sub(bytes.len()).ok_or(io::ErrorKind::FileTooLarge)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Answers a request about files.
///
/// ```
/// use comity_answers::operation::answer;
/// use comity_answers::matrix::{MatrixOperation, MatrixRequest};
/// use comity_answers::sources::Sources;
///
/// # let runtime = tokio::runtime::Builder::new_current_thread().build()?;
/// # runtime.block_on(async {
/// let request = MatrixRequest {
///     robots: Some("User-agent: GPTBot\nDisallow: /\n".to_owned()),
///     agents: vec!["GPTBot".to_owned()],
///     ..MatrixRequest::default()
/// };
/// let matrix = answer::<MatrixOperation>(request, &Sources::offline()).await?;
/// assert_eq!(matrix.answer.crawlers[0].access.as_str(), "disallowed");
/// # Ok::<(), comity_answers::sources::SourceError>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// [`SourceError`] if a file cannot be read or fetched, or if the request cannot be answered.
pub async fn answer<O: FileOperation>(
    request: O::Request,
    sources: &Sources,
) -> Result<Noticed<O::Row>, SourceError> {
    let operation = O::prepare(request, sources).await?;
    Ok(operation.row(MAX_DECISIONS)?)
}
