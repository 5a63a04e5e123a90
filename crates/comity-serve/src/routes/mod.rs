//! The routes. One entry declares the path, documentation, request, answer and handler of a route.
//!
//! The router of `axum` selects the route and the method. Each handler is wrapped in an [`AdmittedHandler`], which
//! checks access and limits before a whole body is read. `/openapi.json` is generated from the entries.

mod openapi;

use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::handler::Handler;
use axum::response::{IntoResponse, Response};
use axum::routing::{self, MethodRouter};
use comity_answers::agents::AgentsRequest;
use comity_answers::check::Check;
use comity_answers::dialects::DialectsRequest;
use comity_answers::diff::DiffOperation;
use comity_answers::explain::Explain;
use comity_answers::inspect::Inspect;
use comity_answers::lint::Lint;
use comity_answers::llms::LlmsOperation;
use comity_answers::matrix::MatrixOperation;
use comity_answers::new::New;
use comity_answers::notice::WithNotices;
use comity_answers::operation::{FileOperation, RequestOperation, Rows, UrlOperation};
use comity_answers::page::PageOperation;
use comity_answers::presets::PresetsRequest;
use comity_answers::robots::Robots;
use comity_answers::schema::{self, Components};
use comity_answers::sitemap::SitemapRows;
use comity_answers::status::StatusRequest;
use comity_answers::test::TestOperation;
use comity_answers::usage::UsageOperation;
use http::header::CONTENT_TYPE;
use http::{HeaderMap, Uri};
use schemars::{JsonSchema, Schema};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::admission::{Access, AdmittedHandler, AnswerFuture};
use crate::answers::urls::Urls;
use crate::answers::{Json, admit, files, verify};
use crate::batch;
use crate::body::Question;
use crate::context::{Context, Shared};
use crate::gateways::{self, EXT_AUTHZ};
use crate::mcp;
use crate::page;
use crate::problem::{Kind, Problem};

pub(crate) use self::openapi::document;

/// A route that `/openapi.json` describes.
pub(crate) struct Route {
    path: &'static str,
    /// Summary of the route, in one line.
    summary: &'static str,
    request: RequestForm,
    answer: AnswerForm,
    access: Access,
    methods: MethodRouter<Arc<Shared>>,
}

/// A function that returns the schema of a request.
type RequestSchema = fn() -> Schema;

/// A function that adds the schema of an answer to the components of the OpenAPI description, and returns it.
type AnswerSchema = fn(&mut Components) -> Schema;

/// The form of a request: where its parameters are, and their schema.
#[derive(Debug)]
enum RequestForm {
    /// The request has no parameters.
    Nothing,
    /// Parameters in the query of a GET request.
    Query(RequestSchema),
    /// A JSON object in the body of a POST request.
    Body(RequestSchema),
}

/// The form of an answer.
#[derive(Debug)]
enum AnswerForm {
    /// Rows: `whole` is the object with all rows and notices, `row` is one row of a batch.
    Rows { whole: AnswerSchema, row: AnswerSchema },
    /// An object of this schema.
    Object(AnswerSchema),
    /// A JSON object without a schema.
    Other,
    /// Text of this media type.
    Text(&'static str),
}

const TEXT: &str = "text/plain";
const METRICS: &str = "text/plain; version=0.0.4";

/// Returns the routes that `/openapi.json` describes.
fn described_routes() -> Vec<Route> {
    vec![
        urls::<Check>("/v1/check", "Decide whether each crawler may fetch each URL, with the deciding line"),
        urls::<Explain>("/v1/explain", "Explain the decision for each URL and crawler"),
        file::<Lint>("/v1/lint", "Find mistakes in a robots.txt"),
        file::<MatrixOperation>("/v1/matrix", "List the access that a robots.txt gives to known crawlers"),
        urls::<UsageOperation>("/v1/usage", "List the permitted uses of content, signal by signal"),
        file::<DiffOperation>("/v1/diff", "Compare the meaning of two versions of a robots.txt"),
        file::<New>("/v1/new", "Write a robots.txt from a list of crawlers to allow and to block"),
        file::<Inspect>("/v1/inspect", "List the content of a robots.txt"),
        file::<TestOperation>("/v1/test", "Test whether a robots.txt gives the expected decisions"),
        request::<StatusRequest>(
            "/v1/status",
            "Decide what follows from an answer to the request for robots.txt",
        ),
        request::<PageOperation>("/v1/page", "Combine the directives of a page and its header"),
        request::<SitemapRows>("/v1/sitemap", "List the entries of a sitemap and its mistakes"),
        request::<LlmsOperation>("/v1/llms", "List the content of an llms.txt and its suggestions"),
        request::<AgentsRequest>("/v1/agents", "List known crawlers"),
        request::<DialectsRequest>("/v1/dialects", "List the dialects and their differences"),
        request::<PresetsRequest>("/v1/presets", "List the presets and their tables"),
        file_by_query::<Robots>("/v1/robots", "Return the robots.txt of a site with its provenance"),
        json("/v1/admit", "Reserve a slot in the shared pace for a request, if it is allowed", admit::admit),
        json(
            "/v1/report",
            "Report the answer to a request, so that a Retry-After applies to all clients",
            admit::report,
        ),
        json(
            "/v1/verify",
            "Identify the sender of a request by its signature (Web Bot Auth)",
            verify::verify,
        ),
        get("/openapi.json", "Return this description", AnswerForm::Other, Access::Counted, || async {
            ([(CONTENT_TYPE, "application/json")], document().to_string())
        }),
        get("/metrics", "Return metrics for Prometheus", AnswerForm::Text(METRICS), Access::Counted, metrics),
        get("/healthz", "Check that the service runs", AnswerForm::Text(TEXT), Access::Open, || async {
            ([(CONTENT_TYPE, TEXT)], "ok\n")
        }),
        get(
            "/readyz",
            "Check that the store of the service works",
            AnswerForm::Text(TEXT),
            Access::Open,
            check_readiness,
        ),
    ]
}

/// Returns the router with all routes that the options enable.
pub(crate) fn router(shared: Arc<Shared>) -> Router {
    use routing::{any, get, post};
    let mut router = Router::new();
    for route in described_routes() {
        router = router.route(route.path, route.methods);
    }
    if shared.options.mcp {
        router = router.route("/mcp", methods(post, "/mcp", Access::Counted, mcp::over_http));
    }
    if shared.options.gateway {
        let envoy = || any(counted(EXT_AUTHZ, gateways::ext_authz));
        let [forward, nginx] = ["/gateway/forward-auth", "/gateway/nginx"];
        let grpc = "/envoy.service.auth.v3.Authorization/Check";
        router = router
            .route(forward, any(counted(forward, gateways::forward_auth)))
            .route(nginx, any(counted(nginx, gateways::auth_request)))
            .route(&format!("{EXT_AUTHZ}/"), envoy())
            .route(&format!("{EXT_AUTHZ}/{{*target}}"), envoy())
            .route(grpc, methods(post, grpc, Access::Counted, gateways::check));
    }
    for file in page::FILES.iter() {
        let access = if file.is_document() { Access::Document } else { Access::Open };
        let answer = move |request: Request| async move { file.answer(request.headers()) };
        router = router.route(file.path, methods(get, "/", access, answer));
    }
    router
        .fallback(AdmittedHandler { name: "-", access: Access::Token, handler: not_found })
        .with_state(shared)
}

/// Creates a route for an operation that answers for each URL and crawler.
fn urls<O: UrlOperation>(path: &'static str, summary: &'static str) -> Route
where
    O::Request: JsonSchema,
    O::Row<'static>: JsonSchema,
{
    let answer = AnswerForm::Rows {
        whole: Components::schema::<WithNotices<Rows<O::Row<'static>>>>,
        row: Components::reference::<O::Row<'static>>,
    };
    post::<O::Request, _, _>(path, summary, answer, batch::answer::<Urls<O>>)
}

/// Creates a route for an operation about files; the request is in the body.
fn file<O: FileOperation>(path: &'static str, summary: &'static str) -> Route
where
    O::Request: JsonSchema,
    O::Row: JsonSchema,
{
    post::<O::Request, _, _>(path, summary, file_answer::<O>(), files::by_body::<O>)
}

/// Creates a route for an operation about files; the request is in the query.
fn file_by_query<O: FileOperation>(path: &'static str, summary: &'static str) -> Route
where
    O::Request: JsonSchema,
    O::Row: JsonSchema,
{
    let request = RequestForm::Query(schema::request::<O::Request>);
    let route = get(path, summary, file_answer::<O>(), Access::Counted, files::by_query::<O>);
    Route { request, ..route }
}

fn file_answer<O: FileOperation>() -> AnswerForm
where
    O::Row: JsonSchema,
{
    AnswerForm::Object(match O::HAS_NOTICES {
        true => Components::schema::<WithNotices<O::Row>>,
        false => Components::schema::<O::Row>,
    })
}

/// Creates a route for an operation that needs no input but its request.
fn request<O: RequestOperation>(path: &'static str, summary: &'static str) -> Route
where
    O::Request: JsonSchema,
    O::Answer<'static>: JsonSchema,
{
    let answer = AnswerForm::Object(Components::schema::<O::Answer<'static>>);
    post::<O::Request, _, _>(path, summary, answer, files::by_request::<O>)
}

/// Creates a route with a separate handler, whose types define the schemas of the request and the answer.
fn json<Q, A, F, Answer>(path: &'static str, summary: &'static str, handler: F) -> Route
where
    Q: DeserializeOwned + JsonSchema + Send + 'static,
    A: Serialize + JsonSchema + 'static,
    F: Fn(State<Context>, Question<Q>) -> Answer + Clone + Send + Sync + 'static,
    Answer: Future<Output = Result<Json<A>, Problem>> + Send + 'static,
{
    post::<Q, _, _>(path, summary, AnswerForm::Object(Components::reference::<A>), handler)
}

fn post<Q, H, T>(path: &'static str, summary: &'static str, answer: AnswerForm, handler: H) -> Route
where
    Q: JsonSchema,
    H: Handler<T, Context, Future = AnswerFuture>,
    T: 'static,
{
    let (request, access) = (RequestForm::Body(schema::request::<Q>), Access::Counted);
    Route { path, summary, request, answer, access, methods: methods(routing::post, path, access, handler) }
}

fn get<H, T>(
    path: &'static str,
    summary: &'static str,
    answer: AnswerForm,
    access: Access,
    handler: H,
) -> Route
where
    H: Handler<T, Context, Future = AnswerFuture>,
    T: 'static,
{
    let methods = methods(routing::get, path, access, handler);
    Route { path, summary, request: RequestForm::Nothing, answer, access, methods }
}

/// Wraps a handler whose requests count against the limits.
fn counted<H>(name: &'static str, handler: H) -> AdmittedHandler<H> {
    AdmittedHandler { name, access: Access::Counted, handler }
}

/// Returns the handlers of a path: `handler` for the supported method, and a problem for all other methods.
fn methods<H, T>(
    method: fn(AdmittedHandler<H>) -> MethodRouter<Arc<Shared>>,
    name: &'static str,
    access: Access,
    handler: H,
) -> MethodRouter<Arc<Shared>>
where
    H: Handler<T, Context, Future = AnswerFuture>,
    T: 'static,
{
    let other = if access == Access::Counted { Access::Token } else { access };
    method(AdmittedHandler { name, access, handler }).fallback(AdmittedHandler {
        name,
        access: other,
        handler: wrong_method,
    })
}

async fn not_found() -> Problem {
    Problem::new(Kind::NotFound, "/openapi.json lists the routes")
}

async fn wrong_method(uri: Uri) -> Problem {
    let detail = format!("`{}` does not support this method; `Allow` lists its methods", uri.path());
    Problem::new(Kind::WrongMethod, detail)
}

async fn metrics(State(context): State<Context>) -> Response {
    let Shared { metrics, shares, .. } = &*context.shared;
    ([(CONTENT_TYPE, METRICS)], metrics.text(context.client(), shares)).into_response()
}

/// Checks that the store works. The error contains the location of the store, so only holders of a token get it.
async fn check_readiness(State(context): State<Context>, headers: HeaderMap) -> Result<Response, Problem> {
    let _turn = context.shared.checks.acquire().await;
    let is_trusted = context.setup.access_control.holder(&headers).is_some();
    let failed = |error: String| {
        let detail = if is_trusted { error } else { "the store does not answer".to_owned() };
        Problem::new(Kind::StoreFailed, detail)
    };
    let somewhere = url::Url::parse("https://localhost/").ok();
    let origin = somewhere.and_then(|url| comity_client::Origin::of(&url));
    let origin = origin.ok_or_else(|| failed("the check has no origin".to_owned()))?;
    context.client().store().get(&origin).await.map_err(|error| failed(error.to_string()))?;
    Ok(([(CONTENT_TYPE, TEXT)], "ready\n").into_response())
}
