//! Matches rules against URLs.
//!
//! `encode` defines the form in which the default dialect compares both. `target` converts a URL to that form, and `pattern`
//! matches. The forms of other dialects are defined in `dialects/`.

pub(crate) mod encode;
pub(crate) mod pattern;
pub(crate) mod target;
