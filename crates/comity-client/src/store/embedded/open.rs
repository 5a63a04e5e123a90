//! Opens or creates the file of a store. Checks its owner, format and tables, and creates the reserve file.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior, ffi};

use crate::store::{StoreError, StoreFault};

/// Length of the write-ahead log, in bytes, at which the writer makes a checkpoint itself. The log may exceed this
/// length by the size of one transaction.
pub(super) const LONGEST_LOG: i64 = 8 << 20;

/// SQLite application ID of a store's file: the letters `cmty`.
const APPLICATION_ID: i32 = 0x636d_7479;

/// The format of the stored data. The names of tables contain this number, so clients with different formats use
/// different tables of one file. A change to the layout of entries, leases or paces needs a new number.
const FORMAT: u32 = 1;

/// Version of the schema. A file with this version can contain the tables of several formats.
const LAYOUT: i32 = 1;

/// The tables of this format. `entry` contains the entries in the order of writing. `origin` contains the number of an
/// origin's entry, its lease and its paces. `counter` contains the size of all entries, the time when the store was
/// emptied, and the position of the sweep. The stored size makes it unnecessary to add up all entries. `handed`
/// contains the record of slots that were handed on.
const TABLES: &str = "
    CREATE TABLE IF NOT EXISTS entry_1 (
        id INTEGER PRIMARY KEY,
        origin TEXT NOT NULL,
        put INTEGER NOT NULL,
        sealed BLOB NOT NULL
    ) STRICT;
    CREATE TABLE IF NOT EXISTS origin_1 (
        origin TEXT PRIMARY KEY,
        entry INTEGER,
        lease INTEGER NOT NULL,
        ends INTEGER,
        paces BLOB NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS counter_1 (
        id INTEGER PRIMARY KEY CHECK (id = 0),
        bytes INTEGER NOT NULL,
        emptied INTEGER NOT NULL,
        swept TEXT NOT NULL
    ) STRICT;
    INSERT OR IGNORE INTO counter_1 VALUES (0, 0, -9223372036854775808, '');
    CREATE TABLE IF NOT EXISTS handed_1 (
        id INTEGER PRIMARY KEY CHECK (id = 0),
        until INTEGER NOT NULL,
        floor INTEGER NOT NULL,
        written INTEGER NOT NULL
    ) STRICT;
";

/// Size of the reserve file, in bytes. If the disk is full, its space is used for slots, leases and a purge.
const RESERVED_BYTES: usize = 512 << 10;

/// An open file and the options with which it was opened.
#[derive(Debug)]
pub(super) struct Database {
    pub(super) connection: Connection,
    pub(super) opening: Opening,
    pub(super) page_bytes: i64,
    identity: Option<(u64, u64)>,
}

/// The options for opening a file.
#[derive(Clone, Debug)]
pub(super) struct Opening {
    pub(super) path: PathBuf,
    pub(super) busy_timeout: Duration,
    pub(super) is_shared: bool,
}

impl Opening {
    /// Opens the file, or creates it.
    pub(super) fn open(&self) -> Result<Database, OpenError> {
        self.prepare()?;
        self.open_existing()
    }

    /// Opens an existing file.
    pub(super) fn open_existing(&self) -> Result<Database, OpenError> {
        let connection = match connect(&self.path, self.busy_timeout) {
            Err(OpenError::Database(error)) if is_full(&error) => {
                self.free_reserved_space();
                connect(&self.path, self.busy_timeout)?
            }
            done => done?,
        };
        let page_bytes = connection.pragma_query_value(None, "page_size", |row| row.get(0))?;
        Ok(Database { connection, opening: self.clone(), page_bytes, identity: identity(&self.path) })
    }

    /// Creates the folder and the file if they do not exist. Only this user can access them, or the group as well if
    /// the file is shared.
    fn prepare(&self) -> Result<(), OpenError> {
        let folder = self.path.parent().filter(|folder| !folder.exists());
        if let Some(folder) = folder {
            let mut builder = fs::DirBuilder::new();
            builder.recursive(true);
            #[cfg(unix)]
            std::os::unix::fs::DirBuilderExt::mode(&mut builder, if self.is_shared { 0o770 } else { 0o700 });
            builder.create(folder)?;
        }
        self.check_owner()?;
        // An existing file is not opened here: closing it would release the locks that this process holds on the file.
        match self.options().create_new(true).open(&self.path) {
            Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => return Err(error.into()),
            _ => {}
        }
        if self.path.is_dir() {
            return Err(OpenError::Other("cannot be opened: it is a folder".into()));
        }
        self.check_owner()?;
        self.create_reserve_file();
        Ok(())
    }

    fn options(&self) -> fs::OpenOptions {
        let mut options = fs::OpenOptions::new();
        options.write(true).create(true).truncate(false);
        // SQLite creates the `-wal` and `-shm` files with the permissions of this file.
        #[cfg(unix)]
        {
            use std::os::unix::fs::OpenOptionsExt;

            let no_link = rustix::fs::OFlags::NOFOLLOW.bits();
            options
                .mode(if self.is_shared { 0o660 } else { 0o600 })
                .custom_flags(i32::try_from(no_link).unwrap_or_default());
        }
        options
    }

    /// Returns an error if the file is a link or belongs to a user other than this one and root, since the owner of the
    /// file controls the pace of requests.
    #[cfg(unix)]
    fn check_owner(&self) -> Result<(), OpenError> {
        use std::os::unix::fs::MetadataExt;

        let us = rustix::process::geteuid().as_raw();
        for ending in ["", "-wal", "-shm", "-room"] {
            let Ok(file) = fs::symlink_metadata(self.companion(ending)) else { continue };
            if file.file_type().is_symlink() {
                return Err(OpenError::Other(format!(
                    "has a symbolic link in place of a file (`{ending}`); name the file itself"
                )));
            }
            if !self.is_shared && file.uid() != us && file.uid() != 0 {
                return Err(OpenError::Other(format!(
                    "belongs to another user ({}); name another file, or set `shared` to allow it",
                    file.uid()
                )));
            }
        }
        Ok(())
    }

    #[cfg(not(unix))]
    fn check_owner(&self) -> Result<(), OpenError> {
        match fs::symlink_metadata(&self.path) {
            Ok(file) if file.file_type().is_symlink() => {
                Err(OpenError::Other("has a symbolic link in place of a file; name the file itself".into()))
            }
            _ => Ok(()),
        }
    }

    /// Returns the path of the store's file plus a suffix.
    pub(super) fn companion(&self, ending: &str) -> PathBuf {
        let mut path = self.path.as_os_str().to_owned();
        path.push(ending);
        path.into()
    }

    /// Creates the reserve file, if there is space. Without it, the store works until the disk is full.
    fn create_reserve_file(&self) {
        let path = self.companion("-room");
        if fs::metadata(&path).is_ok_and(|file| file.len() == RESERVED_BYTES as u64) {
            return;
        }
        let written =
            self.options().open(&path).and_then(|mut file| file.write_all(&vec![0; RESERVED_BYTES]));
        if written.is_err() {
            self.free_reserved_space();
        }
    }

    /// Removes the reserve file. Returns false if it could not be removed.
    pub(super) fn free_reserved_space(&self) -> bool {
        fs::remove_file(self.companion("-room")).is_ok()
    }

    /// Removes the file and its `-wal`, `-shm` and `-room` files. Also truncates the file and its log, which frees the
    /// space even if other processes have them open. Those processes detect the removal.
    pub(super) fn remove(&self) -> std::io::Result<()> {
        // A link in place of a file would lead to a file of another user.
        let open = |ending| self.options().create(false).open(self.companion(ending));
        let files: Vec<fs::File> = ["", "-wal"].into_iter().filter_map(|ending| open(ending).ok()).collect();
        fs::remove_file(&self.path)?;
        for ending in ["-wal", "-shm", "-room"] {
            let _ = fs::remove_file(self.companion(ending));
        }
        // The `-shm` file is not truncated, since other processes have it mapped into memory.
        files.iter().try_for_each(|file| file.set_len(0))
    }
}

impl Database {
    /// Returns true if the file was deleted or replaced.
    pub(super) fn is_replaced(&self) -> bool {
        identity(&self.opening.path) != self.identity
    }
}

/// Returns the device and inode number of a file, which identify it independently of its name.
#[cfg(unix)]
fn identity(path: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;

    fs::symlink_metadata(path).ok().map(|file| (file.dev(), file.ino()))
}

/// Returns `None`, since open files cannot be removed or replaced on this system.
#[cfg(not(unix))]
fn identity(_: &Path) -> Option<(u64, u64)> {
    None
}

/// Returns the absolute path of a file. Only its last component may be a link. SQLite gives some relative paths a
/// special meaning, such as `:memory:`.
pub(super) fn absolute(path: &Path) -> std::io::Result<PathBuf> {
    let path = std::path::absolute(path)?;
    match (path.parent().map(Path::canonicalize), path.file_name()) {
        (Some(Ok(folder)), Some(name)) => Ok(folder.join(name)),
        _ => Ok(path),
    }
}

/// Returns true if the write failed for lack of space: a full disk, a quota, or a limit on the size of files.
pub(super) fn is_full(error: &rusqlite::Error) -> bool {
    let Some(error) = error.sqlite_error() else { return false };
    error.code == ErrorCode::DiskFull
        || matches!(error.extended_code, ffi::SQLITE_IOERR_WRITE | ffi::SQLITE_IOERR_SHMSIZE)
}

/// The reason why a file cannot be opened as a store.
pub(super) enum OpenError {
    Database(rusqlite::Error),
    Io(std::io::Error),
    /// The part of the message after the path.
    Other(String),
}

impl From<rusqlite::Error> for OpenError {
    fn from(error: rusqlite::Error) -> Self {
        OpenError::Database(error)
    }
}

impl From<std::io::Error> for OpenError {
    fn from(error: std::io::Error) -> Self {
        OpenError::Io(error)
    }
}

/// Opens a prepared file, and creates the tables if it is empty.
fn connect(path: &Path, busy_timeout: Duration) -> Result<Connection, OpenError> {
    // If several processes open a new file at once, SQLite returns some errors without waiting for the lock. So retry
    // until the deadline.
    let deadline = Instant::now() + busy_timeout;
    loop {
        match try_connect(path, busy_timeout) {
            Err(OpenError::Database(error))
                if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
                    && Instant::now() < deadline =>
            {
                std::thread::sleep(Duration::from_millis(fastrand::u64(1..10)));
            }
            done => return done,
        }
    }
}

fn try_connect(path: &Path, busy_timeout: Duration) -> Result<Connection, OpenError> {
    let flags =
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let mut connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(busy_timeout)?;
    connection.set_prepared_statement_cache_capacity(32);
    let fresh = is_fresh(&connection)?;
    if !fresh {
        check_layout(&connection)?;
    }
    if fresh {
        connection.pragma_update(None, "auto_vacuum", "INCREMENTAL")?;
    }
    let mode: String = connection.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get(0))?;
    if mode != "wal" {
        return Err(OpenError::Other(
            "is on a file system without shared memory (a network drive?); put it on a local one".into(),
        ));
    }
    // With a write-ahead log, `NORMAL` loses no commit if a process is killed. A power cut can lose the last commits.
    // Each lost entry costs one request.
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    connection.pragma_update(None, "journal_size_limit", LONGEST_LOG)?;
    // This table was added last, so a file that contains it has all tables.
    if fresh || !has_table(&connection, "handed_1")? {
        create(&mut connection)?;
        check_layout(&connection)?;
    }
    Ok(connection)
}

fn has_table(connection: &Connection, name: &str) -> rusqlite::Result<bool> {
    connection.query_row("SELECT count(*) FROM sqlite_master WHERE name = ?1", [name], |row| row.get(0))
}

/// Returns true if the file is still empty.
fn is_fresh(connection: &Connection) -> rusqlite::Result<bool> {
    let tables: i64 = connection.query_row("SELECT count(*) FROM sqlite_master", [], |row| row.get(0))?;
    Ok(tables == 0 && number(connection, "user_version")? == 0)
}

fn create(connection: &mut Connection) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    if is_fresh(&transaction)? {
        transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
        transaction.pragma_update(None, "user_version", LAYOUT)?;
    }
    transaction.execute_batch(TABLES)?;
    transaction.commit()
}

/// Returns an error unless the file contains the tables of this format. A file that was used only by other versions
/// contains only the tables of their formats.
pub(super) fn check_tables(connection: &Connection) -> Result<(), OpenError> {
    if has_table(connection, "counter_1")? {
        return Ok(());
    }
    const OTHERS: &str =
        "SELECT group_concat(substr(name, 7), ', ') FROM sqlite_master WHERE name GLOB 'entry_*'";
    let others: Option<String> = connection.query_row(OTHERS, [], |row| row.get(0))?;
    let others = others.unwrap_or_else(|| "none".to_owned());
    Err(OpenError::Other(format!(
        "was written by another version of Comity (format {others}, this one reads {FORMAT}); fetch the files again with this \
         version, or read the store with that version"
    )))
}

/// Returns an error unless the file is a store with this schema.
pub(super) fn check_layout(connection: &Connection) -> Result<(), OpenError> {
    if number(connection, "application_id")? != APPLICATION_ID {
        return Err(OpenError::Other("is another program's database; name another file".into()));
    }
    match number(connection, "user_version")? {
        LAYOUT => Ok(()),
        newer => Err(OpenError::Other(format!(
            "was written by a newer Comity (schema {newer}, this one reads {LAYOUT}); update Comity, name another file, or delete it"
        ))),
    }
}

fn number(connection: &Connection, pragma: &str) -> rusqlite::Result<i32> {
    connection.pragma_query_value(None, pragma, |row| row.get(0))
}

/// Returns the error for a file that cannot be opened, with a remedy.
pub(super) fn refused(path: &Path, why: OpenError) -> StoreError {
    let path = path.display();
    match why {
        OpenError::Database(error) => failed(&path, error),
        OpenError::Io(error) => StoreError::new(format!("store `{path}` cannot be opened")).because(error),
        OpenError::Other(why) => StoreError::new(format!("store `{path}` {why}")),
    }
}

/// Returns the error for a failed operation on the file at `path`, with a remedy.
pub(super) fn failed(path: &dyn std::fmt::Display, error: rusqlite::Error) -> StoreError {
    if is_full(&error) {
        let what = "has no disk space; free some, or run `comity cache purge --all`";
        return StoreError::new(format!("store `{path}` {what}")).with_fault(StoreFault::Full).because(error);
    }
    let (what, fault) = match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => (
            "is not a store; if it is a damaged one, delete it (it is created again); otherwise, name another file",
            StoreFault::Other,
        ),
        Some(ErrorCode::DatabaseCorrupt) => (
            "is damaged; delete it with its `-wal` and `-shm` files: it is created again, at the cost of a request per origin",
            StoreFault::Other,
        ),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            ("is locked by another process; try again later", StoreFault::Down)
        }
        Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
            ("cannot be written; check its permissions, or name another file", StoreFault::Other)
        }
        _ => ("failed", StoreFault::Other),
    };
    StoreError::new(format!("store `{path}` {what}")).with_fault(fault).because(error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_names_contain_the_format() {
        for table in ["entry", "origin", "counter", "handed"] {
            assert!(TABLES.contains(&format!("EXISTS {table}_{FORMAT} (")), "{table}");
        }
    }
}
