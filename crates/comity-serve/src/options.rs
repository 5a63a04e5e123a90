//! How the service behaves: who may come in, and how much of everything.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;

use comity_client::Client;

/// How the service behaves. Every limit is there to keep a stranger, or a fault of a friend, from costing more than it should.
#[derive(Clone)]
#[allow(
    clippy::exhaustive_structs,
    reason = "callers name what they change, and end in `..Default::default()`"
)]
pub struct ServiceOptions {
    /// The tokens, one of which a request has to bring (`Authorization: Bearer ...`); none, if there are none. Each token is a
    /// caller of its own.
    pub tokens: Vec<String>,
    /// Names by which the service goes, beside `localhost`, loopback addresses and the address that a connection is made to. They matter where no token is asked for: a page of
    /// the web can make its own name lead to this machine.
    pub names: Vec<String>,
    /// The largest body of a question, in bytes. A batch may be of any size: this is about the question that begins it.
    pub body_bytes: usize,
    /// The largest number of rows that one answer holds; batches hold any number.
    pub rows: usize,
    /// How long a question may take to arrive, and each line of a batch, while the service waits for it.
    pub body_timeout: Duration,
    /// How long the answer to a question may take after the first bytes of the question arrived. A batch has no such end.
    pub answer_timeout: Duration,
    /// How long a connection may stay without a request, and a request without its whole head.
    pub idle_timeout: Duration,
    /// How long a caller may take to read 64 KiB of an answer, while the service waits for it.
    pub write_timeout: Duration,
    /// How long requests under way and the client may take after the service was told to stop.
    pub grace: Duration,
    /// Maximum number of requests that are answered at once. Further ones are answered with 503 and `Retry-After`. One caller
    /// takes at most as many as are free: half of them alone, a third beside one greedy caller.
    pub requests: usize,
    /// Maximum number of bytes that questions and answers take together until they were written, beyond 16 KiB for each
    /// request. It is shared between callers as `requests` are, and beyond it a request is answered with 503.
    pub answer_bytes: usize,
    /// Connections that are held at once. One more closes the connection that has been idle for longest, or else waits.
    pub connections: usize,
    /// Origins that one caller may have asked for anew in a minute. A batch waits for the next minute, a question is refused.
    pub new_origins: usize,
    /// Slots that one caller may have reserved and not yet come to.
    pub open_slots: usize,
    /// The longest wait for which a slot is reserved, unless a question says less.
    pub max_wait: Duration,
    /// Whether gateways are answered at `/gateway`, and over gRPC.
    pub gateway: bool,
    /// The clients of agents that a gateway may name, beside the service's own. They share its store, so that they share its pace.
    pub gateway_clients: Vec<Client>,
    /// Whether assistants are answered at `/mcp`. They may have pages fetched, which nothing else here does.
    pub mcp: bool,
    /// The client by which assistants' prompts fetch, which a person chose to send; `None`: the service's own. What models
    /// ask for by themselves, its own client fetches in any case.
    pub user_client: Option<Client>,
    /// Called for every request when its answer begins, on a thread of its own.
    pub log: Option<Logger>,
}

/// A callback for request logs. It is called on one thread, in order. It may block: up to 8,192 requests wait for it, and
/// further ones are dropped and counted in the metric `comity_log_lines_dropped_total`.
pub type Logger = Arc<dyn Fn(&RequestLog<'_>) + Send + Sync>;

impl Default for ServiceOptions {
    fn default() -> Self {
        ServiceOptions {
            tokens: Vec::new(),
            names: Vec::new(),
            body_bytes: 4 << 20,
            rows: 10_000,
            body_timeout: Duration::from_secs(30),
            answer_timeout: Duration::from_secs(60),
            idle_timeout: Duration::from_secs(30),
            write_timeout: Duration::from_secs(30),
            grace: Duration::from_secs(30),
            requests: 512,
            answer_bytes: 256 << 20,
            connections: 4_096,
            new_origins: 600,
            open_slots: 1_000,
            max_wait: Duration::from_secs(60),
            gateway: false,
            gateway_clients: Vec::new(),
            mcp: false,
            user_client: None,
            log: None,
        }
    }
}

/// Tokens are not shown.
impl fmt::Debug for ServiceOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServiceOptions")
            .field("tokens", &self.tokens.len())
            .field("names", &self.names)
            .field("requests", &self.requests)
            .field("answer_bytes", &self.answer_bytes)
            .field("connections", &self.connections)
            .finish_non_exhaustive()
    }
}

/// A request whose answer began. As JSON it is a line of a log. No text of a URL, a body or a token is in it.
#[derive(Debug, Serialize)]
#[non_exhaustive]
pub struct RequestLog<'a> {
    /// The identity of the request, which its answer has as `x-request-id`.
    pub request_id: &'a str,
    /// Who asked: `token 1`, an address, or `socket`.
    pub caller: &'a str,
    /// The method, cut after 32 characters.
    pub method: &'a str,
    /// What was asked: `/v1/check`; `-` for what does not exist.
    pub route: &'a str,
    /// The status code.
    pub status: u16,
    /// How long it took until the answer began.
    #[serde(rename = "seconds", serialize_with = "as_seconds")]
    pub took: Duration,
}

fn as_seconds<S: serde::Serializer>(duration: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(duration.as_secs_f64())
}
