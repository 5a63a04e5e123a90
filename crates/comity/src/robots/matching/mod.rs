//! Whether a rule matches a URL.
//!
//! `encode` has the form in which both are compared in the default dialect, `target` brings a URL to it, and `pattern`
//! matches. What other dialects do to rules and URLs first is theirs: see `dialects/`.

pub(crate) mod encode;
pub(crate) mod pattern;
pub(crate) mod target;
