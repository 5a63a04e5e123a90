//! Opens or creates the file of a store. Checks its owner, format and tables, and creates the reserve file.

use std::fmt::Display;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior, ffi};

use super::EmbeddedOptions;
use crate::store::{StoreError, StoreFault};

/// Number of pages in the write-ahead log, of 4 KiB each, at which a commit also copies the log into the file.
const LONGEST_LOG: i64 = 1280;

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

/// An open file.
#[derive(Debug)]
pub(super) struct Database {
    pub(super) connection: Connection,
    pub(super) opening: OpenParameters,
    identity: Option<(u64, u64)>,
}

impl Database {
    /// Returns true if the file was deleted or replaced.
    pub(super) fn is_replaced(&self) -> bool {
        identity(&self.opening.path) != self.identity
    }
}

/// The path of a store, and the options for opening it.
#[derive(Clone, Debug)]
pub(super) struct OpenParameters {
    pub(super) path: PathBuf,
    pub(super) options: EmbeddedOptions,
}

impl OpenParameters {
    /// Makes the path absolute, since SQLite gives some relative paths a special meaning, such as `:memory:`. Resolves
    /// links in all components but the last.
    pub(super) fn new(path: &Path, options: EmbeddedOptions) -> Result<OpenParameters, StoreError> {
        let opening = OpenParameters { path: path.to_owned(), options };
        let path = std::path::absolute(path).map_err(|error| opening.unusable(error))?;
        let path = match (path.parent().map(Path::canonicalize), path.file_name()) {
            (Some(Ok(folder)), Some(name)) => folder.join(name),
            _ => path,
        };
        Ok(OpenParameters { path, ..opening })
    }

    /// Opens the file, or creates it.
    pub(super) fn open(&self) -> Result<Database, StoreError> {
        self.create_file().map_err(|error| self.unusable(error))?;
        if self.path.is_dir() {
            return Err(self.refused("cannot be opened: it is a folder"));
        }
        self.check_owner()?;
        self.create_reserve_file();
        let connection = match self.connect() {
            Err(error) if error.fault() == StoreFault::Full && self.free_reserved_space() => self.connect(),
            done => done,
        }?;
        Ok(Database { connection, opening: self.clone(), identity: identity(&self.path) })
    }

    /// Creates the folder and the file if they do not exist. Only this user can access them, or the group as well if
    /// the file is shared.
    fn create_file(&self) -> io::Result<()> {
        if let Some(folder) = self.path.parent().filter(|folder| !folder.exists()) {
            let mut builder = fs::DirBuilder::new();
            builder.recursive(true);
            #[cfg(unix)]
            std::os::unix::fs::DirBuilderExt::mode(
                &mut builder,
                if self.options.is_shared { 0o770 } else { 0o700 },
            );
            builder.create(folder)?;
        }
        // An existing file is not opened here: closing it would release the locks that this process holds on the file.
        match self.file_options().create_new(true).open(&self.path) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
            _ => Ok(()),
        }
    }

    fn file_options(&self) -> fs::OpenOptions {
        let mut options = fs::OpenOptions::new();
        options.write(true).create(true).truncate(false);
        // SQLite creates the `-wal` and `-shm` files with the permissions of this file.
        #[cfg(unix)]
        {
            use std::os::unix::fs::OpenOptionsExt;

            let no_link = rustix::fs::OFlags::NOFOLLOW.bits();
            options
                .mode(if self.options.is_shared { 0o660 } else { 0o600 })
                .custom_flags(i32::try_from(no_link).unwrap_or_default());
        }
        options
    }

    /// Returns an error if a file is a link or, unless the store is shared, belongs to a user other than this one and
    /// root: the owner of the file controls the pace of requests.
    fn check_owner(&self) -> Result<(), StoreError> {
        for ending in ["", "-wal", "-shm", "-room"] {
            let Ok(file) = fs::symlink_metadata(self.companion(ending)) else { continue };
            if file.file_type().is_symlink() {
                return Err(self.refused(format!(
                    "has a symbolic link in place of a file (`{ending}`); name the file itself"
                )));
            }
            #[cfg(unix)]
            {
                let owner = std::os::unix::fs::MetadataExt::uid(&file);
                if !self.options.is_shared && owner != rustix::process::geteuid().as_raw() && owner != 0 {
                    return Err(self.refused(format!(
                        "belongs to another user ({owner}); name another file, or set `shared` to allow it"
                    )));
                }
            }
        }
        Ok(())
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
        let file = self.file_options().open(&path);
        if file.and_then(|mut file| file.write_all(&vec![0; RESERVED_BYTES])).is_err() {
            self.free_reserved_space();
        }
    }

    /// Removes the reserve file. Returns false if it could not be removed.
    pub(super) fn free_reserved_space(&self) -> bool {
        fs::remove_file(self.companion("-room")).is_ok()
    }

    /// Removes the file and its `-wal`, `-shm` and `-room` files. Also truncates the file and its log, which frees the
    /// space even if other processes have them open. Those processes detect the removal.
    pub(super) fn remove(&self) -> io::Result<()> {
        // A link in place of a file would lead to a file of another user.
        let open = |ending| self.file_options().create(false).open(self.companion(ending));
        let files: Vec<fs::File> = ["", "-wal"].into_iter().filter_map(|ending| open(ending).ok()).collect();
        fs::remove_file(&self.path)?;
        for ending in ["-wal", "-shm", "-room"] {
            let _ = fs::remove_file(self.companion(ending));
        }
        // The `-shm` file is not truncated, since other processes have it mapped into memory.
        files.iter().try_for_each(|file| file.set_len(0))
    }

    /// Opens a file that exists, and creates the tables if it is empty.
    fn connect(&self) -> Result<Connection, StoreError> {
        // If several processes open a new file at once, SQLite returns some errors without waiting for the lock. So
        // retry until the deadline.
        let deadline = Instant::now() + self.options.busy_timeout;
        loop {
            match self.try_connect() {
                Err(error) if error.fault() == StoreFault::Down && Instant::now() < deadline => {
                    std::thread::sleep(Duration::from_millis(fastrand::u64(1..10)));
                }
                done => return done,
            }
        }
    }

    fn try_connect(&self) -> Result<Connection, StoreError> {
        let failed = |error| self.failed(error);
        let mut connection = self.connection(OpenFlags::SQLITE_OPEN_READ_WRITE).map_err(failed)?;
        connection.set_prepared_statement_cache_capacity(32);
        let is_new = is_empty(&connection).map_err(failed)?;
        if !is_new {
            self.check_layout(&connection)?;
        }
        let mode = configure(&connection, is_new).map_err(failed)?;
        if mode != "wal" {
            return Err(self.refused(
                "is on a file system without shared memory (a network drive?); put it on a local one",
            ));
        }
        // This table was added last, so a file that contains it has all tables.
        if is_new || !has_table(&connection, "handed_1").map_err(failed)? {
            create_tables(&mut connection).map_err(failed)?;
            self.check_layout(&connection)?;
        }
        Ok(connection)
    }

    /// Opens the file with SQLite. `access` is the flag for reading, or for reading and writing.
    pub(super) fn connection(&self, access: OpenFlags) -> rusqlite::Result<Connection> {
        let flags = access | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_NOFOLLOW;
        let connection = Connection::open_with_flags(&self.path, flags)?;
        connection.busy_timeout(self.options.busy_timeout)?;
        Ok(connection)
    }

    /// Returns an error unless the file is a store with this schema.
    pub(super) fn check_layout(&self, connection: &Connection) -> Result<(), StoreError> {
        let pragma = |name| number(connection, name).map_err(|error| self.failed(error));
        if pragma("application_id")? != APPLICATION_ID {
            return Err(self.refused("is another program's database; name another file"));
        }
        match pragma("user_version")? {
            LAYOUT => Ok(()),
            newer => Err(self.refused(format!(
                "was written by a newer Comity (schema {newer}, this one reads {LAYOUT}); update Comity, name another file, or delete it"
            ))),
        }
    }

    /// Returns an error unless the file contains the tables of this format. A file that was used only by other versions
    /// contains only the tables of their formats.
    pub(super) fn check_tables(&self, connection: &Connection) -> Result<(), StoreError> {
        const OTHERS: &str =
            "SELECT group_concat(substr(name, 7), ', ') FROM sqlite_master WHERE name GLOB 'entry_*'";
        if has_table(connection, "counter_1").map_err(|error| self.failed(error))? {
            return Ok(());
        }
        let others = connection.query_row(OTHERS, [], |row| row.get::<_, Option<String>>(0));
        let others = others.map_err(|error| self.failed(error))?.unwrap_or_else(|| "none".to_owned());
        Err(self.refused(format!(
            "was written by another version of Comity (format {others}, this one reads {FORMAT}); fetch the files again with \
             this version, or read the store with that version"
        )))
    }

    /// Returns the error for a file that cannot be used as a store. `why` follows the path in the message.
    pub(super) fn refused(&self, why: impl Display) -> StoreError {
        StoreError::new(format!("store `{}` {why}", self.path.display()))
    }

    pub(super) fn unusable(&self, error: io::Error) -> StoreError {
        self.refused("cannot be opened").because(error)
    }

    /// Returns the error for a failed operation on the file, with a remedy.
    pub(super) fn failed(&self, error: rusqlite::Error) -> StoreError {
        let (what, fault) = match error.sqlite_error_code() {
            _ if is_full(&error) => {
                ("has no disk space; free some, or run `comity cache purge --all`", StoreFault::Full)
            }
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
        self.refused(what).with_fault(fault).because(error)
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

/// Returns true if the write failed for lack of space: a full disk, a quota, or a limit on the size of files.
fn is_full(error: &rusqlite::Error) -> bool {
    error.sqlite_error().is_some_and(|error| {
        error.code == ErrorCode::DiskFull
            || matches!(error.extended_code, ffi::SQLITE_IOERR_WRITE | ffi::SQLITE_IOERR_SHMSIZE)
    })
}

/// Sets the options of a connection. Returns the journal mode.
fn configure(connection: &Connection, is_new: bool) -> rusqlite::Result<String> {
    if is_new {
        connection.pragma_update(None, "auto_vacuum", "INCREMENTAL")?;
    }
    let mode = connection.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get(0))?;
    // With a write-ahead log, `NORMAL` loses no commit if a process is killed. A power cut can lose the last commits.
    // Each lost entry costs one request.
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    connection.pragma_update(None, "wal_autocheckpoint", LONGEST_LOG)?;
    connection.pragma_update(None, "journal_size_limit", LONGEST_LOG << 12)?;
    Ok(mode)
}

fn has_table(connection: &Connection, name: &str) -> rusqlite::Result<bool> {
    connection.query_row("SELECT count(*) FROM sqlite_master WHERE name = ?1", [name], |row| row.get(0))
}

/// Returns true if the file contains no tables and has no schema version.
fn is_empty(connection: &Connection) -> rusqlite::Result<bool> {
    let tables: i64 = connection.query_row("SELECT count(*) FROM sqlite_master", [], |row| row.get(0))?;
    Ok(tables == 0 && number(connection, "user_version")? == 0)
}

fn create_tables(connection: &mut Connection) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    if is_empty(&transaction)? {
        transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
        transaction.pragma_update(None, "user_version", LAYOUT)?;
    }
    transaction.execute_batch(TABLES)?;
    transaction.commit()
}

fn number(connection: &Connection, pragma: &str) -> rusqlite::Result<i32> {
    connection.pragma_query_value(None, pragma, |row| row.get(0))
}

/// Copies the write-ahead log into the file. Afterwards, the log is reused from its beginning (`RESTART`) or is empty
/// (`TRUNCATE`). Waits at most `busy_timeout` for a copy in progress. The log is unchanged if another process reads for
/// too long.
pub(super) fn reset_log(connection: &Connection, mode: &str, busy_timeout: Duration) -> rusqlite::Result<()> {
    let deadline = Instant::now() + busy_timeout;
    let is_busy =
        || connection.query_row(&format!("PRAGMA wal_checkpoint({mode})"), [], |row| row.get::<_, bool>(0));
    while is_busy()? && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(2));
    }
    Ok(())
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
