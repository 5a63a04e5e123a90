//! SQL queries. Most functions run a few statements inside a transaction of the [worker](super::worker).
//!
//! The lease, the paces and the number of the entry of an origin are in one row. An operation reads the row once and
//! writes it once, which adds one page to the write-ahead log. The entries themselves are in a separate table in the
//! order of writing, so new entries are appended.

use std::time::Duration;

use rusqlite::{Connection, OptionalExtension, params};

use super::EntryInfo;
use super::batch::{Batch, Counter};
use super::origin_row::{OriginRow, Paces, read_origin_row};
use crate::store::slots::{self, HandedOn, NEVER, Slots};
use crate::store::{Entry, Lane, Slot, SlotRequest, SlotStatus, origin_of};

fn known(db: &Batch<'_>, origin: &str) -> rusqlite::Result<Option<OriginRow>> {
    if let Some(looked) = db.looked.borrow().get(origin) {
        return Ok(looked.clone());
    }
    db.with("SELECT entry, lease, ends, paces FROM origin_1 WHERE origin = ?1", |row| {
        row.query_row([origin], read_origin_row).optional()
    })
}

fn write(db: &Batch<'_>, origin: &str, known: &OriginRow) -> rusqlite::Result<()> {
    db.looked.borrow_mut().remove(origin);
    db.with(
        "INSERT OR REPLACE INTO origin_1 (origin, entry, lease, ends, paces) VALUES (?1, ?2, ?3, ?4, ?5)",
        |row| row.execute(params![origin, known.entry, known.lease, known.ends, known.paces.to_bytes()]),
    )?;
    Ok(())
}

/// Returns the sealed entry of an origin. If there is no entry, caches the origin's row for the next operation of the
/// batch.
pub(super) fn look(db: &Batch<'_>, origin: &str) -> rusqlite::Result<Option<Vec<u8>>> {
    let known = known(db, origin)?;
    if let Some(entry) = known.as_ref().and_then(|known| known.entry)
        && let Some(sealed) = sealed(db, entry)?
    {
        return Ok(Some(sealed));
    }
    db.looked.borrow_mut().insert(origin.into(), known);
    Ok(None)
}

/// An operation on the row of one origin. Changes are written by [`keep`](OriginVisit::keep).
pub(super) struct OriginVisit<'a, 'c> {
    db: &'a Batch<'c>,
    origin: &'a str,
    now: i64,
    before: Option<OriginRow>,
    known: OriginRow,
}

impl<'a, 'c> OriginVisit<'a, 'c> {
    pub(super) fn to(db: &'a Batch<'c>, origin: &'a str, now: i64) -> rusqlite::Result<Self> {
        let before = known(db, origin)?;
        Ok(OriginVisit { known: before.clone().unwrap_or_default(), before, db, origin, now })
    }

    /// Writes the row if it has changed.
    pub(super) fn keep(self) -> rusqlite::Result<()> {
        if self.before.as_ref() == Some(&self.known) || self.before.is_none() && self.known.is_empty() {
            return Ok(());
        }
        write(self.db, self.origin, &self.known)
    }

    /// Grants the lease, or returns the remaining time of the current lease.
    pub(super) fn acquire(&mut self, ttl: Duration) -> rusqlite::Result<Result<GrantedLease, Duration>> {
        // The current lease cannot last longer than the lease that is requested now.
        let most = slots::later(self.now, ttl);
        self.known.ends = self.known.ends.map(|ends| ends.min(most));
        if let Some(ends) = self.known.ends.filter(|ends| *ends > self.now) {
            return Ok(Err(slots::until(ends, self.now)));
        }
        // If no lease is stored, numbers start at random. So the new number differs from the number of a lease that was
        // lost. The largest number has no successor. Only another program can have written it.
        let number = match self.known.lease {
            0 | i64::MAX => fastrand::i64(1..=i64::MAX / 2),
            last => last + 1,
        };
        (self.known.lease, self.known.ends) = (number, Some(most));
        let sealed = match self.known.entry {
            Some(entry) => sealed(self.db, entry)?,
            None => None,
        };
        Ok(Ok(GrantedLease { number, sealed }))
    }

    /// Reserves a slot. If the slot begins at once, holds another lane.
    pub(super) fn reserve_and_hold(
        &mut self,
        request: &SlotRequest,
        lane_hold: Option<(Lane, Duration)>,
    ) -> rusqlite::Result<Slot> {
        let now = self.now;
        let slot = self.change_pace(request.lane, |slots| slots.reserve(request, now))?;
        if request.is_handed_on {
            self.db.hand_on(|known| known.note(request, slot, now))?;
        }
        if let (true, Some((lane, until_in))) = (slot.is_now(), lane_hold) {
            self.hold(lane, until_in)?;
        }
        Ok(slot)
    }

    pub(super) fn hold(&mut self, lane: Lane, until_in: Duration) -> rusqlite::Result<()> {
        let now = self.now;
        self.change_pace(lane, |slots| slots.hold(until_in, now))
    }

    /// Changes the pace of a lane. The first slot of a new pace begins one interval after the store was emptied, and
    /// one interval after the end of the slots that had been handed on before.
    fn change_pace<T>(&mut self, lane: Lane, change: impl FnOnce(&mut Slots) -> T) -> rusqlite::Result<T> {
        let before = match *self.known.paces.of(lane) {
            Some(slots) => slots,
            None => Slots::since(lost_until(self.db, self.now)?),
        };
        let mut after = before;
        let changed = change(&mut after);
        if after != before {
            *self.known.paces.of(lane) = Some(after);
        }
        Ok(changed)
    }
}

/// A granted lease.
pub(super) struct GrantedLease {
    pub(super) number: i64,
    /// The sealed entry of the origin, if there is one.
    pub(super) sealed: Option<Vec<u8>>,
}

pub(super) fn get(db: &Connection, origin: &str) -> rusqlite::Result<Option<Vec<u8>>> {
    db.prepare_cached("SELECT sealed FROM entry_1 WHERE id = (SELECT entry FROM origin_1 WHERE origin = ?1)")?
        .query_row([origin], |row| row.get(0))
        .optional()
}

fn sealed(db: &Batch<'_>, entry: i64) -> rusqlite::Result<Option<Vec<u8>>> {
    db.with("SELECT sealed FROM entry_1 WHERE id = ?1", |sealed| {
        sealed.query_row([entry], |row| row.get(0)).optional()
    })
}

/// Writes an entry, and evicts old entries to stay within the size limit. Releases `lease`. Writes nothing if `lease`
/// is not the latest lease.
pub(super) fn put(
    db: &Batch<'_>,
    origin: &str,
    sealed: &[u8],
    lease: Option<i64>,
    now: i64,
    max_bytes: u64,
) -> rusqlite::Result<bool> {
    let bytes = origin.len() + sealed.len();
    let entry = match bytes as u64 <= max_bytes {
        true => Some(db.next_entry()?),
        false => None,
    };
    let mut added = match name_first(db, origin, entry, lease)? {
        true => 0,
        false => match name(db, origin, entry, lease)? {
            Some(removed) => -removed,
            None => return Ok(false),
        },
    };
    if let Some(entry) = entry {
        db.with("INSERT INTO entry_1 (id, origin, put, sealed) VALUES (?1, ?2, ?3, ?4)", |row| {
            row.execute(params![entry, origin, now, sealed])
        })?;
        added += i64::try_from(bytes).unwrap_or(i64::MAX);
    }
    let mut held = add_bytes(db, added)?;
    while held > max_bytes {
        let oldest: Option<(i64, String)> = db
            .prepare_cached("SELECT id, origin FROM entry_1 WHERE origin <> ?1 ORDER BY id LIMIT 1")?
            .query_row([origin], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        let Some((entry, origin)) = oldest else { break };
        let removed = delete(db, entry)?;
        forget_entry(db, &origin)?;
        held = add_bytes(db, -removed)?;
    }
    Ok(true)
}

/// Writes the number of an origin's first entry to its row, and releases the lease. Returns false and changes nothing
/// if `lease` is not the latest lease, or if the origin already has an entry.
fn name_first(
    db: &Batch<'_>,
    origin: &str,
    entry: Option<i64>,
    lease: Option<i64>,
) -> rusqlite::Result<bool> {
    let (Some(entry), Some(lease)) = (entry, lease) else { return Ok(false) };
    db.looked.borrow_mut().remove(origin);
    let changed = db.with(
        "UPDATE origin_1 SET entry = ?2, ends = NULL WHERE origin = ?1 AND lease = ?3 AND entry IS NULL",
        |row| row.execute(params![origin, entry, lease]),
    )?;
    Ok(changed > 0)
}

/// Replaces or clears the number of the entry in an origin's row, and releases the lease. Deletes the previous entry
/// and returns its size in bytes. Returns `None` and changes nothing if `lease` is not the latest lease.
fn name(
    db: &Batch<'_>,
    origin: &str,
    entry: Option<i64>,
    lease: Option<i64>,
) -> rusqlite::Result<Option<i64>> {
    let before = known(db, origin)?;
    let mut after = before.clone().unwrap_or_default();
    if let Some(number) = lease {
        if before.is_none() || after.lease != number {
            return Ok(None);
        }
        after.ends = None;
    }
    let removed = match after.entry {
        Some(entry) => delete(db, entry)?,
        None => 0,
    };
    after.entry = entry;
    if before.as_ref() != Some(&after) {
        write(db, origin, &after)?;
    }
    Ok(Some(removed))
}

/// Deletes an entry and returns its size in bytes. The row of its origin still contains the number of the entry.
fn delete(db: &Connection, entry: i64) -> rusqlite::Result<i64> {
    let bytes: Option<i64> = db
        .prepare_cached("DELETE FROM entry_1 WHERE id = ?1 RETURNING length(origin) + length(sealed)")?
        .query_row([entry], |row| row.get(0))
        .optional()?;
    Ok(bytes.unwrap_or(0))
}

/// Clears the number of the entry in an origin's row.
fn forget_entry(db: &Batch<'_>, origin: &str) -> rusqlite::Result<()> {
    db.clear_rows();
    db.prepare_cached("UPDATE origin_1 SET entry = NULL WHERE origin = ?1")?.execute([origin])?;
    Ok(())
}

/// Adds to the total size of the entries, and returns the total in bytes.
fn add_bytes(db: &Batch<'_>, added: i64) -> rusqlite::Result<u64> {
    let counter = db.count(|counter| counter.bytes = counter.bytes.saturating_add(added))?;
    Ok(u64::try_from(counter.bytes).unwrap_or(0))
}

/// Returns the number of entries and their total size in bytes.
pub(super) fn size(db: &Connection) -> rusqlite::Result<(u64, u64)> {
    // Counting rows of origins is faster than counting entries, since entries are larger.
    let entries: i64 =
        db.query_row("SELECT count(*) FROM origin_1 WHERE entry IS NOT NULL", [], |row| row.get(0))?;
    let bytes: i64 = db.query_row("SELECT bytes FROM counter_1", [], |row| row.get(0))?;
    Ok((u64::try_from(entries).unwrap_or(0), u64::try_from(bytes).unwrap_or(0)))
}

pub(super) fn remove(db: &Batch<'_>, origin: &str) -> rusqlite::Result<bool> {
    let Some(entry) = known(db, origin)?.and_then(|known| known.entry) else { return Ok(false) };
    let removed = delete(db, entry)?;
    forget_entry(db, origin)?;
    add_bytes(db, -removed)?;
    Ok(removed > 0)
}

/// Removes an incomplete entry, unless a complete one has replaced it.
pub(super) fn remove_torn(db: &Batch<'_>, origin: &str) -> rusqlite::Result<()> {
    if get(db, origin)?.is_some_and(|sealed| Entry::open(sealed).is_none()) {
        remove(db, origin)?;
    }
    Ok(())
}

/// Releases a lease, if it is the latest one.
pub(super) fn release(db: &Batch<'_>, origin: &str, number: i64) -> rusqlite::Result<()> {
    db.clear_rows();
    db.prepare_cached("UPDATE origin_1 SET ends = NULL WHERE origin = ?1 AND lease = ?2")?
        .execute(params![origin, number])?;
    Ok(())
}

pub(super) fn give_back(db: &Batch<'_>, origin: &str, request: &SlotRequest) -> rusqlite::Result<()> {
    if let Some(mut known) = known(db, origin)?
        && known.paces.of(request.lane).as_mut().is_some_and(|slots| slots.give_back(request.number))
    {
        write(db, origin, &known)?;
    }
    Ok(())
}

/// Returns the time until which lost slots of an origin without a row may last; [`NEVER`] if the store has lost no
/// slots.
fn lost_until(db: &Batch<'_>, now: i64) -> rusqlite::Result<i64> {
    let counter = db.count(|counter| counter.emptied = slots::emptied(counter.emptied, now))?;
    if counter.emptied == NEVER {
        return Ok(NEVER);
    }
    Ok(counter.emptied.max(db.hand_on(|known| known.floor(now))?))
}

/// Returns the stored time at which the store was emptied. A purge stores the maximum. The next operation that knows
/// the current time replaces it.
pub(super) fn last_emptied(db: &Connection) -> rusqlite::Result<i64> {
    db.prepare_cached("SELECT emptied FROM counter_1")?.query_row([], |row| row.get(0))
}

/// Returns the status of the slot that a request reserved at the time `taken`.
pub(super) fn slot_status(
    db: &Connection,
    origin: &str,
    request: &SlotRequest,
    taken: i64,
    now: i64,
) -> rusqlite::Result<SlotStatus> {
    if last_emptied(db)? >= taken {
        return Ok(SlotStatus::Forgotten);
    }
    let paces: Option<Paces> = db
        .prepare_cached("SELECT paces FROM origin_1 WHERE origin = ?1")?
        .query_row([origin], |row| Ok(Paces::read(row.get_ref(0)?.as_blob()?)))
        .optional()?;
    let slots = paces.and_then(|mut paces| *paces.of(request.lane));
    Ok(slots.map_or(SlotStatus::Valid, |slots| slots.slot_status(request, now)))
}

/// Records that the store was emptied, and merges the record of handed-on slots from the previous file.
pub(super) fn forget(db: &Batch<'_>, before: HandedOn) -> rusqlite::Result<()> {
    db.count(|counter| counter.emptied = i64::MAX)?;
    db.hand_on(|known| known.take_over(before))
}

/// Number of rows that one sweep step reads.
const ROWS_PER_SWEEP: i64 = 1024;

/// Runs one step of the sweep: reads the next rows, removes expired leases and paces ([`Slots::is_over`]), and deletes
/// rows that are then empty.
pub(super) fn sweep(db: &Batch<'_>, now: i64) -> rusqlite::Result<()> {
    let after: String = db.prepare_cached("SELECT swept FROM counter_1")?.query_row([], |row| row.get(0))?;
    let mut changed: Vec<(String, OriginRow)> = Vec::new();
    // The empty text means that the next step starts at the first row.
    let mut last = String::new();
    let mut statement = db.prepare_cached(&format!(
        "SELECT entry, lease, ends, paces, origin FROM origin_1 WHERE origin > ?1 ORDER BY origin LIMIT {ROWS_PER_SWEEP}"
    ))?;
    let mut rows = statement.query([after])?;
    let mut seen = 0;
    while let Some(row) = rows.next()? {
        seen += 1;
        let known = read_origin_row(row)?;
        let swept = known.clone().swept(now);
        if swept.is_empty() || swept != known {
            changed.push((row.get(4)?, swept));
        }
        if seen == ROWS_PER_SWEEP {
            last = row.get(4)?;
        }
    }
    for (origin, swept) in changed {
        if swept.is_empty() {
            db.clear_rows();
            db.prepare_cached("DELETE FROM origin_1 WHERE origin = ?1")?.execute([origin])?;
        } else {
            write(db, &origin, &swept)?;
        }
    }
    db.prepare_cached("UPDATE counter_1 SET swept = ?1")?.execute([last])?;
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
            found.push(EntryInfo {
                origin,
                sealed_bytes: row.get::<_, i64>(1)?.unsigned_abs(),
                put: slots::time(row.get(2)?),
            });
        }
    }
    Ok(found)
}

pub(super) fn purge(db: &Batch<'_>, before: Option<i64>) -> rusqlite::Result<u64> {
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

fn purge_before(db: &Batch<'_>, before: i64) -> rusqlite::Result<usize> {
    const BYTES: &str =
        "SELECT coalesce(sum(length(origin) + length(sealed)), 0) FROM entry_1 WHERE put < ?1";
    let bytes: i64 = db.query_row(BYTES, [before], |row| row.get(0))?;
    db.clear_rows();
    db.execute(
        "UPDATE origin_1 SET entry = NULL WHERE entry IN (SELECT id FROM entry_1 WHERE put < ?1)",
        [before],
    )?;
    let removed = db.execute("DELETE FROM entry_1 WHERE put < ?1", [before])?;
    add_bytes(db, -bytes)?;
    Ok(removed)
}

/// Removes all rows and overwrites their bytes in the file, since a user may purge the store to hide the visited
/// origins.
fn empty(db: &Batch<'_>) -> rusqlite::Result<usize> {
    let overwrites = |what| db.query_row(&format!("PRAGMA secure_delete = {what}"), [], |_| Ok(()));
    db.clear_rows();
    overwrites("ON")?;
    db.execute("DELETE FROM origin_1", [])?;
    db.execute("UPDATE counter_1 SET swept = ''", [])?;
    db.count(|counter| *counter = Counter { bytes: 0, emptied: i64::MAX })?;
    db.hand_on(HandedOn::forget_origins)?;
    let removed = db.execute("DELETE FROM entry_1", [])?;
    overwrites("OFF")?;
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
