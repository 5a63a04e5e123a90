//! Integration tests of the public API.
#![allow(clippy::panic, reason = "a test that cannot go on fails")]

mod conformance;
mod directories;
#[cfg(feature = "http")]
mod http_types;
mod keys;
mod properties;
mod review;
mod signing;
