//! Tells whether a rule matches a URL.
//!
//! `encode` defines the form in which both are compared in the default dialect. `target` brings a URL to that form, and
//! `pattern` matches. The other forms in which rules and URLs are compared stand in `dialects/`.

pub(crate) mod encode;
pub(crate) mod pattern;
pub(crate) mod target;
