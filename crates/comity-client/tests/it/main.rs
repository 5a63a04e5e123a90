//! The client's own tests: against data files, misbehaving servers and virtual clocks.

#![expect(clippy::panic, clippy::unwrap_used, reason = "a test that cannot go on says where")]

mod store;
