//! Integration tests of the public API.
#![allow(clippy::panic, reason = "a panic fails the test")]

mod conformance;
mod directories;
#[cfg(feature = "http")]
mod http_types;
mod keys;
mod properties;
mod review;
mod signing;
