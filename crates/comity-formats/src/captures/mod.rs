//! Answers to requests for robots.txt, from web archives, tables and single files.
//!
//! | file | content |
//! |---|---|
//! | `warc.rs` | captures from WARC files |
//! | `table.rs` | captures from tables |
//! | `body_files.rs` | bodies in separate files, which a table names |
//! | `file.rs` | a robots.txt in a separate file, whose path contains the site and the time |
//! | `tdmrep.rs` | copies of `tdmrep.json` in an archive |
//! | `rows.rs` | the columns of captures |
//! | `options.rs` | options for reading captures |

mod body_files;
mod file;
mod options;
mod rows;
mod table;
mod tdmrep;
mod warc;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;

pub use self::file::CaptureFile;
pub use self::options::CaptureOptions;
pub use self::rows::{Capture, CaptureRows};
use self::table::TableCaptures;
pub use self::tdmrep::TdmrepCapture;
use self::warc::WarcCaptures;
use crate::damage::Damaged;
use crate::error::ArchiveError;
use crate::format::ArchiveFormat;
use crate::input::ArchiveInput;
use crate::records::Records;

/// The robots.txt answers of a WARC file or a table, batch by batch, with the columns of [`Captures::schema`].
///
/// A table must have a column with the site (`key`, `origin`, `url`, `host`, …), and a column with the body (`body`, `robots`,
/// `robots_txt`, `content`), the status (`status`, `status_code`) or the failure (`failure`). The output of
/// [`CaptureIndexWriter`](crate::CaptureIndexWriter) is such a table. Instead of bodies, a table may contain the names of files
/// (`body_file`, `file`, …). Such a table is the manifest of a folder, and [`CaptureOptions::body_files`] reads the files.
///
/// ```
/// use std::io::Cursor;
///
/// use comity_formats::{ArchiveInput, CaptureOptions, Captures};
///
/// let block = "HTTP/1.1 404 Not Found\r\n\r\n";
/// let warc = format!(
///     "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: https://example.com/robots.txt\r\n\
///      WARC-Date: 2024-03-01T12:00:00Z\r\nContent-Type: application/http; msgtype=response\r\n\
///      Content-Length: {}\r\n\r\n{block}\r\n\r\n",
///     block.len(),
/// );
/// let mut captures = Captures::open(ArchiveInput::file("a.warc", Cursor::new(warc)), &CaptureOptions::new())?;
/// let batch = captures.next().expect("there is an answer")?;
/// assert_eq!(batch.num_rows(), 1);
/// # Ok::<(), comity_formats::ArchiveError>(())
/// ```
pub struct Captures {
    name: String,
    format: ArchiveFormat,
    read: Arc<AtomicU64>,
    damaged: Damaged,
    source: Source,
}

enum Source {
    Warc(Box<WarcCaptures>),
    Table(Box<TableCaptures>),
}

impl Captures {
    /// Opens a WARC file or a table.
    ///
    /// # Errors
    ///
    /// Returns [`ArchiveError`] if the bytes cannot be read, if their format is unknown, or if a table lacks the required
    /// columns.
    pub fn open(input: ArchiveInput, options: &CaptureOptions) -> Result<Captures, ArchiveError> {
        let (name, read) = (input.name().to_owned(), input.bytes_read());
        let (input, compression, format) = input.detect(None)?;
        let mut damaged = Damaged::default();
        let source = match format {
            ArchiveFormat::Warc => {
                let records = Records::new(input, compression);
                Source::Warc(Box::new(WarcCaptures::new(name.clone(), records, options)))
            }
            _ => {
                let (table, found) = TableCaptures::open(input, compression, format, options)?;
                damaged = found;
                Source::Table(Box::new(table))
            }
        };
        Ok(Captures { name, format, read, damaged, source })
    }

    /// Returns the schema of captures: the columns of a table for `comity-arrow`, the location of the answer in its source, and
    /// the target of redirects.
    pub fn schema() -> SchemaRef {
        rows::schema()
    }

    /// Returns the format.
    pub fn format(&self) -> ArchiveFormat {
        self.format
    }

    /// Returns whether the input is the manifest of a folder: a table with the names of files that contain the bodies.
    pub fn is_manifest(&self) -> bool {
        matches!(&self.source, Source::Table(captures) if captures.is_manifest())
    }

    /// Returns the damage so far.
    pub fn damaged(&self) -> &Damaged {
        &self.damaged
    }

    /// Returns the copies of `/.well-known/tdmrep.json` in the WARC records since the last call. Tables have no such copies.
    pub fn take_tdmrep(&mut self) -> Vec<TdmrepCapture> {
        match &mut self.source {
            Source::Warc(captures) => captures.take_tdmrep(),
            Source::Table(_) => Vec::new(),
        }
    }

    /// Returns a counter of the bytes that were read so far, before decompression.
    pub fn bytes_read(&self) -> Arc<AtomicU64> {
        self.read.clone()
    }
}

impl Iterator for Captures {
    type Item = Result<RecordBatch, ArchiveError>;

    fn next(&mut self) -> Option<Self::Item> {
        match &mut self.source {
            Source::Warc(captures) => captures.next(&mut self.damaged),
            Source::Table(captures) => captures.next(&mut self.damaged),
        }
    }
}

impl fmt::Debug for Captures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Captures")
            .field("name", &self.name)
            .field("format", &self.format)
            .field("damaged", &self.damaged)
            .finish_non_exhaustive()
    }
}
