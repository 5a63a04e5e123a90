//! robots.txt: reading, groups, rules for one crawler, decisions.
//!
//! The data passes through the modules in this order:
//!
//! ```text
//! bytes ──▶ read ──▶ RobotsTxt
//!                       │ agents: the groups that apply to an Agent
//!                       ▼
//! URL ──▶ matching ◀── rules: the first match in order of precedence
//!                       │
//!                       ▼
//!                    Decision
//! ```
//!
//! Each step has several strategies. A [`Dialect`] is a row of data that selects one strategy for each step.
//!
//! # How the engine works
//!
//! [`RobotsTxt`] stores the text and a record of eight bytes for each line with a known directive.
//! [`RobotsTxt::records`] reads the text again for unknown directives. If a dialect reads lines in the way of Google's
//! parser, lines that cannot start with a known directive are skipped, 64 bytes at a time (`read/scan.rs`, `bytes.rs`).
//! This matters because a tenth of the files that sites serve as robots.txt, and most bytes of the largest ones, are
//! pages, JSON and images.
//!
//! [`RobotsTxt::rules_for`] selects groups and compiles their rules into [`Rules`]: sorted by precedence, so that the
//! first match decides, and packed in runs. The rules of a run have equal length and share a header. (In `urllib-2026`
//! the longest match in the URL decides instead.) [`Rules::decide`] normalizes the URL as the dialect requires and
//! compares it with the rules in order. A comparison of eight bytes excludes most rules. In dialects that support it,
//! an index (a trie and a table of rare bytes) is built for at least 24 rules of 384 bytes in total: after 32
//! decisions, or after 3 for 1,000 rules. The line of a rule is computed on request.
//!
//! For a product token, [`is_allowed`] decides a URL while it reads the file, and stores nothing. Three implementations
//! thus make decisions: the comparison in order, the index, and the single pass. `plain.rs` is a fourth, simple one for
//! tests. The command `differential matchers` (`tools/differential`) compares all of them.
//!
//! A dialect is a file in `dialects/`: names, documentation, choices, and its own functions. A choice names a strategy,
//! which is implemented once, in another folder. Code outside `dialects/` does not test which dialect it handles.
//!
// # Layers
//
// Each module uses only modules above it; `tests/it/layers.rs` checks this.
//
// | module | content |
// |---|---|
// | `bytes` | scans blocks of bytes; the only `unsafe` code of the library |
// | `read/` | bytes to records and groups |
// | `agents/` | the crawler (`agent`), valid names (`product_token`), the groups that apply (`select`) |
// | `body` | a body: bytes or text |
// | `matching/` | percent-encoding, URLs and patterns |
// | `dialects/` | the choices of each dialect, and its own functions |
// | `rules/` | compiled rules, and the search for the deciding rule |
// | `file`, `write` | a parsed file with its groups; a builder of files |
// | `decision`, `plain`, `scope` | decisions; the simple matcher for tests; patterns and groups for usage signals |
// | `explain`, `extent` | the reasons why rules lose; the open part of a site |
// | `lint/` | findings and fixes |
//!
//! # Bounds
//!
//! Reading is linear in the file. Selecting groups is linear in the file times the length of the agent's name. Deciding
//! costs at most the number of rules times (length of pattern + length of URL). Matching is one forward pass without
//! backtracking (`matching/pattern.rs` shows why the leftmost match suffices), also in dialects whose programs use
//! backtracking regular expressions.

mod agents;
mod body;
mod bytes;
mod decision;
mod dialects;
mod explain;
mod extent;
mod file;
pub mod lint;
mod matching;
#[cfg(any(test, feature = "__plain-matcher"))]
#[doc(hidden)]
pub mod plain;
mod read;
mod rules;
#[cfg(feature = "usage")]
pub(crate) mod scope;
mod write;

pub use agents::agent::Agent;
pub use agents::product_token::{ProductToken, TokenError};
pub use body::Body;
pub use decision::{Decision, is_allowed, is_allowed_as};
pub use dialects::{Dialect, UnknownDialect};
pub use explain::{Contender, RuleOutcome};
pub use extent::{Access, Extent};
pub use file::{Group, RobotsTxt};
pub use matching::target::{UrlError, UrlErrorKind};
pub use read::directive::RecordKind;
pub use read::pacing::{DelaySource, RequestRate, VisitTime};
pub use read::record::Record;
pub(crate) use read::text::whole_lines;
pub use rules::Rules;
pub use rules::basis::Basis;
pub use rules::oneshot::QuickDecision;
pub use rules::rule::Rule;
pub use write::{Builder, InvalidRecord};
