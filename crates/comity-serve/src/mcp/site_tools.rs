//! The tools `check_url`, `explain`, `site_policy` and `lint_robots`. They return the rows of the routes below `/v1`,
//! shortened.

use comity::agents::Purpose;
use comity::decision::RuleRecord;
use comity::finding::Finding;
use comity::robots::Access;
use comity_answers::lint::{Findings, Lint, LintRequest};
use comity_answers::matrix::{Matrix, MatrixOperation, MatrixRequest, Row, Summary};
use comity_answers::notice::{Notice, WithNotices};
use comity_answers::provenance::Provenance;
use comity_answers::request::UrlsRequest;
use comity_answers::url::{MAX_URL_BYTES, web_url};
use comity_answers::usage::{UsageOperation, UsageRequest, UsageRow};
use comity_client::Client;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use url::Url;

use super::arguments::{LintArguments, SiteArguments, UrlArguments};
use super::fetch::ttl;
use super::outcome::{Refusal, ToolAnswer};
use super::sanitize::{ITEMS, sanitize};
use crate::answers::files;
use crate::answers::urls::Urls;
use crate::batch::UrlQuestion;
use crate::context::Context;

/// Answers `check_url` or `explain` with the row of one URL and one crawler.
pub(super) async fn row<A: UrlQuestion<Question = UrlsRequest>>(
    context: &Context,
    arguments: UrlArguments,
) -> Result<ToolAnswer, Refusal> {
    let url = load_robots_txt(context, &arguments.url).await?;
    let (agents, user_agents) = crawler(context.client(), arguments.agent);
    let question = UrlsRequest { agents, user_agents, ..UrlsRequest::default() };
    let (answer, notices) = first_row::<A>(context, question, &url).await?;
    Ok(ToolAnswer { answer, page: None, ttl: ttl(context.client(), &url), notices })
}

/// Answers `site_policy`: the access of crawlers to a site, and the permitted uses of its content for one crawler.
pub(super) async fn site_policy(context: &Context, arguments: SiteArguments) -> Result<ToolAnswer, Refusal> {
    let url = load_robots_txt(context, &arguments.url).await?;
    let site = Some(url.to_string());
    let purposes = arguments.purpose.into_iter().collect();
    let request = MatrixRequest { site, purposes, ..MatrixRequest::default() };
    let summarize = |matrix: WithNotices<Matrix>| (summarize(&matrix.answer), matrix.notices);
    let (crawlers, mut notices) = files::row::<MatrixOperation, _>(context, request, summarize).await?;
    let (agents, user_agents) = crawler(context.client(), arguments.agent);
    let question = UsageRequest { agents, user_agents, ..UsageRequest::default() };
    let (usage, more) = first_row::<Urls<UsageOperation>>(context, question, &url).await?;
    notices.extend(more);
    let answer = to_value(&SitePolicy { crawlers: sanitize_crawlers(crawlers), usage });
    Ok(ToolAnswer { answer, page: None, ttl: ttl(context.client(), &url), notices })
}

/// Answers `lint_robots`: the findings in a robots.txt.
pub(super) async fn lint_robots(context: &Context, arguments: LintArguments) -> Result<ToolAnswer, Refusal> {
    let LintArguments { url, robots } = arguments;
    if url.is_some() == robots.is_some() {
        return Err(Refusal::of_arguments(&"give either `url`, a URL of the site, or `robots`, the text"));
    }
    let mut site = None;
    if let Some(url) = url {
        site = Some(load_robots_txt(context, &url).await?);
    }
    let request = LintRequest { robots, site: site.as_ref().map(Url::to_string) };
    let answer = files::row::<Lint, _>(
        context,
        request,
        |WithNotices { answer: Findings { mut findings, .. }, .. }| {
            let left_out = findings.len().saturating_sub(ITEMS);
            findings.truncate(ITEMS);
            to_value(&LintAnswer { findings, left_out })
        },
    );
    let answer = sanitize(answer.await?);
    let ttl = site.and_then(|url| ttl(context.client(), &url));
    Ok(ToolAnswer { answer, page: None, ttl, notices: Vec::new() })
}

/// Parses a URL and loads the robots.txt of its site. An unreachable file is not an error.
async fn load_robots_txt(context: &Context, text: &str) -> Result<Url, Refusal> {
    let (url, origin) = web_url(text.as_bytes()).map_err(|error| Refusal::of_arguments(&error))?;
    if url.as_str().len() > MAX_URL_BYTES {
        return Err(Refusal::of_arguments(&format!("a URL may have at most {MAX_URL_BYTES} bytes")));
    }
    context.admit(&origin)?;
    let decided = context.client().decide(origin.robots_txt()).await;
    decided.map_err(|cause| Refusal::of_cause(&cause))?;
    Ok(url)
}

/// Returns the crawler of a question, as a list of product tokens and a list of `User-Agent` headers. Without a token,
/// it is the crawler of the server.
fn crawler(client: &Client, token: Option<String>) -> (Vec<String>, Vec<String>) {
    let own = client.agent();
    match token {
        Some(token) => (vec![token], Vec::new()),
        None if own.is_header() => (Vec::new(), vec![own.as_str().to_owned()]),
        None => (vec![own.as_str().to_owned()], Vec::new()),
    }
}

/// Returns the row of a URL, and the notices about the question and the row.
async fn first_row<A: UrlQuestion>(
    context: &Context,
    question: A::Question,
    url: &Url,
) -> Result<(Value, Vec<Notice>), Refusal> {
    let (asked, _) = A::prepare(context, question, false).await?;
    let rows = asked.rows(url.as_str()).await?;
    let row = rows.split(|&byte| byte == b'\n').next().unwrap_or_default();
    Ok((sanitize(serde_json::from_slice(row).unwrap_or_default()), asked.notices()))
}

/// The answer of `site_policy`.
#[derive(Serialize, JsonSchema)]
pub(super) struct SitePolicy {
    /// The known crawlers, and the access that the robots.txt of the site gives to them.
    #[schemars(with = "Crawlers<'static>")]
    crawlers: Value,
    /// The uses of its content that the site allows, signal by signal.
    #[schemars(with = "UsageRow<'static>")]
    usage: Value,
}

/// A matrix of crawlers, without the fields that a model does not need.
#[derive(Serialize, JsonSchema)]
struct Crawlers<'m> {
    /// The robots.txt.
    robots_txt: &'m Provenance,
    /// The numbers of crawlers of each purpose, by their access.
    summary: &'m [Summary],
    /// The entry of all crawlers that the file does not name.
    everyone: Option<Crawler<'m>>,
    /// The known crawlers, and the crawlers that the file names.
    listed: Vec<Crawler<'m>>,
    /// The number of crawlers that are not listed.
    names_left_out: usize,
}

/// A crawler.
#[derive(Serialize, JsonSchema)]
struct Crawler<'m> {
    /// Product token of the crawler.
    agent: &'m str,
    /// Operator of the crawler, if known.
    operator: Option<&'m str>,
    /// Purpose for which the crawler fetches pages, if known.
    purpose: Option<Purpose>,
    /// Part of the site that the crawler may fetch.
    access: Access,
    /// The rule that matches every URL.
    rule: Option<&'m RuleRecord>,
    /// The `Crawl-delay` of the file, in seconds.
    crawl_delay_seconds: Option<f64>,
}

/// The answer of `lint_robots`.
#[derive(Serialize, JsonSchema)]
pub(super) struct LintAnswer {
    /// The first findings.
    findings: Vec<Finding>,
    /// The number of further findings.
    left_out: usize,
}

fn to_value(answer: &impl Serialize) -> Value {
    serde_json::to_value(answer).unwrap_or_default()
}

/// Returns a matrix without the fields that a model does not need.
fn summarize(matrix: &Matrix) -> Value {
    fn crawler(row: &Row) -> Crawler<'_> {
        Crawler {
            agent: &row.agent,
            operator: row.known.map(|known| known.operator()),
            purpose: row.purpose(),
            access: row.access,
            rule: row.rule.as_ref(),
            crawl_delay_seconds: row.crawl_delay_seconds,
        }
    }
    to_value(&Crawlers {
        robots_txt: &matrix.robots_txt,
        summary: &matrix.summary,
        everyone: matrix.everyone().map(crawler),
        listed: matrix.crawlers.iter().filter(|row| !row.is_everyone()).map(crawler).collect(),
        names_left_out: matrix.names_left_out,
    })
}

/// Shortens a matrix and adds the number of crawlers that were left out.
fn sanitize_crawlers(matrix: Value) -> Value {
    let listed = matrix["listed"].as_array().map_or(0, Vec::len);
    let mut matrix = sanitize(matrix);
    let left_out = matrix["names_left_out"].as_u64().unwrap_or_default();
    matrix["names_left_out"] = (left_out + listed.saturating_sub(ITEMS) as u64).into();
    matrix
}
