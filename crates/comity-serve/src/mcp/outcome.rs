//! The form of every answer: one object, in which either `answer` or `problem` is null.
//!
//! Some clients show a model the structured answer, some the text beside it. Both say the same. The text of a page comes last,
//! so that nothing in it can be taken for what the server says after it.

use std::time::Duration;

use comity::policy::Mode;
use comity_answers::notice::Notice;
use comity_answers::row::DecisionJson;
use comity_answers::schema;
use comity_client::retrieval::{FetchOutcome, FetchRecord};
use comity_client::{Cause, FetchError};
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Value, json};

use super::tame::{self, tame};
use crate::problem::{self, Problem};

/// What a tool found out.
#[derive(Debug)]
pub(super) struct Answered {
    pub(super) answer: Value,
    /// A piece of a page, which also stands in `answer.text`.
    pub(super) page: Option<String>,
    /// How long what robots.txt says counts without asking again.
    pub(super) ttl: Option<Duration>,
    /// The notices about the question and its answer.
    pub(super) notices: Vec<Notice>,
}

/// The reason why a tool has no result: a name for programs, a sentence of ours, and typed evidence.
#[derive(Debug)]
pub(super) struct Refusal {
    kind: &'static str,
    says: &'static str,
    detail: Option<String>,
    status: Option<u16>,
    retry_after: Option<Duration>,
    decision: Box<Value>,
    record: Box<Value>,
}

impl Refusal {
    /// What the arguments are wrong about.
    pub(super) fn of_arguments(error: &impl ToString) -> Refusal {
        Refusal::new("bad_arguments", "The arguments are not those of the tool.").detailed(error.to_string())
    }

    pub(super) fn new(kind: &'static str, says: &'static str) -> Refusal {
        Refusal {
            kind,
            says,
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

    /// What kept the client from asking a site.
    pub(super) fn of_cause(cause: &Cause) -> Refusal {
        let outcome = cause.outcome();
        let refusal = Refusal::new(outcome.as_str(), says(outcome));
        let retry_after = problem::retry_after(cause);
        match cause {
            // A rule is the site's words: it stands in the decision.
            Cause::Robots(decision) => {
                let decision = serde_json::to_value(DecisionJson::from((**decision).clone()));
                Refusal { decision: Box::new(decision.map(tame).unwrap_or_default()), ..refusal }
            }
            _ => Refusal { retry_after, ..refusal }.detailed(cause.to_string()),
        }
    }

    /// The same of a fetch, with its record.
    pub(super) fn of_fetch(error: &FetchError) -> Refusal {
        Refusal { record: Box::new(record(error.record())), ..Refusal::of_cause(error.cause()) }
    }

    /// Returns the refusal for an answer whose status says that there is no page, such as 404.
    pub(super) fn of_status(status: u16, fetched: &FetchRecord) -> Refusal {
        let refusal = Refusal::new("bad_status", "The server answers with a status that stands for no page.");
        Refusal { status: Some(status), record: Box::new(record(fetched)), ..refusal }
    }

    /// Returns the refusal for a page that is neither HTML nor text.
    pub(super) fn of_type(fetched: &FetchRecord) -> Refusal {
        let refusal = Refusal::new("no_text", "The page is neither HTML nor text.");
        Refusal { record: Box::new(record(fetched)), ..refusal }
    }
}

impl From<Problem> for Refusal {
    fn from(problem: Problem) -> Refusal {
        let (kind, _, title) = problem.kind.row();
        let shown = problem.to_json();
        let seconds = shown["retry_after_seconds"].as_u64();
        Refusal {
            detail: shown["detail"].as_str().map(str::to_owned),
            retry_after: seconds.map(Duration::from_secs),
            ..Refusal::new(kind, title)
        }
    }
}

/// Returns the record of a fetch, with a site's words cut.
pub(super) fn record(record: &FetchRecord) -> Value {
    serde_json::to_value(record).map(tame).unwrap_or_default()
}

/// Returns what a model is told of a fetch that led to no page.
fn says(outcome: FetchOutcome) -> &'static str {
    match outcome {
        FetchOutcome::Fetched => "The page was fetched.",
        FetchOutcome::UrlRefused => "This is not a URL that can be fetched.",
        FetchOutcome::GuardRefused => "The address is not one that may be dialled.",
        FetchOutcome::CircuitOpen => "The site failed too often and is left alone for a while.",
        FetchOutcome::RobotsRefused => {
            "The site's robots.txt forbids this fetch, or could not be read; `decision` says which."
        }
        FetchOutcome::WaitTooLong => "The site's pace asks for a longer wait than is allowed here.",
        FetchOutcome::StoreFailed => "The store of this server cannot be used.",
        FetchOutcome::TransportFailed => "The site gave no answer.",
        FetchOutcome::RedirectsFailed => "The redirects led to no page.",
        FetchOutcome::ContentRefused => "The page is of a type that is not wanted here.",
        FetchOutcome::NoAlternative => "There is no better form of the page that may be fetched.",
        FetchOutcome::Drained => "This server is ending.",
        _ => "The page was not fetched.",
    }
}

/// Returns what is said in every answer of a mode that does not respect robots.txt.
fn notice(mode: Mode) -> Option<&'static str> {
    match mode {
        Mode::ReportOnly => Some("The mode is report_only: robots.txt is reported, and blocks nothing."),
        Mode::Ignore => Some("The mode is ignore: robots.txt is not asked for, and nothing is known of it."),
        _ => None,
    }
}

/// Returns the object that every answer is.
pub(super) fn envelope(mode: Mode, answered: &Result<Answered, Refusal>) -> Value {
    let (answer, ttl, problem) = match answered {
        Ok(answered) => (answered.answer.clone(), answered.ttl, Value::Null),
        Err(refusal) => (Value::Null, None, refusal.to_json()),
    };
    let notices = answered.as_ref().map_or(&[][..], |answered| &answered.notices);
    // A name in a notice may be that of a robots.txt.
    let notices = serde_json::to_value(notices).map(tame).unwrap_or_default();
    json!({
        "mode": mode.as_str(),
        "notice": notice(mode),
        "notices": notices,
        "ttl_ms": ttl.map(|ttl| u64::try_from(ttl.as_millis()).unwrap_or(u64::MAX)),
        "answer": answer,
        "problem": problem,
    })
}

/// Returns the envelope without what is long: for clients that show a model text.
pub(super) fn brief(mut envelope: Value) -> Value {
    if let Some(answer) = envelope["answer"].as_object_mut() {
        // The text comes in a block of its own.
        if answer.remove("record").is_some() {
            answer.remove("text");
        }
    }
    if let Some(problem) = envelope["problem"].as_object_mut() {
        problem.remove("record");
        problem.remove("decision");
    }
    envelope
}

/// Returns the result of a tool.
pub(super) fn result(mode: Mode, answered: Result<Answered, Refusal>) -> CallToolResult {
    let envelope = envelope(mode, &answered);
    let mut content = vec![ContentBlock::text(brief(envelope.clone()).to_string())];
    let mut result = match answered {
        Ok(Answered { page, .. }) => {
            content.extend(page.map(ContentBlock::text));
            CallToolResult::success(content)
        }
        Err(_) => CallToolResult::error(content),
    };
    result.structured_content = Some(envelope);
    result
}

/// Returns the schema of an envelope with this answer.
pub(super) fn schema(answer: Value) -> Value {
    let nullable = |name: &str, schema: Value| schema::nullable((name.to_owned(), schema));
    let problem = schema::fields(
        "kind string, says string, detail string?, status integer?, retry_after_seconds integer?, decision @decision?, \
         record object?",
        &schema::shape,
    );
    let modes: Vec<&str> = Mode::ALL.iter().map(|mode| mode.as_str()).collect();
    schema::object(vec![
        ("mode".to_owned(), json!({ "type": "string", "enum": modes })),
        nullable("notice", json!({ "type": "string", "description": "What else the mode means." })),
        (
            "notices".to_owned(),
            json!({
                "type": "array",
                "description": "Remarks about the question and its answer, such as a misspelt crawler.",
                "items": schema::answer::<Notice>(),
            }),
        ),
        nullable(
            "ttl_ms",
            json!({ "type": "integer", "minimum": 0, "description": "How long what robots.txt says counts without asking again." }),
        ),
        nullable("answer", answer),
        nullable("problem", schema::object(problem)),
    ])
}

impl Refusal {
    fn to_json(&self) -> Value {
        json!({
            "kind": self.kind,
            "says": self.says,
            "detail": self.detail.as_deref().map(tame::text),
            "status": self.status,
            "retry_after_seconds": self.retry_after.map(problem::seconds),
            "decision": self.decision,
            "record": self.record,
        })
    }
}
