//! State that the operations of one transaction share: cached rows, changes that are not yet written, and prepared
//! statements.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::ops::Deref;

use rusqlite::{CachedStatement, Connection, OptionalExtension};

use super::origin_row::OriginRow;
use crate::store::slots::HandedOn;

/// The connection during one transaction, with the state that its operations share.
pub(super) struct Batch<'a> {
    connection: &'a Connection,
    /// The counter as it was read, and the counter with all changes; `None` before it is read. A transaction reads and
    /// writes it at most once.
    counter: Cell<Option<(Counter, Counter)>>,
    /// The record of handed-on slots as it was read, and the record with all changes; `None` before it is read.
    handed_on: Cell<Option<(HandedOn, HandedOn)>>,
    /// Rows of origins that [`look`](super::rows::look) has read and that have not changed since.
    pub(super) looked: RefCell<HashMap<Box<str>, Option<OriginRow>>>,
    /// The number of the newest entry; `None` before it is read.
    latest: Cell<Option<i64>>,
    /// Prepared statements, each with its SQL text. They stay here until the transaction ends, since a look-up in the
    /// cache of the connection costs as much as running a short statement.
    statements: RefCell<Vec<(&'static str, CachedStatement<'a>)>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Counter {
    /// Size of all entries, in bytes.
    pub(super) bytes: i64,
    /// Time at which the store was emptied.
    pub(super) emptied: i64,
}

impl Deref for Batch<'_> {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        self.connection
    }
}

impl<'a> Batch<'a> {
    /// Creates a batch without cached state. Changes of the counter and of the handed-on slots are written to the file
    /// only by [`keep`](Batch::keep).
    pub(super) fn on(connection: &'a Connection) -> Self {
        Batch {
            connection,
            counter: Cell::default(),
            handed_on: Cell::default(),
            looked: RefCell::default(),
            latest: Cell::default(),
            statements: RefCell::default(),
        }
    }

    pub(super) fn connection(&self) -> &'a Connection {
        self.connection
    }

    /// Calls `run` with the statement for `text`, which is prepared once per transaction.
    pub(super) fn with<T>(
        &self,
        text: &'static str,
        run: impl FnOnce(&mut CachedStatement<'a>) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<T> {
        let mut statements = self.statements.borrow_mut();
        if let Some((_, statement)) = statements.iter_mut().find(|(known, _)| std::ptr::eq(*known, text)) {
            return run(statement);
        }
        let mut statement = self.connection.prepare_cached(text)?;
        let done = run(&mut statement);
        statements.push((text, statement));
        done
    }

    /// Clears the cached rows. Must be called after rows have changed.
    pub(super) fn clear_rows(&self) {
        self.looked.borrow_mut().clear();
    }

    /// Returns a new number for an entry: one more than the highest number so far.
    pub(super) fn next_entry(&self) -> rusqlite::Result<i64> {
        let latest = match self.latest.get() {
            Some(latest) => latest,
            None => self.with("SELECT coalesce(max(id), 0) FROM entry_1", |latest| {
                latest.query_row([], |row| row.get(0))
            })?,
        };
        let next = latest.saturating_add(1);
        self.latest.set(Some(next));
        Ok(next)
    }

    fn counter(&self) -> rusqlite::Result<Counter> {
        if let Some((_, counter)) = self.counter.get() {
            return Ok(counter);
        }
        let counter = self.with("SELECT bytes, emptied FROM counter_1", |counter| {
            counter.query_row([], |row| Ok(Counter { bytes: row.get(0)?, emptied: row.get(1)? }))
        })?;
        self.counter.set(Some((counter, counter)));
        Ok(counter)
    }

    /// Changes the counter and returns its new value.
    pub(super) fn count(&self, change: impl FnOnce(&mut Counter)) -> rusqlite::Result<Counter> {
        let mut counter = self.counter()?;
        change(&mut counter);
        self.counter.set(self.counter.get().map(|(before, _)| (before, counter)));
        Ok(counter)
    }

    /// Changes the record of slots that were handed on.
    pub(super) fn hand_on<T>(&self, change: impl FnOnce(&mut HandedOn) -> T) -> rusqlite::Result<T> {
        let (before, mut after) = match self.handed_on.get() {
            Some(known) => known,
            None => {
                let known = handed_on(self.connection)?;
                (known, known)
            }
        };
        let changed = change(&mut after);
        self.handed_on.set(Some((before, after)));
        Ok(changed)
    }

    /// Writes the counter and the record of handed-on slots, if they have changed.
    pub(super) fn keep(self) -> rusqlite::Result<()> {
        if let Some((_, Counter { bytes, emptied })) =
            self.counter.get().filter(|(before, now)| before != now)
        {
            self.with("UPDATE counter_1 SET bytes = ?1, emptied = ?2", |counter| {
                counter.execute([bytes, emptied])
            })?;
        }
        if let Some((_, after)) = self.handed_on.get().filter(|(before, after)| before != after) {
            write_handed_on(self.connection, after)?;
        }
        Ok(())
    }
}

/// Reads the record of slots that were handed on.
pub(super) fn handed_on(db: &Connection) -> rusqlite::Result<HandedOn> {
    let known = db
        .prepare_cached("SELECT until, floor, written FROM handed_1")?
        .query_row([], |row| Ok(HandedOn { until: row.get(0)?, floor: row.get(1)?, written: row.get(2)? }))
        .optional()?;
    Ok(known.unwrap_or(HandedOn::NONE))
}

fn write_handed_on(db: &Connection, HandedOn { until, floor, written }: HandedOn) -> rusqlite::Result<()> {
    db.prepare_cached("INSERT OR REPLACE INTO handed_1 (id, until, floor, written) VALUES (0, ?1, ?2, ?3)")?
        .execute([until, floor, written])?;
    Ok(())
}
