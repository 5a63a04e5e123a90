//! Fetches what commands need when they are given URLs instead of files.
//!
//! Everything goes through the client, under its own name: guard, robots.txt, pace. A crawler that a command is asked
//! about is never impersonated; what a site says is fetched by Comity and read for that crawler.
//!
//! | module | holds |
//! |---|---|
//! | `reader` | robots.txt files one after the other, from wherever they are |
//! | `stream` | many URLs of many origins, in order, the next origins asked ahead |
//! | `network` | settings, store and client of a command |
//! | `session` | a client at work, for commands that ask one thing after the other |
//! | `page` | pages, sitemaps and whatever else has a URL |
//! | `trouble` | refusals and failures in words, with the way out |
//! | `offline` | what stands for all of it in a build without the feature `live` |
//! | `words` | where a robots.txt came from, in words |

#[cfg(feature = "live")]
mod network;
#[cfg(not(feature = "live"))]
pub(crate) mod offline;
#[cfg(feature = "live")]
pub(crate) mod page;
pub(crate) mod reader;
#[cfg(feature = "live")]
pub(crate) mod session;
#[cfg(feature = "live")]
pub(crate) mod stream;
#[cfg(feature = "live")]
pub(crate) mod trouble;
#[cfg(feature = "live")]
pub(crate) mod words;

#[cfg(feature = "live")]
pub(crate) use self::network::{Network, runtime};
#[cfg(not(feature = "live"))]
pub(crate) use self::offline::{Session, trouble};
#[cfg(feature = "live")]
pub(crate) use self::session::{Session, located};
