//! Owned records of decisions, for logs, reports, other threads and other languages.
//!
//! [`robots::Decision`](crate::robots::Decision) and [`policy::Decision`](crate::policy::Decision) are views into the
//! rules: they need no allocation, but cannot outlive the rules. [`DecisionRecord`] is an owned copy of all their data.
//! [`Explanation`] adds every rule that matched and the groups that apply to the crawler.
//!
//! A record declares its fields once; [`DecisionRecord::FIELDS`] lists them. Its form in JSON (feature `serde`), the
//! columns of tables, Python's attributes and the page `docs/reference/decisions.md` are derived from that declaration.
//!
//! ```
//! use comity::decision::DecisionRecord;
//! use comity::robots::{Agent, RobotsTxt};
//!
//! fn decide(body: &str, url: &str) -> Result<DecisionRecord, Box<dyn std::error::Error>> {
//!     let rules = RobotsTxt::parse(body).rules_for(&Agent::token("examplebot")?);
//!     // A view into `rules` could not be returned.
//!     Ok(rules.decide(url)?.to_record())
//! }
//!
//! let decision = decide("User-agent: *\nDisallow: /private\n", "https://example.com/private/a")?;
//! assert_eq!(decision.to_string(), "disallowed_explicit: line 2: Disallow: /private");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod evidence;
mod explanation;
mod fields;
mod record;
#[cfg(feature = "serde")]
mod seconds;
#[cfg(feature = "serde")]
mod time;

pub use explanation::{ContenderRecord, Explanation, GroupRecord};
pub use fields::{Field, FieldKind, Value};
pub use record::{DecisionRecord, OutageRecord, RuleRecord};
