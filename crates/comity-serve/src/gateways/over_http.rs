//! Gateways that ask over HTTP and read the decision from the status and header fields.

use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::Response;
use http::header::{CONTENT_TYPE, HeaderName};
use http::{HeaderValue, StatusCode};

use super::judge::{GatewayDecision, judge};
use super::original::Original;
use crate::context::Context;

/// Path prefix of Envoy's HTTP authorization. The original path follows it.
pub(crate) const EXT_AUTHZ: &str = "/gateway/envoy";

/// Answers Traefik and Caddy. They send a refusal to the agent unchanged.
pub(crate) async fn forward_auth(State(context): State<Context>, request: Request) -> Response {
    response(decide(&context, Original::of_forwarded(request.headers())).await)
}

/// Answers nginx. It takes 403 for a refusal and every other status for a failure, so the intended status is in `comity-status`.
pub(crate) async fn auth_request(State(context): State<Context>, request: Request) -> Response {
    let mut judged = decide(&context, Original::of_forwarded(request.headers())).await;
    let status = judged.status;
    judged.fields.push(("comity-status", status.to_string()));
    if !judged.is_allowed() {
        judged.status = 403;
    }
    response(judged)
}

/// Answers Envoy, which sends the original method, host and path behind a prefix.
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
