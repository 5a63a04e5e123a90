//! The operations of `comity-answers` and policies, as JSON: the second module of the package, and that of the
//! playground.

use std::cell::RefCell;
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, SystemTime};

use comity::http::Headers;
use comity::policy::{Answer, Failure, Mode, Policy, Preset};
use comity::robots::Agent;
use comity_answers::explain::Explain;
use comity_answers::lint::Lint;
use comity_answers::operation::{FileOperation, MAX_DECISIONS, RequestOperation, Rows, UrlOperation};
use comity_answers::page::PageOperation;
use comity_answers::sources::{SourceError, Sources};
use comity_answers::usage::UsageOperation;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::slab::Slab;
use crate::{Engine, UNKNOWN_HANDLE, agent, exports, with_engine};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// A request for an operation. JavaScript passes the time, because the module has no clock.
#[derive(Deserialize)]
struct Question<'q> {
    operation: &'q str,
    #[serde(borrow)]
    request: &'q RawValue,
    now: f64,
}

/// Answers a request, and returns the JSON of the answer.
fn answer(question: &str) -> Result<String> {
    let Question { operation, request, now } = serde_json::from_str(question)?;
    let (request, now) = (request.get(), time(now)?);
    match operation {
        "explain" => of_urls::<Explain>(request),
        "usage" => of_urls::<UsageOperation>(request),
        "lint" => of_files::<Lint>(request),
        "page" => of_request::<PageOperation>(request, now),
        _ => of_playground(operation, request, now),
    }
}

/// Answers a request for an operation that only the playground has.
#[cfg(feature = "playground")]
fn of_playground(operation: &str, request: &str, now: SystemTime) -> Result<String> {
    use comity_answers::{check, diff, inspect, matrix, new, status};

    match operation {
        "check" => of_urls::<check::Check>(request),
        "diff" => of_files::<diff::DiffOperation>(request),
        "inspect" => of_files::<inspect::Inspect>(request),
        "matrix" => of_files::<matrix::MatrixOperation>(request),
        "new" => of_files::<new::New>(request),
        "status" => of_request::<status::StatusRequest>(request, now),
        _ => Err(format!("unknown operation `{operation}`").into()),
    }
}

#[cfg(not(feature = "playground"))]
fn of_playground(operation: &str, _request: &str, _now: SystemTime) -> Result<String> {
    Err(format!("unknown operation `{operation}`").into())
}

fn of_urls<O: UrlOperation>(request: &str) -> Result<String> {
    let prepared = O::prepare(serde_json::from_str(request)?)?;
    let file = prepared.file.as_ref().ok_or(SourceError::Offline)?;
    let rows = prepared.urls.iter().flat_map(|url| prepared.operation.by_file(url.as_bytes(), file));
    Ok(serde_json::to_string(&Rows { rows: rows.collect() })?)
}

fn of_files<O: FileOperation>(request: &str) -> Result<String> {
    let sources = Sources::offline();
    let mut prepared = pin!(O::prepare(serde_json::from_str(request)?, &sources));
    // Offline sources answer at once.
    let Poll::Ready(prepared) = prepared.as_mut().poll(&mut Context::from_waker(Waker::noop())) else {
        return Err(SourceError::Offline.into());
    };
    Ok(serde_json::to_string(&prepared?.row(MAX_DECISIONS)?.answer)?)
}

fn of_request<O: RequestOperation>(request: &str, now: SystemTime) -> Result<String> {
    let operation = O::read(serde_json::from_str(request)?)?;
    Ok(serde_json::to_string(&operation.answer(now, MAX_DECISIONS)?)?)
}

/// Returns the time of a number of seconds since 1970.
fn time(seconds: f64) -> Result<SystemTime> {
    let since = Duration::try_from_secs_f64(seconds)?;
    Ok(SystemTime::UNIX_EPOCH.checked_add(since).ok_or("the time is too late")?)
}

/// A policy for one crawler.
#[derive(Debug)]
struct KeptPolicy {
    policy: Policy,
    agent: Agent,
}

thread_local! {
    static POLICIES: RefCell<Slab<KeptPolicy>> = RefCell::default();
}

/// The choices for a policy.
#[derive(Deserialize)]
struct PolicyChoices<'c> {
    preset: &'c str,
    mode: Option<&'c str>,
    agent: String,
    kind: u32,
}

fn new_policy(choices: &str) -> Result<i32> {
    let PolicyChoices { preset, mode, agent: names, kind } = serde_json::from_str(choices)?;
    let preset: Preset = preset.parse()?;
    let mode = mode.map_or(Ok(preset.mode()), str::parse::<Mode>)?;
    let policy = Policy::without_answer(preset).with_mode(mode);
    let agent = agent(&names, kind);
    Ok(POLICIES.with_borrow_mut(|policies| policies.insert(KeptPolicy { policy, agent })))
}

/// The facts of an answer to the request for robots.txt. In the input, the body of the answer precedes them.
#[derive(Deserialize)]
struct AnswerFacts {
    /// The status code; null if the request failed.
    status: Option<u16>,
    failure: Option<String>,
    headers: Vec<(String, String)>,
    redirects: Vec<String>,
    at: f64,
    is_cut: bool,
}

fn update(policy: &mut KeptPolicy, bytes: &[u8], facts: &str) -> Result<()> {
    let facts: AnswerFacts = serde_json::from_str(facts)?;
    let at = time(facts.at)?;
    let headers: Headers<'_> =
        facts.headers.iter().map(|(name, value)| (name.as_str(), value.as_bytes())).collect();
    let answer = match (facts.status, facts.failure.as_deref()) {
        (Some(status), None) => Answer::status(status, at),
        (_, failure) => Answer::failure(failure.unwrap_or("connection").parse::<Failure>()?, at),
    };
    let answer = answer.with_headers(&headers).with_redirects(facts.redirects);
    let answer = if facts.is_cut { answer.with_cut_body(bytes) } else { answer.with_body(bytes) };
    let reading = policy.policy.preset().read(&answer);
    policy.policy.update(&reading, &policy.agent);
    Ok(())
}

fn decide(policy: &KeptPolicy, url: &[u8], now: f64) -> Result<String> {
    Ok(serde_json::to_string(&policy.policy.decide(url, time(now)?)?.to_record())?)
}

/// Returns the time at which robots.txt has to be requested again, in seconds since 1970.
fn fresh_until(policy: &KeptPolicy) -> Option<f64> {
    let evidence =
        policy.policy.outage().map_or_else(|| policy.policy.evidence(), |outage| Some(outage.latest()));
    Some(evidence?.fresh_until()?.duration_since(SystemTime::UNIX_EPOCH).ok()?.as_secs_f64())
}

impl Engine {
    fn write_result(&mut self, result: Result<String>) -> i32 {
        match result {
            Ok(json) => self.write(json),
            Err(error) => self.fail(error),
        }
    }
}

/// Calls `call` with a policy.
fn with_policy(handle: i32, call: impl FnOnce(&mut KeptPolicy) -> i32) -> i32 {
    POLICIES.with_borrow_mut(|policies| policies.get_mut(handle).map_or(UNKNOWN_HANDLE, call))
}

exports! {
    /// Answers the request in the input.
    fn operation(engine, length: usize) -> i32 {
        let result = answer(&engine.text(length));
        engine.write_result(result)
    }

    /// Returns a handle of a policy with the choices in the input.
    fn policy_new(engine, length: usize) -> i32 {
        match new_policy(&engine.text(length)) {
            Ok(handle) => handle,
            Err(error) => engine.fail(error),
        }
    }

    /// Frees a policy.
    fn policy_free(_engine, policy: i32) -> () {
        POLICIES.with_borrow_mut(|policies| policies.remove(policy));
    }

    /// Applies an answer to a policy. The input has the body and then the facts.
    fn policy_update(engine, policy: i32, length: usize, facts_length: usize) -> i32 {
        let facts = engine.input.get(length..length + facts_length).unwrap_or_default();
        let facts = String::from_utf8_lossy(facts).into_owned();
        with_policy(policy, |policy| match update(policy, engine.bytes(length), &facts) {
            Ok(()) => 0,
            Err(error) => engine.fail(error),
        })
    }

    /// Writes the decision about the URL in the input as JSON.
    fn policy_decide(engine, policy: i32, length: usize, now: f64) -> i32 {
        with_policy(policy, |policy| {
            let result = decide(policy, engine.bytes(length), now);
            engine.write_result(result)
        })
    }

    /// Returns the time at which robots.txt has to be requested again, in seconds since 1970; NaN without such a time.
    fn policy_fresh_until(_engine, policy: i32) -> f64 {
        POLICIES.with_borrow(|policies| policies.get(policy).and_then(fresh_until)).unwrap_or(f64::NAN)
    }
}
