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
//! Each distinct robots.txt is read once, however many rows it applies to, and is kept for later batches. A row that
//! cannot be decided has an `error` and no verdict; it never makes its batch fail. This crate uses neither network nor
//! clock: columns give the times.
//!
//! # What comes in
//!
//! | column | holds | without it |
//! |---|---|---|
//! | `url` | the URL to decide | an error |
//! | `agent` | a product token per row | [`AuditorOptions::agent`] names one for all rows, [`AuditorOptions::agents`] several for each |
//! | `robots` | the body of the robots.txt of the URL's origin | by the status alone |
//! | `robots_status` | the status code that it came with | 200 where there is a body |
//! | `robots_failure` | why nothing came: `timeout`, `dns`, … | nothing failed |
//! | `robots_content_type` | the `Content-Type` that it came with | no charset is named |
//! | `robots_fetched_at` | when it came | its age is not known |
//! | `seen_at` | the time to decide for | when robots.txt came |
//! | `robots_key` | which row of a [`RobotsTable`] is meant | the URL's [`origin`] |
//!
//! Other names are given by [`Columns`]. Text may be `Utf8`, `Binary`, their large and view forms, and dictionaries of
//! these. A row in which neither body nor status nor failure stands, or 2xx without a body, has no answer: its verdict is
//! `unknown_unreachable`.
//!
//! [`Output`] says what comes out.
//!
//! | file | holds |
//! |---|---|
//! | `options.rs`, `output.rs`, `error.rs` | what is asked, what comes out, what can be wrong |
//! | `input.rs` | columns of any of Arrow's kinds |
//! | `answer.rs` | one answer to a request for robots.txt |
//! | `table.rs`, `origin.rs` | robots.txt files by key and time |
//! | `subject.rs`, `cache.rs` | what follows from an answer for a crawler, and keeping it |
//! | `auditor.rs`, `walk.rs`, `facts.rs` | a batch, its rows, what is said of one |
//! | `glance.rs` | rows that are decided without keeping anything |
//! | `texts.rs`, `map.rs` | texts by number, and maps |
//! | `usage.rs` | what may be done with the content |
//! | `write.rs` | the columns |

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
