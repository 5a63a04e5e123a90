//! What is asked where: one table, by which requests are led, counted and described.

use comity_answers::request::UrlsRequest;
use comity_answers::schema;
use comity_answers::usage::UsageRequest;
use http::Method;
use schemars::Schema;
use serde_json::{Value, json};

use crate::answers::admit::{AdmitAnswer, ReportAnswer};
use crate::answers::new::NewAnswer;
use crate::answers::robots::RobotsAnswer;
use crate::questions::{
    AdmitQuestion, DiffQuestion, FileQuestion, MatrixQuestion, NewQuestion, ReportQuestion, VerifyQuestion,
};

/// Something that may be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Route {
    Check,
    Explain,
    Lint,
    Matrix,
    Usage,
    Diff,
    New,
    Robots,
    Admit,
    Report,
    Verify,
    OpenApi,
    Metrics,
    Health,
    Ready,
    /// Another protocol, which describes itself.
    Mcp,
    /// Gateways, each in its own way.
    ForwardAuth,
    AuthRequest,
    ExtAuthz,
    ExtAuthzGrpc,
}

/// What an answer is made of.
pub(crate) enum Answer {
    /// `{"rows": [...], "notices": [...]}` of this row, and a batch of rows.
    Rows(&'static str),
    /// `{"findings": [...]}` of this row.
    Findings(&'static str),
    /// The row itself.
    Row(&'static str),
    /// The row with `notices`.
    Noticed(&'static str),
    /// This object.
    Object(Value),
    /// Text, of this media type.
    Text(&'static str),
}

impl Route {
    /// Everything that is described here and always there.
    pub(crate) const ALL: [Route; 15] = [
        Route::Check,
        Route::Explain,
        Route::Lint,
        Route::Matrix,
        Route::Usage,
        Route::Diff,
        Route::New,
        Route::Robots,
        Route::Admit,
        Route::Report,
        Route::Verify,
        Route::OpenApi,
        Route::Metrics,
        Route::Health,
        Route::Ready,
    ];

    pub(crate) const GATEWAYS: [Route; 4] =
        [Route::ForwardAuth, Route::AuthRequest, Route::ExtAuthz, Route::ExtAuthzGrpc];

    /// Returns the route of a path.
    pub(crate) fn of_path(path: &str) -> Option<Route> {
        let is_meant = |route: &Route| match route {
            // The original path follows.
            Route::ExtAuthz => path.strip_prefix(route.path()).is_some_and(|rest| rest.starts_with('/')),
            route => path == route.path(),
        };
        Route::ALL.into_iter().chain([Route::Mcp]).chain(Route::GATEWAYS).find(is_meant)
    }

    pub(crate) const fn path(self) -> &'static str {
        match self {
            Route::Check => "/v1/check",
            Route::Explain => "/v1/explain",
            Route::Lint => "/v1/lint",
            Route::Matrix => "/v1/matrix",
            Route::Usage => "/v1/usage",
            Route::Diff => "/v1/diff",
            Route::New => "/v1/new",
            Route::Robots => "/v1/robots",
            Route::Admit => "/v1/admit",
            Route::Report => "/v1/report",
            Route::Verify => "/v1/verify",
            Route::OpenApi => "/openapi.json",
            Route::Metrics => "/metrics",
            Route::Health => "/healthz",
            Route::Ready => "/readyz",
            Route::Mcp => "/mcp",
            Route::ForwardAuth => "/gateway/forward-auth",
            Route::AuthRequest => "/gateway/nginx",
            Route::ExtAuthz => "/gateway/envoy",
            Route::ExtAuthzGrpc => "/envoy.service.auth.v3.Authorization/Check",
        }
    }

    pub(crate) const fn summary(self) -> &'static str {
        match self {
            Route::Check => "Say of each URL whether each crawler may fetch it, and which line decides",
            Route::Explain => "The same with everything that led to it",
            Route::Lint => "Say what is odd in a robots.txt",
            Route::Matrix => "Say which known crawlers a robots.txt lets in",
            Route::Usage => "Say what content may be used for, signal by signal",
            Route::Diff => "Say what a change of a robots.txt changes in meaning",
            Route::New => "Write a robots.txt from wishes: whom to let in, whom to keep out",
            Route::Robots => "Return the robots.txt of a site, and how it came",
            Route::Admit => {
                "Say whether a request may be sent and when, and take its slot in the shared pace"
            }
            Route::Report => {
                "Tell what a request was answered with, so that a Retry-After keeps everybody away"
            }
            Route::Verify => "Say whose request it is, by its signature (Web Bot Auth)",
            Route::OpenApi => "Return this description",
            Route::Metrics => "Return counters, as Prometheus reads them",
            Route::Health => "Say that the service runs",
            Route::Ready => "Say whether the service can answer: its store works",
            Route::Mcp => "Answer an assistant (Model Context Protocol)",
            Route::ForwardAuth | Route::AuthRequest | Route::ExtAuthz | Route::ExtAuthzGrpc => {
                "Tell a gateway whether a request may pass"
            }
        }
    }

    pub(crate) const fn method(self) -> Method {
        match self.question() {
            None if !matches!(self, Route::Mcp | Route::ExtAuthzGrpc) => Method::GET,
            _ => Method::POST,
        }
    }

    /// Returns the schema of the question, for those that are asked with a body.
    pub(crate) const fn question(self) -> Option<fn() -> Schema> {
        match self {
            Route::Check | Route::Explain => Some(schema::request::<UrlsRequest>),
            Route::Lint => Some(schema::request::<FileQuestion>),
            Route::Matrix => Some(schema::request::<MatrixQuestion>),
            Route::Usage => Some(schema::request::<UsageRequest>),
            Route::Diff => Some(schema::request::<DiffQuestion>),
            Route::New => Some(schema::request::<NewQuestion>),
            Route::Admit => Some(schema::request::<AdmitQuestion>),
            Route::Report => Some(schema::request::<ReportQuestion>),
            Route::Verify => Some(schema::request::<VerifyQuestion>),
            _ => None,
        }
    }

    pub(crate) fn answer_of(self) -> Answer {
        match self {
            Route::Check => Answer::Rows("decision"),
            Route::Explain => Answer::Rows("explanation"),
            Route::Usage => Answer::Rows("usage"),
            Route::Lint => Answer::Findings("finding"),
            Route::Matrix => Answer::Noticed("matrix"),
            Route::Diff => Answer::Noticed("diff"),
            Route::Verify => Answer::Row("signature"),
            Route::New => Answer::Object(schema::answer::<NewAnswer>().into()),
            Route::Robots => Answer::Object(schema::answer::<RobotsAnswer>().into()),
            Route::Admit => Answer::Object(schema::answer::<AdmitAnswer>().into()),
            Route::Report => Answer::Object(schema::answer::<ReportAnswer>().into()),
            Route::OpenApi
            | Route::Mcp
            | Route::ForwardAuth
            | Route::AuthRequest
            | Route::ExtAuthz
            | Route::ExtAuthzGrpc => Answer::Object(json!({ "type": "object" })),
            Route::Metrics => Answer::Text(METRICS),
            Route::Health | Route::Ready => Answer::Text("text/plain"),
        }
    }

    /// Returns whether a request of any method is an answer to it: that of the request that is judged.
    pub(crate) const fn takes_any_method(self) -> bool {
        matches!(self, Route::ForwardAuth | Route::AuthRequest | Route::ExtAuthz)
    }

    /// Returns whether it is asked by what watches the machine, without a token.
    pub(crate) const fn is_open(self) -> bool {
        matches!(self, Route::Health | Route::Ready)
    }
}

pub(crate) const METRICS: &str = "text/plain; version=0.0.4";
