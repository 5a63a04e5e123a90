//! The Model Context Protocol: tools for assistants.
//!
//! The tools use the code of the routes below `/v1`. But a model reads their answers, and may follow any sentence in
//! them as an instruction, although robots.txt files and pages are untrusted text. So text of a site is only in certain
//! fields of an answer, without invisible characters, and shortened unless it is a page. All sentences outside of these
//! fields are constants of the server. No argument selects a mode or the name of the server's crawler, because the text
//! of a page could make the model set it.
//!
//! | module | holds |
//! |---|---|
//! | `arguments` | arguments of the tools |
//! | `tools` | the list of tools: names, descriptions and schemas |
//! | `outcome` | the common form of all answers and refusals |
//! | `sanitize` | shortens untrusted text, and replaces or removes invisible characters |
//! | `fetch` | `fetch`: returns a page in pieces |
//! | `site_tools` | `check_url`, `explain`, `site_policy`, `lint_robots` |
//! | `find_markdown` | `find_markdown`: lists URLs of a page in Markdown |
//! | `server` | handlers of the requests of the protocol |

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

/// Answers one request of the protocol over HTTP. There are no sessions, so a request depends on no earlier request.
pub(crate) async fn over_http(State(context): State<Context>, request: Request) -> Result<Response, Problem> {
    let request = body::whole(request, &context).await?.map(Body::from);
    // Access control has already checked `Host` and `Origin`.
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
