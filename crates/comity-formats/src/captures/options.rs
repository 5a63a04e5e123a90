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
    /// Creates the default options: up to 1,024 rows in a batch, and up to 512,001 bytes in a body. Parsers of robots.txt
    /// read 512,000 bytes (RFC 9309 §2.5); one more byte shows them that the body is longer.
    pub fn new() -> Self {
        CaptureOptions { batch_rows: 1024, max_body_bytes: 512_001, body_files: None }
    }

    /// Sets the maximum number of rows in a batch.
    #[must_use]
    pub fn batch_rows(self, batch_rows: usize) -> Self {
        CaptureOptions { batch_rows: batch_rows.max(1), ..self }
    }

    /// Sets the maximum size of a body, in bytes. Longer bodies are truncated.
    #[must_use]
    pub fn max_body_bytes(self, max_body_bytes: usize) -> Self {
        CaptureOptions { max_body_bytes, ..self }
    }

    /// Sets the function that reads the files named by a table. Without it, rows with the name of a file are damaged.
    ///
    /// The arguments of the function are a path below the folder of the table, and the maximum number of bytes. The function
    /// must reject symbolic links that lead out of the folder.
    #[must_use]
    pub fn body_files(
        self,
        read: impl Fn(&Path, usize) -> io::Result<Vec<u8>> + Send + Sync + 'static,
    ) -> Self {
        CaptureOptions { body_files: Some(BodyFiles::new(read)), ..self }
    }
}
