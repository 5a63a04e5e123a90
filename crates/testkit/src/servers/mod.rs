//! Servers on loopback for tests of a client: an HTTP/1.1 origin with correct and faulty replies, a certificate
//! authority, a name server that changes its answers, and processes of other programs.
//!
//! Every server runs on its own thread or as a process, in real time, and stops when it is dropped. So a test needs no
//! runtime for the server, and pausing the clock of the test does not pause the server. If a server on a thread
//! cannot start, the constructor panics, because the test cannot continue.
//!
//! | subject | file |
//! |---|---|
//! | origins: start, scripts, log | `origin.rs` |
//! | correct and faulty replies | `reply.rs`; `script.rs` for replies that depend on the request |
//! | sequences of replies | `script.rs` |
//! | received and concurrent requests | `log.rs` |
//! | reading requests, writing replies | `connection.rs`, `wire.rs`, `service.rs` |
//! | certificates | `tls.rs` |
//! | the name server | `dns.rs`, `dns/message.rs` |
//! | processes of other programs | `process.rs` |

mod connection;
mod dns;
mod log;
mod origin;
mod process;
mod reply;
mod script;
mod service;
mod tls;
mod wire;

pub use dns::{DnsAnswer, DnsAnswers, DnsServer, Query};
pub use log::Seen;
pub use origin::Origin;
pub use process::{ServerProcess, free_port};
pub use reply::Reply;
pub use script::Script;
pub use tls::{Ca, Identity};
