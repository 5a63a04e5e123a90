//! Decides columns of URLs by robots.txt: Arrow record batches in, verdicts out.
//!
//! ```text
//! batch: url [agent] [robots, robots_status, …]        table: key body [status, fetched_at, …]
//!                    │                                              │
//!                    └────────────── Auditor (caches parsed robots.txt) ─────────────┘
//!                                       │
//! batch: … verdict recommendation allowed rule rule_kind line group crawl_delay treatment basis answer error
//! ```
//!
//! Parsed robots.txt files are cached for other rows and later batches. A row that cannot be decided
//! has an `error` and no verdict, and the other rows of its batch are decided. This crate uses neither network nor
//! clock: times come from columns and options.
//!
//! # Input columns
//!
//! | column | content | if it is missing |
//! |---|---|---|
//! | `url` | the URL to decide | an error |
//! | `agent` | a product token per row | [`AuditorOptions::agent`] sets one for all rows, [`AuditorOptions::agents`] several |
//! | `robots` | the body of the robots.txt of the URL's origin | status and failure decide |
//! | `robots_status` | the status code of robots.txt; without a value, the body of the row is ignored | 200 if there is a body |
//! | `robots_failure` | the failure of the request: `timeout`, `dns`, … | the request did not fail |
//! | `robots_content_type` | the `Content-Type` of robots.txt | no charset is known |
//! | `robots_fetched_at` | the time at which robots.txt was received | the age of the answer is unknown |
//! | `seen_at` | the decision time: the URL is decided as of this time; with a table, a row without a value is `unknown_unreachable` | the time of the robots.txt answer |
//! | `robots_key` | the key of a row of a [`RobotsTable`] | the URL's [`origin`] |
//!
//! [`Columns`] sets other names. Text may be `Utf8`, `Binary`, their large and view forms, and dictionaries of these. A row
//! is `unknown_unreachable` if it has neither body nor status nor failure, a status 2xx other than 204 and 205 without a
//! body, or the status 206, whose body is a part of the file.
//!
//! [`Output`] lists the output columns.
//
// | file | content |
// |---|---|
// | `options.rs`, `output.rs`, `error.rs` | options, output columns, errors |
// | `input.rs` | columns of any supported Arrow type |
// | `answer.rs` | one answer to a request for robots.txt |
// | `table.rs`, `origin.rs` | robots.txt files by key and time |
// | `subject.rs`, `cache.rs` | a subject: the policy of an answer for one crawler; the cache of subjects |
// | `auditor.rs`, `walk.rs`, `facts.rs` | decisions of a batch and of its rows; facts: the values of a row's output columns |
// | `quick.rs` | decisions by a scan of the body, without stored rules |
// | `texts.rs`, `map.rs` | texts by number; the type of hash maps |
// | `refusal.rs` | refusals of pages by the server |
// | `usage.rs` | usage preferences |
// | `write.rs` | writes the columns |

#![cfg_attr(docsrs, feature(doc_cfg))]

mod answer;
mod auditor;
mod cache;
mod error;
mod facts;
mod input;
mod map;
mod options;
mod origin;
mod output;
mod quick;
mod refusal;
mod subject;
mod table;
mod texts;
mod usage;
mod walk;
mod write;

pub use auditor::Auditor;
pub use error::BatchError;
pub use options::{AuditorOptions, Columns, Input, UrlCheck, Versions};
pub use origin::{origin, origins};
pub use output::{DecisionColumn, Output, UsageColumn, Words};
pub use table::RobotsTable;
pub use {arrow_array, arrow_schema};

/// The program of the package's README, as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
