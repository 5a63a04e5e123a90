//! Output of the rows of an audit.

use std::fs::File;
use std::io::Seek;
use std::path::Path;
use std::sync::mpsc::{self, SyncSender};
use std::thread::{self, JoinHandle};

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use comity_answers::files::{FileError, Pending};
use comity_formats::{ArchiveError, TableFormat, TableWriter};
use tokio_util::sync::CancellationToken;

use crate::checkpoint::PartRows;
use crate::context::check;
use crate::error::AuditError;
use crate::input_file::digest;

/// The destination of rows.
pub(crate) enum Sink {
    Nowhere,
    File(Pending, TableThread),
    /// A part of a job with a checkpoint.
    Part(Box<PartRows>),
}

impl Sink {
    pub(crate) fn open(path: &Path, format: TableFormat, schema: SchemaRef) -> Result<Sink, AuditError> {
        let pending = Pending::create(path)?;
        let writer = TableWriter::new(path.to_string_lossy(), pending.file()?, format, schema)?;
        let written = TableThread::begin(writer)?;
        Ok(Sink::File(pending, written))
    }

    pub(crate) fn write(&mut self, rows: RecordBatch) -> Result<(), AuditError> {
        match self {
            Sink::Nowhere => Ok(()),
            Sink::File(_, written) => written.write(rows),
            Sink::Part(part) => part.write(&rows),
        }
    }

    /// Writes the rest of the rows, and returns the digest of the file, before the file is moved to its final path.
    pub(crate) fn end(&mut self, cancel: &CancellationToken) -> Result<Option<String>, AuditError> {
        let Sink::File(pending, written) = self else { return Ok(None) };
        written.end()?;
        let failed = |error| AuditError::from(FileError::read(pending.path(), error));
        let mut file = pending.file()?;
        file.rewind().map_err(failed)?;
        Ok(Some(digest(file, &mut |_| check(cancel), failed)?))
    }

    /// Moves the file to its final path.
    pub(crate) fn finish(self) -> Result<(), AuditError> {
        if let Sink::File(pending, _) = self {
            pending.finish()?;
        }
        Ok(())
    }
}

/// Number of batches that may wait to be written.
const WAITING: usize = 4;

/// A table that is written on a separate thread, while the next rows are decided.
pub(crate) struct TableThread {
    /// `None` once there are no more rows to write.
    rows: Option<SyncSender<RecordBatch>>,
    thread: Option<JoinHandle<Result<(), ArchiveError>>>,
}

impl TableThread {
    fn begin(mut writer: TableWriter<File>) -> Result<TableThread, AuditError> {
        let (sender, receiver) = mpsc::sync_channel::<RecordBatch>(WAITING);
        let thread = thread::Builder::new().name("comity-write".to_owned()).spawn(move || {
            for rows in receiver {
                writer.write(&rows)?;
            }
            writer.finish().map(drop)
        });
        let thread = thread.map_err(AuditError::Thread)?;
        Ok(TableThread { rows: Some(sender), thread: Some(thread) })
    }

    /// Passes rows to the thread.
    ///
    /// # Errors
    ///
    /// Returns the error of earlier rows.
    fn write(&mut self, rows: RecordBatch) -> Result<(), AuditError> {
        match self.rows.as_ref().map(|sender| sender.send(rows)) {
            Some(Ok(())) => Ok(()),
            // The thread ended early and returns its error.
            _ => self.end(),
        }
    }

    fn end(&mut self) -> Result<(), AuditError> {
        self.rows = None;
        match self.thread.take().map(JoinHandle::join) {
            Some(Ok(written)) => Ok(written?),
            _ => Err(AuditError::ended_early()),
        }
    }
}
