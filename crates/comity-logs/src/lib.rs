//! What crawlers did on a site, by its access logs, and what of their requests robots.txt disallowed.
//!
//! ```text
//! comity_formats::logs ──▶ a request ──▶ identity ──▶ history ──▶ tally ──▶ LogsSummary ──▶ report, suggestion
//!                                        crawler      in force    counted
//! ```
//!
//! [`run`] reads the logs of a [`LogsRequest`], reports its progress to a function, stops when it is cancelled, and returns a
//! [`LogsSummary`]. Logs that are being written are followed through rotation and truncation until then. Nothing is fetched, but
//! for a request with [`AddressNames`] or a [`SignatureVerifier`]; the feature `live` has both.
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
//! assert_eq!((row.agent, row.identity, row.disallowed), ("CCBot", Identity::Unknown, 1));
//! # Ok::<(), comity_logs::LogsError>(())
//! ```
//!
//! | file | holds |
//! |---|---|
//! | `request.rs` | the request, and what looks up names and keys |
//! | `event.rs` | progress |
//! | `error.rs` | errors |
//! | `run.rs`, `job.rs` | the job: logs that are complete, and logs that grow |
//! | `input.rs` | logs in the order of their first requests, opened once |
//! | `stream.rs` | pipes and standard input, read ahead |
//! | `tail.rs` | files that are being written, through rotation and truncation |
//! | `counter.rs` | counts a line |
//! | `identity.rs` | crawlers by their product tokens, and whether their addresses are the operator's |
//! | `history.rs` | versions of robots.txt, and the judgement of the one in force |
//! | `git.rs`, `blobs.rs` | versions in a Git repository |
//! | `tally.rs` | the counts of one crawler |
//! | `row.rs`, `summary.rs` | these counts, as programs get them |
//! | `html.rs`, `metrics.rs` | the same as a page, and for Prometheus |
//! | `suggestion.rs` | rules against crawlers, for robots.txt and for servers |
//! | `live.rs` | names of addresses and keys of signers, with the feature `live` |
//! | `time.rs` | times as text |

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
pub use request::{AddressNames, LogSource, LogsRequest, RobotsSource, SignatureVerifier};
pub use row::{LogBurst, LogGaps, LogNetwork, LogRobots, LogRow, LogRule};
pub use run::run;
pub use suggestion::Suggestion;
pub use summary::{LogTable, LogsSummary};
pub use tally::{DayCounts, LineCounts, LogSignatures};
