//! A thread that owns a connection to the file. Calls of SQLite block, and only one thread at a time can use a
//! connection.
//!
//! Concurrent write operations share one transaction. While several tasks write, the writing thread waits up to a
//! quarter of a millisecond for a batch as large as the recent batches ([`queue`](super::queue)). Results are sent to
//! the tasks after the commit.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, Transaction, TransactionBehavior, ffi};
use tokio::sync::oneshot;

use super::batch::{self, Batch};
use super::log::{self, Log};
use super::open::{Database, failed, is_full, refused};
use super::queue::{Receiver, Sender, queue};
use super::rows;
use crate::store::StoreError;
use crate::store::slots::HandedOn;

/// Maximum number of operations in one transaction. The limit allows other processes to write in between.
const MAX_BATCH: usize = 128;

/// Maximum time for which an operation waits for other operations to share its transaction.
const MAX_BATCH_WAIT: Duration = Duration::from_micros(250);

/// The kind of transactions in which a worker runs operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TransactionMode {
    /// Each operation reads in its own transaction.
    Reads,
    /// All operations of a batch share one write transaction.
    Writes,
}

/// The handle of the thread. When it is dropped, the thread runs the remaining operations and ends.
#[derive(Debug)]
pub(super) struct Worker {
    jobs: Sender<Box<dyn Job>>,
    path: Arc<PathBuf>,
}

impl Worker {
    pub(super) fn start(
        database: Database,
        work: TransactionMode,
        path: Arc<PathBuf>,
    ) -> std::io::Result<Worker> {
        let most = match work {
            TransactionMode::Reads => 1,
            TransactionMode::Writes => MAX_BATCH,
        };
        let (jobs, queue) = queue(most, MAX_BATCH_WAIT);
        let server = Server { database, work, log: Log::default(), is_full: false };
        std::thread::Builder::new().name("comity-store".into()).spawn(move || server.serve(queue))?;
        Ok(Worker { jobs, path })
    }

    /// Runs an operation. The operation may run again if its transaction fails, so it must change only the database.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        work: impl FnMut(&Batch<'_>) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.ask(Priority::Dispensable, work).await
    }

    /// Runs an operation as [`run`](Worker::run) does. As a last resort on a full disk, empties the store first.
    pub(super) async fn run_vital<T: Send + 'static>(
        &self,
        work: impl FnMut(&Batch<'_>) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.ask(Priority::Vital, work).await
    }

    /// Runs `look`, and if it returns `None`, runs the operation as [`run_vital`](Worker::run_vital) does. `look` only
    /// reads, so it does not wait for other processes.
    pub(super) async fn look_or_run_vital<T: Send + 'static>(
        &self,
        look: impl FnMut(&Batch<'_>) -> rusqlite::Result<Option<T>> + Send + 'static,
        work: impl FnMut(&Batch<'_>) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.post(Priority::Vital, Some(look), work).await
    }

    async fn ask<T: Send + 'static>(
        &self,
        priority: Priority,
        work: impl FnMut(&Batch<'_>) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        let look: Option<Look<T>> = None;
        self.post(priority, look, work).await
    }

    async fn post<T: Send + 'static>(
        &self,
        priority: Priority,
        look: Option<impl FnMut(&Batch<'_>) -> rusqlite::Result<Option<T>> + Send + 'static>,
        work: impl FnMut(&Batch<'_>) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (reply, answer) = oneshot::channel();
        // The handle still exists, so the thread can have ended only by a panic.
        let gone = || {
            let path = self.path.display();
            StoreError::new(format!("the thread of store `{path}` panicked; open the store again"))
        };
        if !self.jobs.send(Box::new(Task { look, work, priority, has_found: false, outcome: None, reply })) {
            return Err(gone());
        }
        let outcome = answer.await.map_err(|_| gone())?;
        outcome.map_err(|error| failed(&self.path.display(), error))
    }
}

/// A placeholder type for operations without `look`.
type Look<T> = fn(&Batch<'_>) -> rusqlite::Result<Option<T>>;

/// The treatment of an operation while the disk is full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Priority {
    /// The operation fails.
    Dispensable,
    /// The store is emptied to free space for the operation.
    Vital,
}

trait Job: Send {
    fn priority(&self) -> Priority;

    /// Returns true if the job has a function `look`, which runs first.
    fn looks(&self) -> bool;

    /// Runs `look`, which may make the operation unnecessary.
    fn look(&mut self, batch: &Batch<'_>);

    /// Returns true if `look` found a result.
    fn has_found(&self) -> bool;

    /// Runs the operation and stores its result. Returns the kind of failure if it failed.
    fn run(&mut self, batch: &Batch<'_>) -> Result<(), FailureKind>;
    fn fail(&mut self, error: rusqlite::Error);
    fn has_failed(&self) -> bool;
    fn reply(self: Box<Self>);
}

struct Task<T, L, F> {
    look: Option<L>,
    work: F,
    priority: Priority,
    has_found: bool,
    outcome: Option<rusqlite::Result<T>>,
    reply: oneshot::Sender<rusqlite::Result<T>>,
}

impl<T, L, F> Job for Task<T, L, F>
where
    T: Send,
    L: FnMut(&Batch<'_>) -> rusqlite::Result<Option<T>> + Send,
    F: FnMut(&Batch<'_>) -> rusqlite::Result<T> + Send,
{
    fn priority(&self) -> Priority {
        self.priority
    }

    fn looks(&self) -> bool {
        self.look.is_some()
    }

    fn look(&mut self, batch: &Batch<'_>) {
        let found = self.look.as_mut().and_then(|look| look(batch).transpose());
        self.has_found = found.is_some();
        self.outcome = found;
    }

    fn has_found(&self) -> bool {
        self.has_found
    }

    fn run(&mut self, batch: &Batch<'_>) -> Result<(), FailureKind> {
        let outcome = self.outcome.insert((self.work)(batch));
        outcome.as_ref().map(drop).map_err(FailureKind::of)
    }

    fn fail(&mut self, error: rusqlite::Error) {
        self.outcome = Some(Err(error));
    }

    fn has_failed(&self) -> bool {
        self.outcome.as_ref().is_some_and(Result::is_err)
    }

    fn reply(self: Box<Self>) {
        // Sending fails if the caller was cancelled.
        if let Some(outcome) = self.outcome {
            let _ = self.reply.send(outcome);
        }
    }
}

/// The kind of a failure, which determines how the thread continues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FailureKind {
    /// The disk is full.
    Full,
    /// Another process holds the lock of the file.
    Busy,
    Other,
}

impl FailureKind {
    fn of(error: &rusqlite::Error) -> FailureKind {
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy) => FailureKind::Busy,
            _ if is_full(error) => FailureKind::Full,
            _ => FailureKind::Other,
        }
    }
}

struct Server {
    database: Database,
    work: TransactionMode,
    log: Log,
    /// True if the warning about a full disk was logged.
    is_full: bool,
}

impl Server {
    fn serve(mut self, mut queue: Receiver<Box<dyn Job>>) {
        if self.work == TransactionMode::Writes {
            Log::watch(&self.database.connection);
        }
        while let Some(mut jobs) = queue.take() {
            self.run_batch(&mut jobs);
            // If the file was replaced while the jobs ran, run them again on the new file.
            if jobs.iter().any(|job| job.has_failed()) && self.database.is_replaced() {
                self.run_batch(&mut jobs);
            }
            jobs.into_iter().for_each(Job::reply);
            if self.work == TransactionMode::Writes {
                self.log.checkpoint_if_due(&self.database);
            }
        }
    }

    fn run_batch(&mut self, jobs: &mut [Box<dyn Job>]) {
        match (self.is_current(), self.work) {
            (Err(error), _) => jobs.iter_mut().for_each(|job| job.fail(copy(&error))),
            // A failed job stores its own error.
            (Ok(()), TransactionMode::Reads) => {
                let batch = || Batch::on(&self.database.connection);
                jobs.iter_mut().for_each(|job| job.run(&batch()).unwrap_or_default());
            }
            (Ok(()), TransactionMode::Writes) => {
                let open = match jobs.iter().any(|job| job.looks()) {
                    true => look_and_run(&self.database.connection, jobs),
                    false => jobs,
                };
                if !open.is_empty() {
                    self.commit(open);
                }
            }
        }
    }

    /// Reopens the file if it was deleted or replaced, so that all processes use the file at the path.
    fn is_current(&mut self) -> rusqlite::Result<()> {
        if !self.database.is_replaced() {
            return Ok(());
        }
        let opening = self.database.opening.clone();
        // This connection can still read the deleted file, unless the file was truncated.
        let handed_on = batch::handed_on(&self.database.connection).unwrap_or(HandedOn::NONE);
        self.database = opening.open().map_err(|why| {
            let why = refused(&opening.path, why);
            tracing::error!(error = %why, "the store's file was deleted or replaced, and cannot be opened again");
            rusqlite::Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_CANTOPEN), None)
        })?;
        if self.work == TransactionMode::Writes {
            Log::watch(&self.database.connection);
            tracing::warn!(
                path = %opening.path.display(),
                "the store's file was deleted or replaced; every origin waits one interval"
            );
            forget(&self.database.connection, handed_on)?;
        }
        Ok(())
    }

    /// Runs all jobs in one transaction. If the transaction fails for a reason other than the lock, runs each job in
    /// its own transaction, so that only the faulty job fails.
    fn commit(&mut self, jobs: &mut [Box<dyn Job>]) {
        let Err(failure) = transaction(&self.database.connection, jobs) else { return };
        let failure = match failure.kind() {
            FailureKind::Full => match self.commit_after_freeing(jobs) {
                Ok(()) => return,
                Err(failure) => failure,
            },
            _ => failure,
        };
        match failure {
            Failure::Transaction(error)
                if jobs.len() == 1 || FailureKind::of(&error) == FailureKind::Busy =>
            {
                jobs.iter_mut().for_each(|job| job.fail(copy(&error)));
            }
            Failure::Itself(_) if jobs.len() == 1 => {}
            _ => jobs.chunks_mut(1).for_each(|job| self.commit(job)),
        }
    }

    /// Frees space on the disk and runs the jobs again. First removes the reserve file and reuses the log from its
    /// beginning. If that is not enough for a single vital job, empties the store.
    fn commit_after_freeing(&mut self, jobs: &mut [Box<dyn Job>]) -> Result<(), Failure> {
        if !self.is_full {
            self.is_full = true;
            let path = self.database.opening.path.display();
            tracing::warn!(%path, "the disk is full; new entries are not stored");
        }
        self.database.opening.free_reserved_space();
        let Database { connection, opening, .. } = &self.database;
        let _ = log::reset_log(connection, "RESTART", opening.busy_timeout);
        let done = transaction(&self.database.connection, jobs);
        let is_vital = matches!(jobs, [job] if job.priority() == Priority::Vital);
        if !is_vital || !done.as_ref().is_err_and(|failure| failure.kind() == FailureKind::Full) {
            return done;
        }
        let path = self.database.opening.path.display();
        tracing::warn!(%path, "the disk is full; the store is emptied to make room for leases and slots");
        if self.database.opening.remove().is_err() || self.is_current().is_err() {
            return done;
        }
        transaction(&self.database.connection, jobs)
    }
}

/// Records that the store was emptied, in one transaction, since other processes may already use the file.
fn forget(connection: &Connection, before: HandedOn) -> rusqlite::Result<()> {
    let transaction = Transaction::new_unchecked(connection, TransactionBehavior::Immediate)?;
    let batch = Batch::on(connection);
    rows::forget(&batch, before)?;
    batch.keep()?;
    transaction.commit()
}

/// Copies the error code of an error, so that each job gets its own error.
fn copy(error: &rusqlite::Error) -> rusqlite::Error {
    let code = error.sqlite_error().copied().unwrap_or(ffi::Error::new(ffi::SQLITE_ERROR));
    rusqlite::Error::SqliteFailure(code, None)
}

enum Failure {
    /// The transaction failed and was rolled back.
    Transaction(rusqlite::Error),
    /// A job failed and has stored its error. The transaction was rolled back.
    Itself(FailureKind),
}

impl Failure {
    fn kind(&self) -> FailureKind {
        match self {
            Failure::Transaction(error) => FailureKind::of(error),
            Failure::Itself(kind) => *kind,
        }
    }
}

/// Runs `look` for all jobs, then runs the jobs without a result in the same transaction. So the rows cannot change in
/// between and are read only once. If the transaction fails, for example because another process was writing, returns
/// the jobs to run again.
fn look_and_run<'j>(connection: &Connection, jobs: &'j mut [Box<dyn Job>]) -> &'j mut [Box<dyn Job>] {
    let begun = execute(connection, "BEGIN");
    let batch = Batch::on(connection);
    jobs.iter_mut().for_each(|job| job.look(&batch));
    jobs.sort_by_key(|job| job.has_found());
    let open = jobs.partition_point(|job| !job.has_found());
    let open = jobs.get_mut(..open).unwrap_or_default();
    match begun.map_err(Failure::Transaction).and_then(|_| run(batch, open)) {
        Ok(()) => Default::default(),
        Err(_) => open,
    }
}

fn execute(connection: &Connection, statement: &str) -> rusqlite::Result<usize> {
    connection.prepare_cached(statement)?.execute([])
}

fn transaction(connection: &Connection, jobs: &mut [Box<dyn Job>]) -> Result<(), Failure> {
    execute(connection, "BEGIN IMMEDIATE").map_err(Failure::Transaction)?;
    run(Batch::on(connection), jobs)
}

/// Runs all jobs in a transaction that has begun, and commits or rolls back the transaction.
fn run(batch: Batch<'_>, jobs: &mut [Box<dyn Job>]) -> Result<(), Failure> {
    let connection = batch.connection();
    let done = jobs
        .iter_mut()
        .try_for_each(|job| job.run(&batch))
        .map_err(Failure::Itself)
        .and_then(|()| batch.keep().map_err(Failure::Transaction))
        .and_then(|()| execute(connection, "COMMIT").map(drop).map_err(Failure::Transaction));
    // After some errors, SQLite has already rolled the transaction back.
    if done.is_err() && !connection.is_autocommit() {
        let _ = connection.execute_batch("ROLLBACK");
    }
    done
}

#[cfg(test)]
mod tests {
    use crate::store::EmbeddedStore;

    #[tokio::test]
    async fn operation_after_a_panic_of_the_thread_fails_with_the_reason() {
        let folder = tempfile::tempdir().unwrap();
        let store = EmbeddedStore::open(folder.path().join("store.db")).unwrap();
        for _ in 0..2 {
            let done = store.writer.run(|_| -> rusqlite::Result<()> { panic!("a fault in a job") }).await;
            assert!(done.unwrap_err().to_string().contains("panicked"));
        }
    }
}
