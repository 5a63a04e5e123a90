//! How captures are read.

use std::io;
use std::path::Path;

use super::body_files::BodyFiles;

/// How captures are read.
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
    /// Batches have up to 1,024 rows. Of a body the first 512,000 bytes are kept, which is what readers of robots.txt look
    /// at (RFC 9309 §2.5 asks for 500 KiB).
    pub fn new() -> Self {
        CaptureOptions { batch_rows: 1024, max_body_bytes: 512_000, body_files: None }
    }

    /// Sets how many rows a batch has at most.
    #[must_use]
    pub fn batch_rows(self, batch_rows: usize) -> Self {
        CaptureOptions { batch_rows: batch_rows.max(1), ..self }
    }

    /// Sets how many bytes of a body are kept.
    #[must_use]
    pub fn max_body_bytes(self, max_body_bytes: usize) -> Self {
        CaptureOptions { max_body_bytes, ..self }
    }

    /// Sets how files are read that a table names: a path below the table's folder, and how many bytes of it are wanted.
    /// Paths that lead elsewhere do not reach the function; links that lead elsewhere are for it to refuse. Without it, rows
    /// that name files count as damaged.
    #[must_use]
    pub fn body_files(
        self,
        read: impl Fn(&Path, usize) -> io::Result<Vec<u8>> + Send + Sync + 'static,
    ) -> Self {
        CaptureOptions { body_files: Some(BodyFiles::new(read)), ..self }
    }
}
