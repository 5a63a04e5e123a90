//! The Model Context Protocol: assistants use Comity as a tool.
//!
//! The tools answer from the same places as `/v1`; nothing is decided anew. What is different is the listener: a model takes
//! every sentence for an instruction, and a robots.txt or a page is a stranger's words. So what a site says stands in fields of
//! structured answers, cut and without characters that hide, and each sentence that the server speaks is its own, word for word.
//! No argument chooses a mode or a name: what a model could set, a page could set.
//!
//! | module | holds |
//! |---|---|
//! | `arguments` | what the tools take |
//! | `tools` | the tools, as they are listed |
//! | `outcome` | the form of every answer and every refusal |
//! | `tame` | strangers' words, cut and without what hides |
//! | `fetch` | a page, piece by piece |
//! | `look` | what is asked about a site: decisions, the matrix, findings |
//! | `find_markdown` | better forms of a page |
//! | `server` | the protocol's requests, and where they lead |

mod arguments;
mod fetch;
mod find_markdown;
mod look;
mod outcome;
mod server;
mod tame;
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

/// Answers one request of the protocol over HTTP. There are no sessions: each request says all there is to know.
pub(crate) async fn over_http(State(context): State<Context>, request: Request) -> Result<Response, Problem> {
    let request = body::whole(request, &context).await?.map(Body::from);
    // The door looked at names and origins already.
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
