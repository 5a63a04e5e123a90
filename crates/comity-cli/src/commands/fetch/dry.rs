//! `--dry-run`: guard, robots.txt and pace, without pages.
//!
//! A URL is admitted as in a real fetch: the command waits for the slot and uses it, so that the next URL of the site
//! waits as long as it would in a real fetch.

use std::io::Write;
use std::time::Duration;

use comity::decision::DecisionRecord;
use comity_answers::row::DecisionJson;
use comity_client::{Cause, Client};
use futures_util::StreamExt;
use serde::Serialize;

use super::feed::{BadUrl, Feed};
use super::summary::Seconds;
use crate::exit::{Exit, Failure};
use crate::output::Output;
use crate::render;
use crate::sites::failure::in_words;

/// The result for a URL in a dry run.
#[derive(Serialize, schemars::JsonSchema)]
#[schemars(rename = "PlannedFetch")]
pub(super) struct Row<'a> {
    /// The URL.
    url: &'a str,
    /// True if the URL would be fetched.
    would_fetch: bool,
    /// The time for which the request would wait.
    waited_seconds: f64,
    /// The decision, if there is one.
    decision: Option<DecisionJson>,
    /// The reason for the refusal; null if the URL would be fetched.
    error: Option<String>,
}

/// Prints for each URL whether it would be fetched.
pub(super) async fn run(
    feed: &Feed,
    client: &Client,
    json: bool,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let (urls, mut complaints) = feed.open();
    let mut urls = std::pin::pin!(urls);
    let mut exit = Exit::Success;
    for bad in &feed.bad {
        exit = Exit::Error;
        refuse(bad, json, output)?;
    }
    loop {
        tokio::select! {
            url = urls.next() => {
                let Some(url) = url else { break };
                exit = exit.max(one(&url, client, json, output).await?);
                output.flush()?;
            }
            Some(complaint) = complaints.recv() => {
                exit = Exit::Error;
                write_list_problem(&complaint, json, output)?;
            }
            _ = tokio::signal::ctrl_c() => return Err(Failure::Interrupted),
        }
    }
    while let Ok(complaint) = complaints.try_recv() {
        exit = Exit::Error;
        write_list_problem(&complaint, json, output)?;
    }
    Ok(exit)
}

/// Prints the row of a line that is not a URL, or the error of a list.
fn write_list_problem(
    complaint: &Result<BadUrl, Failure>,
    json: bool,
    output: &mut Output,
) -> Result<(), Failure> {
    match complaint {
        Ok(bad) => refuse(bad, json, output),
        Err(failure) => {
            output.failure(failure);
            Ok(())
        }
    }
}

/// Prints the row of a text that is not a URL.
fn refuse(bad: &BadUrl, json: bool, output: &mut Output) -> Result<(), Failure> {
    print(&bad.text, Duration::ZERO, None, Some(bad.problem.clone()), json, output)
}

async fn one(url: &str, client: &Client, json: bool, output: &mut Output) -> Result<Exit, Failure> {
    let admitted = client.admit(url, None).await;
    let waited = admitted.as_ref().map_or(Duration::ZERO, |admission| admission.waited());
    let (decision, cause) = match admitted {
        Ok(admission) => (Some(admission.decision().clone()), None),
        Err(cause) => (cause.decision().cloned(), Some(cause)),
    };
    let exit = match &cause {
        None => Exit::Success,
        Some(cause @ (Cause::Robots(_) | Cause::Unreachable(_) | Cause::Wait(_))) if !cause.is_local() => {
            Exit::Objection
        }
        Some(_) => Exit::Error,
    };
    let error = cause.as_ref().map(in_words);
    print(url, waited, decision, error, json, output)?;
    Ok(exit)
}

/// Prints a row. A URL without an error would be fetched.
fn print(
    url: &str,
    waited: Duration,
    decision: Option<DecisionRecord>,
    error: Option<String>,
    json: bool,
    output: &mut Output,
) -> Result<(), Failure> {
    let would_fetch = error.is_none();
    if json {
        let decision = decision.map(DecisionJson::from);
        return output.json_line(&Row {
            url,
            would_fetch,
            waited_seconds: waited.as_secs_f64(),
            decision,
            error,
        });
    }
    let (style, faint) = (output.palette.verdict(would_fetch), output.palette.faint);
    let word = if would_fetch { "would fetch" } else { "would not" };
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
    Ok(writeln!(output, "{style}{word:<11}{style:#}  {url}  {faint}{wait}{why}{faint:#}")?)
}
