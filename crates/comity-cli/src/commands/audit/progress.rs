//! The progress of a job over files: bytes, rows a second, time left.

use std::sync::atomic::{AtomicU64, Ordering};

use super::inputs::JobFile;
use crate::output::{Output, Progress};

/// The bytes of several files, as they are read.
pub(super) struct BytesProgress {
    progress: Progress,
    /// Bytes of files that are done.
    before: u64,
    rows_before: u64,
    rows: u64,
}

impl BytesProgress {
    pub(super) fn new(files: &[JobFile], what: &str, output: &Output) -> Self {
        let total = files.iter().map(|file| file.bytes).sum();
        BytesProgress { progress: output.bytes_progress(total, what), before: 0, rows_before: 0, rows: 0 }
    }

    /// So much of the file at hand is read, and it had so many rows.
    pub(super) fn at(&mut self, bytes: &AtomicU64, rows: u64) {
        self.rows = self.rows_before + rows;
        self.progress.set(self.before + bytes.load(Ordering::Relaxed), self.rows);
    }

    /// The file at hand is done.
    pub(super) fn done(&mut self, bytes: u64) {
        self.before += bytes;
        self.rows_before = self.rows;
        self.progress.set(self.before, self.rows);
    }
}
