//! Matches rules against URLs.
//!
//! `encode` defines the normal form in which the default dialect compares rules and URLs. `target` converts a URL to
//! that form, and `pattern` matches patterns against it. The files in `dialects/` define the forms of other dialects.

pub(crate) mod encode;
pub(crate) mod pattern;
pub(crate) mod target;
