//! The Model Context Protocol: assistants use Comity as a tool.
//!
//! The tools use the code behind `/v1`. The difference is the reader: a model may take every sentence for an instruction, and a
//! robots.txt or a page is text of strangers. So text of a site is put into fields of structured answers, shortened and without
//! invisible characters. Every sentence outside of these fields is a fixed text of the server. No argument selects a mode or a
//! name: a page could make the model set it.
//!
//! | module | holds |
//! |---|---|
//! | `arguments` | arguments of the tools |
//! | `tools` | the list of tools |
//! | `outcome` | the form of every answer and every refusal |
//! | `sanitize` | sanitizes text of strangers |
//! | `fetch` | returns a page piece by piece |
//! | `site_tools` | tools about a site: decisions, the matrix, findings |
//! | `find_markdown` | better forms of a page |
//! | `server` | the requests of the protocol, and their handlers |

mod arguments;
mod fetch;
mod find_markdown;
mod outcome;
mod sanitize;
mod server;
mod site_tools;
mod tools;

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::Response;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};

pub(crate) use self::server::Mcp;
use crate::body;
use crate::context::Context;
use crate::problem::Problem;

/// Answers one request of the protocol over HTTP. There are no sessions: each request is complete in itself.
pub(crate) async fn over_http(State(context): State<Context>, request: Request) -> Result<Response, Problem> {
    let request = body::whole(request, &context).await?.map(Body::from);
    // Access control has already checked hosts and origins.
    let config = StreamableHttpServerConfig::default()
        .disable_allowed_hosts()
        .disable_allowed_origins()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_max_request_body_bytes(context.shared.options.body_bytes);
    let mcp = Mcp::new(context);
    let sessions = Arc::new(NeverSessionManager::default());
    let service = StreamableHttpService::new(move || Ok(mcp.clone()), sessions, config);
    Ok(service.handle(request).await.map(Body::new))
}
