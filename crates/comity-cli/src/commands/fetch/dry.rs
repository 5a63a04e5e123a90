//! `--dry-run`: guard, robots.txt and pace, and no page.
//!
//! A URL is admitted as if it were to be fetched: its turn is waited for and used up, so that the next URL of the site waits
//! as it would.

use std::io::Write;
use std::time::Duration;

use comity_answers::row::DecisionJson;
use comity_client::{Cause, Client};
use futures_util::StreamExt;
use serde::Serialize;

use super::feed::Feed;
use super::summary::Seconds;
use crate::exit::{Exit, Failure};
use crate::output::Output;
use crate::render;
use crate::sites::trouble::in_words;

/// The prospect of fetching a URL.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "PlannedFetch"))]
pub(super) struct Row<'a> {
    /// The URL.
    url: &'a str,
    /// True if it would be fetched.
    would_fetch: bool,
    /// The time for which the request would wait.
    waited_seconds: f64,
    /// The decision, if there is one.
    decision: Option<DecisionJson>,
    /// The reason why it would not be fetched.
    error: Option<String>,
}

/// Says of each URL whether it would be fetched.
pub(super) async fn run(
    feed: &Feed,
    client: &Client,
    json: bool,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let (urls, mut complaints) = feed.open();
    let mut urls = std::pin::pin!(urls);
    let mut exit = Exit::Success;
    loop {
        tokio::select! {
            url = urls.next() => {
                let Some(url) = url else { break };
                exit = exit.max(one(&url, client, json, output).await?);
                output.flush()?;
            }
            Some(message) = complaints.recv() => {
                exit = Exit::Trouble;
                output.error(&message);
            }
            _ = tokio::signal::ctrl_c() => return Err(Failure::Interrupted),
        }
    }
    while let Ok(message) = complaints.try_recv() {
        exit = Exit::Trouble;
        output.error(&message);
    }
    Ok(exit)
}

async fn one(url: &str, client: &Client, json: bool, output: &mut Output) -> Result<Exit, Failure> {
    let admitted = client.admit(url, None).await;
    let waited = admitted.as_ref().map_or(Duration::ZERO, |admission| admission.waited());
    let (decision, cause) = match admitted {
        Ok(admission) => (Some(admission.decision().clone()), None),
        Err(Cause::Robots(decision)) => (Some((*decision).clone()), Some(Cause::Robots(decision))),
        Err(cause) => (None, Some(cause)),
    };
    let exit = match &cause {
        None => Exit::Success,
        Some(cause @ (Cause::Robots(_) | Cause::Wait(_))) if !cause.is_local() => Exit::Objection,
        Some(_) => Exit::Trouble,
    };
    let error = cause.as_ref().map(in_words);
    if json {
        let (would_fetch, decision) = (cause.is_none(), decision.map(DecisionJson::from));
        output.json_line(&Row { url, would_fetch, waited_seconds: waited.as_secs_f64(), decision, error })?;
        return Ok(exit);
    }
    let (style, faint) = (output.palette.verdict(cause.is_none()), output.palette.faint);
    let word = if cause.is_none() { "would fetch" } else { "would not" };
    let why = match (&error, decision) {
        (Some(error), _) => render::text(error.as_bytes()).into_owned(),
        (None, Some(decision)) => decision.reason(),
        (None, None) => String::new(),
    };
    // A wait that would be shown as 0.0 s is left out.
    let wait = match waited >= Duration::from_millis(50) {
        true => format!("after {}, ", Seconds(waited)),
        false => String::new(),
    };
    let url = render::text(url.as_bytes());
    writeln!(output, "{style}{word:<11}{style:#}  {url}  {faint}{wait}{why}{faint:#}")?;
    Ok(exit)
}
