//! Whole audits: pages and robots.txt answers in; verdicts, totals, a manifest and a report out.
//!
//! ```text
//! comity-archive: Captures ──▶ RobotsAnswers ──▶ RobotsTable ─┐
//! comity-archive: Pages ────────────────────────────────────▶ AuditJob ──▶ batches with verdicts ──▶ TableWriter
//!                                                               │
//!                                                               ▼
//!                                                          AuditSummary ──▶ Manifest, report
//! ```
//!
//! The verdicts are those of `comity-audit`, and the files are those of `comity-archive`. What is added here is the job:
//! several crawlers and moments in one pass, what the rows add up to, and how that is shown. Nothing here opens a file or
//! reads a clock.
//!
//! | file | holds |
//! |---|---|
//! | `answers.rs` | the answers of many captures, with redirects resolved, as the table that decides |
//! | `options.rs` | what is asked |
//! | `audit/` | the pass over pages: `mod.rs` (the job), `view.rs` (one crawler at one moment) |
//! | `totals/` | what rows add up to: by verdict, answer, month, site, rule |
//! | `summary.rs` | these totals, as JSON and reports show them |
//! | `manifest.rs` | what a result was made of, so that it can be shown and repeated |
//! | `report/` | the same as a page |

#![cfg_attr(docsrs, feature(doc_cfg))]

mod answers;
mod audit;
mod error;
mod manifest;
mod map;
mod options;
mod report;
mod summary;
mod totals;

pub use answers::{AnswersSummary, RobotsAnswers};
pub use audit::AuditJob;
pub use error::JobError;
pub use manifest::{Manifest, ManifestColumns, ManifestInput};
pub use options::{AuditJobOptions, Moment, Only, RowForm};
pub use report::report;
pub use summary::{AuditSummary, Example, HostTotals, MonthTotals, RuleTotals, Shares, ViewSummary};
