//! Test support, never published: conformance files, cases from outside, generated cases, documentation tables printed
//! from code, and servers on loopback that misbehave on purpose (feature `servers`).

#![forbid(unsafe_code)]

pub mod bodies;
pub mod conformance;
pub mod data;
pub mod generate;
pub mod printed;
#[cfg(feature = "servers")]
pub mod redis;
#[cfg(feature = "servers")]
pub mod servers;
