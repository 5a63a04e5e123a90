//! Leads a request to its answer.

use std::pin::Pin;

use axum_core::body::Body;
use axum_core::response::Response;
use comity_answers::check::Check;
use comity_answers::diff::DiffOperation;
use comity_answers::explain::Explain;
use comity_answers::lint::Lint;
use comity_answers::matrix::MatrixOperation;
use comity_answers::new::New;
use comity_answers::usage::UsageOperation;
use http::header::CONTENT_TYPE;
use http::request::Parts;
use http::{HeaderMap, HeaderValue};

use crate::answers::urls::Urls;
use crate::answers::{admit, files, robots, verify};
use crate::batch;
use crate::body::RequestBody;
use crate::context::Context;
use crate::gateways;
use crate::mcp;
use crate::openapi;
use crate::problem::{Kind, Problem};
use crate::routes::{METRICS, Route};

/// Answers what was asked.
///
/// Each kind of answer has its own place on the heap. A future that holds all kinds has the size of the largest, and is moved
/// several times on its way.
pub(crate) fn answer(
    route: Route,
    context: Context,
    parts: Parts,
    body: RequestBody,
) -> Pin<Box<dyn Future<Output = Result<Response, Problem>> + Send>> {
    match route {
        Route::Check => Box::pin(batch::answer::<Urls<Check>>(context, parts, body)),
        Route::Explain => Box::pin(batch::answer::<Urls<Explain>>(context, parts, body)),
        Route::Usage => Box::pin(batch::answer::<Urls<UsageOperation>>(context, parts, body)),
        Route::Lint => Box::pin(files::answer::<Lint>(context, parts, body)),
        Route::Matrix => Box::pin(files::answer::<MatrixOperation>(context, parts, body)),
        Route::Diff => Box::pin(files::answer::<DiffOperation>(context, parts, body)),
        Route::New => Box::pin(files::answer::<New>(context, parts, body)),
        Route::Robots => Box::pin(robots::answer(context, parts)),
        Route::Admit => Box::pin(admit::admit(context, parts, body)),
        Route::Report => Box::pin(admit::report(context, parts, body)),
        Route::Verify => Box::pin(verify::answer(context, parts, body)),
        Route::OpenApi => Box::pin(async { Ok(text("application/json", openapi::document().to_string())) }),
        Route::Metrics => {
            let metrics = move || context.shared.metrics.text(context.client(), &context.shared.shares);
            Box::pin(async move { Ok(text(METRICS, metrics())) })
        }
        Route::Health => Box::pin(async { Ok(text("text/plain", "ok\n".to_owned())) }),
        Route::Ready => Box::pin(async move { ready(&context, &parts.headers).await }),
        Route::Mcp => Box::pin(mcp::over_http(context, parts, body)),
        Route::ForwardAuth => Box::pin(async { Ok(gateways::forward_auth(context, parts).await) }),
        Route::AuthRequest => Box::pin(async { Ok(gateways::auth_request(context, parts).await) }),
        Route::ExtAuthz => {
            Box::pin(async move { Ok(gateways::ext_authz(context, route.path(), parts).await) })
        }
        Route::ExtAuthzGrpc => {
            Box::pin(async { Ok(gateways::check(context, parts, body.into_inner()).await) })
        }
    }
}

fn text(media_type: &'static str, text: String) -> Response {
    let mut response = Response::new(Body::from(text));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
    response
}

/// The store answers, whatever it has. What is wrong with it is for holders of a token alone: its name says where it is.
async fn ready(context: &Context, headers: &HeaderMap) -> Result<Response, Problem> {
    let _turn = context.shared.checks.acquire().await;
    let is_trusted = context.shared.door.holder(headers).is_some();
    let failed = |error: String| {
        let detail = if is_trusted { error } else { "the store does not answer".to_owned() };
        Problem::new(Kind::StoreFailed, detail)
    };
    let somewhere = url::Url::parse("https://localhost/").ok();
    let origin = somewhere.and_then(|url| comity_client::Origin::of(&url));
    let origin = origin.ok_or_else(|| failed("there is no origin to ask for".to_owned()))?;
    context.client().store().get(&origin).await.map_err(|error| failed(error.to_string()))?;
    Ok(text("text/plain", "ready\n".to_owned()))
}
