//! Servers on loopback for tests of a client: an HTTP/1.1 origin that misbehaves by name, a certificate authority, a
//! name server that changes its answers, and other programs.
//!
//! Every server runs on its own thread, in real time, and stops when it is dropped. So tests need no runtime for it,
//! and a test that pauses its clock does not stop the server's. A server that cannot be started panics, since the test
//! cannot go on without it.
//!
//! | to find | look in |
//! |---|---|
//! | origins: start, scripts, log | `origin.rs` |
//! | every misbehaviour by name | `reply.rs`, `script.rs` |
//! | sequences of answers | `script.rs` |
//! | received and concurrent requests | `log.rs` |
//! | reading requests, writing answers | `connection.rs`, `wire.rs`, `service.rs` |
//! | certificates | `tls.rs` |
//! | names | `dns.rs`, `dns/message.rs` |
//! | servers of other programs | `process.rs` |

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
