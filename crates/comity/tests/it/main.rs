//! Comity's own tests: conformance files, other projects' cases, and properties.

#![expect(clippy::panic, reason = "a test that cannot continue states the reason")]

mod advice;
mod agents;
mod agreement;
mod answers;
mod conformance;
#[cfg(feature = "serde")]
mod decision;
mod docs;
mod extent;
#[cfg(all(
    feature = "page",
    feature = "html",
    feature = "usage",
    feature = "gzip",
    feature = "llms",
    feature = "site"
))]
mod findings;
mod fixes;
mod layers;
mod links;
mod lint;
#[cfg(feature = "llms")]
mod llms;
#[cfg(feature = "markdown")]
mod markdown;
mod names;
mod overrides;
#[cfg(all(feature = "page", feature = "html"))]
mod page;
mod policy;
mod preset_docs;
mod properties;
mod shared;
#[cfg(feature = "site")]
mod site;
#[cfg(all(feature = "gzip", feature = "serde"))]
mod sitemap;
#[cfg(all(feature = "usage", feature = "serde"))]
mod usage;
