//! What is asked about a site: decisions, the matrix, findings. The rows are those of `/v1`, cut.

use comity_answers::matrix::{Matrix, Row};
use comity_answers::notice::Notice;
use comity_answers::request::UrlsRequest;
use comity_answers::url::web_url;
use comity_answers::usage::{UsageOperation, UsageRequest};
use comity_client::Client;
use serde_json::{Value, json};
use url::Url;

use super::arguments::{LintArguments, UrlArguments};
use super::fetch::ttl;
use super::outcome::{Answered, Refusal};
use super::tame::{ITEMS, tame};
use crate::answers::urls::Urls;
use crate::answers::{lint, matrix};
use crate::batch::{Asked, LONGEST_URL};
use crate::context::Context;
use crate::questions::{FileQuestion, MatrixQuestion};

/// Answers a question about one URL and one crawler with its row.
pub(super) async fn row<A: Asked<Question = UrlsRequest>>(
    context: &Context,
    arguments: UrlArguments,
) -> Result<Answered, Refusal> {
    let url = asked(context, &arguments.url).await?;
    let (agents, user_agents) = crawler(context.client(), arguments.agent);
    let question = UrlsRequest { agents, user_agents, ..UrlsRequest::default() };
    let (answer, notices) = first_row::<A>(context, question, &url).await?;
    Ok(Answered { answer, page: None, ttl: ttl(context.client(), &url), notices })
}

/// Answers which crawlers a site lets in, and what it lets one of them do with its content.
pub(super) async fn site_policy(context: &Context, arguments: UrlArguments) -> Result<Answered, Refusal> {
    let url = asked(context, &arguments.url).await?;
    let site = Some(url.to_string());
    let question = MatrixQuestion { site, ..MatrixQuestion::default() };
    let (crawlers, mut notices) = matrix::of(context, question, in_short).await?;
    let (agents, user_agents) = crawler(context.client(), arguments.agent);
    let question = UsageRequest { agents, user_agents, ..UsageRequest::default() };
    let (usage, more) = first_row::<Urls<UsageOperation>>(context, question, &url).await?;
    notices.extend(more);
    let answer = json!({ "crawlers": tame_crawlers(crawlers), "usage": usage });
    Ok(Answered { answer, page: None, ttl: ttl(context.client(), &url), notices })
}

/// Answers what is odd in a robots.txt.
pub(super) async fn lint_robots(context: &Context, arguments: LintArguments) -> Result<Answered, Refusal> {
    let LintArguments { url, robots } = arguments;
    let mut site = None;
    if let Some(url) = url {
        site = Some(asked(context, &url).await?);
    }
    let question = FileQuestion { robots, site: site.as_ref().map(Url::to_string) };
    let answer = lint::of(context, question, |_, findings| {
        let listed: Vec<_> = findings.iter().take(ITEMS).collect();
        json!({ "findings": listed, "left_out": findings.len() - listed.len() })
    });
    let answer = tame(answer.await?);
    Ok(Answered {
        answer,
        page: None,
        ttl: site.and_then(|url| ttl(context.client(), &url)),
        notices: Vec::new(),
    })
}

/// Returns a URL whose site was asked for its robots.txt; what keeps us from asking is told by its kind.
async fn asked(context: &Context, text: &str) -> Result<Url, Refusal> {
    let (url, origin) = web_url(text.as_bytes()).map_err(|error| Refusal::of_arguments(&error))?;
    if url.as_str().len() > LONGEST_URL {
        return Err(Refusal::of_arguments(&format!("a URL has {LONGEST_URL} bytes at most")));
    }
    context.admit(&origin)?;
    let decided = context.client().decide(origin.robots_txt()).await;
    decided.map_err(|cause| Refusal::of_cause(&cause))?;
    Ok(url)
}

/// Returns the crawler that is meant, as questions name crawlers: tokens and whole headers.
fn crawler(client: &Client, token: Option<String>) -> (Vec<String>, Vec<String>) {
    let own = client.agent();
    match token {
        Some(token) => (vec![token], Vec::new()),
        None if own.is_header() => (Vec::new(), vec![own.as_str().to_owned()]),
        None => (vec![own.as_str().to_owned()], Vec::new()),
    }
}

/// Returns the row of a URL, and the notices about the question and the row.
async fn first_row<A: Asked>(
    context: &Context,
    question: A::Question,
    url: &Url,
) -> Result<(Value, Vec<Notice>), Refusal> {
    let (asked, _) = A::prepare(context, question, false).await?;
    let rows = asked.rows(url.as_str()).await?;
    let row = rows.split(|&byte| byte == b'\n').next().unwrap_or_default();
    Ok((tame(serde_json::from_slice(row).unwrap_or_default()), asked.notices()))
}

/// Returns a matrix without what a model has no use for.
fn in_short(matrix: &Matrix, notices: Vec<Notice>) -> (Value, Vec<Notice>) {
    let crawler = |row: &Row| {
        json!({
            "agent": row.agent,
            "operator": row.known.map(|known| known.operator()),
            "purpose": row.purpose(),
            "access": row.access,
            "rule": row.rule,
            "crawl_delay_seconds": row.crawl_delay_seconds,
        })
    };
    let short = json!({
        "robots_txt": matrix.robots_txt,
        "summary": matrix.summary,
        "everyone": matrix.everyone().map(crawler),
        "listed": matrix.crawlers.iter().filter(|row| !row.is_everyone()).map(crawler).collect::<Vec<_>>(),
        "names_left_out": matrix.names_left_out,
    });
    (short, notices)
}

/// Cuts a matrix, and says how many crawlers are left out.
fn tame_crawlers(matrix: Value) -> Value {
    let listed = matrix["listed"].as_array().map_or(0, Vec::len);
    let mut matrix = tame(matrix);
    let left_out = matrix["names_left_out"].as_u64().unwrap_or_default();
    matrix["names_left_out"] = (left_out + listed.saturating_sub(ITEMS) as u64).into();
    matrix
}
