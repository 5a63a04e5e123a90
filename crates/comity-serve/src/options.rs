//! Settings of the service: access control and limits.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;

use comity_client::Client;

comity::setters! {
    /// Settings of the service. The limits bound the resources that a hostile or faulty caller can use.
    ///
    /// ```
    /// use comity_serve::ServiceOptions;
    ///
    /// let options = ServiceOptions::default().tokens(vec!["secret".to_owned()]).requests(64).mcp(true);
    /// assert_eq!(options.requests, 64);
    /// ```
    #[derive(Clone)]
    #[non_exhaustive]
    pub struct ServiceOptions {
        /// Accepted tokens. A request must send one of them (`Authorization: Bearer ...`); if the list is empty, no token
        /// is required. Each token counts as a separate caller.
        pub tokens: Vec<String>,
        /// Names and addresses of the service, in addition to `localhost`, loopback addresses and the local address of
        /// a connection. If no token is required, requests with another `Host` are refused, because a web page can make
        /// its hostname resolve to this machine.
        pub names: Vec<String>,
        /// Maximum size of a question, in bytes. In a batch, the limit applies to each line; the batch itself may have any
        /// size.
        pub body_bytes: usize,
        /// Maximum number of rows in one answer. Batches may have any number of rows.
        pub rows: usize,
        /// Maximum time that the service waits for a whole question, or for the next line of a batch.
        pub body_timeout: Duration,
        /// Maximum time from the first bytes of a question to the start of its answer. For a batch, the limit applies to
        /// its first question only.
        pub answer_timeout: Duration,
        /// Maximum time of an HTTP/1 connection without a request, and maximum time for the head of a request to arrive.
        /// For HTTP/2, the interval between pings; the connection stays open while they are answered.
        pub idle_timeout: Duration,
        /// Maximum time that the service waits until a caller has read 64 KiB of an answer.
        pub write_timeout: Duration,
        /// Maximum time for requests in flight and for fetches of the client to end during a shutdown.
        pub grace: Duration,
        /// Maximum number of requests in flight. Further requests are answered with 503 and `Retry-After`. A caller may
        /// have at most as many requests in flight as remain free: a single caller half of them, each of two competing
        /// callers a third.
        pub requests: usize,
        /// Maximum size of all questions in flight and of all answers that are not written yet, in bytes. The first 16 KiB
        /// of each request are not counted. A caller may use at most as many bytes as remain free. A request above the
        /// limit is answered with 503.
        pub answer_bytes: usize,
        /// Maximum number of open connections. For a further connection, the connection that has been idle for longest is
        /// closed. If none is idle, the new connection waits.
        pub connections: usize,
        /// Maximum number of new origins per minute and caller. A batch above the limit waits for the next minute; any
        /// other question is refused.
        pub new_origins: usize,
        /// Maximum number of reserved slots per caller that have not ended yet.
        pub open_slots: usize,
        /// Maximum wait before a reserved slot. A question may set a shorter maximum.
        pub max_wait: Duration,
        /// Whether the service answers gateways, at `/gateway` and over gRPC.
        pub gateway: bool,
        /// Clients of further agents that a gateway may name, in addition to the client of the service. They should share
        /// the store of that client, so that all clients keep one pace.
        pub gateway_clients: Vec<Client>,
        /// Whether the service answers assistants, at `/mcp`. Only this route fetches pages.
        pub mcp: bool,
        /// Client for the fetches of prompts, which a user starts; `None` selects the client of the service. Calls of
        /// tools, which a model starts, always use the client of the service.
        pub user_client: Option<Client>,
        /// Called on a separate thread for every request when its answer begins.
        pub log: Option<Logger>,
    }
}

/// A callback for request logs, called on one thread, in order of the answers. It may block: up to 8,192 entries are
/// queued. Further entries are dropped and counted in the metric `comity_log_lines_dropped_total`.
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

/// The log entry of a request whose answer has begun. It contains no part of a URL, a body or a token.
#[derive(Debug, Serialize)]
#[non_exhaustive]
pub struct RequestLog<'a> {
    /// The request ID, which the answer repeats in `x-request-id`.
    pub request_id: &'a str,
    /// The caller: `token` with a number, an address, or `socket`.
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
