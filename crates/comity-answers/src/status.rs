//! `status`: the effect of an answer to the request for robots.txt.
//!
//! A [`StatusRequest`] contains the answer, and the earlier state of the site: a copy or an outage, if there was one.
//! The [`Policy`] of the engine makes the decision.

use std::borrow::Cow;
use std::time::{Duration, SystemTime};

use comity::decision::DecisionRecord;
use comity::http::Headers;
use comity::policy::{Answer, Decision, Failure, Mode, Policy, Preset};
use comity::robots::Agent;
use serde::ser::{Error as _, SerializeMap};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;
use thiserror::Error;

use crate::check::CheckRow;
use crate::operation::{MAX_DECISIONS, RequestOperation, collect_decisions};
use crate::provenance::Provenance;
use crate::request::{self, RequestError};
use crate::url::UrlKind;

/// An answer to the request for robots.txt, and URLs to decide by it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct StatusRequest {
    /// The preset; default `rfc9309`.
    pub preset: Preset,
    /// The mode, which overrides that of the preset; default `respect`.
    pub mode: Option<Mode>,
    /// The status code of the answer; default: that in the status line of `headers`.
    pub code: Option<u16>,
    /// The failure instead of an answer.
    pub failure: Option<Failure>,
    /// The header of the answer, as lines `Name: value`.
    pub headers: Option<String>,
    /// The body of the answer.
    pub body: Option<String>,
    /// URLs that redirects led to, in order.
    pub redirects: Vec<String>,
    /// The age of the answer.
    pub age_seconds: u64,
    /// The age of the first of the consecutive failures; default: that of the answer.
    pub failing_for_seconds: Option<u64>,
    /// The last good copy: a body that was read before robots.txt failed.
    pub copy: Option<String>,
    /// The age of the copy; default: that of the first failure.
    pub copy_age_seconds: Option<u64>,
    /// Whether the rest of the site can be reached.
    pub site_is_reachable: Option<bool>,
    /// Product tokens of the crawlers.
    pub agents: Vec<String>,
    /// Crawlers by their full User-Agent headers.
    pub user_agents: Vec<String>,
    /// Tokens to try, before `*`, if no group names the crawler.
    pub fallbacks: Vec<String>,
    /// The URLs to decide. Without URLs and crawlers, the answer is the state for every URL.
    pub urls: Vec<String>,
}

/// The answer to a request: the state for every URL, or a row for each URL and crawler.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum StatusAnswer {
    /// The state for every URL.
    Overview(Box<StatusRow>),
    /// Decisions.
    Decisions {
        /// A row for each URL and crawler.
        rows: Vec<CheckRow<'static>>,
    },
}

/// The part of a decision that applies to every URL: a row of `check` without a URL and a crawler.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "StatusRow"))]
pub struct StatusRow {
    /// Always null: the row applies to every URL.
    pub url: Option<String>,
    /// Always null: the row applies to every crawler.
    pub agent: Option<String>,
    /// True if the recommendation is `recommended` or `allowed_but_warn`.
    pub allowed: Option<bool>,
    /// The decision about the root of the site. If rules decide, fields that depend on the URL or the crawler are null.
    #[serde(flatten, serialize_with = "fields_of_site")]
    #[cfg_attr(feature = "schema", schemars(with = "crate::or_error::OrError<DecisionRecord>"))]
    pub decision: DecisionRecord,
    /// Source of the robots.txt.
    pub robots_txt: Provenance,
    /// Always null: there is an answer.
    pub error: Option<String>,
}

impl StatusRow {
    /// Creates the row of a decision about `/`: if no rule decides, the decision is equal for every URL.
    pub fn new(decision: &Decision<'_>, now: SystemTime) -> StatusRow {
        let robots_txt = Provenance::of_decision(decision, now);
        let record = decision.to_record();
        let is_fixed = decision.rules().is_none();
        StatusRow {
            url: None,
            agent: None,
            allowed: is_fixed.then(|| record.recommendation.allows()),
            decision: record,
            robots_txt,
            error: None,
        }
    }
}

/// Serializes a decision about the root of a site. If rules decided, only the fields about the answer and the preset have values.
fn fields_of_site<S: Serializer>(decision: &DecisionRecord, serializer: S) -> Result<S::Ok, S::Error> {
    const OF_SITE: [&str; 9] =
        ["dialect", "preset", "mode", "overrides", "treatment", "failed_open", "stale", "evidence", "outage"];
    let values = serde_json::to_value(decision).map_err(S::Error::custom)?;
    let is_fixed = decision.basis.is_none();
    let mut fields = serializer.serialize_map(Some(DecisionRecord::FIELDS.len()))?;
    for field in DecisionRecord::FIELDS {
        let value =
            if is_fixed || OF_SITE.contains(&field.name) { &values[field.name] } else { &Value::Null };
        fields.serialize_entry(field.name, value)?;
    }
    fields.end()
}

/// The events that lead to a policy: a copy, a first failure and an answer. Only the answer is required.
#[derive(Clone, Copy, Debug)]
pub struct StatusEvents<'a> {
    /// The preset.
    pub preset: Preset,
    /// The mode.
    pub mode: Mode,
    /// The status code of the answer; default: that of the header.
    pub code: Option<u16>,
    /// The failure instead of an answer.
    pub failure: Option<Failure>,
    /// The header of the answer.
    pub headers: &'a [u8],
    /// The body of the answer; `None` if it is unknown.
    pub body: Option<&'a [u8]>,
    /// URLs that redirects led to.
    pub redirects: &'a [String],
    /// The last good copy.
    pub copy: Option<&'a [u8]>,
    /// True if there was a failure before the answer.
    pub has_failed_before: bool,
    /// Whether the rest of the site can be reached, if that is known.
    pub site_is_reachable: Option<bool>,
    /// The times of the events.
    pub times: StatusTimes,
}

/// The times of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StatusTimes {
    /// The current time.
    pub now: SystemTime,
    /// The time of the answer.
    pub at: SystemTime,
    /// The time of the first failure.
    pub failing_since: SystemTime,
    /// The time at which the copy was fetched.
    pub copied: SystemTime,
}

/// The reasons why events do not lead to a policy.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum StatusError {
    /// A time is out of range.
    #[error("the time is before the earliest time of the clock")]
    TimeOutOfRange,
    /// The answer is later than now.
    #[error("the answer is in the future")]
    Future,
    /// The events are not in order.
    #[error("the copy, the first failure and the answer are not in this order")]
    Order,
    /// The header cannot be read.
    #[error("{0}")]
    Headers(String),
    /// Neither a code nor a status line is given.
    #[error("the answer has neither a status code nor a status line")]
    NoCode,
}

impl StatusTimes {
    /// Returns the times of events. `at` is the time of the answer, `failing_for` the age of the first failure (by default that
    /// of the answer), and `copy_age` the age of the copy (by default that of the first failure).
    ///
    /// # Errors
    ///
    /// Returns [`StatusError`] if a time cannot be represented, or if the events are not in this order: copy, first failure,
    /// answer, now.
    pub fn new(
        now: SystemTime,
        at: SystemTime,
        failing_for: Option<Duration>,
        copy_age: Option<Duration>,
    ) -> Result<StatusTimes, StatusError> {
        let failing_since = failing_for.map_or(Ok(at), |age| ago(now, age))?;
        let copied = copy_age.map_or(Ok(failing_since), |age| ago(now, age))?;
        if at > now {
            return Err(StatusError::Future);
        }
        if failing_since > at || copied > failing_since {
            return Err(StatusError::Order);
        }
        Ok(StatusTimes { now, at, failing_since, copied })
    }
}

/// Returns the time `age` before `now`.
///
/// # Errors
///
/// Returns [`StatusError::TimeOutOfRange`] if the clock cannot represent it.
pub fn ago(now: SystemTime, age: Duration) -> Result<SystemTime, StatusError> {
    now.checked_sub(age).ok_or(StatusError::TimeOutOfRange)
}

impl StatusEvents<'_> {
    /// Returns the policy for a crawler after the copy, the first failure and the answer were recorded.
    ///
    /// # Errors
    ///
    /// Returns [`StatusError`] if the header cannot be parsed, or if the answer has neither a code nor a status line.
    pub fn policy(&self, agent: &Agent) -> Result<Policy, StatusError> {
        let headers =
            Headers::parse(self.headers).map_err(|error| StatusError::Headers(error.to_string()))?;
        let reply = |at: SystemTime| match (self.failure, self.code.or(headers.status())) {
            (Some(failure), _) => Ok(Answer::failure(failure, at)),
            (None, Some(code)) => Ok(Answer::status(code, at)),
            (None, None) => Err(StatusError::NoCode),
        };
        let answer = reply(self.times.at)?
            .with_headers(&headers)
            .with_redirects(self.redirects.iter().map(String::as_str));
        let answer = match self.body {
            Some(body) => answer.with_body(body),
            None => answer,
        };
        let mut policy = Policy::without_answer(self.preset).with_mode(self.mode);
        if let Some(copy) = self.copy {
            let copy = Answer::status(200, self.times.copied).with_body(copy);
            policy.update(&self.preset.read(&copy), agent);
        }
        if self.has_failed_before {
            policy.update(&self.preset.read(&reply(self.times.failing_since)?), agent);
        }
        policy.update(&self.preset.read(&answer), agent);
        if let Some(is_reachable) = self.site_is_reachable {
            policy.set_site_is_reachable(is_reachable);
        }
        Ok(policy)
    }
}

/// Returns the decision of a policy about `/`, which contains the state for every URL.
///
/// # Errors
///
/// Returns [`RequestError::Invalid`] if the dialect does not accept `/` as a URL.
pub fn root(policy: &Policy, now: SystemTime) -> Result<Decision<'_>, RequestError> {
    policy.decide("/", now).map_err(|error| RequestError::Invalid(error.to_string()))
}

/// Answers a request. `now` is the current time, from which the ages in the request are subtracted.
///
/// ```
/// use std::time::SystemTime;
///
/// use comity_answers::status::{StatusAnswer, StatusRequest, answer};
///
/// let request = StatusRequest { code: Some(503), ..StatusRequest::default() };
/// let StatusAnswer::Overview(row) = answer(&request, SystemTime::UNIX_EPOCH)? else { unreachable!() };
/// assert_eq!((row.allowed, row.decision.treatment.map(|treatment| treatment.as_str())), (Some(false), Some("stop")));
/// # Ok::<(), comity_answers::request::RequestError>(())
/// ```
///
/// # Errors
///
/// Returns [`RequestError`] if only one of URLs and crawlers is given, or if the events are inconsistent.
pub fn answer(request: &StatusRequest, now: SystemTime) -> Result<StatusAnswer, RequestError> {
    request.answer(now, MAX_DECISIONS)
}

impl RequestOperation for StatusRequest {
    type Request = StatusRequest;
    type Answer<'a> = StatusAnswer;

    fn read(request: StatusRequest) -> Result<StatusRequest, RequestError> {
        Ok(request)
    }

    fn answer(&self, now: SystemTime, max_decisions: usize) -> Result<StatusAnswer, RequestError> {
        decisions(self, now, max_decisions)
    }
}

fn decisions(
    request: &StatusRequest,
    now: SystemTime,
    max_decisions: usize,
) -> Result<StatusAnswer, RequestError> {
    let agents = request::agents(&request.agents, &request.user_agents, &request.fallbacks)?;
    if agents.is_empty() != request.urls.is_empty() {
        return Err(RequestError::invalid("name both crawlers and URLs, or neither"));
    }
    let decisions = agents.len().saturating_mul(request.urls.len());
    if decisions > max_decisions {
        return Err(RequestError::TooLarge(format!(
            "the request needs {decisions} decisions, and the maximum is {max_decisions}"
        )));
    }
    let age = |seconds: Option<u64>| seconds.map(Duration::from_secs);
    let times = ago(now, Duration::from_secs(request.age_seconds)).and_then(|at| {
        StatusTimes::new(now, at, age(request.failing_for_seconds), age(request.copy_age_seconds))
    })?;
    let events = StatusEvents {
        preset: request.preset,
        mode: request.mode.unwrap_or_default(),
        code: request.code,
        failure: request.failure,
        headers: request.headers.as_deref().unwrap_or_default().as_bytes(),
        body: request.body.as_deref().map(str::as_bytes),
        redirects: &request.redirects,
        copy: request.copy.as_deref().map(str::as_bytes),
        has_failed_before: request.failing_for_seconds.is_some(),
        site_is_reachable: request.site_is_reachable,
        times,
    };
    if agents.is_empty() {
        let policy = events.policy(&Agent::unchecked_token("*"))?;
        return Ok(StatusAnswer::Overview(Box::new(StatusRow::new(&root(&policy, now)?, now))));
    }
    let policies = agents.iter().map(|agent| {
        let policy = events.policy(agent)?;
        let robots_txt = Provenance::of_decision(&root(&policy, now)?, now);
        Ok((agent, policy, robots_txt))
    });
    let policies = policies.collect::<Result<Vec<_>, RequestError>>()?;
    let row = |(url, (agent, policy, robots_txt)): (&String, &(&Agent, Policy, Provenance))| {
        let url = url.as_bytes();
        let row = match decide(policy, url, now) {
            Ok(decision) => CheckRow::new(url, agent, decision.to_record(), Cow::Borrowed(robots_txt)),
            Err(error) => CheckRow::of_error(url, agent, robots_txt.clone(), error),
        };
        row.into_owned()
    };
    let of_url = |url| policies.iter().map(move |policy| (url, policy));
    let rows = collect_decisions(request.urls.iter().flat_map(of_url).map(row))?;
    Ok(StatusAnswer::Decisions { rows })
}

fn decide<'p>(policy: &'p Policy, url: &[u8], now: SystemTime) -> Result<Decision<'p>, String> {
    UrlKind::of(url).map_err(|problem| problem.to_string())?;
    policy.decide(url, now).map_err(|error| error.to_string())
}

impl From<StatusError> for RequestError {
    fn from(error: StatusError) -> RequestError {
        RequestError::Invalid(error.to_string())
    }
}
