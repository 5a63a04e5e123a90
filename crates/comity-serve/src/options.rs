//! Settings of the service: access control and limits.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;

use comity_client::Client;

/// Settings of the service. The limits bound the cost of a hostile or faulty caller.
#[derive(Clone)]
#[allow(
    clippy::exhaustive_structs,
    reason = "callers name what they change, and end in `..Default::default()`"
)]
pub struct ServiceOptions {
    /// Tokens, one of which a request has to send (`Authorization: Bearer ...`). If the list is empty, no token is required. Each
    /// token counts as a separate caller.
    pub tokens: Vec<String>,
    /// Hostnames of the service, in addition to `localhost`, loopback addresses and the local address of a connection. They
    /// matter if no token is required: a web page can make its own hostname resolve to this machine.
    pub names: Vec<String>,
    /// Maximum size of the body of a question, in bytes. In a batch, it limits the first line, which is the question; the batch
    /// itself may have any size.
    pub body_bytes: usize,
    /// Maximum number of rows in one answer. Batches may have any number of rows.
    pub rows: usize,
    /// Maximum time for a question to arrive, and for each line of a batch, while the service waits for it.
    pub body_timeout: Duration,
    /// Maximum time for the answer to a question, from the first bytes of the question. It does not apply to batches.
    pub answer_timeout: Duration,
    /// Maximum time that a connection may be without a request, and maximum time for the head of a request to arrive.
    pub idle_timeout: Duration,
    /// Maximum time for a caller to read 64 KiB of an answer, while the service waits for it.
    pub write_timeout: Duration,
    /// Maximum time that requests in flight and the client may take after the service is asked to stop.
    pub grace: Duration,
    /// Maximum number of requests in flight. Further requests are answered with 503 and `Retry-After`. One caller takes at most
    /// as many as are free: half of them alone, a third next to one greedy caller.
    pub requests: usize,
    /// Maximum number of bytes of all questions and answers that are not written yet, beyond 16 KiB for each request. It is
    /// shared between callers as `requests` is. A request beyond it is answered with 503.
    pub answer_bytes: usize,
    /// Maximum number of open connections. A further connection closes the connection that has been idle for longest, or waits if none
    /// is idle.
    pub connections: usize,
    /// Maximum number of new origins that are requested for one caller in a minute. A batch waits for the next minute; a
    /// question is refused.
    pub new_origins: usize,
    /// Maximum number of reserved slots of one caller that have not passed yet.
    pub open_slots: usize,
    /// Maximum wait for which a slot is reserved. A question may set a shorter one.
    pub max_wait: Duration,
    /// Whether gateways are served at `/gateway` and over gRPC.
    pub gateway: bool,
    /// Clients of further agents that a gateway may name, in addition to the client of the service. They share its store, and so
    /// its pace.
    pub gateway_clients: Vec<Client>,
    /// Whether assistants are served at `/mcp`. They can have pages fetched; no other route fetches pages.
    pub mcp: bool,
    /// Client that fetches for assistants' prompts, which a user chose to send. `None` selects the client of the service. Tool
    /// calls, which models make on their own, always use the client of the service.
    pub user_client: Option<Client>,
    /// Called on a separate thread for every request when its answer begins.
    pub log: Option<Logger>,
}

/// A callback for request logs. It is called on one thread, in order. It may block: up to 8,192 entries wait for it. Further ones
/// are dropped and counted in the metric `comity_log_lines_dropped_total`.
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
            max_wait: Duration::from_secs(300),
            gateway: false,
            gateway_clients: Vec::new(),
            mcp: false,
            user_client: None,
            log: None,
        }
    }
}

/// Does not print the tokens.
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

/// A request whose answer has begun. In JSON, it is one line of a log. It contains no text of a URL, a body or a token.
#[derive(Debug, Serialize)]
#[non_exhaustive]
pub struct RequestLog<'a> {
    /// The request ID, which the answer has in `x-request-id`.
    pub request_id: &'a str,
    /// The caller: `token 1`, an address, or `socket`.
    pub caller: &'a str,
    /// The method, cut after 32 characters.
    pub method: &'a str,
    /// The route, such as `/v1/check`; `-` for an unknown path.
    pub route: &'a str,
    /// The status code.
    pub status: u16,
    /// Time until the answer began.
    #[serde(rename = "seconds", serialize_with = "as_seconds")]
    pub took: Duration,
}

fn as_seconds<S: serde::Serializer>(duration: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(duration.as_secs_f64())
}
