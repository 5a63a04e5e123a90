//! Pages that are read while those before them are decided.

use std::sync::mpsc::{self, Receiver};
use std::thread::{self, JoinHandle};

use arrow_array::RecordBatch;
use comity_formats::{ArchiveError, PageStatements, Pages};

use super::failures::no_thread;
use crate::exit::Failure;

/// A batch of pages.
pub(super) struct PageBatch {
    pub(super) rows: RecordBatch,
    /// What they say of their use.
    pub(super) statements: Vec<PageStatements>,
}

type Read = Result<PageBatch, ArchiveError>;

/// So many batches are read before they are asked for.
const AHEAD: usize = 2;

/// Pages that a thread of their own reads. The thread ends when the pages do, or when nobody asks for more.
pub(super) struct ReadAhead {
    batches: Receiver<Read>,
    thread: JoinHandle<Pages>,
}

impl ReadAhead {
    pub(super) fn begin(mut pages: Pages) -> Result<ReadAhead, Failure> {
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
        let thread = thread.map_err(no_thread)?;
        Ok(ReadAhead { batches, thread })
    }

    /// Returns the pages after their last batch, for what is known of them then.
    pub(super) fn end(self) -> Result<Pages, Failure> {
        drop(self.batches);
        self.thread.join().map_err(|_| Failure::new("the pages could not be read to their end"))
    }
}

impl Iterator for ReadAhead {
    type Item = Read;

    fn next(&mut self) -> Option<Read> {
        self.batches.recv().ok()
    }
}
