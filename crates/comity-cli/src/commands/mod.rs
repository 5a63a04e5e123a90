//! One file per command; what several of them share stands here.

pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod dialects;
pub(crate) mod diff;
pub(crate) mod explain;
pub(crate) mod inspect;
pub(crate) mod lint;
pub(crate) mod man;
mod urls;
pub(crate) mod usage;
