//! Sitemaps: the lists of pages that a site publishes for crawlers.
//!
//! A sitemap helps crawlers to discover pages, but permits nothing: robots.txt decides about each listed URL. The file
//! is untrusted, often broken, and may be large. The [`Reader`] therefore streams, returns the valid parts, reports the
//! others, and stops at limits.
//!
//! ```
//! use comity::sitemap::{Item, Reader};
//!
//! let text = "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\
//!     <url><loc>https://example.com/</loc></url></urlset>";
//! let pages = Reader::new(text.as_bytes()).filter_map(|item| match item {
//!     Item::Url(url) => Some(url.loc),
//!     _ => None,
//! });
//! assert_eq!(pages.collect::<Vec<_>>(), ["https://example.com/"]);
//! ```
//!
//! An index lists other sitemaps. [`walk`] follows them with a caller-provided function that fetches. [`Frontier`] is
//! for programs that fetch asynchronously.
//!
//! ```text
//! bytes ──source──▶ text ──xml──▶ tokens ──document, draft──▶ entries ──▶ Item
//!   (gzip, encoding)    └─text──▶ lines ─────────────────────────┘
//! ```
//
// | file | content |
// |---|---|
// | `reader.rs` | the iterator, and detection of the format |
// | `source.rs`, `gunzip.rs` | bytes to text: compression, encoding, limits on bytes |
// | `xml.rs`, `text.rs` | the two tokenizers |
// | `document.rs` | open elements, and the rules that close them |
// | `elements.rs`, `namespace.rs` | the known elements, and their valid parents |
// | `draft.rs` | the entry that is being read |
// | `entries.rs`, `scope.rs` | URLs, limits on entries, the URLs that a sitemap may list |
// | `entry.rs`, `date.rs`, `format.rs` | the resulting data |
// | `language.rs` | codes of languages and regions |
// | `item_queue.rs`, `kinds.rs` | the queue of findings and entries, and the kinds of findings |
// | `options.rs` | limits |
// | `frontier.rs`, `walk.rs` | trees of indexes |

mod date;
mod document;
mod draft;
mod elements;
mod entries;
mod entry;
mod format;
mod frontier;
#[cfg(feature = "gzip")]
mod gunzip;
mod item_queue;
pub(crate) mod kinds;
mod language;
mod namespace;
mod options;
mod reader;
mod scope;
mod source;
mod text;
mod walk;
mod xml;

pub use date::{BadDate, Date, Precision};
pub use entry::{
    Alternate, ChangeFrequency, Image, Item, News, Price, Sitemap, Url, Video, VideoRestriction,
};
pub use format::Format;
pub use frontier::{Frontier, MAX_TREE_DEPTH, MAX_TREE_SITEMAPS, SkipReason, Task};
pub use options::{
    BadBase, HARD_MAX_BYTES, HARD_MAX_ENTRIES, MAX_ATTRIBUTES, MAX_BYTES, MAX_DEPTH, MAX_ENTRIES, MAX_ENTRY,
    MAX_IMAGES, MAX_LOC, MAX_NEWS, MAX_RATIO, MAX_TOKEN, MAX_VALUE, RATIO_FROM, ReaderOptions, Scope,
};
pub use reader::{Reader, Summary};
pub use walk::{MAX_TREE_BYTES, MAX_TREE_ENTRIES, Step, Walk, walk};
