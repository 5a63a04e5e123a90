//! Test support.

pub mod conformance;
pub mod data;
pub mod generate;
