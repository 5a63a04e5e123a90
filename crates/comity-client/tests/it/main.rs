//! Integration tests of the client. They use data files, servers that misbehave, real TLS, a name server, and virtual
//! clocks.

#![allow(clippy::panic, clippy::unwrap_used, reason = "a panic reports the place of a failure")]

mod breaker;
mod client;
mod guard;
mod pace;
#[cfg(feature = "dns")]
mod reverse_dns;
mod settings;
mod store;
mod testing;
mod threat_model;
mod transport;
