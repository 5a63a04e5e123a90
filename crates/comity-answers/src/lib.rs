//! Questions about a robots.txt, answered as rows: the JSON that the command prints and the service sends.
//!
//! Both answer from here, so that a row is one thing wherever it is met. What a decision holds is declared once, in
//! `comity::decision`; here are the question beside it, the place that the robots.txt came from, and what else is asked of a
//! file. `docs/reference/schema/` describes every row.
//!
//! | module | holds |
//! |---|---|
//! | [`provenance`] | where a robots.txt is from |
//! | [`row`] | a decision, or an explanation, with its question |
//! | [`near_miss`] | names that may be slips of others |
//! | [`explanation`] | what led to a decision: the groups that were not asked, too |
//! | [`lint`] | findings |
//! | [`matrix`] | which known crawlers a file lets in |
//! | [`diff`] | what a change of a file changes in meaning |
//! | [`usage`] | what content may be used for |
//! | [`wishes`] | a file from wishes |
//! | [`signature`] | whose request it is, by its signature |
//! | [`site`](mod@site) | the same of what sites serve, with the feature `live` |
//! | `schema` | JSON Schemas of requests and rows, with the feature `schema` |
//! | [`shown`] | bytes as short text |
//!
//! ```
//! use comity::robots::{Agent, RobotsTxt};
//! use comity_answers::provenance::Provenance;
//! use comity_answers::row::DecisionRow;
//!
//! let body = b"User-agent: *\nDisallow: /private\n";
//! let agent = Agent::token("ExampleBot");
//! let rules = RobotsTxt::parse(body).rules_for(&agent);
//! let from = Provenance::of_file("robots.txt", body);
//! let decision = rules.decide("/private/x")?;
//! let row = serde_json::to_value(DecisionRow::new(b"/private/x", &agent, &decision, &from))?;
//! assert_eq!((&row["allowed"], &row["rule"]["line"]), (&false.into(), &2.into()));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![allow(
    clippy::exhaustive_structs,
    clippy::exhaustive_enums,
    reason = "rows are plain data, made by those who ask"
)]

pub mod diff;
pub mod explanation;
pub mod lint;
pub mod matrix;
pub mod near_miss;
pub mod provenance;
pub mod row;
#[cfg(feature = "schema")]
pub mod schema;
pub mod shown;
pub mod signature;
#[cfg(feature = "live")]
pub mod site;
pub mod usage;
pub mod wishes;
