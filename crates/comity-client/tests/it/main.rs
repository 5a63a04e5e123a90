//! The client from outside.

mod breaker;
mod pace;
