//! Fetches documents for commands whose arguments name URLs instead of files.
//!
//! All requests are sent by the client, with its guard, robots.txt and pace, under the name of the crawler in the
//! settings. A question about another crawler (`comity check --agent GPTBot`) does not change that name; only the
//! document is read for that crawler.
//!
//! | module | content |
//! |---|---|
//! | `reader` | robots.txt files in sequence, from any source |
//! | `stream` | URLs of many origins in order; the next origins are requested ahead |
//! | `network` | settings, store and client of a command |
//! | `session` | a client for commands that send one request after the other |
//! | `page` | pages, sitemaps and other documents with a URL |
//! | `failure` | refusals and failures as text, with the remedy |
//! | `offline` | replacements in a build without the feature `live` |
//! | `phrases` | the source of a robots.txt as text |

#[cfg(feature = "live")]
pub(crate) mod failure;
#[cfg(feature = "live")]
mod network;
#[cfg(not(feature = "live"))]
pub(crate) mod offline;
#[cfg(feature = "live")]
pub(crate) mod page;
#[cfg(feature = "live")]
pub(crate) mod phrases;
pub(crate) mod reader;
#[cfg(feature = "live")]
pub(crate) mod session;
#[cfg(feature = "live")]
pub(crate) mod stream;

#[cfg(feature = "live")]
pub(crate) use self::network::{ClientFactory, Network, runtime};
#[cfg(not(feature = "live"))]
pub(crate) use self::offline::{Session, failure};
#[cfg(feature = "live")]
pub(crate) use self::session::{Session, parse_location};
