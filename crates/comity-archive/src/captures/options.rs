//! How captures are read.

/// How captures are read.
#[derive(Clone, Debug)]
pub struct CaptureOptions {
    pub(crate) batch_rows: usize,
    pub(crate) max_body_bytes: usize,
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
        CaptureOptions { batch_rows: 1024, max_body_bytes: 512_000 }
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
}
