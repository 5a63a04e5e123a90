//! Envoy's `ext_authz` over gRPC.

use std::future::Future;
use std::pin::Pin;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::Response;
use tonic::server::{Grpc, UnaryService};
use tonic_prost::ProstCodec;

use super::ENVOY_DIAL;
use super::judge::{GatewayDecision, judge};
use super::messages::{
    CheckRequest, CheckResponse, DeniedHttpResponse, HeaderValue, HeaderValueOption, HttpStatus,
    OkHttpResponse, Status,
};
use super::original::{AGENT, Original, RequestParts, SCHEME};
use crate::context::Context;

/// Code of `google.rpc.Status` for a refused request.
const PERMISSION_DENIED: i32 = 7;

/// Value of `append_action` that overwrites a field of the same name (`OVERWRITE_IF_EXISTS_OR_ADD`).
const OVERWRITE: i32 = 2;

/// Maximum size of a question in bytes. A question consists mainly of the head of a request.
const MAX_QUESTION_BYTES: usize = 1 << 20;

/// Answers one question of Envoy.
pub(crate) async fn check(State(context): State<Context>, request: Request) -> Response {
    let mut grpc = Grpc::new(ProstCodec::default()).max_decoding_message_size(MAX_QUESTION_BYTES);
    grpc.unary(Check { context }, request).await.map(Body::new)
}

/// The gRPC method `Check`.
struct Check {
    context: Context,
}

impl UnaryService<CheckRequest> for Check {
    type Response = CheckResponse;
    type Future = Pin<Box<dyn Future<Output = Result<tonic::Response<CheckResponse>, tonic::Status>> + Send>>;

    fn call(&mut self, request: tonic::Request<CheckRequest>) -> Self::Future {
        let context = self.context.clone();
        Box::pin(async move {
            let judged = match original(request.into_inner()) {
                Ok(original) => judge(&context, &original).await,
                Err(error) => GatewayDecision::unknown(&error),
            };
            Ok(tonic::Response::new(answer(judged)))
        })
    }
}

/// Returns the original request that Envoy describes. A value from Envoy's configuration takes precedence over a header
/// field of the agent.
fn original(question: CheckRequest) -> Result<Original, String> {
    let attributes = question.attributes.unwrap_or_default();
    let request = attributes.request.and_then(|request| request.http).unwrap_or_default();
    let configured = attributes.context_extensions;
    let value = |name: &str| configured.get(name).or_else(|| request.headers.get(name)).map(String::as_bytes);
    let original = Original::new(RequestParts {
        method: part(&request.method),
        scheme: value(SCHEME).or(part(&request.scheme)),
        host: part(&request.host),
        target: part(&request.path),
        agent: value(AGENT),
    })?;
    let peer = attributes.source.and_then(|peer| peer.address?.socket_address);
    let original = original.with_address(peer.as_ref().map(|peer| &*peer.address));
    // Envoy sends the pseudo-header fields of HTTP/2 twice: among the headers, and as fields of the message.
    let fields = request.headers.iter().filter(|(name, _)| !name.starts_with(':'));
    Ok(original.with_fields(fields.map(|(name, value)| (name.as_str(), value.as_bytes()))))
}

/// Returns a text field of a message. An empty text counts as missing.
fn part(text: &str) -> Option<&[u8]> {
    (!text.is_empty()).then_some(text.as_bytes())
}

fn answer(judged: GatewayDecision) -> CheckResponse {
    let is_allowed = judged.is_allowed();
    let fields: Vec<_> = judged.fields.into_iter().map(|(name, value)| field(name, value)).collect();
    if is_allowed {
        // The fields are for the agent, not for the site.
        let headers = judged.dial.into_iter().map(|dial| field(ENVOY_DIAL, dial)).collect();
        let ok = OkHttpResponse { headers, response_headers_to_add: fields };
        return CheckResponse {
            status: Some(Status { code: 0 }),
            denied_response: None,
            ok_response: Some(ok),
        };
    }
    let mut headers = fields;
    headers.push(field("content-type", "application/json".to_owned()));
    let status = Some(HttpStatus { code: judged.status.into() });
    let denied = DeniedHttpResponse { status, headers, body: judged.body };
    CheckResponse {
        status: Some(Status { code: PERMISSION_DENIED }),
        denied_response: Some(denied),
        ok_response: None,
    }
}

fn field(name: &str, value: String) -> HeaderValueOption {
    let header = Some(HeaderValue { key: name.to_owned(), value });
    HeaderValueOption { header, append_action: OVERWRITE }
}
