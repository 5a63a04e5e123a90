//! The HTTP service of Comity. It decides which URLs a program may fetch, and how fast, and gives the reasons. The
//! program can be written in any language.
//!
//! The service uses the engine and the client of the other Comity crates. It returns the same JSON rows as the command
//! `comity`. Services with a common store share one cache of robots.txt files and one pace per origin.
//!
//! ```no_run
//! use comity_client::Client;
//! use comity_serve::{Listener, Service, ServiceOptions};
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let client = Client::builder("ExampleBot").contact("https://example.com/bot").on_web_ports().build()?;
//! let listener = tokio::net::TcpListener::bind("127.0.0.1:7273").await?;
//! let service = Service::new(client, ServiceOptions::default());
//! service.serve(Listener::Tcp(listener), std::future::pending()).await;
//! # Ok(())
//! # }
//! ```
//!
//! A *question* is the JSON object in the body of a request. A *batch* is a body of several lines: a question, then one
//! URL or further question per line.
//!
//! # Features
//!
//! | feature | adds |
//! |---|---|
//! | `otel` | spans continue the trace that a caller names in `traceparent` (OpenTelemetry) |

// A request passes through `server`, the router of `routes`, `admission`, and a handler in `answers`. Handlers are
// functions with extractors: `State<Context>`, and `Question` or `Questions` of `body`. `comity-answers` defines the
// types of most questions and of rows; `questions` defines those of the rest. `batch` streams the rows of requests
// with many URLs.
//
// | module | holds |
// |---|---|
// | `options` | settings and limits of the service |
// | `fair` | fair shares of requests, memory and CPU-bound work between callers |
// | `server`, `preface`, `stall` | connections: accept, HTTP version, write timeouts, shutdown |
// | `connections` | the open connections; selects a connection to close when the maximum number is reached |
// | `deadline_timer` | a timer for all time limits of a connection |
// | `service` | the public type `Service`: shared state and router |
// | `admission` | the steps of every request: authentication, limits, answer, metrics and log |
// | `access_control` | checks of `Host`, `Origin` and tokens; identification of callers |
// | `routes` | the table of routes: path, documentation, request, answer and handler; the OpenAPI description (`openapi`) |
// | `questions` | questions about reservations of slots, reports and signatures |
// | `body` | request bodies, whole and line by line |
// | `batch` | answers to questions about many URLs, in the order of the URLs, with backpressure |
// | `answers` | the handlers, one file for each kind of question |
// | `page` | the web page at `/` |
// | `signatures` | verification of request signatures |
// | `mcp`, `stdio` | assistants: the Model Context Protocol, over HTTP and over two streams |
// | `gateways` | authorization of requests for proxies: nginx, Caddy, Traefik and Envoy |
// | `page_cache` | cache of fetched pages, for assistants that read a page in pieces |
// | `quotas` | limits on new origins and open slots for each caller |
// | `context` | the state that all requests share; the client, limits and caller of one request |
// | `problem` | problem details (RFC 9457) |
// | `metrics`, `log` | metrics and request logs |
// | `span` | spans of requests, for traces |

#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod access_control;
mod admission;
mod answers;
mod batch;
mod body;
mod connections;
mod context;
mod deadline_timer;
mod fair;
mod gateways;
mod log;
mod mcp;
mod metrics;
mod options;
mod page;
mod page_cache;
mod preface;
mod problem;
mod questions;
mod quotas;
mod routes;
mod server;
mod service;
mod signatures;
mod span;
mod stall;
mod stdio;

pub use axum;
pub use options::{Logger, RequestLog, ServiceOptions};
pub use server::Listener;
pub use service::Service;

/// Returns the OpenAPI 3.1 description of the service, as `/openapi.json` serves it.
pub fn openapi() -> &'static serde_json::Value {
    routes::document()
}

/// The program of the package's README, as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
