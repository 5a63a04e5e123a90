//! One folder per command, with its arguments.

#[cfg(feature = "live")]
pub(crate) mod cache;
pub(crate) mod check;
pub(crate) mod completions;
#[cfg(feature = "live")]
pub(crate) mod config;
pub(crate) mod dialects;
pub(crate) mod diff;
pub(crate) mod explain;
#[cfg(feature = "live")]
pub(crate) mod fetch;
pub(crate) mod inspect;
pub(crate) mod lint;
pub(crate) mod llms;
pub(crate) mod man;
pub(crate) mod matrix;
pub(crate) mod page;
pub(crate) mod presets;
pub(crate) mod sitemap;
pub(crate) mod status;
pub(crate) mod usage;
