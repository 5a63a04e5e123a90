//! The tool `find_markdown`: lists URLs at which a page may exist in a form for assistants, such as Markdown. The
//! candidates are links in the site's llms.txt, and the URLs that the llms.txt proposal defines for Markdown pages.
//!
//! A candidate is a hint, not a permission: robots.txt is checked at each fetch of a candidate. The answer has the
//! decision for candidates on the site of the page, because the robots.txt of this site was already read.

use comity::llms::{BodyKind, Candidate, CandidateReason, Reader, Strategy, candidates};
use comity_answers::url::web_url;
use comity_client::Origin;
use comity_client::retrieval::{FetchOutcome, FetchRecord, Page};
use schemars::JsonSchema;
use serde::Serialize;

use super::arguments::PageArguments;
use super::fetch::{options, ttl};
use super::outcome::{Refusal, ToolAnswer};
use super::sanitize::sanitize;
use crate::context::Context;

/// Maximum size of an llms.txt, in bytes.
const BYTES: usize = 4 << 20;

/// Maximum number of candidates in an answer.
const CANDIDATES: usize = 20;

/// Lists the candidates for a page, and the llms.txt of its site.
pub(super) async fn find_markdown(
    context: &Context,
    arguments: PageArguments,
) -> Result<ToolAnswer, Refusal> {
    let (url, origin) = web_url(arguments.url.as_bytes()).map_err(|error| Refusal::of_arguments(&error))?;
    context.admit(&origin)?;
    let client = context.client();
    let mut options = options(context, client).llms(Strategy::Disabled);
    options.max_bytes = BYTES;
    options.content_types = Vec::new();
    options.reads_use = false;
    let manifest_url = origin.llms_txt();
    let turn = context.page_turn().await;
    let fetched = client.fetch_with(&manifest_url, &options).await;
    drop(turn);
    let (mut manifest, page) = match fetched {
        Ok(page) => (Manifest::from(page.record()), Some(page)),
        Err(error) => (Manifest::from(error.record()), None),
    };
    let page = page.filter(|page| page.status().is_success());
    let (asked, home) = (url.clone(), manifest_url.clone());
    let (kind, found) = context
        .run_blocking(move || {
            let file = page.map(|page| read(&page, home));
            let kind = file.as_ref().map(|file| file.kind());
            // An HTML body is an error page with status 200, not an llms.txt.
            let file = file.filter(|file| file.kind() != BodyKind::Html);
            let mut found = candidates(&asked, file.as_ref(), Strategy::Prefer);
            found.truncate(CANDIDATES);
            (kind, found)
        })
        .await?;
    manifest.kind = kind;
    let mut listed = Vec::with_capacity(found.len());
    for candidate in &found {
        listed.push(CandidateRow::of(context, &origin, candidate).await);
    }
    let answer = serde_json::to_value(MarkdownAnswer { manifest, candidates: listed }).unwrap_or_default();
    Ok(ToolAnswer { answer: sanitize(answer), page: None, ttl: ttl(client, &url), notices: Vec::new() })
}

/// The answer of `find_markdown`.
#[derive(Serialize, JsonSchema)]
pub(super) struct MarkdownAnswer {
    /// The llms.txt of the site.
    manifest: Manifest,
    /// The candidates, best first.
    candidates: Vec<CandidateRow>,
}

/// The llms.txt of the site.
#[derive(Serialize, JsonSchema)]
struct Manifest {
    /// URL of the llms.txt.
    url: String,
    /// The outcome of the fetch.
    outcome: FetchOutcome,
    /// The status code, if there was an answer.
    status: Option<u16>,
    /// The digest of the content.
    digest: Option<String>,
    /// The kind of the content, if there is any.
    kind: Option<BodyKind>,
}

impl From<&FetchRecord> for Manifest {
    fn from(record: &FetchRecord) -> Self {
        let content = record.content.as_ref();
        Manifest {
            url: record.requested_url.clone(),
            outcome: record.outcome,
            status: content.map(|content| content.status),
            digest: content.map(|content| content.digest.clone()),
            kind: None,
        }
    }
}

/// A candidate.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Candidate")]
struct CandidateRow {
    /// URL of the candidate.
    url: String,
    /// The reason why it is a candidate.
    reason: CandidateReason,
    /// True if the robots.txt of the site allows this server to fetch it; null for other sites.
    allowed: Option<bool>,
}

impl CandidateRow {
    async fn of(context: &Context, origin: &Origin, candidate: &Candidate) -> Self {
        let is_same_site = Origin::of(candidate.url()).is_some_and(|other| other == *origin);
        let decision = if is_same_site { context.client().decide(candidate.url()).await.ok() } else { None };
        CandidateRow {
            url: candidate.url().to_string(),
            reason: candidate.reason(),
            allowed: decision.map(|decision| decision.recommendation.allows()),
        }
    }
}

fn read(page: &Page, url: url::Url) -> comity::llms::LlmsTxt {
    let reader = Reader::new().url(url);
    match page.charset() {
        Some(charset) => reader.charset(charset).read(page.body()),
        None => reader.read(page.body()),
    }
}
