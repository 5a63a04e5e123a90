//! Handlers of `/v1/admit`, which reserves a slot for a request to a site, and of `/v1/report`, which records the
//! answer of the site.
//!
//! With both routes, a fleet of crawlers in any language keeps a common pace. The slot is reserved in the store that
//! all services and clients share, and a reported `Retry-After` applies to all of them. The service answers before the
//! slot begins, and the caller waits for the slot.

use std::time::Duration;

use axum::extract::State;
use comity_answers::row::DecisionJson;
use comity_answers::url::web_url;
use comity_client::Cause;
use http::header::RETRY_AFTER;
use http::{HeaderMap, HeaderValue, StatusCode};
use schemars::JsonSchema;
use serde::Serialize;

use super::Json;
use crate::body::Question;
use crate::context::Context;
use crate::problem::{Kind, Problem, describe, retry_after};
use crate::questions::{AdmitQuestion, ReportQuestion};

/// The answer of `/v1/admit`: whether a request may be sent, and when.
#[derive(Debug, Default, JsonSchema, Serialize)]
pub(crate) struct AdmitAnswer {
    /// True if the request may be sent after `wait_seconds`.
    pub(crate) admitted: bool,
    /// `admitted`, or the reason against it: `robots_refused`, `robots_unreadable`, `wait_too_long`, `circuit_open`,
    /// `guard_refused`, `url_refused`, `transport_failed`.
    pub(crate) outcome: String,
    /// The URL to request, as the URL standard writes it; null unless `admitted` is true.
    pub(crate) url: Option<String>,
    /// The time to wait before the request, in seconds. The slot is reserved.
    #[schemars(range(min = 0))]
    pub(crate) wait_seconds: Option<f64>,
    /// The length of the slot in seconds: the request may begin up to this much later. After that, reserve again.
    #[schemars(range(min = 0))]
    pub(crate) window_seconds: Option<f64>,
    /// The reason for the wait: `configured`, `crawl_delay`, `request_rate`, `retry_after`.
    pub(crate) reason: Option<String>,
    /// The interval between requests to the origin, in seconds.
    #[schemars(range(min = 0))]
    pub(crate) interval_seconds: Option<f64>,
    /// The addresses of the host that passed the address guard. A caller that connects to another address is not
    /// protected.
    pub(crate) addresses: Vec<String>,
    /// The time to wait before another reservation, in seconds, if the reason against the request is temporary.
    #[schemars(range(min = 0))]
    pub(crate) retry_after_seconds: Option<f64>,
    /// The decision by robots.txt, if there is one.
    pub(crate) decision: Option<DecisionJson>,
    /// The reason against the request, as a sentence.
    pub(crate) detail: Option<String>,
}

/// The answer of `/v1/report`.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct ReportAnswer {
    /// The time for which all clients delay requests to the origin, in seconds; null without a delay.
    #[schemars(range(min = 0))]
    pub(crate) hold_seconds: Option<f64>,
    /// The delay that the site requested, in seconds; null unless it exceeds the limit of the settings.
    #[schemars(range(min = 0))]
    pub(crate) asked_seconds: Option<f64>,
}

pub(crate) async fn admit(
    State(context): State<Context>,
    Question(AdmitQuestion { url, max_wait_seconds }): Question<AdmitQuestion>,
) -> Result<Json<AdmitAnswer>, Problem> {
    let longest = context.shared.options.max_wait;
    let max_wait = match max_wait_seconds {
        None => longest,
        Some(seconds) => Duration::try_from_secs_f64(seconds)
            .map_err(|_| {
                Problem::new(Kind::BadQuestion, "`max_wait_seconds` is not a valid number of seconds")
            })?
            .min(longest),
    };
    reserve(&context, &url, max_wait).await.map(Json)
}

/// Reserves a slot for a caller.
pub(crate) async fn reserve(
    context: &Context,
    text: &str,
    max_wait: Duration,
) -> Result<AdmitAnswer, Problem> {
    let (url, origin) = match web_url(text.as_bytes()) {
        Ok(found) => found,
        Err(problem) => return refused(&Cause::Url(problem.into())),
    };
    context.admit(&origin)?;
    let place = context.shared.quotas.slot(context.caller).map_err(|retry_in| {
        let most = context.shared.options.open_slots;
        Problem::new(Kind::TooManySlots, format!("at most {most} slots may be open at once")).after(retry_in)
    })?;
    let reserved = match context.client().reserve(&url, max_wait).await {
        Ok(reserved) => reserved,
        Err(cause) => return refused(&cause),
    };
    let (wait, window) = (reserved.wait(), reserved.window());
    place.until(wait.duration + window);
    Ok(AdmitAnswer {
        admitted: true,
        outcome: "admitted".to_owned(),
        url: Some(reserved.url().to_string()),
        wait_seconds: Some(wait.duration.as_secs_f64()),
        window_seconds: Some(window.as_secs_f64()),
        reason: wait.reason.map(|reason| reason.to_string()),
        interval_seconds: Some(reserved.interval().duration.as_secs_f64()),
        addresses: reserved.addresses().iter().map(|address| address.ip().to_string()).collect(),
        decision: Some(reserved.decision().clone().into()),
        ..AdmitAnswer::default()
    })
}

/// Returns the answer for a cause that prevents the request. Returns a problem if the cause is a fault of the service.
fn refused(cause: &Cause) -> Result<AdmitAnswer, Problem> {
    if matches!(cause, Cause::Store(_) | Cause::Drained) || cause.is_local() {
        return Err(Problem::of_cause(cause));
    }
    Ok(AdmitAnswer {
        outcome: cause.outcome().as_str().to_owned(),
        retry_after_seconds: retry_after(cause).map(|delay| delay.as_secs_f64()),
        decision: cause.decision().cloned().map(DecisionJson::from),
        detail: Some(describe(cause)),
        ..AdmitAnswer::default()
    })
}

pub(crate) async fn report(
    State(context): State<Context>,
    Question(ReportQuestion { url, status, retry_after }): Question<ReportQuestion>,
) -> Result<Json<ReportAnswer>, Problem> {
    let wrong = |text: &str| Problem::new(Kind::BadQuestion, text);
    let status = StatusCode::from_u16(status).map_err(|_| wrong("`status` is not a status code"))?;
    let mut headers = HeaderMap::new();
    if let Some(value) = retry_after {
        let value =
            HeaderValue::from_str(&value).map_err(|_| wrong("`retry_after` is not a valid field value"))?;
        headers.insert(RETRY_AFTER, value);
    }
    let (url, origin) = web_url(url.as_bytes()).map_err(|error| wrong(&error.to_string()))?;
    context.admit(&origin)?;
    let held = context.client().report(&url, status, &headers).await;
    let held = held.map_err(|cause| Problem::of_cause(&cause))?;
    Ok(Json(ReportAnswer {
        hold_seconds: held.map(|held| held.duration.as_secs_f64()),
        asked_seconds: held.and_then(|held| held.asked).map(|asked| asked.as_secs_f64()),
    }))
}
