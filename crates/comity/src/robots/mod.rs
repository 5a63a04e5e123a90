//! robots.txt: reading, groups, rules for one crawler, decisions.
//!
//! The data's way through the module:
//!
//! ```text
//! bytes ──text──▶ text ──lines──▶ lines ──syntax──▶ records ──groups──▶ RobotsTxt
//!                                                                          │ select (Agent)
//! URL ──target──▶ Target                                                   ▼
//!        └──────────────────────────── pattern ◀──────────────────────── Rules
//!                                         │ the first match in order of precedence
//!                                         ▼
//!                                      Decision
//! ```
//!
//! Each step is a handful of strategies; a [`Dialect`] is a row of choices among them (`quirks.rs`).
//!
//! Bounds: reading is linear in the file; choosing groups is linear in the file times the length of the agent's name;
//! deciding costs at most the number of rules times (length of pattern + length of URL), without backtracking.

mod agent;
mod decision;
mod dialect;
mod encode;
mod entries;
mod extent;
mod file;
mod grams;
mod groups;
mod index;
mod kept;
mod lines;
pub mod lint;
mod numbers;
mod octets;
mod oneshot;
mod pacing;
mod packed;
mod packer;
mod pattern;
#[cfg(any(test, feature = "plain-matcher"))]
#[doc(hidden)]
pub mod plain;
mod product_token;
mod python;
mod quirks;
mod record;
mod rule;
mod rules;
mod scan;
#[cfg(feature = "usage")]
pub(crate) mod scope;
mod select;
mod syntax;
mod target;
pub(crate) mod text;
mod write;

pub use agent::Agent;
pub use decision::{Basis, Contender, Decision, Explanation, Outcome};
pub use dialect::{Dialect, UnknownDialect};
pub use extent::{Access, Extent};
pub use file::{Group, RobotsTxt};
pub use oneshot::{is_allowed, is_allowed_as};
pub use pacing::{RequestRate, VisitTime};
pub use product_token::{ProductToken, TokenError};
pub use record::{DirectiveKind, Record};
pub use rule::Rule;
pub use rules::Rules;
pub use target::UrlError;
pub use write::{BuildError, Builder};
