//! The request of the operation `matrix`, and its answer.

use comity::agents::Purpose;
use comity::robots::{Agent, Dialect};
use serde::{Deserialize, Serialize};

use super::{Matrix, Selection};
use crate::notice::{Notice, NoticeLog, WithNotices};
use crate::operation::FileOperation;
use crate::request::{self, FileRequest, RequestError};
use crate::robots_file::{Reading, RobotsFile};
use crate::sources::{SourceError, Sources};

/// Maximum number of URLs in a matrix.
pub const MAX_URLS: usize = 1_000;

/// The robots.txt and the crawlers of a matrix.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct MatrixRequest {
    /// The text of a robots.txt.
    pub robots: Option<String>,
    /// A URL of the site whose robots.txt is used.
    pub site: Option<String>,
    /// The dialect for parsing and matching; default `rfc9309`.
    pub dialect: Option<Dialect>,
    /// The charset of the file. It replaces that of a site's answer; it has no effect on `robots`, which is decoded.
    pub charset: Option<String>,
    /// The URLs to decide; without any, the rules are evaluated as a whole.
    pub urls: Vec<String>,
    /// These crawlers only, by their product tokens.
    pub agents: Vec<String>,
    /// These crawlers only, by their full User-Agent headers.
    pub user_agents: Vec<String>,
    /// Known crawlers of these purposes only.
    #[cfg_attr(feature = "schema", schemars(extend("x-titles" = request::purpose_titles())))]
    pub purposes: Vec<Purpose>,
    /// True for every known crawler, including obscure and retired ones.
    pub all: bool,
}

/// The operation `matrix`: the access that a robots.txt gives to known crawlers.
#[derive(Clone, Debug)]
pub struct MatrixOperation {
    file: RobotsFile,
    reading: Reading,
    selection: Selection,
    urls: Vec<Vec<u8>>,
    /// The crawlers that the request names.
    agents: Vec<Agent>,
    /// The name of the request field with the robots.txt, for notices; `None` if a site sent the robots.txt.
    text: Option<&'static str>,
    notices: Vec<Notice>,
}

/// Name of the field with the text of a robots.txt, in notices.
const TEXT: &str = "robots";

impl FileOperation for MatrixOperation {
    type Request = MatrixRequest;
    type Row = Matrix;
    const HAS_NOTICES: bool = true;

    async fn prepare(request: MatrixRequest, sources: &Sources) -> Result<MatrixOperation, SourceError> {
        let named = request::agents(&request.agents, &request.user_agents, &[])?;
        let MatrixRequest { robots, site, dialect, charset, urls, agents, user_agents, purposes, all } =
            request;
        if urls.len() > MAX_URLS {
            let message = format!("a matrix has at most {MAX_URLS} URLs; use the operation `check` for more");
            return Err(RequestError::Invalid(message).into());
        }
        let text = robots.is_some().then_some(TEXT);
        let (file, notice) = sources.rules_file(FileRequest { robots, site }, "robots.txt").await?;
        Ok(MatrixOperation {
            file,
            reading: Reading { dialect, charset },
            selection: Selection { agents, user_agents, purposes, all, also: Vec::new() },
            urls: urls.into_iter().map(String::into_bytes).collect(),
            agents: named,
            text,
            notices: notice.into_iter().collect(),
        })
    }

    fn row(self, max_decisions: usize) -> Result<WithNotices<Matrix>, RequestError> {
        let MatrixOperation { file, reading, selection, urls, agents, text, mut notices } = self;
        let robots = file.read(&reading);
        let crawlers = selection.crawlers(&robots);
        let decisions = crawlers.len().saturating_mul(urls.len());
        if decisions > max_decisions {
            return Err(RequestError::TooLarge(format!(
                "the request needs {decisions} decisions, and the maximum is {max_decisions}"
            )));
        }
        notices.extend(Notice::of_agents(&agents, Some(&robots)));
        let mut log = NoticeLog::default();
        urls.iter().for_each(|url| log.add_url(url));
        notices.extend(log.into_notices(text));
        let answer = Matrix::new(&file, &robots, crawlers, &urls)
            .map_err(|(index, error)| RequestError::invalid(format!("URL {}: {error}", index + 1)))?;
        Ok(WithNotices { answer, notices })
    }
}
