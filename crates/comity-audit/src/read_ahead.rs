//! Reads pages ahead while earlier ones are decided.

use std::sync::mpsc::{self, Receiver};
use std::thread::{self, JoinHandle};

use arrow_array::RecordBatch;
use comity_formats::{ArchiveError, PageStatements, Pages};

use crate::error::AuditError;

/// A batch of pages.
pub(crate) struct PageBatch {
    pub(crate) rows: RecordBatch,
    /// The usage statements of the pages.
    pub(crate) statements: Vec<PageStatements>,
}

type Read = Result<PageBatch, ArchiveError>;

/// Maximum number of batches in the channel. The thread holds one more.
const AHEAD: usize = 2;

/// A reader of pages on a separate thread. The thread ends after the last page, or when the receiver is dropped.
pub(crate) struct ReadAhead {
    batches: Receiver<Read>,
    thread: JoinHandle<Pages>,
}

impl ReadAhead {
    pub(crate) fn begin(mut pages: Pages) -> Result<ReadAhead, AuditError> {
        let (sender, batches) = mpsc::sync_channel(AHEAD);
        let thread = thread::Builder::new().name("comity-read".to_owned()).spawn(move || {
            while let Some(batch) = pages.next() {
                let read = batch.map(|rows| PageBatch { rows, statements: pages.take_statements() });
                if sender.send(read).is_err() {
                    break;
                }
            }
            pages
        });
        let thread = thread.map_err(AuditError::Thread)?;
        Ok(ReadAhead { batches, thread })
    }

    /// Returns the reader after the last batch, for the facts that are known at the end.
    pub(crate) fn end(self) -> Result<Pages, AuditError> {
        drop(self.batches);
        self.thread.join().map_err(|_| AuditError::ended_early())
    }
}

impl Iterator for ReadAhead {
    type Item = Read;

    fn next(&mut self) -> Option<Read> {
        self.batches.recv().ok()
    }
}
