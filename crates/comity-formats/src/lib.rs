//! Archives and tables as Arrow record batches: files in, pages and robots.txt answers out.
//!
//! ```text
//! Parquet CSV TSV JSON Lines CDX CDXJ lists WARC ──▶ Pages     url seen_at … (what else the input has)
//! WARC, tables of answers ──────────────────────────▶ Captures  key fetched_at status content_type location body …
//!                                                        │
//!                                                        ▼
//!                                                     CaptureIndexWriter ──▶ Parquet
//! ```
//!
//! The crate does not make verdicts and opens no files: the caller gives an [`ArchiveInput`] of bytes, and passes the batches to
//! `comity-arrow`. Every reader is bounded: a line, a record or a header that is too long is counted as [damage](Damage) and
//! skipped, and is never kept whole in memory.
//!
//! | file | holds |
//! |---|---|
//! | `input.rs` | named byte sources: seekable or not, compressed or not |
//! | `format.rs` | detection of formats |
//! | `damage.rs` | counts of unreadable records |
//! | `options.rs` | options for reading pages |
//! | `columns.rs`, `times.rs` | detection of the columns with URL, time and crawler; parsing of times |
//! | `join/` | columns by which rows join with the indexes of public crawls |
//! | `pages/` | readers of pages: `delimited.rs`, `json.rs`, `parquet.rs`, `warc.rs`; their usage statements: `statements.rs` |
//! | `parquet_file.rs` | a Parquet file for the `parquet` crate |
//! | `records.rs` | the records of a WARC file; skips damaged ones |
//! | `row_groups.rs` | Parquet row groups and their size limits |
//! | `shared_columns.rs` | columns of a row group; columns that are one array are encoded once |
//! | `site_file.rs` | detection of `robots.txt` and `tdmrep.json` by their URLs |
//! | `text.rs` | text in UTF-16 |
//! | `bodies.rs` | removal of codings of bodies |
//! | `captures/` | robots.txt answers from WARC files, tables and single files |
//! | `index.rs` | the index of these answers, as Parquet |
//! | `lz4.rs` | the end of LZ4 frames |
//! | `lines.rs` | lines of bounded length |
//! | `logs/` | access logs: parses the bytes of a line into a request (map in `mod.rs`) |
//! | `wacz.rs` | the WARC files in a WACZ file |
//! | `write.rs` | tables as Parquet, CSV and JSON Lines |

#![cfg_attr(docsrs, feature(doc_cfg))]

mod bodies;
mod captures;
mod columns;
mod damage;
mod error;
mod format;
mod index;
mod input;
mod join;
mod lines;
pub mod logs;
mod lz4;
mod options;
mod pages;
mod parquet_file;
mod records;
mod row_groups;
mod shared_columns;
mod site_file;
mod text;
mod times;
mod wacz;
mod write;

pub use captures::{Capture, CaptureFile, CaptureOptions, CaptureRows, Captures, TdmrepCapture};
pub use columns::{MissingTimes, PageColumns, column_at};
pub use damage::{Damage, Damaged};
pub use error::ArchiveError;
pub use format::{ArchiveFormat, Compression};
pub use index::CaptureIndexWriter;
pub use input::ArchiveInput;
pub use join::SurtKey;
pub use options::PageOptions;
pub use pages::{PageStatements, Pages};
pub use times::TimeFormatError;
pub use write::{TableFormat, TableWriter};
pub use {arrow_array, arrow_schema};

/// The program of the package's README, as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
