//! Problem details (RFC 9457): answers that describe an error and its remedy.
//!
//! `type` links to the list of problems in `/openapi.json`, so that programs can distinguish problems without parsing
//! text.

use std::time::{Duration, SystemTime};

use axum::body::Body;
use axum::extract::rejection::QueryRejection;
use axum::response::{IntoResponse, Response};
use comity_answers::request::RequestError;
use comity_client::Cause;
use http::header::{CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use http::{HeaderValue, StatusCode};
use schemars::JsonSchema;
use serde::Serialize;

/// Delay before a retry if the service stops.
const RESTART: Duration = Duration::from_secs(60);

/// Kinds of problems.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    BadQuestion,
    NoToken,
    ForeignOrigin,
    Refused,
    NotFound,
    WrongMethod,
    SlowBody,
    TooLarge,
    WrongMediaType,
    ForeignHost,
    TooManyOrigins,
    TooManySlots,
    Internal,
    Unreadable,
    Busy,
    StoreFailed,
    TooLate,
}

impl Kind {
    pub(crate) const ALL: [Kind; 17] = [
        Kind::BadQuestion,
        Kind::NoToken,
        Kind::ForeignOrigin,
        Kind::Refused,
        Kind::NotFound,
        Kind::WrongMethod,
        Kind::SlowBody,
        Kind::TooLarge,
        Kind::WrongMediaType,
        Kind::ForeignHost,
        Kind::TooManyOrigins,
        Kind::TooManySlots,
        Kind::Internal,
        Kind::Unreadable,
        Kind::Busy,
        Kind::StoreFailed,
        Kind::TooLate,
    ];

    /// Returns the name, the status code and the title.
    pub(crate) const fn row(self) -> (&'static str, u16, &'static str) {
        match self {
            Kind::BadQuestion => ("bad_question", 400, "the question cannot be read"),
            Kind::NoToken => ("no_token", 401, "a token is required"),
            Kind::ForeignOrigin => ("foreign_origin", 403, "pages of other sites may not send requests"),
            Kind::Refused => ("refused", 403, "the guard refuses the address"),
            Kind::NotFound => ("not_found", 404, "there is no such route"),
            Kind::WrongMethod => ("wrong_method", 405, "the route does not support this method"),
            Kind::SlowBody => ("slow_body", 408, "the body did not arrive in time"),
            Kind::TooLarge => ("too_large", 413, "the question or its answer is too large"),
            Kind::WrongMediaType => ("wrong_media_type", 415, "the body has the wrong media type"),
            Kind::ForeignHost => ("foreign_host", 421, "the service does not have this hostname"),
            Kind::TooManyOrigins => ("too_many_origins", 429, "too many new origins"),
            Kind::TooManySlots => ("too_many_slots", 429, "too many open slots"),
            Kind::Internal => ("internal", 500, "internal error"),
            Kind::Unreadable => ("unreadable", 502, "the site has no robots.txt that can be read"),
            Kind::Busy => ("busy", 503, "the service is busy"),
            Kind::StoreFailed => ("store_failed", 503, "the store cannot be used"),
            Kind::TooLate => ("too_late", 504, "the answer took too long"),
        }
    }

    pub(crate) fn status(self) -> StatusCode {
        StatusCode::from_u16(self.row().1).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
    }
}

/// A problem detail (RFC 9457).
#[derive(Debug)]
pub(crate) struct Problem {
    pub(crate) kind: Kind,
    detail: String,
    retry_after: Option<Duration>,
}

impl Problem {
    pub(crate) fn new(kind: Kind, detail: impl Into<String>) -> Self {
        Problem { kind, detail: detail.into(), retry_after: None }
    }

    /// Returns the problem with the time to wait before a retry.
    pub(crate) fn after(self, retry_after: Duration) -> Self {
        Problem { retry_after: Some(retry_after), ..self }
    }

    /// Returns the problem with a name at the start of the message, such as the name of the affected document.
    pub(crate) fn about(self, what: &str) -> Self {
        Problem { detail: format!("`{what}`: {}", self.detail), ..self }
    }

    /// Returns the problem for a cause that prevented a request of the client.
    pub(crate) fn of_cause(cause: &Cause) -> Self {
        let kind = match cause {
            Cause::Guard(_) => Kind::Refused,
            Cause::Url(_) => Kind::BadQuestion,
            Cause::Store(_) => Kind::StoreFailed,
            Cause::Drained => Kind::Busy,
            _ => Kind::Unreadable,
        };
        let problem = Problem::new(kind, describe(cause));
        Problem { retry_after: retry_after(cause), ..problem }
    }

    /// Returns the problem in its JSON form.
    pub(crate) fn to_fields(&self) -> ProblemFields {
        let (name, status, title) = self.kind.row();
        ProblemFields {
            detail: self.detail.clone(),
            retry_after_seconds: self.retry_after.map(seconds),
            status,
            title,
            kind: format!("/openapi.json#/x-problems/{name}"),
        }
    }
}

impl From<QueryRejection> for Problem {
    fn from(rejection: QueryRejection) -> Problem {
        Problem::new(Kind::BadQuestion, rejection.body_text())
    }
}

impl From<RequestError> for Problem {
    fn from(error: RequestError) -> Problem {
        let kind =
            if matches!(error, RequestError::TooLarge(_)) { Kind::TooLarge } else { Kind::BadQuestion };
        Problem::new(kind, error.to_string())
    }
}

/// The JSON form of a problem (RFC 9457).
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Problem")]
pub(crate) struct ProblemFields {
    /// The cause, and the remedy if there is one.
    pub(crate) detail: String,
    /// The time to wait before a retry, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub(crate) retry_after_seconds: Option<u64>,
    /// The status code.
    status: u16,
    /// The kind of problem in a few words.
    title: &'static str,
    /// The kind of problem, as a link to its description.
    #[serde(rename = "type")]
    #[schemars(extend("format" = "uri-reference"))]
    kind: String,
}

/// Returns the message of a cause, with the setting of the client that would allow the request, if there is one.
pub(crate) fn describe(cause: &Cause) -> String {
    // The remedy of `Cause::Wait` is the client's `fetch.max_wait_seconds`. The service has its own limit on the wait, so
    // this setting has no effect here.
    match cause.remedy().filter(|_| !matches!(cause, Cause::Wait(_))) {
        Some(remedy) => format!("{cause}; the operator of this service can set {remedy}"),
        None => cause.to_string(),
    }
}

/// Returns the delay before a retry if the cause is temporary. The client of a service is drained when the service stops,
/// so a retry reaches the restarted service.
pub(crate) fn retry_after(cause: &Cause) -> Option<Duration> {
    match cause {
        Cause::Drained => Some(RESTART),
        _ => cause.retry_after(SystemTime::now()),
    }
}

/// Returns a duration in seconds for `Retry-After`, rounded up, at least one.
pub(crate) fn seconds(duration: Duration) -> u64 {
    duration.as_millis().div_ceil(1000).clamp(1, u64::MAX.into()) as u64
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response =
            Response::new(Body::from(serde_json::to_vec(&self.to_fields()).unwrap_or_default()));
        *response.status_mut() = self.kind.status();
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        if let Some(retry_after) = self.retry_after {
            headers.insert(RETRY_AFTER, seconds(retry_after).into());
        }
        if self.kind == Kind::NoToken {
            headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}
