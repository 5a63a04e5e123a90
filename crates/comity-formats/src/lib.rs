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
//! Nothing here knows what a verdict is, and nothing here opens a file: whoever calls gives an [`ArchiveInput`] of bytes, and
//! hands the batches to `comity-arrow`. Every reader is bounded: a line, a record, a header that is longer than it may be
//! is counted as [damage](Damage) and passed over, and never kept whole.
//!
//! | file | holds |
//! |---|---|
//! | `input.rs` | bytes with a name: seekable or not, compressed or not |
//! | `format.rs` | which format bytes are in |
//! | `damage.rs` | what could not be read, counted |
//! | `options.rs` | what is read |
//! | `columns.rs`, `times.rs` | which column holds URL, time and crawler; what a text says of a time |
//! | `join/` | columns by which rows join with the indexes of public crawls |
//! | `pages/` | readers of pages: `delimited.rs`, `json.rs`, `parquet.rs`, `warc.rs`; what pages say of their use: `statements.rs` |
//! | `parquet_file.rs` | a Parquet file, as the `parquet` crate reads it |
//! | `records.rs` | the records of a WARC file, past those that are damaged |
//! | `row_groups.rs` | groups of rows of Parquet, and when one ends |
//! | `shared_columns.rs` | the columns of a group while they are encoded; those that are one array are encoded once |
//! | `site_file.rs` | `robots.txt` and `tdmrep.json`, told by their URLs |
//! | `bodies.rs` | bodies with their codings undone |
//! | `captures/` | robots.txt answers out of WARC files, tables and files of their own |
//! | `index.rs` | the index of these answers, as Parquet |
//! | `lines.rs` | lines of bounded length |
//! | `logs/` | access logs: the bytes of a line in, a request out (map in `mod.rs`) |
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
mod options;
mod pages;
mod parquet_file;
mod records;
mod row_groups;
mod shared_columns;
mod site_file;
mod times;
mod wacz;
mod write;

pub use captures::{Capture, CaptureFile, CaptureOptions, CaptureRows, Captures, TdmrepCapture};
pub use columns::PageColumns;
pub use damage::{Damage, Damaged};
pub use error::ArchiveError;
pub use format::{ArchiveFormat, Compression};
pub use index::CaptureIndexWriter;
pub use input::ArchiveInput;
pub use join::SurtKey;
pub use options::PageOptions;
pub use pages::{PageStatements, Pages};
pub use write::{TableFormat, TableWriter};
