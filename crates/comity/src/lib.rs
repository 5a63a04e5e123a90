//! Comity's pure library: it decides which URLs a program may fetch, and gives the reasons.
//!
//! The input is bytes and values such as a status code or a time. The output is decisions. The library does not use the
//! network, the file system or a clock. Its only global state is the catalogue of crawlers, which a program may extend
//! once. It does not panic on any input, and every loop is bounded by the size of the input.
//!
//! ```
//! use comity::{Agent, RobotsTxt};
//!
//! let robots = RobotsTxt::parse(b"User-agent: *\nDisallow: /private\nAllow: /private/open\n");
//! let rules = robots.rules_for(&Agent::token("examplebot")?);
//!
//! let decision = rules.decide("https://example.com/private/open/page")?;
//! assert!(decision.is_allowed());
//! assert_eq!(decision.rule().map(|rule| rule.line()), Some(3));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | module | content |
//! |---|---|
//! | [`robots`] | robots.txt: reading, groups, patterns, rules for one crawler, decisions, dialects, lint, writing |
//! | [`decision`] | owned records of decisions: for logs, reports, other threads and other languages |
//! | [`policy`] | from an HTTP answer to a decision: verdicts, presets, modes, freshness, outages |
//! | `page` | restrictions on use in pages and their headers (feature `page`) |
//! | `usage` | permitted uses of content: Content-Usage, Content-Signal, RSL, TDMRep (feature `usage`) |
//! | `sitemap` | sitemaps and feeds: reading, walking indexes (feature `sitemap`) |
//! | `llms` | llms.txt: reading, grading, candidate URLs (feature `llms`) |
//! | `site` | contradictions between robots.txt, sitemaps and pages of one site (feature `site`) |
//! | [`finding`] | findings: reports about a position in a document, with code, severity and documentation |
//! | [`agents`] | known crawlers: operators, purposes, groups that apply to them |
//! | [`http`] | header fields of an HTTP response |
//! | `html` | title, links, directives and licenses in a page's HTML (feature `html`); pages as Markdown (feature `markdown`) |
//! | [`shown`] | untrusted text, made safe for terminals and messages |
//! | `schema` | the JSON Schema of a time; macros for types that are serialized as other types (feature `schema`) |
//! | `rfc3339`, `date` | times and durations in documents (features `serde` and `dates`) |
// Private: `verdict` and `words`, verdicts and recommendations and the macro that declares such enumerations; `origin`;
// `charset`, labels of charsets; `kinds`, the tables of findings of all readers.
//!
//! # Features
//!
//! * `page`: `X-Robots-Tag`, `Robots-Tag` and, with `html`, meta robots, combined for one crawler.
//! * `html`: title, links, `meta`, `link`, licenses and `data-nosnippet` in pages.
//! * `markdown`: HTML as Markdown.
//! * `usage`: permitted uses of content: Content-Usage, Content-Signal, RSL, TDMRep.
//! * `sitemap`: sitemaps and feeds; `gzip`: sitemaps compressed with gzip.
//! * `llms`: llms.txt.
//! * `site`: contradictions between documents of one site.
//! * `full`: all of these.
//! * `ranges`: the address ranges that operators publish for their crawlers (60 KB of data).
//! * `serde`: `Serialize` for decisions, findings and summaries, with the documented field names; `Deserialize` for
//!   decision records and explanations.
//! * `schema`: JSON Schemas (`schemars::JsonSchema`) of the `serde` forms.
//! * `url`: decisions about a parsed `url::Url`; absolute URLs of links in pages.
//! * `charsets` (default): the tables of charsets. Without them, a robots.txt is read as UTF-8 or ISO-8859-1, and all
//!   other documents as UTF-8.
//! * `explanations` (default): reasons and examples of the kinds of findings (40 KB of text).
//! * `dates`: dates and durations in documents and settings (the module `date`). Other features include it.
//!
//! # Platforms
//!
//! The library needs `std`, but no clock, files, threads or network, and no C code. It is built and tested on Linux
//! and has no code for a particular operating system. On x86-64 it uses SSE2, and AVX2 if the processor supports it.

#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod agents;
pub mod decision;
pub mod finding;
#[cfg(feature = "html")]
pub mod html;
pub mod http;
#[cfg(feature = "llms")]
pub mod llms;
#[cfg(feature = "page")]
pub mod page;
pub mod policy;
#[cfg(any(feature = "dates", feature = "serde"))]
pub mod rfc3339;
pub mod robots;
#[cfg(feature = "schema")]
pub mod schema;
pub mod shown;
#[cfg(feature = "site")]
pub mod site;
#[cfg(feature = "sitemap")]
pub mod sitemap;
#[cfg(feature = "usage")]
pub mod usage;

mod charset;
#[cfg(feature = "dates")]
pub mod date;
mod kinds;
mod origin;
mod verdict;
mod words;

#[doc(no_inline)]
pub use decision::DecisionRecord;
pub use origin::plain_origin;
#[doc(no_inline)]
pub use policy::{Mode, Policy, Preset};
#[doc(no_inline)]
pub use robots::{Agent, Dialect, RobotsTxt, Rules, UrlError};
#[doc(no_inline)]
pub use verdict::{Recommendation, Verdict};
pub use words::UnknownName;
#[doc(hidden)]
pub use words::find as find_word;

/// Doctests of the guide `docs/guide/tour.md`.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guide/tour.md")]
struct Tour;

/// The program of the package's README, as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
