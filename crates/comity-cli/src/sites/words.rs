//! Says in a few words where a robots.txt came from and how it was treated.

use std::time::{Duration, SystemTime};

use comity::policy::{AnswerKind, Decision, Evidence, Failure, Mode, Treatment};
use comity::robots::Agent;

use crate::render;

/// The age below which an answer is taken to have been asked for by this command.
const NEW: Duration = Duration::from_secs(10);

/// Returns the basis of a decision: the line that decides, or what is done if no line does.
pub(crate) fn basis(decision: &Decision<'_>, agent: &Agent) -> String {
    match (decision.rules(), decision.treatment()) {
        (Some(rules), _) => render::basis(&rules.to_record(), agent),
        (None, Some(_)) if decision.failed_open() && decision.overrides().on_unreachable().is_some() => {
            "nothing is known, and `on_unreachable` allows it".to_owned()
        }
        (None, Some(treatment)) => done(treatment).to_owned(),
        (None, None) => "robots.txt is not looked at".to_owned(),
    }
}

/// Returns what a preset does where no rules decide.
pub(crate) fn done(treatment: Treatment) -> &'static str {
    match treatment {
        Treatment::AllowAll => "there are no rules, so everything is allowed",
        Treatment::DisallowAll => "the answer itself says no, so everything is disallowed",
        Treatment::Stop => "nothing is known, so nothing is fetched",
        Treatment::Warn => "it is not a robots.txt: allowed, with a warning",
        Treatment::FailOpen => "nothing is known, and the preset fails open",
        Treatment::FailOpenUnwarned => "nothing is known, and everything is allowed",
        Treatment::HandToCaller => {
            "nothing is known, and the preset leaves it to you; until then nothing is fetched"
        }
        _ => "the rules decide",
    }
}

/// `200, 3 h old; rfc9309, report_only`.
pub(crate) fn source(decision: &Decision<'_>, now: SystemTime) -> String {
    let mut policy = decision.preset().to_string();
    if decision.mode() != Mode::Respect {
        policy = format!("{policy}, {}", decision.mode());
    }
    if !decision.overrides().is_empty() {
        policy = format!("{policy}, {}", decision.overrides());
    }
    match came(decision, now) {
        Some(came) => format!("{came}; {policy}"),
        None => policy,
    }
}

/// `200, 3 h old, redirected to https://www.example.com/robots.txt`; in an outage `503 for 2 h, copy 1 d old`. `None` if robots.txt was not looked at.
pub(crate) fn came(decision: &Decision<'_>, now: SystemTime) -> Option<String> {
    let evidence = decision.evidence();
    let Some(outage) = decision.outage() else {
        let evidence = evidence?;
        let redirects = redirects(evidence);
        return Some(format!("{}, {}{redirects}", answer(evidence), age(evidence, now)));
    };
    let latest = answer(outage.latest());
    let since = now.duration_since(outage.since()).unwrap_or_default();
    let since = if since < NEW { "just now".to_owned() } else { format!("for {}", render::span(since)) };
    let copy = evidence.filter(|_| decision.treatment() == Some(Treatment::LastGood));
    let copy = copy.map(|copy| format!(", copy {}", age(copy, now))).unwrap_or_default();
    Some(format!("{latest} {since}{copy}"))
}

/// `200`, `200 (HTML, not a robots.txt)`, `the name has no address`.
fn answer(evidence: &Evidence) -> String {
    let remark = match evidence.kind() {
        AnswerKind::HtmlSoft404 => " (HTML, no robots.txt)",
        AnswerKind::XmlSoft404 => " (XML, no robots.txt)",
        AnswerKind::JsonSoft404 => " (JSON, no robots.txt)",
        AnswerKind::Undecodable => " (undecodable)",
        AnswerKind::LongBody => " (longer than is read)",
        AnswerKind::Challenge => " (a puzzle for browsers, no robots.txt)",
        AnswerKind::MissingBody => " (body unknown)",
        AnswerKind::UnfollowedRedirect => " (a redirect that was not followed)",
        _ => "",
    };
    match (evidence.status(), evidence.failure()) {
        (Some(status), _) => format!("{status}{remark}"),
        // Of the other failures the summary says as much.
        (None, Some(failure @ (Failure::Tls | Failure::Local))) => match evidence.error() {
            Some(error) => format!("{} ({})", failure.summary(), render::text(error.as_bytes())),
            None => failure.summary().to_owned(),
        },
        (None, Some(failure)) => failure.summary().to_owned(),
        (None, None) => evidence.kind().label().to_owned(),
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
