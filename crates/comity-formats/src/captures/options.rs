//! Options for reading captures.

use std::io;
use std::path::Path;

use super::body_files::BodyFiles;

/// Options for reading captures.
#[derive(Clone, Debug)]
pub struct CaptureOptions {
    pub(crate) batch_rows: usize,
    pub(crate) max_body_bytes: usize,
    pub(crate) body_files: Option<BodyFiles>,
}

impl Default for CaptureOptions {
    fn default() -> Self {
        CaptureOptions::new()
    }
}

impl CaptureOptions {
    /// Creates the default options: batches have up to 1,024 rows. The first 512,000 bytes of a body are kept, which is the part
    /// that robots.txt parsers use (RFC 9309 §2.5 asks for 500 KiB).
    pub fn new() -> Self {
        CaptureOptions { batch_rows: 1024, max_body_bytes: 512_000, body_files: None }
    }

    /// Sets the maximum number of rows in a batch.
    #[must_use]
    pub fn batch_rows(self, batch_rows: usize) -> Self {
        CaptureOptions { batch_rows: batch_rows.max(1), ..self }
    }

    /// Sets the maximum size of a body, in bytes. Longer bodies are cut.
    #[must_use]
    pub fn max_body_bytes(self, max_body_bytes: usize) -> Self {
        CaptureOptions { max_body_bytes, ..self }
    }

    /// Sets the function that reads files named by a table. Its arguments are a path below the folder of the table, and the
    /// maximum number of bytes. Paths that lead elsewhere are never passed to it. It has to reject symbolic links that lead
    /// elsewhere itself. Without the function, rows that name files count as damaged.
    #[must_use]
    pub fn body_files(
        self,
        read: impl Fn(&Path, usize) -> io::Result<Vec<u8>> + Send + Sync + 'static,
    ) -> Self {
        CaptureOptions { body_files: Some(BodyFiles::new(read)), ..self }
    }
}
