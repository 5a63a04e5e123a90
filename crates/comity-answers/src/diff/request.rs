//! The request of the operation `diff`, and its answer.

use comity::robots::{Agent, Dialect};
use serde::{Deserialize, Serialize};

use super::{DiffDocument, Pair, PairRules, Report, UrlChange};
use crate::notice::{Notice, NoticeLog, WithNotices};
use crate::operation::FileOperation;
use crate::request::{self, FileRequest, RequestError};
use crate::robots_file::{Reading, RobotsFile};
use crate::sources::{SourceError, Sources};
use crate::url::MAX_URL_BYTES;

/// Two robots.txt files, each as text or by its site.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct DiffRequest {
    /// The file before the change.
    pub old: FileRequest,
    /// The file after the change.
    pub new: FileRequest,
    /// The dialect for parsing and matching both; default `rfc9309`.
    pub dialect: Option<Dialect>,
    /// These crawlers only, by their product tokens; by default `*` and all crawlers that either file names.
    #[serde(default)]
    pub agents: Vec<String>,
    /// These crawlers only, by their full User-Agent headers.
    #[serde(default)]
    pub user_agents: Vec<String>,
    /// URLs to decide by both files.
    #[serde(default)]
    pub urls: Vec<String>,
}

/// The operation `diff`: the effects of a change of a robots.txt.
#[derive(Clone, Debug)]
pub struct DiffOperation {
    old: RobotsFile,
    new: RobotsFile,
    reading: Reading,
    agents: Vec<Agent>,
    urls: Vec<String>,
    /// The name of the request field with the new file, for notices; `None` if a site sent the file.
    text: Option<&'static str>,
    notices: Vec<Notice>,
}

/// Name of the field with the text of the new robots.txt, in notices.
const TEXT: &str = "new";

impl FileOperation for DiffOperation {
    type Request = DiffRequest;
    type Row = DiffDocument;
    const HAS_NOTICES: bool = true;

    async fn prepare(request: DiffRequest, sources: &Sources) -> Result<DiffOperation, SourceError> {
        let DiffRequest { old, new, dialect, agents, user_agents, urls } = request;
        let agents = request::agents(&agents, &user_agents, &[])?;
        let text = new.robots.is_some().then_some(TEXT);
        let (old, old_notice) = sources.rules_file(old, "old").await?;
        let (new, new_notice) = sources.rules_file(new, "new").await?;
        let notices = old_notice.into_iter().chain(new_notice).collect();
        let reading = Reading { dialect, charset: None };
        Ok(DiffOperation { old, new, reading, agents, urls, text, notices })
    }

    fn row(self, max_decisions: usize) -> Result<WithNotices<DiffDocument>, RequestError> {
        let DiffOperation { old, new, reading, agents, urls, text, mut notices } = self;
        let pair = Pair { old: old.read(&reading), new: new.read(&reading) };
        notices.extend(pair.notices(&agents));
        let agents = if agents.is_empty() { pair.named() } else { agents };
        if agents.len().saturating_mul(urls.len()) > max_decisions {
            return Err(RequestError::TooLarge(format!(
                "{} crawlers and {} URLs are too many",
                agents.len(),
                urls.len()
            )));
        }
        let report =
            Report::new(&pair, &agents, || {}).map_err(|error| RequestError::TooLarge(error.to_string()))?;
        let sides = PairRules::new(&pair, if urls.is_empty() { &[] } else { &agents });
        let mut log = NoticeLog::default();
        let mut changes = Vec::new();
        for (index, url) in urls.iter().enumerate() {
            let invalid = |text: String| RequestError::Invalid(format!("URL {}: {text}", index + 1));
            if url.len() > MAX_URL_BYTES {
                return Err(invalid(format!("a URL has {MAX_URL_BYTES} bytes at most")));
            }
            let verdict_changes =
                sides.verdict_changes(url.as_bytes()).map_err(|error| invalid(error.to_string()))?;
            log.add_url(url.as_bytes());
            changes.extend(verdict_changes.iter().map(|turn| UrlChange::new(url.as_bytes(), turn)));
        }
        notices.extend(log.into_notices(text));
        let answer = DiffDocument { old: old.provenance, new: new.provenance, report, urls: changes };
        Ok(WithNotices { answer, notices })
    }
}
