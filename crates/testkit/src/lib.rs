//! Test support, never published: conformance files, cases from outside, generated cases, and servers on loopback that
//! misbehave on purpose (feature `servers`).

#![forbid(unsafe_code)]

pub mod bodies;
pub mod conformance;
pub mod data;
pub mod generate;
#[cfg(feature = "servers")]
pub mod redis;
#[cfg(feature = "servers")]
pub mod servers;
