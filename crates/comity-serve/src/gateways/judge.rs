//! The decision about an original request.

use std::time::{Duration, SystemTime};

use comity::decision::DecisionRecord;
use comity_client::{Cause, Client, Origin};
use comity_identity::Outcome;
use serde_json::json;

use super::original::Original;
use crate::context::Context;
use crate::problem::{Problem, retry_after, seconds};

/// Maximum time for a fetch of robots.txt before the gateway gets an answer. The fetch continues afterwards, so a later
/// question finds the file in the cache.
const ROBOTS_TIMEOUT: Duration = Duration::from_secs(2);

/// Length after which untrusted text in a header field is cut, in characters.
const MAX_RULE_CHARACTERS: usize = 200;

/// A decision, independent of the gateway's protocol.
#[derive(Debug)]
pub(super) struct GatewayDecision {
    /// Status code for the agent; 200 if the request is allowed.
    pub(super) status: u16,
    /// Header fields for the agent.
    pub(super) fields: Vec<(&'static str, String)>,
    /// The address to which the gateway has to connect, if the request is allowed. It passed the address guard.
    pub(super) dial: Option<String>,
    /// The reason in JSON, if the request is refused; otherwise empty.
    pub(super) body: String,
}

impl GatewayDecision {
    pub(super) fn is_allowed(&self) -> bool {
        self.status == 200
    }

    /// Creates the decision for an original request that cannot be parsed.
    pub(super) fn unknown(error: &str) -> GatewayDecision {
        GatewayDecision::refused(400, "url_refused", None, None, Some(error))
    }

    fn refused(
        status: u16,
        outcome: &str,
        decision: Option<&DecisionRecord>,
        wait: Option<Duration>,
        detail: Option<&str>,
    ) -> GatewayDecision {
        let wait = wait.map(seconds);
        let mut fields = fields(outcome, decision);
        fields.extend(wait.map(|wait| ("retry-after", wait.to_string())));
        let body = json!({
            "outcome": outcome,
            "verdict": decision.map(|decision| decision.verdict.as_str()),
            "line": decision.and_then(|decision| decision.rule.as_ref()).map(|rule| rule.line),
            "retry_after_seconds": wait,
            "detail": detail,
        });
        GatewayDecision { status, fields, dial: None, body: body.to_string() }
    }

    /// Creates the decision for a request that the client refuses or delays.
    fn of_cause(cause: &Cause) -> GatewayDecision {
        let status = match cause {
            _ if cause.is_local() => 503,
            Cause::Wait(_) => 429,
            Cause::Robots(_) | Cause::Unreachable(_) | Cause::Guard(_) => 403,
            Cause::Url(_) => 400,
            Cause::Transport(_) => 502,
            _ => 503,
        };
        let wait = retry_after(cause);
        GatewayDecision::refused(status, cause.outcome().as_str(), cause.decision(), wait, None)
    }

    fn of_problem(problem: &Problem) -> GatewayDecision {
        let (name, status, _) = problem.kind.row();
        let wait = problem.to_fields().retry_after_seconds.map(Duration::from_secs);
        GatewayDecision::refused(status, name, None, wait, None)
    }
}

/// Decides about a request. Reserves a slot if the request is allowed, and verifies its signature. The outcome of the
/// verification does not influence the decision.
pub(super) async fn judge(context: &Context, original: &Original) -> GatewayDecision {
    let client = client(context, original.agent.as_deref());
    let token = client.map_or("", |client| client.agent().as_str());
    let caller = context.shared.quotas.agent(context.caller, token, original.address);
    let behind = Context { caller, ..context.clone() };
    let (mut judged, signature) =
        tokio::join!(reserve_slot(&behind, client, original), signature(&behind, original));
    judged.fields.push(("comity-signature", printable(&signature)));
    judged
}

/// Verifies the signature of a request and returns the outcome as text.
async fn signature(context: &Context, original: &Original) -> String {
    let Some(signed) = &original.signed else { return Outcome::NotSigned.to_string() };
    let headers = signed.headers();
    match signed.request(&headers) {
        Ok(request) => context.setup.signatures.outcome(context.caller, &request).await.to_string(),
        Err(error) => format!("invalid because {error}"),
    }
}

/// Decides about a request, and reserves a slot if it is allowed. `client` sends requests in the name of the agent; it
/// is `None` for an unknown agent.
async fn reserve_slot(context: &Context, client: Option<&Client>, original: &Original) -> GatewayDecision {
    let Some(client) = client else {
        return GatewayDecision::refused(
            403,
            "agent_unknown",
            None,
            None,
            Some("the service has no agent of this name"),
        );
    };
    let Some(origin) = Origin::of(original.url()) else {
        return GatewayDecision::unknown("the URL is neither an http nor an https URL");
    };
    if let Err(problem) = context.admit_as(client, &origin) {
        return GatewayDecision::of_problem(&problem);
    }
    match tokio::time::timeout(ROBOTS_TIMEOUT, decide(client, &origin, original)).await {
        Ok(Ok(())) => {}
        Ok(Err(cause)) => return GatewayDecision::of_cause(&cause),
        // The fetch of robots.txt continues in the background.
        Err(_) => {
            return GatewayDecision::refused(429, "robots_txt_pending", None, Some(ROBOTS_TIMEOUT), None);
        }
    }
    match client.reserve(original.url(), Duration::ZERO).await {
        Ok(reserved) => GatewayDecision {
            status: 200,
            fields: fields("admitted", Some(reserved.decision())),
            dial: reserved.addresses().first().map(ToString::to_string),
            body: String::new(),
        },
        Err(cause) => GatewayDecision::of_cause(&cause),
    }
}

/// Checks every URL that the site may read in the target of a request, because the gateway forwards the bytes of the
/// target unchanged. Returns an error if robots.txt disallows one of these URLs. The rules for `original.url()` itself
/// are checked when its slot is reserved.
async fn decide(client: &Client, origin: &Origin, original: &Original) -> Result<(), Cause> {
    client.decide(original.url()).await?;
    let policy = client.robots().policy(origin).await.map_err(Cause::Store)?;
    let now = SystemTime::now();
    for reading in original.readings().filter(|reading| *reading != original.url().as_str().as_bytes()) {
        let decision = policy.decide(reading, now).map_err(|error| Cause::Url(error.into()))?;
        if decision.blocks() {
            return Err(Cause::of_decision(decision.to_record()));
        }
    }
    Ok(())
}

/// Returns the client with the product token `agent`: the client of the service or a client for gateways. Without a
/// token, returns the client of the service.
fn client<'c>(context: &'c Context, agent: Option<&str>) -> Option<&'c Client> {
    let own = context.client();
    let Some(agent) = agent else { return Some(own) };
    let others = context.setup.gateway_clients.iter();
    std::iter::once(own).chain(others).find(|client| client.agent().as_str().eq_ignore_ascii_case(agent))
}

/// Returns the header fields for the agent.
fn fields(outcome: &str, decision: Option<&DecisionRecord>) -> Vec<(&'static str, String)> {
    let mut fields = vec![("comity-outcome", outcome.to_owned())];
    if let Some(decision) = decision {
        fields.push(("comity-verdict", decision.verdict.as_str().to_owned()));
        fields.extend(
            decision
                .rule
                .as_ref()
                .map(|rule| ("comity-rule", format!("line {}: {}", rule.line, printable(&rule.to_string())))),
        );
    }
    fields
}

/// Returns untrusted text as the value of a header field: printable ASCII, cut after the maximum length.
fn printable(text: &str) -> String {
    let mut printable = String::new();
    for byte in text.bytes() {
        if printable.len() >= MAX_RULE_CHARACTERS {
            printable.push_str("...");
            break;
        }
        match byte {
            b' '..=b'~' => printable.push(char::from(byte)),
            other => printable.push_str(&format!("%{other:02X}")),
        }
    }
    printable
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_a_site_is_encoded_and_cut_for_a_field() {
        assert_eq!(printable("/a\r\nb\u{e9}*$"), "/a%0D%0Ab%C3%A9*$");
        let long = printable(&"x".repeat(1_000));
        assert_eq!((long.len(), long.ends_with("x...")), (MAX_RULE_CHARACTERS + 3, true));
    }
}
