//! Checkpoints of the write-ahead log. SQLite writes each commit to the log first. A checkpoint copies the log into the
//! file.
//!
//! A checkpoint waits for the disk. So whenever the log has grown by [`STEP`], a separate thread makes a checkpoint
//! while the writer continues. But SQLite reuses the log from its beginning only after a checkpoint of the whole log.
//! During constant writes, the separate thread may never copy the whole log. So when the log has reached its limit, the
//! writer makes a checkpoint itself, after it has answered its callers. That checkpoint copies only the pages that were
//! written since the previous checkpoint.

use std::cell::Cell;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rusqlite::Connection;

use super::open::{Database, LONGEST_LOG, Opening};

/// Growth of the log, in bytes, after which the separate thread makes a checkpoint.
const STEP: i64 = 4 << 20;

thread_local! {
    /// Number of pages in the log after the latest commit of this thread.
    static PAGES: Cell<i64> = const { Cell::new(0) };
}

/// The checkpoint state of the writer.
#[derive(Debug, Default)]
pub(super) struct Log {
    /// Length of the log, in bytes, when the separate thread was last woken.
    woken_at: i64,
    /// Channel that wakes the separate thread; `None` until the thread is first needed.
    thread: Option<SyncSender<()>>,
    /// Lock that the separate thread holds while it makes a checkpoint.
    underway: Arc<Mutex<()>>,
}

impl Log {
    /// Installs a hook on the writer's connection that records the length of the log. The hook also disables the
    /// automatic checkpoints of SQLite.
    pub(super) fn watch(connection: &Connection) {
        PAGES.set(0);
        connection.wal_hook(Some(|_, pages| {
            PAGES.set(pages.into());
            Ok(())
        }));
    }

    /// Makes a checkpoint or wakes the separate thread, depending on the length of the log.
    pub(super) fn checkpoint_if_due(&mut self, database: &Database) {
        let bytes = PAGES.get().saturating_mul(database.page_bytes);
        if bytes >= LONGEST_LOG {
            // While the separate thread makes a checkpoint, a second checkpoint would fail, and the log would grow
            // further. So wait for the thread. Do not wait for a checkpoint of another process, since that process may
            // be stopped. In that case, the log exceeds its limit for a while, and the next commit is followed by
            // another attempt.
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
            // If the thread cannot be started, the writer makes all checkpoints.
            self.thread = started.is_ok().then_some(thread);
        }
        if let Some(thread) = &self.thread {
            // If the channel is full, the thread will wake up anyway.
            let _ = thread.try_send(());
        }
    }
}

/// Fallback for rusqlite 0.32, which has no hook: SQLite's automatic checkpoints stay on. Programs with sqlx 0.8 need this
/// version. In later versions, the method of [`Connection`] takes precedence.
#[allow(dead_code, reason = "only rusqlite 0.32 uses it")]
trait AutomaticCheckpoints {
    fn wal_hook(&self, hook: Option<fn(&(), i32) -> rusqlite::Result<()>>);
}

impl AutomaticCheckpoints for Connection {
    fn wal_hook(&self, _: Option<fn(&(), i32) -> rusqlite::Result<()>>) {}
}

/// The main function of the separate thread: makes a checkpoint at each wake-up, on its own connection, until the
/// writer has ended.
fn checkpoint_when_woken(opening: &Opening, woken: &Receiver<()>, underway: &Mutex<()>) {
    let mut open: Option<Database> = None;
    while woken.recv().is_ok() {
        if open.as_ref().is_none_or(Database::is_replaced) {
            open = opening.open_existing().ok();
        }
        if let Some(database) = &open {
            let _underway = underway.lock().unwrap_or_else(PoisonError::into_inner);
            // If the checkpoint fails, the writer makes one later.
            let _ = checkpoint(&database.connection, "PASSIVE");
        }
    }
}

/// Makes a checkpoint. Returns false if another checkpoint is in progress.
fn checkpoint(connection: &Connection, mode: &str) -> rusqlite::Result<bool> {
    let (is_busy, pages): (bool, i64) =
        connection
            .query_row(&format!("PRAGMA wal_checkpoint({mode})"), [], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(!is_busy || pages >= 0)
}

/// Makes a checkpoint after which the log is reused from its beginning (`RESTART`) or is empty (`TRUNCATE`). Waits at
/// most `busy_timeout` for a checkpoint in progress. The log is unchanged if another process reads for too long.
pub(super) fn reset_log(connection: &Connection, mode: &str, busy_timeout: Duration) -> rusqlite::Result<()> {
    let deadline = Instant::now() + busy_timeout;
    while !checkpoint(connection, mode)? && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(2));
    }
    Ok(())
}
