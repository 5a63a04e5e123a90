//! Where the rows of an audit go.

use std::fs::File;
use std::path::Path;
use std::sync::mpsc::{self, SyncSender};
use std::thread::{self, JoinHandle};

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use comity_audit::PartRows;
use comity_formats::{ArchiveError, TableFormat, TableWriter};

use super::failures::{failed, failed_job, no_thread};
use super::inputs;
use crate::exit::{self, Failure};
use crate::write_file::Pending;

/// Where rows go.
pub(super) enum Sink {
    Nowhere,
    File(Pending, Written),
    /// A part of a job that may be stopped.
    Part(PartRows),
}

impl Sink {
    pub(super) fn open(path: &Path, format: TableFormat, schema: SchemaRef) -> Result<Sink, Failure> {
        let pending = Pending::create(path)?;
        let writer =
            TableWriter::new(path.to_string_lossy(), pending.file()?, format, schema).map_err(failed)?;
        let written = Written::begin(writer)?;
        Ok(Sink::File(pending, written))
    }

    pub(super) fn write(&mut self, rows: RecordBatch) -> Result<(), Failure> {
        match self {
            Sink::Nowhere => Ok(()),
            Sink::File(_, written) => written.write(rows),
            Sink::Part(part) => part.write(&rows).map_err(failed_job),
        }
    }

    /// Puts the file in its place. Returns its digest.
    pub(super) fn finish(self) -> Result<Option<String>, Failure> {
        let Sink::File(pending, written) = self else { return Ok(None) };
        written.finish()?;
        let path = pending.path().to_owned();
        pending.finish()?;
        let digest = File::open(&path).and_then(inputs::digest);
        digest.map(Some).map_err(|error| {
            Failure::new(format!("cannot read `{}`: {}", path.display(), exit::reason(&error)))
        })
    }
}

/// So many batches wait until they are written.
const WAITING: usize = 4;

/// A table that is written on a thread of its own, while the next rows are decided.
pub(super) struct Written {
    /// `None` once there is nothing more to write.
    rows: Option<SyncSender<RecordBatch>>,
    thread: Option<JoinHandle<Result<(), ArchiveError>>>,
}

impl Written {
    fn begin(mut writer: TableWriter<File>) -> Result<Written, Failure> {
        let (sender, receiver) = mpsc::sync_channel::<RecordBatch>(WAITING);
        let thread = thread::Builder::new().name("comity-write".to_owned()).spawn(move || {
            for rows in receiver {
                writer.write(&rows)?;
            }
            writer.finish().map(drop)
        });
        let thread = thread.map_err(no_thread)?;
        Ok(Written { rows: Some(sender), thread: Some(thread) })
    }

    /// # Errors
    ///
    /// What went wrong with rows before these.
    fn write(&mut self, rows: RecordBatch) -> Result<(), Failure> {
        match self.rows.as_ref().map(|sender| sender.send(rows)) {
            Some(Ok(())) => Ok(()),
            // The thread ended early, and says why.
            _ => self.end(),
        }
    }

    fn finish(mut self) -> Result<(), Failure> {
        self.end()
    }

    fn end(&mut self) -> Result<(), Failure> {
        self.rows = None;
        match self.thread.take().map(JoinHandle::join) {
            Some(Ok(written)) => written.map_err(failed),
            _ => Err(Failure::new("the table could not be written to its end")),
        }
    }
}
