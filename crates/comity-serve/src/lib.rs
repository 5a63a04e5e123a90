//! The HTTP service of Comity. It answers programs in any language which URLs may be fetched, how fast, and why.
//!
//! It uses the engine and the client of the other Comity crates. Its rows are those that the command prints. Services that share
//! a store share one cache and one pace.
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
//! A request passes `server`, the router of `routes`, `admission`, and a handler in `answers`. Handlers are functions with
//! extractors: `State<Context>`, and `Question` or `Questions` of `body`. Requests and rows are those of `comity-answers`,
//! except those about the service itself (`questions`). Many URLs go through `batch`, a stream that is pulled.
//!
//! | module | holds |
//! |---|---|
//! | `options` | settings and limits of the service |
//! | `fair` | fair shares of requests, memory and CPU-bound work between callers |
//! | `server`, `preface`, `stall` | connections: accept, HTTP version, write timeouts, shutdown |
//! | `connections` | the open connections, and the choice of a connection to close when there is no room |
//! | `service` | the service: its shared parts and the router |
//! | `admission` | the steps of every request: authentication, limits, answer, metrics and log |
//! | `access_control` | access control |
//! | `routes` | routes: path, documentation, request, answer and handler of each; their description (`openapi`) |
//! | `questions` | requests about the service itself |
//! | `body` | request bodies, whole and line by line |
//! | `batch` | questions about many URLs, answered in order, with backpressure |
//! | `answers` | the handlers, one file for each kind of question |
//! | `page` | the page at `/` |
//! | `signatures` | verification of request signatures |
//! | `mcp`, `stdio` | assistants: the Model Context Protocol, over HTTP and over two streams |
//! | `gateways` | proxies that ask before each request |
//! | `page_cache` | cache of pages that an assistant reads piece by piece |
//! | `quotas` | limits on new origins and open slots for each caller |
//! | `context` | context of a request: client, limits and caller |
//! | `problem` | problem details (RFC 9457) |
//! | `metrics`, `log` | metrics and request logs |

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
