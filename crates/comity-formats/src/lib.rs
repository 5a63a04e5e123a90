//! Archives and tables as Arrow record batches: files in, pages and robots.txt answers out.
//!
//! ```text
//! Parquet CSV TSV JSON Lines CDX CDXJ lists WARC ──▶ Pages     url seen_at … (and all other columns of the input)
//! WARC, tables of answers ──────────────────────────▶ Captures  key fetched_at status content_type location body …
//!                                                        │
//!                                                        ▼
//!                                                     CaptureIndexWriter ──▶ Parquet
//! ```
//!
//! The crate makes no verdicts and opens no files. The caller provides an [`ArchiveInput`] of bytes, and passes the batches to
//! `comity-arrow`. A line, row or header that is too long is skipped and counted as [damage](Damage).
//
// | file | content |
// |---|---|
// | `input.rs` | named byte sources: files and streams, compressed or not |
// | `format.rs` | detection of formats |
// | `damage.rs` | counts and descriptions of unreadable records |
// | `error.rs` | errors of a whole file |
// | `options.rs` | options for reading pages |
// | `columns.rs`, `times.rs` | detection of the columns with URL, time and crawler; parsing of times |
// | `join/` | columns for joins with the indexes of public crawls |
// | `pages/` | readers of pages: `delimited.rs`, `json.rs`, `parquet.rs`, `warc.rs`; their usage statements: `statements.rs` |
// | `parquet_file.rs` | adapter from a file to the `parquet` crate |
// | `records.rs` | the records of a WARC file; skips damaged ones |
// | `row_groups.rs` | Parquet row groups and their size limits |
// | `shared_columns.rs` | encoding of the columns of a row group; columns that refer to the same array are encoded once |
// | `site_file.rs` | detection of `robots.txt` and `tdmrep.json` by their URLs |
// | `text.rs` | decoding of UTF-16 |
// | `bodies.rs` | decoding of archived bodies |
// | `captures/` | robots.txt answers from WARC files, tables and single files |
// | `index.rs` | writer of an index of captures |
// | `lz4.rs` | LZ4 decoder that detects truncated frames |
// | `lines.rs` | lines of bounded length |
// | `logs/` | access logs: parsing of lines into requests |
// | `wacz.rs` | the WARC files in a WACZ file |
// | `write.rs` | writer of tables as Parquet, CSV and JSON Lines |

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
