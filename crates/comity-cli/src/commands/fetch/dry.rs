//! `--dry-run`: guard and robots.txt, without pages.
//!
//! Requests for robots.txt keep the pace of each site. No slot for a page is reserved, so the command does not wait for
//! such slots, and does not delay other programs that share the store.

use std::io::Write;

use comity::decision::DecisionRecord;
use comity_answers::row::DecisionJson;
use comity_client::pace::{Interval, IntervalReason};
use comity_client::{Cause, Client};
use futures_util::StreamExt;
use serde::Serialize;

use super::backlog::Backlog;
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
    /// The minimum interval between two requests to the site, its source, and the requested interval if it exceeded the
    /// limit; null if the URL was refused before robots.txt was evaluated.
    interval: Option<Interval>,
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
    // Requests to sites are concurrent; rows stay in order.
    let jobs = client.crawl_options().jobs.max(1);
    let decided = urls.map(|url| async move {
        let decided = client.decide_with_interval(&url).await;
        (url, decided)
    });
    let mut decided = std::pin::pin!(decided.buffered(jobs));
    let (mut exit, mut backlog) = (Exit::Success, Backlog::default());
    for bad in &feed.bad {
        exit = Exit::Error;
        refuse(bad, json, output)?;
    }
    loop {
        tokio::select! {
            ended = decided.next() => {
                let Some((url, decided)) = ended else { break };
                exit = exit.max(one(&url, decided, &mut backlog, json, output)?);
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
    if let Some(slowest) = backlog.slowest().filter(|slowest| !json && slowest.left > 1) {
        let (urls, time) = (render::count_of(slowest.left, "URL"), Seconds(slowest.time));
        output.note(&format!("the slowest site is {}: {urls}, at least {time}", slowest.origin));
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
    print(&bad.text, None, None, Some(bad.problem.clone()), json, output)
}

fn one(
    url: &str,
    decided: Result<(DecisionRecord, Interval), Cause>,
    backlog: &mut Backlog,
    json: bool,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let (decision, interval, cause) = match decided {
        Ok((decision, interval)) if decision.blocked => {
            (Some(decision.clone()), Some(interval), Some(Cause::of_decision(decision)))
        }
        Ok((decision, interval)) => {
            backlog.add(url, interval.duration);
            (Some(decision), Some(interval), None)
        }
        Err(cause) => (cause.decision().cloned(), None, Some(cause)),
    };
    let exit = match &cause {
        None => Exit::Success,
        Some(cause @ (Cause::Robots(_) | Cause::Unreachable(_) | Cause::Wait(_))) if !cause.is_local() => {
            Exit::Objection
        }
        Some(_) => Exit::Error,
    };
    let error = cause.as_ref().map(in_words);
    print(url, interval, decision, error, json, output)?;
    Ok(exit)
}

/// Prints a row. A URL without an error would be fetched.
fn print(
    url: &str,
    interval: Option<Interval>,
    decision: Option<DecisionRecord>,
    error: Option<String>,
    json: bool,
    output: &mut Output,
) -> Result<(), Failure> {
    let would_fetch = error.is_none();
    if json {
        let decision = decision.map(DecisionJson::from);
        return output.json_line(&Row { url, would_fetch, interval, decision, error });
    }
    let (style, faint) = (output.palette.verdict(would_fetch), output.palette.faint);
    let word = if would_fetch { "would fetch" } else { "would not" };
    let why = match (&error, decision) {
        (Some(error), _) => render::text(error.as_bytes()).into_owned(),
        (None, Some(decision)) => decision.reason(),
        (None, None) => String::new(),
    };
    // The configured interval is known to the user.
    let own = interval.filter(|interval| would_fetch && interval.reason != IntervalReason::Configured);
    let own = own.map(|interval| format!("{interval}, ")).unwrap_or_default();
    let url = render::text(url.as_bytes());
    Ok(writeln!(output, "{style}{word:<11}{style:#}  {url}  {faint}{own}{why}{faint:#}")?)
}
