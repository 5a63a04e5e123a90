//! robots.txt: reading, groups, rules for one crawler, decisions.
//!
//! The data passes through the modules in this order:
//!
//! ```text
//! bytes ──▶ read ──▶ RobotsTxt
//!                       │ agents: which groups speak to an Agent
//!                       ▼
//! URL ──▶ matching ◀── rules: the first match in order of precedence
//!                       │
//!                       ▼
//!                    Decision
//! ```
//!
//! Each step has a few strategies. A [`Dialect`] is a table row that selects one strategy per step, with functions of its own and
//! a file in `dialects/`.
//!
//! Bounds: reading is linear in the size of the file. Choosing groups is linear in the size of the file times the length of the
//! agent's name. Deciding costs at most the number of rules times (length of pattern + length of URL), without backtracking.

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
#[cfg(any(test, feature = "plain-matcher"))]
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
pub use matching::target::UrlError;
pub use read::directive::RecordKind;
pub use read::pacing::{DelaySource, RequestRate, VisitTime};
pub use read::record::Record;
pub(crate) use read::text::whole_lines;
pub use rules::Rules;
pub use rules::basis::Basis;
pub use rules::oneshot::Glance;
pub use rules::rule::Rule;
pub use write::{Builder, InvalidRecord};
