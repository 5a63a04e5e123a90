//! Routes: the path, the documentation, the request, the answer and the handler of each stand together.
//!
//! Requests are routed, counted and described by this one table. A request is routed before its body is read: who may ask, how many requests of a
//! caller are answered at once and which methods there are depends on the route.

mod openapi;

use std::pin::Pin;

use axum_core::body::Body;
use axum_core::response::Response;
use comity_answers::check::Check;
use comity_answers::diff::{DiffDocument, DiffOperation};
use comity_answers::explain::Explain;
use comity_answers::lint::{FindingOf, Lint};
use comity_answers::matrix::{Matrix, MatrixOperation};
use comity_answers::new::{New, NewRow};
use comity_answers::notice::Noticed;
use comity_answers::operation::{FileOperation, UrlOperation};
use comity_answers::robots::RobotsRow;
use comity_answers::schema::{self, Components};
use comity_answers::signature::SignatureRow;
use comity_answers::usage::UsageOperation;
use http::header::CONTENT_TYPE;
use http::request::Parts;
use http::{HeaderMap, HeaderValue, Method};
use schemars::{JsonSchema, Schema};

use crate::answers::admit::{self, AdmitAnswer, ReportAnswer};
use crate::answers::urls::Urls;
use crate::answers::{files, robots, verify};
use crate::batch;
use crate::body::RequestBody;
use crate::context::Context;
use crate::gateways;
use crate::mcp;
use crate::problem::{Kind, Problem};
use crate::questions::{AdmitQuestion, ReportQuestion, VerifyQuestion};

pub(crate) use self::openapi::document;

/// A route.
#[derive(Debug)]
pub(crate) struct Route {
    pub(crate) path: &'static str,
    /// Meaning of the route, in one line.
    pub(crate) summary: &'static str,
    /// Schema of the request, for routes with a body.
    pub(crate) request: Option<fn() -> Schema>,
    /// Name and meaning of the parameter in the query.
    pub(crate) parameter: Option<(&'static str, &'static str)>,
    pub(crate) answer: Answer,
    pub(crate) presence: Presence,
    method: RouteMethod,
    /// True for routes of health checks, which need no token and take no place among the requests.
    pub(crate) is_open: bool,
    handler: Handler,
}

/// The future of an answer. Each kind has its own place on the heap: a future that holds all kinds has the size of the largest, and is moved several
/// times on its way.
type Answering = Pin<Box<dyn Future<Output = Result<Response, Problem>> + Send>>;

type Handler = fn(Context, Parts, RequestBody) -> Answering;

/// The method of a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RouteMethod {
    Get,
    Post,
    /// That of the request that a gateway asks about.
    Any,
}

/// When a route exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Presence {
    /// Always. `/openapi.json` describes it.
    Always,
    /// With the option for assistants.
    Mcp,
    /// With the option for gateways.
    Gateway,
    /// With the option for gateways, for all paths that begin with its path and a slash.
    GatewayBelow,
}

/// Adds the schema of an answer to those of the service.
pub(crate) type AnswerSchema = fn(&mut Components) -> Schema;

/// The form of an answer.
#[derive(Debug)]
pub(crate) enum Answer {
    /// `{"rows": [...], "notices": [...]}` of this row, and a batch of rows.
    Rows(AnswerSchema),
    /// `{"findings": [...]}` of this row.
    Findings(AnswerSchema),
    /// This object.
    Object(AnswerSchema),
    /// An object that another protocol or document describes.
    Other,
    /// Text, of this media type.
    Text(&'static str),
}

const METRICS: &str = "text/plain; version=0.0.4";

/// Every route.
pub(crate) static ROUTES: [Route; 20] = [
    urls::<Check>(
        "/v1/check",
        "Say of each URL whether each crawler may fetch it, and which line decides",
        Components::reference::<<Check as UrlOperation>::Row<'static>>,
    ),
    urls::<Explain>(
        "/v1/explain",
        "The same with everything that led to it",
        Components::reference::<<Explain as UrlOperation>::Row<'static>>,
    ),
    file::<Lint>(
        "/v1/lint",
        "Say what is odd in a robots.txt",
        Answer::Findings(Components::reference::<FindingOf<'static>>),
    ),
    file::<MatrixOperation>(
        "/v1/matrix",
        "Say which known crawlers a robots.txt lets in",
        Answer::Object(Components::schema::<Noticed<Matrix>>),
    ),
    urls::<UsageOperation>(
        "/v1/usage",
        "Say what content may be used for, signal by signal",
        Components::reference::<<UsageOperation as UrlOperation>::Row<'static>>,
    ),
    file::<DiffOperation>(
        "/v1/diff",
        "Say what a change of a robots.txt changes in meaning",
        Answer::Object(Components::schema::<Noticed<DiffDocument>>),
    ),
    file::<New>(
        "/v1/new",
        "Write a robots.txt from wishes: whom to let in, whom to keep out",
        Answer::Object(Components::schema::<NewRow>),
    ),
    Route {
        parameter: Some(("origin", "A URL of the site.")),
        ..get(
            "/v1/robots",
            "Return the robots.txt of a site, and how it came",
            Answer::Object(Components::schema::<RobotsRow>),
            |context, parts, _| Box::pin(robots::answer(context, parts)),
        )
    },
    post::<AdmitQuestion>(
        "/v1/admit",
        "Say whether a request may be sent and when, and take its slot in the shared pace",
        Answer::Object(Components::schema::<AdmitAnswer>),
        |context, parts, body| Box::pin(admit::admit(context, parts, body)),
    ),
    post::<ReportQuestion>(
        "/v1/report",
        "Tell what a request was answered with, so that a Retry-After keeps everybody away",
        Answer::Object(Components::schema::<ReportAnswer>),
        |context, parts, body| Box::pin(admit::report(context, parts, body)),
    ),
    post::<VerifyQuestion>(
        "/v1/verify",
        "Say whose request it is, by its signature (Web Bot Auth)",
        Answer::Object(Components::reference::<SignatureRow>),
        |context, parts, body| Box::pin(verify::answer(context, parts, body)),
    ),
    get("/openapi.json", "Return this description", Answer::Other, |_, _, _| {
        Box::pin(async { Ok(text("application/json", document().to_string())) })
    }),
    get("/metrics", "Return counters, as Prometheus reads them", Answer::Text(METRICS), |context, _, _| {
        let metrics = move || context.shared.metrics.text(context.client(), &context.shared.shares);
        Box::pin(async move { Ok(text(METRICS, metrics())) })
    }),
    Route {
        is_open: true,
        ..get("/healthz", "Say that the service runs", Answer::Text("text/plain"), |_, _, _| {
            Box::pin(async { Ok(text("text/plain", "ok\n".to_owned())) })
        })
    },
    Route {
        is_open: true,
        ..get(
            "/readyz",
            "Say whether the service can answer: its store works",
            Answer::Text("text/plain"),
            |context, parts, _| Box::pin(async move { ready(&context, &parts.headers).await }),
        )
    },
    Route {
        presence: Presence::Mcp,
        method: RouteMethod::Post,
        ..get(
            "/mcp",
            "Answer an assistant (Model Context Protocol)",
            Answer::Other,
            |context, parts, body| Box::pin(mcp::over_http(context, parts, body)),
        )
    },
    gateway("/gateway/forward-auth", Presence::Gateway, |context, parts, _| {
        Box::pin(async { Ok(gateways::forward_auth(context, parts).await) })
    }),
    gateway("/gateway/nginx", Presence::Gateway, |context, parts, _| {
        Box::pin(async { Ok(gateways::auth_request(context, parts).await) })
    }),
    gateway(EXT_AUTHZ, Presence::GatewayBelow, |context, parts, _| {
        Box::pin(async { Ok(gateways::ext_authz(context, EXT_AUTHZ, parts).await) })
    }),
    Route {
        method: RouteMethod::Post,
        ..gateway("/envoy.service.auth.v3.Authorization/Check", Presence::Gateway, |context, parts, body| {
            Box::pin(async { Ok(gateways::check(context, parts, body.into_inner()).await) })
        })
    },
];

/// The path of Envoy's HTTP authorization, which the original path follows.
const EXT_AUTHZ: &str = "/gateway/envoy";

/// A route of an operation that answers for each URL and crawler.
const fn urls<O: UrlOperation>(path: &'static str, summary: &'static str, row: AnswerSchema) -> Route
where
    O::Request: JsonSchema,
{
    post::<O::Request>(path, summary, Answer::Rows(row), |context, parts, body| {
        Box::pin(batch::answer::<Urls<O>>(context, parts, body))
    })
}

/// A route of an operation about a file.
const fn file<O: FileOperation>(path: &'static str, summary: &'static str, answer: Answer) -> Route
where
    O::Request: JsonSchema,
{
    post::<O::Request>(path, summary, answer, |context, parts, body| {
        Box::pin(files::answer::<O>(context, parts, body))
    })
}

const fn post<Q: JsonSchema>(
    path: &'static str,
    summary: &'static str,
    answer: Answer,
    handler: Handler,
) -> Route {
    let (method, request) = (RouteMethod::Post, Some(schema::request::<Q> as fn() -> Schema));
    Route { method, request, ..get(path, summary, answer, handler) }
}

const fn get(path: &'static str, summary: &'static str, answer: Answer, handler: Handler) -> Route {
    Route {
        path,
        summary,
        request: None,
        parameter: None,
        answer,
        presence: Presence::Always,
        method: RouteMethod::Get,
        is_open: false,
        handler,
    }
}

const fn gateway(path: &'static str, presence: Presence, handler: Handler) -> Route {
    let route = get(path, "Tell a gateway whether a request may pass", Answer::Other, handler);
    Route { presence, method: RouteMethod::Any, ..route }
}

impl Route {
    /// Returns the route of a path.
    pub(crate) fn of_path(path: &str) -> Option<&'static Route> {
        ROUTES.iter().find(|route| match route.presence {
            Presence::GatewayBelow => path.strip_prefix(route.path).is_some_and(|rest| rest.starts_with('/')),
            _ => path == route.path,
        })
    }

    /// Returns the method, which is GET for routes that take any.
    pub(crate) const fn method(&self) -> Method {
        match self.method {
            RouteMethod::Post => Method::POST,
            RouteMethod::Get | RouteMethod::Any => Method::GET,
        }
    }

    /// Returns true if requests of any method are answered.
    pub(crate) fn takes_any_method(&self) -> bool {
        self.method == RouteMethod::Any
    }

    /// Answers a request.
    pub(crate) fn answer(&self, context: Context, parts: Parts, body: RequestBody) -> Answering {
        (self.handler)(context, parts, body)
    }
}

fn text(media_type: &'static str, text: String) -> Response {
    let mut response = Response::new(Body::from(text));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
    response
}

/// Answers whether the store works. What is wrong with it is for holders of a token alone: its name says where it is.
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
