//! Whole audits: pages and robots.txt answers in; verdicts, totals, a manifest and a report out.
//!
//! ```text
//! comity-formats: Captures ──▶ RobotsAnswers ──▶ AnswerTables ┐
//! comity-formats: Pages ────────────────────────────────────▶ AuditJob ──▶ batches with verdicts ──▶ TableWriter
//!                                                               │
//!                                                               ▼
//!                                                          AuditSummary ──▶ Manifest, report
//! ```
//!
//! The verdicts are those of `comity-arrow`, and the files are those of `comity-formats`. What is added here is the job:
//! several crawlers and moments in one pass, what the rows add up to, and how that is shown. Nothing here reads a clock, and
//! no files but those that it writes itself, for what does not fit into memory.
//!
//! | file | holds |
//! |---|---|
//! | `answers/` | the answers of many captures, with redirects resolved, as the tables that decide |
//! | `options.rs`, `columns.rs` | what is asked; which columns are read, and how those that are made are called |
//! | `cut.rs` | texts up to a length |
//! | `audit/` | the pass over pages: `mod.rs` (the job), `view.rs` (one crawler at one moment) |
//! | `signals/` | what pages say of their use, as columns |
//! | `spill.rs`, `parts.rs`, `scratch.rs` | pages in files by site, where the answers do not fit into memory |
//! | `site.rs` | the pages that the sitemaps of one site list, as rows |
//! | `sites.rs` | the sites that no source has an answer of |
//! | `checkpoint.rs` | what is done of a job that may be stopped |
//! | `totals/` | what rows add up to: by verdict, answer, month, site, rule |
//! | `summary.rs` | these totals, as JSON and reports show them |
//! | `manifest.rs` | what a result was made of, so that it can be shown and repeated |
//! | `report/` | the same as a page |

#![cfg_attr(docsrs, feature(doc_cfg))]

mod answers;
mod audit;
mod checkpoint;
mod columns;
mod cut;
mod error;
mod manifest;
mod map;
mod options;
mod parts;
mod report;
mod scratch;
mod signals;
mod site;
mod sites;
mod spill;
mod summary;
mod totals;

pub use answers::{AnswerTables, AnswersSummary, RobotsAnswers};
pub use audit::{AuditJob, JobTotals};
pub use checkpoint::{Checkpoint, PartDone, PartRows};
pub use error::AuditError;
pub use manifest::{Manifest, ManifestColumns, ManifestInput, ManifestLive, ManifestSite};
pub use options::{AuditJobOptions, Moment, Only, RowForm};
pub use report::report;
pub use signals::{PageSignals, TdmrepAnswers};
pub use site::{ListedPage, SiteRows};
pub use sites::UnansweredSites;
pub use spill::{MergedRows, SpilledPages};
pub use summary::{
    AuditSummary, Example, HostTotals, MonthTotals, RuleTotals, Shares, UsageTotals, ViewSummary,
};
