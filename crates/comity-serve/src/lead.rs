//! Leads a request to its answer.

use axum_core::body::Body;
use axum_core::response::Response;
use http::HeaderValue;
use http::header::CONTENT_TYPE;
use http::request::Parts;

use crate::answers::check::Check;
use crate::answers::explain::Explain;
use crate::answers::usage::Uses;
use crate::answers::{admit, diff, lint, matrix, new, robots, verify};
use crate::batch;
use crate::context::Context;
use crate::gateways;
use crate::mcp;
use crate::openapi;
use crate::problem::{Kind, Problem};
use crate::routes::{METRICS, Route};

/// Answers what was asked.
pub(crate) async fn answer(
    route: Route,
    context: Context,
    parts: Parts,
    body: Body,
) -> Result<Response, Problem> {
    match route {
        Route::Check => batch::answer::<Check>(context, parts, body).await,
        Route::Explain => batch::answer::<Explain>(context, parts, body).await,
        Route::Usage => batch::answer::<Uses>(context, parts, body).await,
        Route::Lint => lint::answer(context, parts, body).await,
        Route::Matrix => matrix::answer(context, parts, body).await,
        Route::Diff => diff::answer(context, parts, body).await,
        Route::New => new::answer(context, parts, body).await,
        Route::Robots => robots::answer(context, parts).await,
        Route::Admit => admit::admit(context, parts, body).await,
        Route::Report => admit::report(context, parts, body).await,
        Route::Verify => verify::answer(context, parts, body).await,
        Route::OpenApi => Ok(text("application/json", openapi::document().to_string())),
        Route::Metrics => Ok(text(METRICS, context.shared.metrics.text(context.client()))),
        Route::Health => Ok(text("text/plain", "ok\n".to_owned())),
        Route::Ready => ready(&context).await,
        Route::Mcp => mcp::over_http(context, parts, body).await,
        Route::ForwardAuth => Ok(gateways::forward_auth(context, parts).await),
        Route::AuthRequest => Ok(gateways::auth_request(context, parts).await),
        Route::ExtAuthz => Ok(gateways::ext_authz(context, route.path(), parts).await),
        Route::ExtAuthzGrpc => Ok(gateways::check(context, parts, body).await),
    }
}

fn text(media_type: &'static str, text: String) -> Response {
    let mut response = Response::new(Body::from(text));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
    response
}

/// The store answers, whatever it has.
async fn ready(context: &Context) -> Result<Response, Problem> {
    let failed = |error: String| Problem::new(Kind::StoreFailed, error);
    let somewhere = url::Url::parse("https://localhost/").ok();
    let origin = somewhere.and_then(|url| comity_client::Origin::of(&url));
    let origin = origin.ok_or_else(|| failed("there is no origin to ask for".to_owned()))?;
    context.client().store().get(&origin).await.map_err(|error| failed(error.to_string()))?;
    Ok(text("text/plain", "ready\n".to_owned()))
}
