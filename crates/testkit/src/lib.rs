//! Test support.

#![forbid(unsafe_code)]

pub mod conformance;
pub mod data;
pub mod generate;
#[cfg(feature = "servers")]
pub mod redis;
