//! Opening the file: folder, permissions, what kind of file it is, schema.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};

use crate::store::StoreError;

/// What marks a SQLite file as ours: `cmty`.
const APPLICATION_ID: i32 = 0x636d_7479;

/// The number of the schema below; another schema gets another number.
const SCHEMA: i32 = 1;

/// `counter` holds the bytes of all entries (kept by triggers, so that the bound costs no sum) and the last lease number.
const TABLES: &str = "
    CREATE TABLE entry (
        id INTEGER PRIMARY KEY,
        origin TEXT NOT NULL UNIQUE,
        put INTEGER NOT NULL,
        sealed BLOB NOT NULL
    ) STRICT;
    CREATE INDEX entry_by_put ON entry (put);
    CREATE TABLE lease (
        origin TEXT PRIMARY KEY,
        number INTEGER NOT NULL,
        ends INTEGER NOT NULL,
        released INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE pace (
        origin TEXT PRIMARY KEY,
        last INTEGER NOT NULL,
        held INTEGER NOT NULL,
        longest INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE counter (bytes INTEGER NOT NULL, lease INTEGER NOT NULL) STRICT;
    INSERT INTO counter VALUES (0, 0);
    CREATE TRIGGER entry_added AFTER INSERT ON entry BEGIN
        UPDATE counter SET bytes = bytes + length(new.origin) + length(new.sealed);
    END;
    CREATE TRIGGER entry_replaced AFTER UPDATE OF sealed ON entry BEGIN
        UPDATE counter SET bytes = bytes - length(old.sealed) + length(new.sealed);
    END;
    CREATE TRIGGER entry_removed AFTER DELETE ON entry BEGIN
        UPDATE counter SET bytes = bytes - length(old.origin) - length(old.sealed);
    END;
";

/// Why a file could not be opened as a store.
pub(super) enum Refused {
    Database(rusqlite::Error),
    Io(std::io::Error),
    /// In words that follow the path.
    Other(String),
}

impl From<rusqlite::Error> for Refused {
    fn from(error: rusqlite::Error) -> Self {
        Refused::Database(error)
    }
}

impl From<std::io::Error> for Refused {
    fn from(error: std::io::Error) -> Self {
        Refused::Io(error)
    }
}

/// Makes the folder and the file if they are missing, for nobody but this user. An absolute path, since SQLite gives
/// some relative ones a meaning of their own.
pub(super) fn prepare(path: &Path) -> Result<PathBuf, Refused> {
    let path = std::path::absolute(path)?;
    if let Some(folder) = path.parent().filter(|folder| !folder.exists()) {
        let mut builder = fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(folder)?;
    }
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(false);
    // What SQLite creates beside the file gets the file's permissions.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(&path)?;
    Ok(path)
}

/// Opens a prepared file, and makes it a store if it is empty.
pub(super) fn connect(path: &Path, busy_timeout: Duration) -> Result<Connection, Refused> {
    // Several processes that open a new file at once get in each other's way where SQLite does not wait by itself.
    let deadline = Instant::now() + busy_timeout;
    loop {
        match try_connect(path, busy_timeout) {
            Err(Refused::Database(error))
                if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
                    && Instant::now() < deadline =>
            {
                std::thread::sleep(Duration::from_millis(fastrand::u64(1..10)));
            }
            done => return done,
        }
    }
}

fn try_connect(path: &Path, busy_timeout: Duration) -> Result<Connection, Refused> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(busy_timeout)?;
    connection.set_prepared_statement_cache_capacity(32);
    let fresh = is_fresh(&connection)?;
    if !fresh {
        check(&connection)?;
    }
    if fresh {
        connection.pragma_update(None, "auto_vacuum", "INCREMENTAL")?;
    }
    let mode: String = connection.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get(0))?;
    if mode != "wal" {
        return Err(Refused::Other(
            "is on a file system without shared memory (a network drive?); put it on a local one".into(),
        ));
    }
    // With a write-ahead log this is safe against a killed process always, and against a power cut but for the last
    // commits, which cost a request each.
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    connection.pragma_update(None, "journal_size_limit", 8 << 20)?;
    if fresh {
        create(&mut connection)?;
        check(&connection)?;
    }
    Ok(connection)
}

/// Whether nobody has written anything into the file yet.
fn is_fresh(connection: &Connection) -> rusqlite::Result<bool> {
    let tables: i64 = connection.query_row("SELECT count(*) FROM sqlite_master", [], |row| row.get(0))?;
    Ok(tables == 0 && number(connection, "user_version")? == 0)
}

fn create(connection: &mut Connection) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    if is_fresh(&transaction)? {
        transaction.execute_batch(TABLES)?;
        transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
        transaction.pragma_update(None, "user_version", SCHEMA)?;
    }
    transaction.commit()
}

/// Whether the file is a store of this version.
fn check(connection: &Connection) -> Result<(), Refused> {
    if number(connection, "application_id")? != APPLICATION_ID {
        return Err(Refused::Other("is another program's database; name another file".into()));
    }
    match number(connection, "user_version")? {
        SCHEMA => Ok(()),
        newer => Err(Refused::Other(format!(
            "was written by a newer Comity (schema {newer}, this one knows {SCHEMA}); update Comity, name another file, or delete it"
        ))),
    }
}

fn number(connection: &Connection, pragma: &str) -> rusqlite::Result<i32> {
    connection.pragma_query_value(None, pragma, |row| row.get(0))
}

/// What went wrong with the file at `path`, and the way out.
pub(super) fn refused(path: &Path, why: Refused) -> StoreError {
    let path = path.display();
    match why {
        Refused::Database(error) => failed(&path, error),
        Refused::Io(error) => StoreError::new(format!("store `{path}` cannot be opened")).because(error),
        Refused::Other(why) => StoreError::new(format!("store `{path}` {why}")),
    }
}

/// What went wrong in the file at `path`, and the way out.
pub(super) fn failed(path: &dyn std::fmt::Display, error: rusqlite::Error) -> StoreError {
    let what = match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => {
            "is not a store; if it once was, delete it (it is made anew), else name another file"
        }
        Some(ErrorCode::DatabaseCorrupt) => {
            "is damaged; delete it together with its `-wal` and `-shm` files: it is made anew, and costs a request per origin"
        }
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            "is kept busy by another process; try again"
        }
        Some(ErrorCode::DiskFull) => "has no room to grow; free some, or run `comity cache purge`",
        Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
            "cannot be written; check its permissions, or name another file"
        }
        _ => "failed",
    };
    StoreError::new(format!("store `{path}` {what}")).because(error)
}
