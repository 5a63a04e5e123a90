//! Decides whole columns of URLs by robots.txt: Arrow record batches in, verdicts out.
//!
//! ```text
//! batch: url [agent] [robots, robots_status, …]        table: key body [status, fetched_at, …]
//!                    │                                              │
//!                    └────────────── Auditor (what it has read is kept) ─────────────┘
//!                                       │
//! batch: … verdict recommendation allowed rule rule_kind line group crawl_delay treatment basis error
//! ```
//!
//! Each distinct robots.txt is parsed once, however many rows it applies to, and is cached for later batches. A row that cannot
//! be decided has an `error` and no verdict; it never makes its batch fail. This crate uses neither network nor clock: the times
//! come from columns.
//!
//! # What comes in
//!
//! | column | holds | without it |
//! |---|---|---|
//! | `url` | the URL to decide | an error |
//! | `agent` | a product token per row | [`AuditorOptions::agent`] sets one for all rows, [`AuditorOptions::agents`] several |
//! | `robots` | the body of the robots.txt of the URL's origin | the status alone decides |
//! | `robots_status` | the status code of robots.txt; a row without a value has no answer | 200 if there is a body |
//! | `robots_failure` | the failure of the request: `timeout`, `dns`, … | the request did not fail |
//! | `robots_content_type` | the `Content-Type` of robots.txt | no charset is known |
//! | `robots_fetched_at` | the time of the answer | its age is unknown |
//! | `seen_at` | the time to decide for; with a table, a row without a value is unknown | the time of the robots.txt answer |
//! | `robots_key` | the key of a row of a [`RobotsTable`] | the URL's [`origin`] |
//!
//! [`Columns`] sets other names. Text may be `Utf8`, `Binary`, their large and view forms, and dictionaries of these. A row
//! without body, status and failure, or with status 2xx and no body, has no answer: its verdict is `unknown_unreachable`.
//!
//! [`Output`] lists the output columns.
//!
//! | file | holds |
//! |---|---|
//! | `options.rs`, `output.rs`, `error.rs` | options, output columns, errors |
//! | `input.rs` | columns of any supported Arrow type |
//! | `answer.rs` | one answer to a request for robots.txt |
//! | `table.rs`, `origin.rs` | robots.txt files by key and time |
//! | `subject.rs`, `cache.rs` | the policy of an answer for a crawler, and the cache of policies |
//! | `auditor.rs`, `walk.rs`, `facts.rs` | a batch, its rows, and the facts of a row |
//! | `glance.rs` | rows that are decided without storing anything |
//! | `texts.rs`, `map.rs` | texts by number, and maps |
//! | `usage.rs` | usage preferences |
//! | `write.rs` | writes the columns |

#![cfg_attr(docsrs, feature(doc_cfg))]

mod answer;
mod auditor;
mod cache;
mod error;
mod facts;
mod glance;
mod input;
mod map;
mod options;
mod origin;
mod output;
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
