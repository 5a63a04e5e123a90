//! The client's own tests: against data files, misbehaving servers and virtual clocks.

#![expect(clippy::panic, reason = "a test that cannot go on says why")]

mod guard;
