//! Describes the source of a robots.txt and its treatment as short phrases.

use std::time::{Duration, SystemTime};

use comity::decision::DecisionRecord;
use comity::policy::{AnswerKind, Evidence, Failure, Mode, Treatment};
use comity_answers::sources::consequence;

use crate::render;

/// Maximum age of an answer that is shown as just fetched.
const NEW: Duration = Duration::from_secs(10);

/// Returns the reason for a decision of a preset as a short phrase: the deciding line, or the treatment of the site's
/// answer.
pub(crate) fn basis(decision: &DecisionRecord, agent: &str) -> String {
    if decision.basis.is_some() {
        return render::basis(decision, agent);
    }
    let is_overridden =
        decision.overrides.as_ref().is_some_and(|overrides| overrides.on_unreachable().is_some());
    if decision.failed_open && is_overridden {
        return "robots.txt is unreachable, and `on_unreachable` allows it".to_owned();
    }
    consequence(decision.treatment).to_owned()
}

/// Formats the source of a decision as `200, 3 h old; rfc9309, report_only`.
pub(crate) fn source(decision: &DecisionRecord, now: SystemTime) -> String {
    let mut policy = decision.preset.map(|preset| preset.to_string()).unwrap_or_default();
    if let Some(mode) = decision.mode.filter(|mode| *mode != Mode::Respect) {
        policy = format!("{policy}, {mode}");
    }
    if let Some(overrides) = &decision.overrides {
        policy = format!("{policy}, {overrides}");
    }
    match transport_phrase(decision, now) {
        Some(transport) => format!("{transport}; {policy}"),
        None => policy,
    }
}

/// Formats the answer to the request for robots.txt: `200, 3 h old, redirected to https://example.com/robots.txt`. In
/// an outage: `503 for 2 h, copy 1 d old`. Returns `None` if robots.txt was ignored.
pub(crate) fn transport_phrase(decision: &DecisionRecord, now: SystemTime) -> Option<String> {
    let evidence = decision.evidence.as_ref();
    let Some(outage) = &decision.outage else {
        let evidence = evidence?;
        let redirects = redirects(evidence);
        let answer = answer(evidence.kind(), evidence.status(), evidence.failure(), evidence.error());
        return Some(format!("{answer}, {}{redirects}", age(evidence, now)));
    };
    let error = evidence.and_then(Evidence::error);
    let latest = answer(outage.answer, outage.status, outage.failure, error);
    let since = now.duration_since(outage.since).unwrap_or_default();
    let since = if since < NEW { "just now".to_owned() } else { format!("for {}", render::span(since)) };
    let copy = evidence.filter(|_| decision.treatment == Some(Treatment::LastGood));
    let copy = copy.map(|copy| format!(", copy {}", age(copy, now))).unwrap_or_default();
    Some(format!("{latest} {since}{copy}"))
}

/// Formats an answer as `200`, `200, HTML without a record`, `the name has no address`.
fn answer(kind: AnswerKind, status: Option<u16>, failure: Option<Failure>, error: Option<&str>) -> String {
    match failure {
        None => kind.with_status(status).into_owned(),
        // The summaries of the other failures need no details.
        Some(failure @ (Failure::Tls | Failure::Local)) => match error {
            Some(error) => format!("{} ({})", failure.summary(), render::text(error.as_bytes())),
            None => failure.summary().to_owned(),
        },
        Some(failure) => failure.summary().to_owned(),
    }
}

fn age(evidence: &Evidence, now: SystemTime) -> String {
    let age = now.duration_since(evidence.fetched_at()).unwrap_or_default();
    if age < NEW { "just now".to_owned() } else { format!("{} old", render::span(age)) }
}

fn redirects(evidence: &Evidence) -> String {
    match evidence.redirects() {
        [] => String::new(),
        [to] => format!(", redirected to {}", render::short(to.as_bytes(), 80)),
        [.., last] => {
            let count = evidence.redirects().len();
            format!(", {count} redirects to {}", render::short(last.as_bytes(), 80))
        }
    }
}
