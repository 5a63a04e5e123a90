//! Servers on loopback for the tests of a client: an HTTP/1.1 origin that misbehaves by name, a certificate authority, a
//! name server that changes its mind, and programs that are waited for.
//!
//! Every server runs on a thread of its own, in real time, and is gone when it is dropped. So tests need no runtime to
//! have one, and a test that pauses its own clock does not stop the server's. What cannot be started panics: a test
//! cannot go on without it.
//!
//! | to find | look in |
//! |---|---|
//! | starting, scripting and asking an origin | `origin.rs` |
//! | every misbehaviour by name | `reply.rs` |
//! | one answer after the other | `script.rs` |
//! | what was asked, and what was going on at once | `log.rs` |
//! | requests read, answers written | `connection.rs`, `wire.rs` |
//! | certificates | `tls.rs` |
//! | names | `dns.rs`, `dns/message.rs` |
//! | other people's servers | `process.rs` |

mod connection;
mod dns;
mod log;
mod origin;
mod process;
mod reply;
mod script;
mod tls;
mod wire;

pub use dns::{Answer, Answers, DnsServer, Query};
pub use log::Seen;
pub use origin::Origin;
pub use process::{Running, free_port};
pub use reply::Reply;
pub use script::Script;
pub use tls::{Ca, Identity};
