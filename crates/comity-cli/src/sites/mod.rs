//! Fetches the documents of commands that are given URLs instead of files.
//!
//! All requests go through the client, under its own name: guard, robots.txt, pace. The crawler that a command is
//! about is never impersonated: Comity fetches a site's document and reads it for that crawler.
//!
//! | module | holds |
//! |---|---|
//! | `reader` | robots.txt files one after the other, from wherever they are |
//! | `stream` | many URLs of many origins, in order, the next origins requested ahead |
//! | `network` | settings, store and client of a command |
//! | `session` | a running client, for commands that send one request after the other |
//! | `page` | pages, sitemaps and everything else with a URL |
//! | `trouble` | refusals and failures as text, with the remedy |
//! | `offline` | replacements for all of it in a build without the feature `live` |
//! | `words` | the source of a robots.txt as text |

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
