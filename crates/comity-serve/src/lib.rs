//! The HTTP service of Comity: what may be fetched, how fast, and why, for programs in any language.
//!
//! It is the same engine and the same client as everywhere; nothing is decided anew. The rows are those that the command
//! prints, and services that share a store share one cache and one pace.
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
//! | `options` | how the service behaves |
//! | `fair` | how callers share places, memory and work |
//! | `server`, `preface`, `stall` | connections: how they begin, and how they end |
//! | `connections` | which connections are open, and which is closed when there is no room |
//! | `service` | the service: what its parts share, and the router |
//! | `admission` | a request on its way: who asks, is there room, the answer, what is noted |
//! | `door` | who may come in |
//! | `routes` | routes: path, documentation, request, answer and handler of each together; their description (`openapi`) |
//! | `questions` | what may be asked |
//! | `body` | bodies, whole and line by line |
//! | `batch` | questions about many URLs, in order, with back-pressure |
//! | `answers` | a file for each question |
//! | `page` | the page at `/` |
//! | `signatures` | whose requests are, by their signatures |
//! | `mcp`, `stdio` | assistants: the Model Context Protocol, over HTTP and over two streams |
//! | `gateways` | proxies that ask before each request |
//! | `kept` | pages that an assistant reads piece by piece |
//! | `quotas` | how much of other people's sites one caller may ask for |
//! | `context` | what every answer is made with |
//! | `problem` | problems, as RFC 9457 writes them |
//! | `metrics`, `log` | what is counted and told |

#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod admission;
mod alarm;
mod answers;
mod batch;
mod body;
mod connections;
mod context;
mod door;
mod fair;
mod gateways;
mod kept;
mod log;
mod mcp;
mod metrics;
mod options;
mod page;
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

pub use options::{Logger, RequestLog, ServiceOptions};
pub use server::Listener;
pub use service::Service;

/// Returns the description of the service, OpenAPI 3.1, as `/openapi.json` has it.
pub fn openapi() -> &'static serde_json::Value {
    routes::document()
}
