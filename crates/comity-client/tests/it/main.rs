//! The client's tests, in one binary.

mod store;
