//! SQL queries. Each function runs a few statements inside a transaction of the [thread](super::thread).
//!
//! The lease, the paces and the number of the entry of an origin are in one row. The entries themselves are in a
//! separate table in the order of writing, so new entries are appended.

use std::time::Duration;

use rusqlite::{Connection, OptionalExtension, params};

use super::EntryInfo;
use super::origin_row::OriginRow;
use crate::Origin;
use crate::store::slots::{self, HandedOn, NEVER, Slots};
use crate::store::{Entry, Lane, Slot, SlotRequest, SlotStatus, origin_of};

fn read(db: &Connection, origin: &Origin) -> rusqlite::Result<Option<OriginRow>> {
    db.prepare_cached("SELECT entry, lease, ends, paces FROM origin_1 WHERE origin = ?1")?
        .query_row([origin.as_str()], OriginRow::read)
        .optional()
}

fn write(db: &Connection, origin: &str, row: &OriginRow) -> rusqlite::Result<()> {
    db.prepare_cached(
        "INSERT OR REPLACE INTO origin_1 (origin, entry, lease, ends, paces) VALUES (?1, ?2, ?3, ?4, ?5)",
    )?
    .execute(params![origin, row.entry, row.lease, row.ends, row.paces.to_bytes()])?;
    Ok(())
}

/// Calls `change` with the row of an origin, and writes the row if it has changed.
pub(super) fn change<T>(
    db: &Connection,
    origin: &Origin,
    change: impl FnOnce(&mut OriginRow) -> rusqlite::Result<T>,
) -> rusqlite::Result<T> {
    let before = read(db, origin)?.unwrap_or_default();
    let mut row = before.clone();
    let changed = change(&mut row)?;
    if row != before {
        write(db, origin.as_str(), &row)?;
    }
    Ok(changed)
}

/// Reserves a slot. If the slot begins at once, holds another lane.
pub(super) fn reserve_and_hold(
    db: &Connection,
    origin: &Origin,
    request: &SlotRequest,
    lane_hold: Option<(Lane, Duration)>,
    now: i64,
) -> rusqlite::Result<Slot> {
    change(db, origin, |row| {
        let slot = change_pace(db, row, request.lane, now, |slots| slots.reserve(request, now))?;
        if request.is_handed_on {
            hand_on(db, |known| known.note(request, slot, now))?;
        }
        if let (true, Some((lane, until_in))) = (slot.is_now(), lane_hold) {
            change_pace(db, row, lane, now, |slots| slots.hold(until_in, now))?;
        }
        Ok(slot)
    })
}

/// Changes the pace of a lane. The first slot of a new pace begins one interval after the store was emptied, and one
/// interval after the end of the slots that had been handed on before.
pub(super) fn change_pace<T>(
    db: &Connection,
    row: &mut OriginRow,
    lane: Lane,
    now: i64,
    change: impl FnOnce(&mut Slots) -> T,
) -> rusqlite::Result<T> {
    let before = match *row.paces.of(lane) {
        Some(slots) => slots,
        None => Slots::since(lost_until(db, now)?),
    };
    let mut after = before;
    let changed = change(&mut after);
    if after != before {
        *row.paces.of(lane) = Some(after);
    }
    Ok(changed)
}

/// Returns the status of the slot that a request reserved at the time `taken`.
pub(super) fn slot_status(
    db: &Connection,
    origin: &Origin,
    request: &SlotRequest,
    taken: i64,
    now: i64,
) -> rusqlite::Result<SlotStatus> {
    if emptied(db)? >= taken {
        return Ok(SlotStatus::Forgotten);
    }
    let slots = read(db, origin)?.and_then(|mut row| *row.paces.of(request.lane));
    Ok(slots.map_or(SlotStatus::Valid, |slots| slots.slot_status(request, now)))
}

/// Returns the sealed entry of an origin.
pub(super) fn sealed(db: &Connection, origin: &Origin) -> rusqlite::Result<Option<Vec<u8>>> {
    db.prepare_cached("SELECT sealed FROM entry_1 WHERE id = (SELECT entry FROM origin_1 WHERE origin = ?1)")?
        .query_row([origin.as_str()], |row| row.get(0))
        .optional()
}

/// Writes an entry, and evicts old entries to stay within the size limit. Releases `lease`. Writes nothing if `lease`
/// is not the latest lease.
pub(super) fn put(
    db: &Connection,
    origin: &Origin,
    sealed: &[u8],
    lease: Option<i64>,
    now: i64,
    max_bytes: u64,
) -> rusqlite::Result<bool> {
    let added = change(db, origin, |row| {
        if lease.is_some_and(|lease| row.lease != lease) {
            return Ok(None);
        }
        if lease.is_some() {
            row.ends = None;
        }
        let removed = match row.entry.take() {
            Some(entry) => delete(db, entry)?,
            None => 0,
        };
        let bytes = origin.as_str().len() + sealed.len();
        if bytes as u64 > max_bytes {
            return Ok(Some(-removed));
        }
        db.prepare_cached("INSERT INTO entry_1 (origin, put, sealed) VALUES (?1, ?2, ?3)")?
            .execute(params![origin.as_str(), now, sealed])?;
        row.entry = Some(db.last_insert_rowid());
        Ok(Some(i64::try_from(bytes).unwrap_or(i64::MAX) - removed))
    })?;
    let Some(added) = added else { return Ok(false) };
    let mut bytes = add_bytes(db, added)?;
    while bytes > max_bytes {
        let oldest: Option<(i64, String)> = db
            .prepare_cached("SELECT id, origin FROM entry_1 WHERE origin <> ?1 ORDER BY id LIMIT 1")?
            .query_row([origin.as_str()], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        let Some((entry, origin)) = oldest else { break };
        db.prepare_cached("UPDATE origin_1 SET entry = NULL WHERE origin = ?1")?.execute([origin])?;
        bytes = add_bytes(db, -delete(db, entry)?)?;
    }
    Ok(true)
}

/// Removes the entry of an origin. Returns true if there was one.
pub(super) fn remove(db: &Connection, origin: &Origin) -> rusqlite::Result<bool> {
    let Some(entry) = change(db, origin, |row| Ok(row.entry.take()))? else { return Ok(false) };
    let removed = delete(db, entry)?;
    add_bytes(db, -removed)?;
    Ok(removed > 0)
}

/// Deletes an entry and returns its size in bytes.
fn delete(db: &Connection, entry: i64) -> rusqlite::Result<i64> {
    let bytes: Option<i64> = db
        .prepare_cached("DELETE FROM entry_1 WHERE id = ?1 RETURNING length(origin) + length(sealed)")?
        .query_row([entry], |row| row.get(0))
        .optional()?;
    Ok(bytes.unwrap_or(0))
}

/// Adds to the total size of the entries, and returns the total in bytes.
fn add_bytes(db: &Connection, added: i64) -> rusqlite::Result<u64> {
    let bytes: i64 = db
        .prepare_cached("UPDATE counter_1 SET bytes = bytes + ?1 RETURNING bytes")?
        .query_row([added], |row| row.get(0))?;
    Ok(u64::try_from(bytes).unwrap_or(0))
}

/// Returns the number of entries and their total size in bytes.
pub(super) fn size(db: &Connection) -> rusqlite::Result<(u64, u64)> {
    // Counting rows of origins is faster than counting entries, since entries are larger.
    let entries: i64 =
        db.query_row("SELECT count(*) FROM origin_1 WHERE entry IS NOT NULL", [], |row| row.get(0))?;
    let bytes: i64 = db.query_row("SELECT bytes FROM counter_1", [], |row| row.get(0))?;
    Ok((u64::try_from(entries).unwrap_or(0), u64::try_from(bytes).unwrap_or(0)))
}

/// Returns the stored time at which the store was emptied. A purge stores the maximum. The next operation that knows
/// the current time replaces it.
fn emptied(db: &Connection) -> rusqlite::Result<i64> {
    db.prepare_cached("SELECT emptied FROM counter_1")?.query_row([], |row| row.get(0))
}

/// Returns the time until which lost slots of an origin without a row may last; [`NEVER`] if the store has lost no
/// slots.
fn lost_until(db: &Connection, now: i64) -> rusqlite::Result<i64> {
    let stored = emptied(db)?;
    if stored == NEVER {
        return Ok(NEVER);
    }
    let emptied = slots::emptied(stored, now);
    if emptied != stored {
        db.prepare_cached("UPDATE counter_1 SET emptied = ?1")?.execute([emptied])?;
    }
    Ok(emptied.max(hand_on(db, |known| known.floor(now))?))
}

/// Reads the record of slots that were handed on.
pub(super) fn handed_on(db: &Connection) -> rusqlite::Result<HandedOn> {
    let known = db
        .prepare_cached("SELECT until, floor, written FROM handed_1")?
        .query_row([], |row| Ok(HandedOn { until: row.get(0)?, floor: row.get(1)?, written: row.get(2)? }))
        .optional()?;
    Ok(known.unwrap_or(HandedOn::NONE))
}

/// Changes the record of slots that were handed on.
fn hand_on<T>(db: &Connection, change: impl FnOnce(&mut HandedOn) -> T) -> rusqlite::Result<T> {
    let before = handed_on(db)?;
    let mut known = before;
    let changed = change(&mut known);
    if known != before {
        db.prepare_cached(
            "INSERT OR REPLACE INTO handed_1 (id, until, floor, written) VALUES (0, ?1, ?2, ?3)",
        )?
        .execute([known.until, known.floor, known.written])?;
    }
    Ok(changed)
}

/// Records that the store was emptied, and merges the record of handed-on slots from the previous file.
pub(super) fn forget(db: &Connection, before: HandedOn) -> rusqlite::Result<()> {
    db.execute("UPDATE counter_1 SET emptied = ?1", [i64::MAX])?;
    hand_on(db, |known| known.take_over(before))
}

/// Number of rows that one sweep step reads.
const ROWS_PER_SWEEP: i64 = 1024;

/// Runs one step of the sweep: reads the next rows, removes expired leases and paces ([`Slots::is_over`]), and deletes
/// rows that are then empty.
pub(super) fn sweep(db: &Connection, now: i64) -> rusqlite::Result<()> {
    let after: String = db.query_row("SELECT swept FROM counter_1", [], |row| row.get(0))?;
    let mut statement = db.prepare_cached(
        "SELECT entry, lease, ends, paces, origin FROM origin_1 WHERE origin > ?1 ORDER BY origin LIMIT ?2",
    )?;
    let rows = statement
        .query_map(params![after, ROWS_PER_SWEEP], |row| Ok((row.get(4)?, OriginRow::read(row)?)))?
        .collect::<rusqlite::Result<Vec<(String, OriginRow)>>>()?;
    // The empty text means that the next step starts at the first row.
    let is_last = rows.len() < ROWS_PER_SWEEP as usize;
    let swept_to = rows.last().filter(|_| !is_last).map_or("", |(origin, _)| origin);
    db.execute("UPDATE counter_1 SET swept = ?1", [swept_to])?;
    for (origin, row) in &rows {
        let swept = row.clone().swept(now);
        if swept.is_empty() {
            db.prepare_cached("DELETE FROM origin_1 WHERE origin = ?1")?.execute([origin])?;
        } else if swept != *row {
            write(db, origin, &swept)?;
        }
    }
    Ok(())
}

pub(super) fn list(db: &Connection, after: &str, limit: usize) -> rusqlite::Result<Vec<EntryInfo>> {
    let mut statement = db.prepare_cached(
        "SELECT origin_1.origin, length(sealed), put FROM origin_1 CROSS JOIN entry_1 ON id = entry
         WHERE origin_1.origin > ?1 ORDER BY origin_1.origin",
    )?;
    let mut rows = statement.query([after])?;
    let mut found = Vec::new();
    while found.len() < limit
        && let Some(row) = rows.next()?
    {
        if let Some(origin) = origin_of(row.get_ref(0)?.as_str()?) {
            let sealed_bytes = row.get::<_, i64>(1)?.unsigned_abs();
            found.push(EntryInfo { origin, sealed_bytes, put: slots::time(row.get(2)?) });
        }
    }
    Ok(found)
}

/// Removes the entries that were written before a time, or all rows. Returns the number of removed entries.
pub(super) fn purge(db: &Connection, before: Option<i64>) -> rusqlite::Result<u64> {
    let removed = match before {
        Some(before) => purge_before(db, before)?,
        None => empty(db)?,
    };
    // Each step of this statement returns one free page to the file system.
    let mut statement = db.prepare("PRAGMA incremental_vacuum")?;
    let mut rows = statement.query([])?;
    while rows.next()?.is_some() {}
    Ok(removed as u64)
}

fn purge_before(db: &Connection, before: i64) -> rusqlite::Result<usize> {
    const BYTES: &str =
        "SELECT coalesce(sum(length(origin) + length(sealed)), 0) FROM entry_1 WHERE put < ?1";
    const ROWS: &str =
        "UPDATE origin_1 SET entry = NULL WHERE entry IN (SELECT id FROM entry_1 WHERE put < ?1)";
    let bytes: i64 = db.query_row(BYTES, [before], |row| row.get(0))?;
    add_bytes(db, -bytes)?;
    db.execute(ROWS, [before])?;
    db.execute("DELETE FROM entry_1 WHERE put < ?1", [before])
}

/// Removes all rows and overwrites their bytes in the file, since a user may purge the store to hide the visited
/// origins.
fn empty(db: &Connection) -> rusqlite::Result<usize> {
    let overwrites = |what| db.query_row(&format!("PRAGMA secure_delete = {what}"), [], |_| Ok(()));
    hand_on(db, HandedOn::forget_origins)?;
    overwrites("ON")?;
    db.execute("DELETE FROM origin_1", [])?;
    let removed = db.execute("DELETE FROM entry_1", [])?;
    overwrites("OFF")?;
    db.execute("UPDATE counter_1 SET bytes = 0, emptied = ?1, swept = ''", [i64::MAX])?;
    Ok(removed)
}

/// Checks the seal of every entry. Returns the number of entries, and the origins of incomplete entries as written in
/// the file, in order.
pub(super) fn torn(db: &Connection) -> rusqlite::Result<(u64, Vec<String>)> {
    let mut statement = db.prepare("SELECT origin, sealed FROM entry_1")?;
    let mut rows = statement.query([])?;
    let (mut entries, mut torn) = (0, Vec::new());
    while let Some(row) = rows.next()? {
        entries += 1;
        if Entry::open(row.get::<_, Vec<u8>>(1)?).is_none() {
            torn.push(row.get(0)?);
        }
    }
    torn.sort_unstable();
    Ok((entries, torn))
}

/// Returns the problems that SQLite itself reports.
pub(super) fn problems(db: &Connection) -> rusqlite::Result<Vec<String>> {
    let mut statement = db.prepare("PRAGMA integrity_check")?;
    let lines: Vec<String> = statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    Ok(lines.into_iter().filter(|line| line != "ok").collect())
}
