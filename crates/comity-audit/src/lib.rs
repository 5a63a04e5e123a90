//! Verdicts for columns of URLs: Arrow record batches in, the columns of Comity's decisions out.
//!
//! An audit asks of a data set what a crawler would have asked of each of its URLs. Nothing here touches the network, the
//! file system or a clock. Each distinct robots.txt is parsed once, found by its octets, and kept for the next batches in
//! a cache of bounded size.
//!
//! ```
//! use std::sync::Arc;
//!
//! use arrow_array::cast::AsArray;
//! use arrow_array::{RecordBatch, StringArray};
//! use comity::robots::Agent;
//! use comity_audit::{Auditor, Options};
//!
//! let batch = RecordBatch::try_from_iter([
//!     ("url", Arc::new(StringArray::from(vec!["https://example.com/private/a", "nonsense"])) as _),
//!     ("robots", Arc::new(StringArray::from(vec!["User-agent: *\nDisallow: /private\n"; 2])) as _),
//! ])?;
//! let mut auditor = Auditor::new(Options::for_agent(Agent::token("examplebot")));
//! let decided = auditor.decide(&batch)?;
//!
//! let text = |name: &str| decided.column_by_name(name).map(|column| column.as_string::<i32>().clone());
//! assert_eq!(text("verdict").map(|column| column.value(0).to_owned()).as_deref(), Some("disallowed_explicit"));
//! assert_eq!(text("rule").map(|column| column.value(0).to_owned()).as_deref(), Some("/private"));
//! // What cannot be decided says why, and the batch goes on.
//! assert!(text("error").is_some_and(|column| column.value(1).contains("neither an absolute URL nor a path")));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Columns in
//!
//! | column | holds |
//! |---|---|
//! | `url` | an absolute URL or a path |
//! | `agent` | the crawler's product token, where the options name none |
//! | `robots` | the body of robots.txt |
//! | `robots_status` | its status code; without it, a body came with 200 |
//! | `robots_failure` | why there was no answer (`timeout`, `dns`, ...), before any status code |
//! | `robots_key` | in place of these three: the key of a row of a second table, given once ([`Auditor::set_answers`]) |
//!
//! Texts may be Utf8, Binary, their large and view forms, and dictionaries of any of these; numbers any integer or
//! float. A row with no body, status or failure is one whose robots.txt was never asked for: nothing is known. The names
//! can be changed ([`Names`]). A verdict is the one at the moment when the answer came, so no time is needed.
//!
//! # Columns out
//!
//! See [`Column`]. They are named as in the JSON of a decision, with a prefix on request. All texts are Utf8, which every
//! reader of Arrow takes.
//!
//! | file | holds |
//! |---|---|
//! | `options.rs` | names, columns, options |
//! | `octets.rs`, `numbers.rs` | columns as they are read |
//! | `answers.rs` | the second table |
//! | `cache.rs` | what is kept from batch to batch |
//! | `auditor.rs` | the loop over the rows |
//! | `output.rs` | columns as they are written |
//! | `usage.rs` | columns of usage preferences |

mod answers;
mod auditor;
mod cache;
mod error;
mod numbers;
mod octets;
mod options;
mod output;
mod usage;

pub use auditor::Auditor;
pub use error::AuditError;
pub use options::{Column, Names, Options, UnknownColumn};
pub use usage::UsageColumn;
