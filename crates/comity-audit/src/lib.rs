//! Decides the pages of whole crawls and tables by the robots.txt at the time of each page, and checks one live site for
//! consistency.
//!
//! A job takes a request and a [`JobContext`], which receives progress and can cancel the job. [`run`] decides pages,
//! [`index`](fn@index) collects robots.txt answers, and [`site`](fn@site) compares robots.txt, sitemaps and pages of one site.
//!
//! ```text
//! comity-formats: Captures ──▶ RobotsAnswers ──▶ AnswerTables ┐
//! comity-formats: Pages ────────────────────────────────────▶ AuditJob ──▶ batches with verdicts ──▶ TableWriter
//!                                                               │
//!                                                               ▼
//!                                                          AuditSummary ──▶ Manifest, report
//! ```
//!
//! The verdicts come from `comity-arrow`, and the file formats from `comity-formats`.
//
// | file | content |
// |---|---|
// | `request.rs`, `context.rs` | requests of jobs; reporting and cancellation |
// | `run.rs`, `pass.rs` | decides the pages: in one pass, in parts, or through temporary files |
// | `first_input.rs` | the columns of the first input, which all inputs have to fit |
// | `index.rs` | an index of robots.txt answers |
// | `gather.rs`, `captures.rs`, `answer_sink.rs` | the robots.txt answers of a job, from sources and sites |
// | `live/` | requests to sites, and stores of answers (table in `mod.rs`) |
// | `site/` | the audit of one site (table in `mod.rs`) |
// | `input_file.rs`, `read_ahead.rs`, `sink.rs` | input files, reading pages ahead, writing rows |
// | `condition.rs` | conditions on totals |
// | `answers/` | the answers of many captures, with redirects resolved, as lookup tables |
// | `options.rs`, `columns.rs` | options of the pass; names of output columns |
// | `cut.rs`, `map.rs` | limits the length of texts; hash maps |
// | `error.rs` | errors that end a job |
// | `audit/` | the pass over batches of pages: the job, an auditor per moment, a view per crawler and moment |
// | `signals/` | usage signals of pages, as columns |
// | `spill.rs`, `parts.rs`, `scratch.rs` | temporary files with pages by site, if the answers do not fit into memory |
// | `sites.rs` | sites without an answer in the sources |
// | `checkpoint.rs` | finished parts of a stopped job |
// | `totals/` | counts of rows by verdict, answer, month, site and rule |
// | `summary.rs` | the totals in the form of JSON and reports |
// | `manifest.rs`, `manifest_site.rs` | the inputs and settings of a result, to verify and repeat it |
// | `verify.rs` | compares a table with its manifest |
// | `repeat.rs` | the command that repeats an audit |
// | `report.rs` | the result as an HTML page |
//!
//! # Features
//!
//! | feature | adds |
//! |---|---|
//! | `schema` | JSON Schemas of manifests |

#![cfg_attr(docsrs, feature(doc_cfg))]

mod answer_sink;
mod answers;
mod audit;
mod captures;
mod checkpoint;
mod columns;
mod condition;
mod context;
mod cut;
mod error;
mod first_input;
mod gather;
mod index;
mod input_file;
mod live;
mod manifest;
mod manifest_site;
mod map;
mod options;
mod parts;
mod pass;
mod read_ahead;
mod repeat;
mod report;
mod request;
mod run;
mod scratch;
mod signals;
mod sink;
mod site;
mod sites;
mod spill;
mod summary;
mod totals;
mod verify;

pub use answers::{AnswerTables, AnswersSummary, RobotsAnswers};
pub use audit::AuditJob;
pub use condition::{Condition, ParseConditionError};
pub use context::{Event, JobContext, Progress, Stage};
pub use error::AuditError;
pub use index::{IndexSummary, index};
pub use manifest::{Manifest, ManifestColumns, ManifestInput, ManifestLive, ManifestTimes};
pub use manifest_site::ManifestSite;
pub use options::{AuditJobOptions, Moment, Only, RowForm};
pub use report::report;
pub use request::{AsOf, AuditRequest, IndexRequest, JobRequest, SiteRequest, Whom};
pub use run::{AuditOutcome, Objection, run};
pub use signals::{PageSignals, TdmrepAnswers};
pub use site::site;
pub use summary::{
    AnswerAges, AuditSummary, Example, HostTotals, MonthTotals, RuleTotals, Shares, UsageTotals, ViewSummary,
};
pub use tokio_util::sync::CancellationToken;
pub use verify::{CheckOutcome, Verification, VerifiedItem, VerifyRequest, verify};

/// The program of the package's README, as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
