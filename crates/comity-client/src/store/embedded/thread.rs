//! The thread that owns the connection to the file. Calls of SQLite block, and only one thread at a time can use a
//! connection.
//!
//! All operations that have arrived while the thread was busy share the next transaction. Their results are sent after
//! the commit.

use std::iter::once;
use std::slice::from_mut;
use std::sync::mpsc::{Receiver, Sender, channel};

use rusqlite::{Connection, Transaction, TransactionBehavior};
use tokio::sync::oneshot;

use super::open::{Database, OpenParameters, reset_log};
use super::rows;
use crate::store::slots::HandedOn;
use crate::store::{Reply, StoreError, StoreFault};

/// Maximum number of operations in one transaction. The limit allows other processes to write in between.
const MAX_BATCH: usize = 128;

/// The treatment of an operation while the disk is full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Priority {
    /// The operation fails.
    Dispensable,
    /// The store is emptied to free space for the operation.
    Vital,
}

/// The handle of the thread. When it is dropped, the thread runs the remaining operations and ends.
#[derive(Debug)]
pub(super) struct StoreThread {
    jobs: Sender<Box<dyn Job>>,
    opening: OpenParameters,
}

impl StoreThread {
    pub(super) fn start(opening: &OpenParameters) -> Result<StoreThread, StoreError> {
        let (jobs, queue) = channel();
        let server = Server { database: opening.open()? };
        let thread = std::thread::Builder::new().name("comity-store".into());
        thread.spawn(move || server.serve(&queue)).map_err(|error| opening.unusable(error))?;
        Ok(StoreThread { jobs, opening: opening.clone() })
    }

    /// Runs an operation in a transaction that it shares with other operations. The operation may run again if the
    /// transaction fails, so it must change only the database. It begins with a query: a transaction that begins with a
    /// write would wait twice for the lock of another process.
    pub(super) fn run<T: Send + 'static>(
        &self,
        priority: Priority,
        work: impl FnMut(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Reply<'_, T> {
        Box::pin(async move {
            let (reply, answer) = oneshot::channel();
            let job = Box::new(Operation { work, priority, result: None, reply });
            // The handle still exists, so the thread can have ended only by a panic. Then the answer is an error, too.
            let _ = self.jobs.send(job);
            let gone =
                |_| self.opening.refused("cannot be used, since its thread panicked; open the store again");
            answer.await.map_err(gone)?
        })
    }
}

trait Job: Send {
    fn priority(&self) -> Priority;

    /// Runs the operation and keeps its result.
    fn run(&mut self, db: &Connection) -> rusqlite::Result<()>;

    /// Sends the result of the operation after its transaction.
    fn reply(self: Box<Self>, committed: Result<(), StoreError>);
}

struct Operation<T, F> {
    work: F,
    priority: Priority,
    result: Option<T>,
    reply: oneshot::Sender<Result<T, StoreError>>,
}

impl<T: Send, F: FnMut(&Connection) -> rusqlite::Result<T> + Send> Job for Operation<T, F> {
    fn priority(&self) -> Priority {
        self.priority
    }

    fn run(&mut self, db: &Connection) -> rusqlite::Result<()> {
        self.result = Some((self.work)(db)?);
        Ok(())
    }

    fn reply(self: Box<Self>, committed: Result<(), StoreError>) {
        let Operation { result, reply, .. } = *self;
        if let Some(result) = committed.map(|()| result).transpose() {
            // Sending fails if the caller was cancelled.
            let _ = reply.send(result);
        }
    }
}

struct Server {
    database: Database,
}

impl Server {
    fn serve(mut self, queue: &Receiver<Box<dyn Job>>) {
        while let Ok(first) = queue.recv() {
            let mut jobs: Vec<_> = once(first).chain(queue.try_iter().take(MAX_BATCH - 1)).collect();
            match self.attempt(&mut jobs) {
                Ok(()) => jobs.into_iter().for_each(|job| job.reply(Ok(()))),
                Err(error) => jobs.into_iter().for_each(|job| self.run_alone(job, error.fault())),
            }
        }
    }

    /// Runs a job in its own transaction after a shared transaction failed, so that only the faulty job fails.
    fn run_alone(&mut self, mut job: Box<dyn Job>, fault: StoreFault) {
        let mut done = match fault {
            // Another process has locked the file for the whole timeout. Do not wait again: reads need no lock.
            StoreFault::Down => self.transaction("BEGIN", from_mut(&mut job)),
            _ => self.attempt(from_mut(&mut job)),
        };
        if fault_of(&done) == Some(StoreFault::Full) && job.priority() == Priority::Vital {
            let path = self.database.opening.path.display();
            tracing::warn!(%path, "the disk is full; the store is emptied to make room for leases and slots");
            if self.database.opening.remove().is_ok() {
                done = self.attempt(from_mut(&mut job));
            }
        }
        job.reply(done);
    }

    /// Runs jobs in one transaction. If another process writes, waits for it. On a full disk, frees space first.
    fn attempt(&mut self, jobs: &mut [Box<dyn Job>]) -> Result<(), StoreError> {
        self.reopen_if_replaced()?;
        let mut done = self.transaction("BEGIN", jobs);
        if fault_of(&done) == Some(StoreFault::Down) {
            done = self.transaction("BEGIN IMMEDIATE", jobs);
        }
        if fault_of(&done) == Some(StoreFault::Full) {
            let Database { connection, opening, .. } = &self.database;
            if opening.free_reserved_space() {
                tracing::warn!(path = %opening.path.display(), "the disk is full; new entries are not stored");
            }
            let _ = reset_log(connection, "RESTART", opening.options.busy_timeout);
            done = self.transaction("BEGIN IMMEDIATE", jobs);
        }
        done
    }

    fn transaction(&self, begin: &str, jobs: &mut [Box<dyn Job>]) -> Result<(), StoreError> {
        let Database { connection, opening, .. } = &self.database;
        let execute = |statement: &str| connection.prepare_cached(statement)?.execute([]).map(drop);
        let done = execute(begin)
            .and_then(|()| jobs.iter_mut().try_for_each(|job| job.run(connection)))
            .and_then(|()| execute("COMMIT"));
        // After some errors, SQLite has already rolled the transaction back.
        if done.is_err() && !connection.is_autocommit() {
            let _ = execute("ROLLBACK");
        }
        done.map_err(|error| opening.failed(error))
    }

    /// Opens the file again if it was deleted or replaced, so that all processes use the file at the path. Every origin
    /// then waits one interval.
    fn reopen_if_replaced(&mut self) -> Result<(), StoreError> {
        if !self.database.is_replaced() {
            return Ok(());
        }
        // This connection can still read the deleted file, unless the file was truncated.
        let handed_on = rows::handed_on(&self.database.connection).unwrap_or(HandedOn::NONE);
        let database = self.database.opening.open()?;
        let path = database.opening.path.display();
        tracing::warn!(%path, "the store's file was deleted or replaced; every origin waits one interval");
        // Other processes may already use the file.
        Transaction::new_unchecked(&database.connection, TransactionBehavior::Immediate)
            .and_then(|transaction| {
                rows::forget(&transaction, handed_on)?;
                transaction.commit()
            })
            .map_err(|error| database.opening.failed(error))?;
        self.database = database;
        Ok(())
    }
}

fn fault_of(done: &Result<(), StoreError>) -> Option<StoreFault> {
    done.as_ref().err().map(StoreError::fault)
}

#[cfg(test)]
mod tests {
    use super::Priority;
    use crate::store::EmbeddedStore;

    #[tokio::test]
    async fn operation_after_a_panic_of_the_thread_fails_with_the_reason() {
        let folder = tempfile::tempdir().unwrap();
        let store = EmbeddedStore::open(folder.path().join("store.db")).unwrap();
        for _ in 0..2 {
            let work = |_: &_| -> rusqlite::Result<()> { panic!("a fault in a job") };
            let done = store.thread.run(Priority::Vital, work).await;
            assert!(done.unwrap_err().to_string().contains("panicked"));
        }
    }
}
