//! What a program may fetch, and why: the pure library of Comity.
//!
//! Bytes and facts go in, decisions come out. Nothing here touches the network, the file system, a clock or
//! global state; nothing panics on any input; every loop is bounded by the size of what it reads.
//!
//! ```
//! use comity::robots::{Agent, RobotsTxt};
//!
//! let robots = RobotsTxt::parse(b"User-agent: *\nDisallow: /private\nAllow: /private/open\n");
//! let rules = robots.rules_for(&Agent::token("examplebot"));
//!
//! let decision = rules.decide("https://example.com/private/open/page")?;
//! assert!(decision.is_allowed());
//! assert_eq!(decision.rule().map(|rule| rule.line()), Some(3));
//! # Ok::<(), comity::robots::UrlError>(())
//! ```
//!
//! | module | holds |
//! |---|---|
//! | [`robots`] | robots.txt: reading, groups, patterns, rules for one crawler, decisions, dialects, lint, writing |
//! | [`policy`] | the words of a decision: verdict and recommendation |
//! | [`agents`] | product tokens of known crawlers |
//! | `html` | what a page says about its own use (feature `html`) |
//! | `usage` | what content may be used for, signal by signal (feature `usage`) |
//!
//! # Features
//!
//! * `serde`: `Serialize` for decisions, findings and summaries, under the names the documentation uses.
//! * `html`: read `meta`, `link`, licences and `data-nosnippet` from pages.
//! * `usage`: what content may be used for: Content-Usage, Content-Signal, RSL, TDMRep.
//! * `url`: decide a parsed `url::Url` without printing and splitting it again.

pub mod agents;
#[cfg(feature = "html")]
pub mod html;
pub mod http;
pub mod policy;
pub mod robots;
#[cfg(feature = "usage")]
pub mod usage;

#[cfg(feature = "dates")]
mod date;
mod severity;

pub use severity::{Severity, UnknownSeverity};

/// The README's tour compiles and runs.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
