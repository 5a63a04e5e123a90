//! The three kinds of operations: those that answer for each URL and crawler, those that answer about whole files, and those that
//! answer from their request alone.
//!
//! A [`UrlOperation`] (`check`, `explain`, `usage`) computes rows from a URL and its robots.txt: one that is given
//! ([`UrlOperation::by_file`]), or that of the URL's site ([`UrlOperation::by_site`]). It does not fetch and does not read the
//! clock, so a front end can answer one URL or a stream of millions.
//!
//! A [`FileOperation`] (`matrix`, `diff`, `lint`, `new`, `robots`, `inspect`, `test`) computes one row from files
//! that it gets from [`Sources`]; `new` needs none. The computation needs CPU time and does not wait, so a service can
//! run it on another thread.
//!
//! A [`RequestOperation`] (`status`, `page`, `sitemap`, `llms`, `agents`, `dialects`, `presets`) uses no documents except those
//! in its request.

use std::collections::HashSet;
use std::hash::Hash;
use std::io;
use std::time::SystemTime;

use comity::decision::DecisionRecord;
use comity::robots::Agent;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::notice::{Notice, WithNotices};
use crate::provenance::Provenance;
use crate::request::RequestError;
use crate::robots_file::RobotsFile;
use crate::site::Site;
use crate::sources::{SourceError, Sources};

/// The answer of an operation for a URL and a crawler.
pub trait UrlRow: Serialize {
    /// Returns the error that prevents an answer.
    fn error(&self) -> Option<&str>;

    /// Returns the decision whether the URL may be fetched, if the operation makes one.
    fn decision(&self) -> Option<&DecisionRecord>;
}

/// A request that is ready to be answered.
#[derive(Debug)]
pub struct Prepared<O: UrlOperation> {
    /// The operation.
    pub operation: O,
    /// The URLs.
    pub urls: Vec<String>,
    /// The robots.txt and other documents that decide all URLs; `None` if the sites of the URLs decide.
    pub file: Option<O::File>,
    /// The notices about the names of the crawlers.
    pub notices: Vec<Notice>,
}

impl<O: UrlOperation> Prepared<O> {
    /// Creates a prepared request. `file` is the robots.txt of the request, if there is one.
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
    /// The request type.
    type Request: DeserializeOwned + Send;

    /// A robots.txt that was prepared for the crawlers of the request.
    type File: Send + Sync;

    /// The answer for a URL and a crawler.
    type Row<'a>: UrlRow;

    /// True if the operation needs the robots.txt of a site itself, and not only its policies.
    const NEEDS_FILE: bool;

    /// True if the rows of a URL take microseconds, so that they can be computed between other work.
    const IS_LIGHT: bool;

    /// Returns the total size of the documents in a request that have to be parsed, in bytes.
    fn body_bytes(request: &Self::Request) -> usize;

    /// Checks a request and parses the documents in it.
    ///
    /// # Errors
    ///
    /// Returns [`RequestError`] if the request cannot be answered.
    fn prepare(request: Self::Request) -> Result<Prepared<Self>, RequestError>;

    /// Returns the crawlers of the request, each of which has a row for every URL.
    fn agents(&self) -> &[Agent];

    /// Prepares a robots.txt for decisions about URLs, and returns it with the notices about the names of the crawlers.
    ///
    /// # Errors
    ///
    /// Returns [`RequestError::TooLarge`] if the file is too long for the number of crawlers.
    fn read(&self, file: &RobotsFile) -> Result<(Self::File, Vec<Notice>), RequestError>;

    /// Returns the rows of a URL that a given robots.txt decides.
    fn by_file<'a>(&'a self, url: &'a [u8], file: &'a Self::File) -> Vec<Self::Row<'a>>;

    /// Returns the rows of a URL that the robots.txt of its site decides.
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

/// Default maximum number of decisions in one answer.
pub const MAX_DECISIONS: usize = 10_000;

/// An operation that answers with one row about whole files. A value is a request with its files.
pub trait FileOperation: Sized + Send + 'static {
    /// The request type.
    type Request: DeserializeOwned + Send;

    /// The answer.
    type Row: Serialize;

    /// True if an answer has a field for notices.
    const HAS_NOTICES: bool = false;

    /// Checks a request, and gets the files that it names.
    ///
    /// # Errors
    ///
    /// Returns [`SourceError`] if the request cannot be answered, or if a file cannot be read or fetched.
    fn prepare(
        request: Self::Request,
        sources: &Sources,
    ) -> impl Future<Output = Result<Self, SourceError>> + Send;

    /// Computes the row and its notices, with a maximum number of decisions.
    ///
    /// # Errors
    ///
    /// Returns [`RequestError`] if the row would be too large, or if a part of the request does not fit the files.
    fn row(self, max_decisions: usize) -> Result<WithNotices<Self::Row>, RequestError>;
}

/// An operation that answers from its request alone. A value is a request with its documents parsed.
pub trait RequestOperation: Sized + Send + 'static {
    /// The request type.
    type Request: DeserializeOwned + Send;

    /// The answer.
    type Answer<'a>: Serialize;

    /// Checks a request and parses the documents in it.
    ///
    /// # Errors
    ///
    /// Returns [`RequestError`] if the request cannot be answered.
    fn read(request: Self::Request) -> Result<Self, RequestError>;

    /// Computes the answer. `now` is the current time, and `max_decisions` the maximum number of decisions.
    ///
    /// # Errors
    ///
    /// Returns [`RequestError`] if the request cannot be answered, or if the answer would be too large.
    fn answer(&self, now: SystemTime, max_decisions: usize) -> Result<Self::Answer<'_>, RequestError>;
}

/// The rows of an answer. The JSON form is an object with `rows`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Rows<R> {
    /// The rows.
    pub rows: Vec<R>,
}

/// Removes duplicates and keeps the first of each, so that repeated names do not make the answer longer.
pub(crate) fn each_once<T: Copy + Eq + Hash>(names: impl Iterator<Item = T>) -> impl Iterator<Item = T> {
    let mut seen = HashSet::new();
    names.filter(move |name| seen.insert(*name))
}

/// Maximum size of the JSON form of all decisions in an answer, in bytes.
pub const MAX_DECISION_BYTES: usize = 64 << 20;

/// Collects decisions up to [`MAX_DECISION_BYTES`]. A limit on their number is not enough, because each can contain a long rule or
/// a long chain of redirects.
pub(crate) fn collect_decisions<R: Serialize>(
    rows: impl IntoIterator<Item = R>,
) -> Result<Vec<R>, RequestError> {
    let mut room = SizeLimit(MAX_DECISION_BYTES);
    let is_within = |row: R| match serde_json::to_writer(&mut room, &row) {
        Ok(()) => Ok(row),
        Err(_) => {
            let most = MAX_DECISION_BYTES >> 20;
            Err(RequestError::TooLarge(format!("the rows have more than {most} MiB; divide the request")))
        }
    };
    rows.into_iter().map(is_within).collect()
}

/// A writer that counts bytes, and fails when the maximum is exceeded.
struct SizeLimit(usize);

impl io::Write for SizeLimit {
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
/// Returns [`SourceError`] if a file cannot be read or fetched, or if the request cannot be answered.
pub async fn answer<O: FileOperation>(
    request: O::Request,
    sources: &Sources,
) -> Result<WithNotices<O::Row>, SourceError> {
    let operation = O::prepare(request, sources).await?;
    Ok(operation.row(MAX_DECISIONS)?)
}
