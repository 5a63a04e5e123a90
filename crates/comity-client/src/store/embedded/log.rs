//! The write-ahead log: what was committed goes there first, and from there to the file. That is called a checkpoint.
//!
//! A checkpoint waits for the disk. So a thread of its own makes one whenever the log has grown by a step, while the
//! writer goes on. But SQLite writes the log from its beginning again only after a checkpoint of the whole log, and while
//! somebody writes, a checkpoint of that thread may never be one. So when the log is as long as it may be, the writer makes
//! a checkpoint itself, after its callers have their answers. It copies only what was written since the last one.

use std::cell::Cell;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rusqlite::Connection;
use rusqlite::hooks::Wal;

use super::open::{Database, LONGEST_LOG, Opening};

/// The thread makes a checkpoint whenever the log has grown by this many bytes.
const STEP: i64 = 4 << 20;

thread_local! {
    /// The pages in the log after the latest commit of this thread.
    static PAGES: Cell<i64> = const { Cell::new(0) };
}

/// Keeps the log short, for the thread that writes.
#[derive(Debug, Default)]
pub(super) struct Log {
    /// The length of the log when the thread was woken last.
    woken_at: i64,
    /// `None` until the log has grown by a step.
    thread: Option<SyncSender<()>>,
    /// Locked while the thread makes a checkpoint.
    underway: Arc<Mutex<()>>,
}

impl Log {
    /// Begins to watch the log of a connection that this thread writes with. SQLite makes no checkpoint by itself any more.
    pub(super) fn watch(connection: &Connection) {
        PAGES.set(0);
        connection.wal_hook(Some(note));
    }

    /// Has a checkpoint made if one is due.
    pub(super) fn keep_short(&mut self, database: &Database) {
        let bytes = PAGES.get().saturating_mul(database.page_bytes);
        if bytes >= LONGEST_LOG {
            // While the thread makes a checkpoint, this one would fail, and the log grow on. Another process may be
            // stopped in the middle of one, so that one is not waited for: the log is longer for a while, and the next
            // commit is followed by another attempt.
            let _waited = self.underway.lock().unwrap_or_else(PoisonError::into_inner);
            let _ = checkpoint(&database.connection, "PASSIVE");
            return;
        }
        if bytes < self.woken_at {
            self.woken_at = 0;
        }
        if bytes >= self.woken_at + STEP {
            self.woken_at = bytes;
            self.wake(&database.opening);
        }
    }

    fn wake(&mut self, opening: &Opening) {
        if self.thread.is_none() {
            let (thread, woken) = sync_channel(1);
            let (opening, underway) = (opening.clone(), Arc::clone(&self.underway));
            let started = std::thread::Builder::new()
                .name("comity-log".into())
                .spawn(move || checkpoint_when_woken(&opening, &woken, &underway));
            // Without the thread, the writer makes all checkpoints.
            self.thread = started.is_ok().then_some(thread);
        }
        if let Some(thread) = &self.thread {
            // It needs no second call.
            let _ = thread.try_send(());
        }
    }
}

fn note(_: &Wal, pages: i32) -> rusqlite::Result<()> {
    PAGES.set(pages.into());
    Ok(())
}

/// Makes a checkpoint whenever it is woken, with a connection of its own, until the writer is gone.
fn checkpoint_when_woken(opening: &Opening, woken: &Receiver<()>, underway: &Mutex<()>) {
    let mut open: Option<Database> = None;
    while woken.recv().is_ok() {
        if open.as_ref().is_none_or(Database::is_replaced) {
            open = opening.open_existing().ok();
        }
        if let Some(database) = &open {
            let _underway = underway.lock().unwrap_or_else(PoisonError::into_inner);
            // If it fails, the writer makes one later.
            let _ = checkpoint(&database.connection, "PASSIVE");
        }
    }
}

/// Makes a checkpoint. Returns false if another one is under way.
fn checkpoint(connection: &Connection, mode: &str) -> rusqlite::Result<bool> {
    let (is_busy, pages): (bool, i64) =
        connection
            .query_row(&format!("PRAGMA wal_checkpoint({mode})"), [], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(!is_busy || pages >= 0)
}

/// Makes a checkpoint after which the log begins anew (`RESTART`) or is empty (`TRUNCATE`), unless another process reads for
/// too long. Waits for a checkpoint that is under way.
pub(super) fn begin_anew(
    connection: &Connection,
    mode: &str,
    busy_timeout: Duration,
) -> rusqlite::Result<()> {
    let deadline = Instant::now() + busy_timeout;
    while !checkpoint(connection, mode)? && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(2));
    }
    Ok(())
}
