//! Handlers for gateways that send questions over HTTP, and read the decision from the status and header fields of the
//! answer.

use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::Response;
use http::header::{CONTENT_TYPE, HeaderName};
use http::{HeaderValue, StatusCode};

use super::judge::{GatewayDecision, judge};
use super::original::Original;
use crate::context::Context;

/// Path prefix of questions of Envoy. The path of the original request follows.
pub(crate) const EXT_AUTHZ: &str = "/gateway/envoy";

/// Answers a question of Traefik or Caddy, which send the answer to the agent if it is a refusal.
pub(crate) async fn forward_auth(State(context): State<Context>, request: Request) -> Response {
    response(decide(&context, Original::of_forwarded(request.headers())).await)
}

/// Answers a question of nginx. For nginx, 403 is a refusal, and other error statuses are failures of this service. So
/// every refusal has the status 403, and `comity-status` has the status for the agent.
pub(crate) async fn auth_request(State(context): State<Context>, request: Request) -> Response {
    let mut judged = decide(&context, Original::of_forwarded(request.headers())).await;
    let status = judged.status;
    judged.fields.push(("comity-status", status.to_string()));
    if !judged.is_allowed() {
        judged.status = 403;
    }
    response(judged)
}

/// Answers a question of Envoy, which sends the original request with [`EXT_AUTHZ`] before its path.
pub(crate) async fn ext_authz(State(context): State<Context>, request: Request) -> Response {
    let (method, headers) = (request.method().as_str(), request.headers());
    let original = Original::of_request(method, request.uri(), EXT_AUTHZ, headers);
    response(decide(&context, original).await)
}

async fn decide(context: &Context, original: Result<Original, String>) -> GatewayDecision {
    match original {
        Ok(original) => judge(context, &original).await,
        Err(error) => GatewayDecision::unknown(&error),
    }
}

fn response(judged: GatewayDecision) -> Response {
    let GatewayDecision { status, fields, dial, body } = judged;
    let is_refused = !body.is_empty();
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::FORBIDDEN);
    let headers = response.headers_mut();
    if is_refused {
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    }
    let dial = dial.into_iter().flat_map(|dial| [(super::DIAL, dial.clone()), (super::ENVOY_DIAL, dial)]);
    for (name, value) in fields.into_iter().chain(dial) {
        if let Ok(value) = HeaderValue::from_str(&value) {
            headers.insert(HeaderName::from_static(name), value);
        }
    }
    response
}
