//! A thread that owns a connection: SQLite blocks, and a connection belongs to one thread at a time.
//!
//! What many tasks ask for at once is done in one transaction: whoever holds the file's lock takes everything along that
//! has queued up meanwhile. Answers are given after the commit.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

use rusqlite::{Connection, ErrorCode, ffi};
use tokio::sync::oneshot;

use super::open::failed;
use crate::store::StoreError;

/// The most that is done in one transaction, so that other processes get their turn.
const TOGETHER: usize = 128;

/// How a thread's work is put into transactions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Work {
    /// Each piece by itself.
    Reads,
    /// Together, and nobody else writes meanwhile.
    Writes,
}

/// The thread's other end. When it is dropped, the thread does what was asked for and ends.
#[derive(Debug)]
pub(super) struct Worker {
    jobs: Sender<Box<dyn Job>>,
    path: Arc<PathBuf>,
}

impl Worker {
    pub(super) fn start(connection: Connection, work: Work, path: Arc<PathBuf>) -> std::io::Result<Worker> {
        let (jobs, queue) = channel();
        std::thread::Builder::new()
            .name("comity-store".into())
            .spawn(move || serve(&connection, work, &queue))?;
        Ok(Worker { jobs, path })
    }

    /// Has something done. It may be done again if the transaction that it was in failed, so it must not change
    /// anything but the database.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        work: impl FnMut(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (reply, answer) = oneshot::channel();
        let gone = || StoreError::new(format!("store `{}` has stopped; open it again", self.path.display()));
        self.jobs.send(Box::new(Task { work, outcome: None, reply })).map_err(|_| gone())?;
        let outcome = answer.await.map_err(|_| gone())?;
        outcome.map_err(|error| failed(&self.path.display(), error))
    }
}

trait Job: Send {
    fn run(&mut self, connection: &Connection) -> Result<(), ()>;
    fn fail(&mut self, error: rusqlite::Error);
    fn reply(self: Box<Self>);
}

struct Task<T, F> {
    work: F,
    outcome: Option<rusqlite::Result<T>>,
    reply: oneshot::Sender<rusqlite::Result<T>>,
}

impl<T: Send, F: FnMut(&Connection) -> rusqlite::Result<T> + Send> Job for Task<T, F> {
    fn run(&mut self, connection: &Connection) -> Result<(), ()> {
        let outcome = self.outcome.insert((self.work)(connection));
        outcome.as_ref().map(drop).map_err(drop)
    }

    fn fail(&mut self, error: rusqlite::Error) {
        self.outcome = Some(Err(error));
    }

    fn reply(self: Box<Self>) {
        // Nobody listens any more if the caller was cancelled.
        if let Some(outcome) = self.outcome {
            let _ = self.reply.send(outcome);
        }
    }
}

fn serve(connection: &Connection, work: Work, queue: &Receiver<Box<dyn Job>>) {
    while let Ok(first) = queue.recv() {
        let mut jobs = vec![first];
        match work {
            // What went wrong, the job knows.
            Work::Reads => jobs.iter_mut().for_each(|job| job.run(connection).unwrap_or_default()),
            Work::Writes => {
                jobs.extend(queue.try_iter().take(TOGETHER - 1));
                commit(connection, &mut jobs);
            }
        }
        jobs.into_iter().for_each(Job::reply);
    }
}

/// All in one transaction; if that fails for another reason than the lock, each in its own, so that it fails alone.
fn commit(connection: &Connection, jobs: &mut [Box<dyn Job>]) {
    match transaction(connection, jobs) {
        Ok(()) => {}
        Err(Failure::Itself) if jobs.len() == 1 => {}
        Err(Failure::Transaction(error)) if jobs.len() == 1 || is_busy(&error) => {
            let code = error.sqlite_error().copied().unwrap_or(ffi::Error::new(ffi::SQLITE_ERROR));
            jobs.iter_mut().for_each(|job| job.fail(rusqlite::Error::SqliteFailure(code, None)));
        }
        Err(_) => jobs.chunks_mut(1).for_each(|job| commit(connection, job)),
    }
}

enum Failure {
    /// The transaction: nothing was done.
    Transaction(rusqlite::Error),
    /// A job, which knows its error: nothing was done.
    Itself,
}

fn transaction(connection: &Connection, jobs: &mut [Box<dyn Job>]) -> Result<(), Failure> {
    connection.execute_batch("BEGIN IMMEDIATE").map_err(Failure::Transaction)?;
    let done = jobs
        .iter_mut()
        .try_for_each(|job| job.run(connection))
        .map_err(|()| Failure::Itself)
        .and_then(|()| connection.execute_batch("COMMIT").map_err(Failure::Transaction));
    // Some errors end the transaction by themselves.
    if done.is_err() && !connection.is_autocommit() {
        let _ = connection.execute_batch("ROLLBACK");
    }
    done
}

fn is_busy(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
}
