//! The common form of all answers: an object, in which either `answer` or `problem` is null.
//!
//! Some clients pass the structured answer to the model, others only the text blocks. So an answer has both; the text
//! blocks lack nulls and records. The text of a page is the last block, so that no part of it can look like text of the
//! server.

use std::time::Duration;

use comity::policy::Mode;
use comity_answers::notice::Notice;
use comity_answers::row::DecisionJson;
use comity_answers::schema;
use comity_client::retrieval::{FetchOutcome, FetchRecord};
use comity_client::{Cause, FetchError};
use rmcp::model::{CallToolResult, ContentBlock};
use schemars::{JsonSchema, Schema};
use serde::Serialize;
use serde_json::{Map, Value};

use super::sanitize::{self, sanitize};
use crate::problem::{self, Problem};

/// The result of a tool.
#[derive(Debug)]
pub(super) struct ToolAnswer {
    pub(super) answer: Value,
    /// A piece of a page for a separate text block; `answer.text` has an equal value.
    pub(super) page: Option<String>,
    /// The time for which the robots.txt stays fresh.
    pub(super) ttl: Option<Duration>,
    /// The notices about the question and its answer.
    pub(super) notices: Vec<Notice>,
}

/// A problem that prevents the result of a tool.
#[derive(Debug)]
pub(super) struct Refusal {
    /// Name of the kind of problem, for programs.
    kind: &'static str,
    /// Description of the kind of problem, for the model. A constant cannot contain text of the site.
    summary: &'static str,
    detail: Option<String>,
    status: Option<u16>,
    retry_after: Option<Duration>,
    decision: Box<Value>,
    record: Box<Value>,
}

impl Refusal {
    /// Returns the refusal for invalid arguments.
    pub(super) fn of_arguments(error: &impl ToString) -> Refusal {
        Refusal::new("bad_arguments", "The arguments are invalid for this tool.").detailed(error.to_string())
    }

    pub(super) fn new(kind: &'static str, summary: &'static str) -> Refusal {
        Refusal {
            kind,
            summary,
            detail: None,
            status: None,
            retry_after: None,
            decision: Box::default(),
            record: Box::default(),
        }
    }

    fn detailed(self, detail: String) -> Refusal {
        Refusal { detail: Some(detail), ..self }
    }

    /// Returns the refusal for a cause that prevented a request of the client.
    pub(super) fn of_cause(cause: &Cause) -> Refusal {
        let outcome = cause.outcome();
        let retry_after = problem::retry_after(cause);
        let refusal = Refusal { retry_after, ..Refusal::new(outcome.as_str(), summary(outcome)) };
        let Some(decision) = cause.decision() else { return refusal.detailed(problem::describe(cause)) };
        // A rule is text of the site, so only the decision contains it.
        let detail = decision.rule.is_none().then(|| problem::describe(cause));
        let decision = serde_json::to_value(DecisionJson::from(decision.clone()));
        Refusal { decision: Box::new(decision.map(sanitize).unwrap_or_default()), detail, ..refusal }
    }

    /// Returns the refusal for a failed fetch, with its record.
    pub(super) fn of_fetch(error: &FetchError) -> Refusal {
        Refusal { record: Box::new(record(error.record())), ..Refusal::of_cause(error.cause()) }
    }

    /// Returns the refusal for an error status, such as 404.
    pub(super) fn of_status(status: u16, fetched: &FetchRecord) -> Refusal {
        let refusal = Refusal::new("bad_status", "The site answers with an error status.");
        let retry_after = fetched.retry_after;
        Refusal { status: Some(status), retry_after, record: Box::new(record(fetched)), ..refusal }
    }

    /// Returns the refusal for a page that is neither HTML nor text.
    pub(super) fn of_type(fetched: &FetchRecord) -> Refusal {
        let content = fetched.content.as_ref();
        let content_type = content.and_then(|content| content.content_type.as_deref());
        let bytes = content.map_or(0, |content| content.bytes);
        // The field is text of the site, and the detail is read by a model. So only a media type is repeated.
        let detail = match content_type.map(media_type) {
            Some(Some(media_type)) => format!("it is `{media_type}`, {bytes} bytes"),
            Some(None) => format!("its Content-Type is not a media type, {bytes} bytes"),
            None => format!("it has no Content-Type, {bytes} bytes"),
        };
        let refusal = Refusal::new("no_text", "The page is neither HTML nor text.").detailed(detail);
        Refusal { record: Box::new(record(fetched)), ..refusal }
    }
}

impl From<Problem> for Refusal {
    fn from(problem: Problem) -> Refusal {
        let (kind, _, title) = problem.kind.row();
        let shown = problem.to_fields();
        Refusal {
            detail: Some(shown.detail),
            retry_after: shown.retry_after_seconds.map(Duration::from_secs),
            ..Refusal::new(kind, title)
        }
    }
}

/// Returns the media type in a `Content-Type` without its parameters (RFC 9110 §8.3.1), or `None` if it is not one or is
/// unusually long.
fn media_type(content_type: &str) -> Option<&str> {
    const LONGEST: usize = 80;
    let essence = content_type.split(';').next().unwrap_or_default().trim();
    // The characters of registered names (RFC 6838 §4.2).
    let is_name = |name: &str| {
        !name.is_empty()
            && name.bytes().all(|octet| octet.is_ascii_alphanumeric() || b"!#$&-^_.+".contains(&octet))
    };
    let is_media_type =
        essence.split_once('/').is_some_and(|(family, kind)| is_name(family) && is_name(kind));
    (is_media_type && essence.len() <= LONGEST).then_some(essence)
}

/// Returns the record of a fetch as JSON, sanitized.
pub(super) fn record(record: &FetchRecord) -> Value {
    serde_json::to_value(record).map(sanitize).unwrap_or_default()
}

/// Returns the description of an outcome for the model.
fn summary(outcome: FetchOutcome) -> &'static str {
    match outcome {
        FetchOutcome::Fetched => "The page was fetched.",
        FetchOutcome::UrlRefused => "This is not a URL that can be fetched.",
        FetchOutcome::GuardRefused => "Connections to this address are not allowed.",
        FetchOutcome::CircuitOpen => "The site failed too often, so it is not requested for a while.",
        FetchOutcome::RobotsRefused => "The site's robots.txt forbids this fetch; `decision` has the reason.",
        FetchOutcome::RobotsUnreadable => {
            "The site's robots.txt could not be read, so the page is not fetched."
        }
        FetchOutcome::WaitTooLong => "The pace of the site requires a longer wait than is allowed here.",
        FetchOutcome::StoreFailed => "The store of this server cannot be used.",
        FetchOutcome::TransportFailed => "The site did not answer.",
        FetchOutcome::RedirectsFailed => "The redirects did not lead to a page.",
        FetchOutcome::ContentRefused => "The media type of the page is not in the list of wanted types.",
        FetchOutcome::NoAlternative => "The site has no better form of the page that may be fetched.",
        FetchOutcome::DeadlineExceeded => "The fetch took longer than is allowed here.",
        FetchOutcome::Drained => "This server is shutting down.",
        _ => "The page was not fetched.",
    }
}

/// Returns the notice for every answer, if the mode does not respect robots.txt.
fn notice(mode: Mode) -> Option<&'static str> {
    match mode {
        Mode::ReportOnly => {
            Some("The mode is report_only: decisions by robots.txt are reported, but block nothing.")
        }
        Mode::Ignore => Some("The mode is ignore: robots.txt is not requested, so its rules are unknown."),
        _ => None,
    }
}

/// The common form of all answers.
#[derive(Serialize, JsonSchema)]
struct Envelope<T> {
    /// The mode of this server.
    mode: Mode,
    /// A notice about a mode that does not respect robots.txt.
    notice: Option<&'static str>,
    /// Remarks about the question and its answer, such as a misspelt crawler.
    #[schemars(with = "Vec<Notice>")]
    notices: Value,
    /// The time for which the robots.txt stays fresh, in milliseconds.
    ttl_ms: Option<u64>,
    /// The answer; null if there is a problem.
    answer: Option<T>,
    /// The problem that prevents an answer.
    problem: Option<RefusalFields>,
}

/// A problem that prevents the answer of a tool.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Problem")]
struct RefusalFields {
    /// The kind of problem.
    kind: &'static str,
    /// The kind of problem in a sentence.
    summary: &'static str,
    /// The cause, and the remedy if there is one.
    detail: Option<String>,
    /// The status code of the site's answer.
    status: Option<u16>,
    /// The time after which the request can be repeated, in seconds.
    retry_after_seconds: Option<u64>,
    /// The decision by robots.txt.
    #[schemars(with = "Option<DecisionJson>")]
    decision: Value,
    /// The record of the fetch.
    #[schemars(with = "Option<Map<String, Value>>")]
    record: Value,
}

/// Returns the result of a tool in the common form.
pub(super) fn envelope(mode: Mode, answered: &Result<ToolAnswer, Refusal>) -> Value {
    let (answer, ttl, problem) = match answered {
        Ok(answered) => (Some(&answered.answer), answered.ttl, None),
        Err(refusal) => (None, None, Some(refusal.to_fields())),
    };
    let notices = answered.as_ref().map_or(&[][..], |answered| &answered.notices);
    // A name in a notice may come from a robots.txt.
    let notices = serde_json::to_value(notices).map(sanitize).unwrap_or_default();
    let ttl_ms = ttl.map(|ttl| u64::try_from(ttl.as_millis()).unwrap_or(u64::MAX));
    let envelope = Envelope { mode, notice: notice(mode), notices, ttl_ms, answer, problem };
    serde_json::to_value(envelope).unwrap_or_default()
}

/// Returns the envelope without nulls and records, for the text block. Shortens the decisions of fetches and problems to
/// the fields that describe robots.txt: permission, verdict, group and rule.
pub(super) fn brief(mut envelope: Value) -> Value {
    if let Some(answer) = envelope["answer"].as_object_mut()
        && let Some(record) = answer.remove("record")
    {
        // The text is sent in a separate block.
        answer.remove("text");
        let last = record["hops"].as_array().and_then(|hops| hops.last());
        answer.insert("decision".to_owned(), last.map_or(Value::Null, |hop| summarize(&hop["decision"])));
    }
    if let Some(problem) = envelope["problem"].as_object_mut() {
        problem.remove("record");
        let decision = problem.get("decision").map_or(Value::Null, summarize);
        problem.insert("decision".to_owned(), decision);
    }
    without_nulls(envelope)
}

/// Returns the fields of a decision that describe robots.txt.
fn summarize(decision: &Value) -> Value {
    if decision.is_null() {
        return Value::Null;
    }
    let fields = ["allowed", "verdict", "group", "rule"];
    fields.into_iter().map(|name| (name.to_owned(), decision[name].clone())).collect()
}

/// Removes null fields from objects.
fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(fields) => {
            let fields = fields.into_iter().filter(|(_, value)| !value.is_null());
            fields.map(|(name, value)| (name, without_nulls(value))).collect()
        }
        Value::Array(items) => items.into_iter().map(without_nulls).collect(),
        plain => plain,
    }
}

/// Returns the result of a tool.
pub(super) fn result(mode: Mode, answered: Result<ToolAnswer, Refusal>) -> CallToolResult {
    let envelope = envelope(mode, &answered);
    let mut content = vec![ContentBlock::text(brief(envelope.clone()).to_string())];
    let mut result = match answered {
        Ok(ToolAnswer { page, .. }) => {
            content.extend(page.map(ContentBlock::text));
            CallToolResult::success(content)
        }
        Err(_) => CallToolResult::error(content),
    };
    result.structured_content = Some(envelope);
    result
}

/// Returns the schema of an [`Envelope`] with an answer of this type.
pub(super) fn schema<T: JsonSchema>() -> Schema {
    schema::answer::<Envelope<T>>()
}

impl Refusal {
    fn to_fields(&self) -> RefusalFields {
        RefusalFields {
            kind: self.kind,
            summary: self.summary,
            detail: self.detail.as_deref().map(sanitize::text),
            status: self.status,
            retry_after_seconds: self.retry_after.map(problem::seconds),
            decision: (*self.decision).clone(),
            record: (*self.record).clone(),
        }
    }
}
