//! What is asked of the tables: each function a few statements, inside a transaction of the [worker](super::worker).

use std::time::Duration;

use rusqlite::{Connection, OptionalExtension, params};

use super::EntryInfo;
use crate::store::slots::{self, KEPT_AT_LEAST, Slots};
use crate::store::{Entry, LONGEST_LEASE, Lane, Slot, SlotRequest, origin_of};

pub(super) fn get(db: &Connection, origin: &str) -> rusqlite::Result<Option<Vec<u8>>> {
    db.prepare_cached("SELECT sealed FROM entry_2 WHERE origin = ?1")?
        .query_row([origin], |row| row.get(0))
        .optional()
}

/// Replaces an entry, and makes room. With the latest lease, which is given back; with another, nothing
/// happens.
pub(super) fn put(
    db: &Connection,
    origin: &str,
    sealed: &[u8],
    lease: Option<i64>,
    now: i64,
    max_bytes: u64,
) -> rusqlite::Result<bool> {
    if let Some(number) = lease
        && !release(db, origin, number)?
    {
        return Ok(false);
    }
    if (origin.len() + sealed.len()) as u64 > max_bytes {
        remove(db, origin)?;
        return Ok(true);
    }
    db.prepare_cached(
        "INSERT INTO entry_2 (origin, put, sealed) VALUES (?1, ?2, ?3)
         ON CONFLICT (origin) DO UPDATE SET put = excluded.put, sealed = excluded.sealed",
    )?
    .execute(params![origin, now, sealed])?;
    while bytes(db)? > max_bytes {
        let evicted = db
            .prepare_cached(
                "DELETE FROM entry_2 WHERE id = (SELECT id FROM entry_2 WHERE origin <> ?1 ORDER BY put, id LIMIT 1)",
            )?
            .execute([origin])?;
        if evicted == 0 {
            break;
        }
    }
    Ok(true)
}

pub(super) fn bytes(db: &Connection) -> rusqlite::Result<u64> {
    let bytes: i64 = db.prepare_cached("SELECT bytes FROM counter_2")?.query_row([], |row| row.get(0))?;
    Ok(u64::try_from(bytes).unwrap_or(0))
}

pub(super) fn remove(db: &Connection, origin: &str) -> rusqlite::Result<bool> {
    Ok(db.prepare_cached("DELETE FROM entry_2 WHERE origin = ?1")?.execute([origin])? > 0)
}

/// Removes an entry that was found torn, unless a whole one has replaced it.
pub(super) fn remove_torn(db: &Connection, origin: &str) -> rusqlite::Result<()> {
    if get(db, origin)?.is_some_and(|sealed| Entry::open(sealed).is_none()) {
        remove(db, origin)?;
    }
    Ok(())
}

/// A lease that is granted.
pub(super) struct Granted {
    pub(super) number: i64,
    /// The entry of the origin, sealed.
    pub(super) sealed: Option<Vec<u8>>,
}

/// Grants the lease of an origin, or says how long another one is held.
pub(super) fn acquire(
    db: &Connection,
    origin: &str,
    ttl: Duration,
    now: i64,
) -> rusqlite::Result<Result<Granted, Duration>> {
    let known: Option<i64> = db
        .prepare_cached("SELECT ends FROM lease_2 WHERE origin = ?1 AND NOT released")?
        .query_row([origin], |row| row.get(0))
        .optional()?;
    // No lease is believed to be held for longer than one that is asked for now.
    let most = slots::later(now, ttl);
    if let Some(ends) = known.filter(|ends| *ends > most) {
        db.prepare_cached("UPDATE lease_2 SET ends = ?2 WHERE origin = ?1 AND ends = ?3")?
            .execute(params![origin, most, ends])?;
    }
    if let Some(ends) = known.map(|ends| ends.min(most)).filter(|ends| *ends > now) {
        return Ok(Err(slots::until(ends, now)));
    }
    let number: i64 = db
        .prepare_cached("UPDATE counter_2 SET lease = lease + 1 RETURNING lease")?
        .query_row([], |row| row.get(0))?;
    db.prepare_cached(
        "INSERT OR REPLACE INTO lease_2 (origin, number, ends, released) VALUES (?1, ?2, ?3, 0)",
    )?
    .execute(params![origin, number, most])?;
    Ok(Ok(Granted { number, sealed: get(db, origin)? }))
}

/// Gives a lease back. Says whether it is the latest one.
pub(super) fn release(db: &Connection, origin: &str, number: i64) -> rusqlite::Result<bool> {
    let released = db
        .prepare_cached("UPDATE lease_2 SET released = 1 WHERE origin = ?1 AND number = ?2")?
        .execute(params![origin, number])?;
    Ok(released > 0)
}

/// Changes the pace of an origin in a lane, and writes it if it is another one then.
fn change_pace<T>(
    db: &Connection,
    origin: &str,
    lane: Lane,
    now: i64,
    change: impl FnOnce(&mut Slots) -> T,
) -> rusqlite::Result<T> {
    let mut slots = match pace(db, origin, lane)? {
        Some(slots) => slots,
        None => Slots::since(emptied(db, now)?),
    };
    let before = slots;
    let changed = change(&mut slots);
    if slots != before {
        write_pace(db, origin, lane.as_str(), &slots)?;
    }
    Ok(changed)
}

fn pace(db: &Connection, origin: &str, lane: Lane) -> rusqlite::Result<Option<Slots>> {
    db.prepare_cached(
        "SELECT last, number, before, held, longest, written FROM pace_2 WHERE origin = ?1 AND lane = ?2",
    )?
    .query_row([origin, lane.as_str()], slots_of)
    .optional()
}

/// The columns of a pace in the order in which they are always asked for, other columns behind them.
fn slots_of(row: &rusqlite::Row<'_>) -> rusqlite::Result<Slots> {
    let number: i64 = row.get(1)?;
    Ok(Slots {
        last: row.get(0)?,
        number: number.cast_unsigned(),
        before: row.get(2)?,
        held: row.get(3)?,
        longest: row.get(4)?,
        written: row.get(5)?,
    })
}

fn write_pace(db: &Connection, origin: &str, lane: &str, slots: &Slots) -> rusqlite::Result<()> {
    let Slots { last, number, before, held, longest, written } = *slots;
    db.prepare_cached(
        "INSERT OR REPLACE INTO pace_2 (origin, lane, last, number, before, held, longest, written)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    )?
    .execute(params![origin, lane, last, number.cast_signed(), before, held, longest, written])?;
    Ok(())
}

/// When everything was forgotten.
fn emptied(db: &Connection, now: i64) -> rusqlite::Result<i64> {
    let written = last_emptied(db)?;
    let emptied = slots::emptied(written, now);
    if emptied != written {
        db.prepare_cached("UPDATE counter_2 SET emptied = ?1")?.execute([emptied])?;
    }
    Ok(emptied)
}

/// The same as it is written: in the future until somebody says what time it is.
pub(super) fn last_emptied(db: &Connection) -> rusqlite::Result<i64> {
    db.prepare_cached("SELECT emptied FROM counter_2")?.query_row([], |row| row.get(0))
}

/// Says that pace was forgotten.
pub(super) fn forget(db: &Connection) -> rusqlite::Result<()> {
    db.execute("UPDATE counter_2 SET emptied = ?1", [i64::MAX])?;
    Ok(())
}

pub(super) fn reserve(
    db: &Connection,
    origin: &str,
    request: &SlotRequest,
    now: i64,
) -> rusqlite::Result<Slot> {
    change_pace(db, origin, request.lane, now, |slots| slots.reserve(request, now))
}

pub(super) fn give_back(db: &Connection, origin: &str, request: &SlotRequest) -> rusqlite::Result<()> {
    if let Some(mut slots) = pace(db, origin, request.lane)?
        && slots.give_back(request.number)
    {
        write_pace(db, origin, request.lane.as_str(), &slots)?;
    }
    Ok(())
}

pub(super) fn hold(
    db: &Connection,
    origin: &str,
    lane: Lane,
    until_in: Duration,
    now: i64,
) -> rusqlite::Result<()> {
    change_pace(db, origin, lane, now, |slots| slots.hold(until_in, now))
}

/// How many rows a step of sweeping looks at.
const SWEPT_TOGETHER: i64 = 1024;

/// A step of sweeping: forgets leases and paces that can no longer matter, as [`Slots::is_over`] says, among the next
/// rows.
pub(super) fn sweep(db: &Connection, now: i64) -> rusqlite::Result<()> {
    let (pace, lease): (String, String) = db
        .prepare_cached("SELECT swept_pace, swept_lease FROM counter_2")?
        .query_row([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let pace = sweep_pace(db, &pace, now)?;
    let lease = sweep_leases(db, &lease, now)?;
    db.prepare_cached("UPDATE counter_2 SET swept_pace = ?1, swept_lease = ?2")?.execute([pace, lease])?;
    Ok(())
}

/// Sweeps behind an origin, and says behind which one to go on: behind none after the last.
fn sweep_pace(db: &Connection, after: &str, now: i64) -> rusqlite::Result<String> {
    let rows: Vec<(String, String, Slots)> = db
        .prepare_cached(
            "SELECT last, number, before, held, longest, written, origin, lane FROM pace_2
             WHERE origin > ?1 ORDER BY origin LIMIT ?2",
        )?
        .query_map(params![after, SWEPT_TOGETHER], |row| Ok((row.get(6)?, row.get(7)?, slots_of(row)?)))?
        .collect::<Result<_, _>>()?;
    for (origin, lane, slots) in &rows {
        let mut counted = *slots;
        counted.count_from(now);
        if counted.is_over(now) {
            db.prepare_cached("DELETE FROM pace_2 WHERE origin = ?1 AND lane = ?2")?
                .execute([origin, lane])?;
        } else if counted != *slots {
            write_pace(db, origin, lane, &counted)?;
        }
    }
    Ok(rows.into_iter().nth(SWEPT_TOGETHER as usize - 1).map_or(String::new(), |(origin, ..)| origin))
}

fn sweep_leases(db: &Connection, after: &str, now: i64) -> rusqlite::Result<String> {
    let last: Option<String> = db
        .prepare_cached("SELECT origin FROM lease_2 WHERE origin > ?1 ORDER BY origin LIMIT 1 OFFSET ?2")?
        .query_row(params![after, SWEPT_TOGETHER - 1], |row| row.get(0))
        .optional()?;
    let (long_ago, most) =
        (now.saturating_sub(slots::length(KEPT_AT_LEAST)), slots::later(now, LONGEST_LEASE));
    const THESE: &str = "origin > ?1 AND (?2 IS NULL OR origin <= ?2)";
    db.prepare_cached(&format!("DELETE FROM lease_2 WHERE {THESE} AND ends < ?3"))?
        .execute(params![after, last, long_ago])?;
    // From before the machine was started again, or so.
    db.prepare_cached(&format!("UPDATE lease_2 SET ends = ?3 WHERE {THESE} AND ends > ?3"))?
        .execute(params![after, last, most])?;
    Ok(last.unwrap_or_default())
}

pub(super) fn list(db: &Connection, after: &str, limit: usize) -> rusqlite::Result<Vec<EntryInfo>> {
    let mut statement = db.prepare_cached(
        "SELECT origin, length(sealed), put FROM entry_2 WHERE origin > ?1 ORDER BY origin",
    )?;
    let mut rows = statement.query([after])?;
    let mut found = Vec::new();
    while found.len() < limit
        && let Some(row) = rows.next()?
    {
        if let Some(origin) = origin_of(row.get_ref(0)?.as_str()?) {
            found.push(EntryInfo { origin, sealed_bytes: row.get(1)?, put: slots::time(row.get(2)?) });
        }
    }
    Ok(found)
}

pub(super) fn purge(db: &Connection, before: Option<i64>) -> rusqlite::Result<u64> {
    let removed = match before {
        Some(before) => db.execute("DELETE FROM entry_2 WHERE put < ?1", [before])?,
        None => empty(db)?,
    };
    // Free pages go back to the file system one a step.
    let mut statement = db.prepare("PRAGMA incremental_vacuum")?;
    let mut rows = statement.query([])?;
    while rows.next()?.is_some() {}
    Ok(removed as u64)
}

/// Removes everything, and leaves nothing of it to be read in the pages of the file: whoever purges everything may not
/// want others to know what was visited.
fn empty(db: &Connection) -> rusqlite::Result<usize> {
    let overwrites = |what| db.query_row(&format!("PRAGMA secure_delete = {what}"), [], |_| Ok(()));
    overwrites("ON")?;
    db.execute("DELETE FROM pace_2", [])?;
    db.execute("DELETE FROM lease_2", [])?;
    db.execute("UPDATE counter_2 SET swept_pace = '', swept_lease = ''", [])?;
    forget(db)?;
    let removed = db.execute("DELETE FROM entry_2", [])?;
    overwrites("OFF")?;
    Ok(removed)
}

/// Every entry with its seal, in order: the number of entries, and the origins (as written) of those that are torn.
pub(super) fn torn(db: &Connection) -> rusqlite::Result<(u64, Vec<String>)> {
    let mut statement = db.prepare("SELECT origin, sealed FROM entry_2 ORDER BY origin")?;
    let mut rows = statement.query([])?;
    let (mut entries, mut torn) = (0, Vec::new());
    while let Some(row) = rows.next()? {
        entries += 1;
        if Entry::open(row.get::<_, Vec<u8>>(1)?).is_none() {
            torn.push(row.get(0)?);
        }
    }
    Ok((entries, torn))
}

/// What SQLite itself has to say against the file.
pub(super) fn problems(db: &Connection) -> rusqlite::Result<Vec<String>> {
    let mut statement = db.prepare("PRAGMA integrity_check")?;
    let lines: Vec<String> = statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    Ok(lines.into_iter().filter(|line| line != "ok").collect())
}
