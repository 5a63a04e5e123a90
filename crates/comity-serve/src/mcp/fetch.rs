//! The tool `fetch`: returns a page as Markdown, in pieces, with the record of the fetch. The client sends the request,
//! so robots.txt, guard and pace apply.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use comity_answers::url::web_url;
use comity_client::retrieval::{Page, Warning};
use comity_client::{Client, FetchOptions, Origin};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use url::Url;

use super::arguments::FetchArguments;
use super::outcome::{Refusal, ToolAnswer, record};
use super::sanitize;
use crate::context::Context;
use crate::page_cache::{CachedPage, Key};

/// Maximum wait for a slot in the pace of a site. MCP clients cancel calls that take much longer.
const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// Fetches a page, or returns the next piece of a cached page.
pub(super) async fn fetch(
    context: &Context,
    client: &Client,
    arguments: FetchArguments,
) -> Result<ToolAnswer, Refusal> {
    let FetchArguments { url, max_length, start_index, raw } = arguments;
    let (url, origin) = web_url(url.as_bytes()).map_err(|error| Refusal::of_arguments(&error))?;
    let agent = client.agent().as_str().to_owned();
    let key = Key { caller: context.caller, agent, url: url.to_string(), raw };
    let (start, longest) = (start_index.0 as usize, max_length.0 as usize);
    let kept = if start > 0 { context.shared.page_cache.get(&key) } else { None };
    let page = match kept {
        Some(page) => page,
        None => {
            let page = Arc::new(read(context, client, (&url, &origin), raw).await?);
            context.shared.page_cache.put(key, Arc::clone(&page));
            page
        }
    };
    let piece: String = page.text.chars().skip(start).take(longest).collect();
    let end = start.saturating_add(longest);
    let answer = FetchAnswer {
        about: page.about.clone(),
        text: piece.clone(),
        start_index: start,
        total_length: page.characters,
        next_start_index: (end < page.characters).then_some(end),
    };
    let answer = serde_json::to_value(answer).unwrap_or_default();
    Ok(ToolAnswer { answer, page: Some(piece), ttl: ttl(client, &url), notices: Vec::new() })
}

/// A piece of a page.
#[derive(Serialize, JsonSchema)]
pub(super) struct FetchAnswer {
    #[serde(flatten)]
    #[schemars(with = "PageFacts<'static>")]
    about: Value,
    /// The piece of the text.
    text: String,
    /// The number of characters before this piece.
    start_index: usize,
    /// The number of characters of the whole text.
    total_length: usize,
    /// The `start_index` of the next piece, if there is one.
    next_start_index: Option<usize>,
}

/// Facts about a page.
#[derive(Serialize, JsonSchema)]
struct PageFacts<'p> {
    /// The final URL of the page, after redirects.
    url: &'p str,
    /// The status code.
    status: u16,
    /// The `Content-Type`, as it was sent.
    content_type: Option<&'p str>,
    /// The form of the text.
    form: Form,
    /// True if the page was longer than the limit and was cut.
    truncated: bool,
    /// The warnings about the use of the page.
    warnings: Vec<Warning>,
    /// The record of the fetch.
    #[schemars(with = "Map<String, Value>")]
    record: Value,
}

/// The form of a text.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
enum Form {
    Html,
    Markdown,
    AsSent,
}

/// Fetches a page and converts it to text.
async fn read(
    context: &Context,
    client: &Client,
    (url, origin): (&Url, &Origin),
    raw: bool,
) -> Result<CachedPage, Refusal> {
    context.admit(origin)?;
    let _turn = context.page_turn().await;
    let page = client.fetch_with(url, &options(context, client)).await;
    let page = page.map_err(|error| Refusal::of_fetch(&error))?;
    if !page.status().is_success() {
        return Err(Refusal::of_status(page.status().as_u16(), page.record()));
    }
    context.run_blocking(move || text_of(&page, raw)).await?
}

/// Returns the fetch options for an assistant, with a bounded wait for the pace.
pub(super) fn options(context: &Context, client: &Client) -> FetchOptions {
    let mut options = client.fetch_options().clone();
    let longest = LONGEST_WAIT.min(context.shared.options.max_wait);
    options.max_wait = Some(options.max_wait.map_or(longest, |wait| wait.min(longest)));
    options
}

fn text_of(page: &Page, raw: bool) -> Result<CachedPage, Refusal> {
    let (form, text, mut warnings) = if raw && page.is_html() {
        (Form::Html, page.text(), Vec::new())
    } else {
        let markdown = page.to_markdown().map_err(|_| Refusal::of_type(page.record()))?;
        (if page.is_html() { Form::Markdown } else { Form::AsSent }, markdown.text, markdown.warnings)
    };
    let text = sanitize::page(&text);
    let record_of = page.record();
    warnings.extend(record_of.warnings.iter().cloned());
    let content = record_of.content.as_ref();
    let facts = PageFacts {
        url: &record_of.final_url,
        status: page.status().as_u16(),
        content_type: content.and_then(|content| content.content_type.as_deref()),
        form,
        truncated: content.is_some_and(|content| content.truncated),
        warnings,
        record: Value::Null,
    };
    let mut about = sanitize::sanitize(serde_json::to_value(facts).unwrap_or_default());
    about["record"] = record(record_of);
    Ok(CachedPage { characters: text.chars().count(), text, about })
}

/// Returns the time for which the robots.txt of a site stays fresh.
pub(super) fn ttl(client: &Client, url: &Url) -> Option<Duration> {
    let now = SystemTime::now();
    let policy = client.robots().known(url.as_str(), now)?;
    let decision = policy.decide(url.as_str(), now).ok()?;
    decision.evidence()?.fresh_until()?.duration_since(now).ok()
}
