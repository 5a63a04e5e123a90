//! Analysis of access logs: the requests of crawlers, and how many of them robots.txt disallowed.
//!
//! ```text
//! comity_formats::logs ──▶ a request ──▶ identity ──▶ history ──▶ tally ──▶ LogsSummary ──▶ report, suggestion
//!                                        crawler      decision    counts
//! ```
//!
//! [`run`] reads the logs of a [`LogsRequest`], reports progress to a callback, and returns a [`LogsSummary`]. If requested, it
//! follows growing logs through rotation and truncation until it is cancelled. It makes no network requests, unless the
//! [`LogsRequest`] contains an [`AddressNames`] or a [`SignatureVerifier`] that does. The feature `live` provides such
//! implementations.
//!
//! ```
//! use comity_logs::{Identity, LogSource, LogsRequest, RobotsSource, run};
//! use tokio_util::sync::CancellationToken;
//!
//! let log = br#"203.0.113.7 - - [21/Nov/2026:06:20:00 +0000] "GET /private/a HTTP/1.1" 200 512 "-" "CCBot/2.0""#;
//! let logs = vec![LogSource::Stream { name: "access.log".to_owned(), bytes: Box::new(&log[..]) }];
//! let robots = RobotsSource::text("robots.txt", "User-agent: *\nDisallow: /private\n");
//! let summary = run(LogsRequest::new(logs, robots), &mut |_| {}, &CancellationToken::new())?;
//! let row = &summary.rows[0];
//! assert_eq!((row.agent.as_str(), row.identity, row.disallowed), ("CCBot", Identity::Unknown, 1));
//! # Ok::<(), comity_logs::LogsError>(())
//! ```
//
// | file | content |
// |---|---|
// | `request.rs` | the request, and the traits for look-ups of names and keys |
// | `event.rs` | progress events |
// | `error.rs` | errors |
// | `run.rs`, `job.rs` | the job: complete logs and growing logs |
// | `input.rs` | opening of logs, in the order of their first requests |
// | `stream.rs` | pipes and standard input, read ahead on threads |
// | `tail.rs` | growing files, followed through rotation and truncation |
// | `counter.rs` | counting of lines |
// | `identity.rs` | crawlers by product token, and verification of their addresses |
// | `history.rs` | versions of robots.txt, and decisions by the version in force |
// | `git.rs`, `blobs.rs` | versions in a Git repository |
// | `tally.rs`, `pages.rs` | counts of one crawler, and of requested pages |
// | `row.rs`, `summary.rs` | public types of counts |
// | `html.rs`, `metrics.rs` | HTML report, and metrics for Prometheus |
// | `suggestion.rs` | rules against crawlers, for robots.txt and for servers |
// | `live.rs` | look-ups of names and signing keys, with the feature `live` |
// | `time.rs` | formatting of times |
//!
//! # Features
//!
//! | feature | adds |
//! |---|---|
//! | `live` | names of addresses and keys of signers, looked up through `comity-client` |
//! | `schema` | JSON Schemas of rows |

#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![allow(clippy::exhaustive_structs, reason = "rows are plain data")]

mod blobs;
mod counter;
mod error;
mod event;
mod git;
mod history;
mod html;
mod identity;
mod input;
mod job;
#[cfg(feature = "live")]
mod live;
mod metrics;
mod pages;
mod request;
mod row;
mod run;
mod stream;
mod suggestion;
mod summary;
mod tail;
mod tally;
mod time;

pub use error::LogsError;
pub use event::{LogsEvent, LogsProgress};
pub use git::{GitError, UnreadableVersion};
pub use html::report;
pub use identity::Identity;
#[cfg(feature = "live")]
pub use live::{FetchedKeys, ResolvedNames};
pub use metrics::metrics;
pub use pages::LogPage;
pub use request::{AddressNames, LogFormat, LogSource, LogsRequest, RobotsSource, SignatureVerifier};
pub use row::{LogBurst, LogGaps, LogNetwork, LogRobots, LogRow, LogRule};
pub use run::run;
pub use suggestion::{Suggestion, Threshold};
pub use summary::{CrawlerDays, LogTable, LogsSummary};
pub use tally::{DayCounts, LineCounts, LogSignatures};

/// The program of the package's README, as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
