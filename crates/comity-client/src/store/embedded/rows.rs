//! What is asked of the tables: each function a few statements, inside a transaction of the [worker](super::worker).

use std::time::Duration;

use rusqlite::{Connection, OptionalExtension, params};

use super::EntryInfo;
use crate::store::slots::{self, KEPT_AT_LEAST, Slots, length};
use crate::store::{Entry, Slot, origin_of};

pub(super) fn get(db: &Connection, origin: &str) -> rusqlite::Result<Option<Vec<u8>>> {
    db.prepare_cached("SELECT sealed FROM entry WHERE origin = ?1")?
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
    if let Some(number) = lease {
        let latest: Option<i64> = db
            .prepare_cached("SELECT number FROM lease WHERE origin = ?1")?
            .query_row([origin], |row| row.get(0))
            .optional()?;
        if latest != Some(number) {
            return Ok(false);
        }
        release(db, origin, number)?;
    }
    if (origin.len() + sealed.len()) as u64 > max_bytes {
        remove(db, origin)?;
        return Ok(true);
    }
    db.prepare_cached(
        "INSERT INTO entry (origin, put, sealed) VALUES (?1, ?2, ?3)
         ON CONFLICT (origin) DO UPDATE SET put = excluded.put, sealed = excluded.sealed",
    )?
    .execute(params![origin, now, sealed])?;
    while bytes(db)? > max_bytes {
        let evicted = db
            .prepare_cached(
                "DELETE FROM entry WHERE id = (SELECT id FROM entry WHERE origin <> ?1 ORDER BY put, id LIMIT 1)",
            )?
            .execute([origin])?;
        if evicted == 0 {
            break;
        }
    }
    Ok(true)
}

pub(super) fn bytes(db: &Connection) -> rusqlite::Result<u64> {
    let bytes: i64 = db.prepare_cached("SELECT bytes FROM counter")?.query_row([], |row| row.get(0))?;
    Ok(u64::try_from(bytes).unwrap_or(0))
}

pub(super) fn remove(db: &Connection, origin: &str) -> rusqlite::Result<bool> {
    Ok(db.prepare_cached("DELETE FROM entry WHERE origin = ?1")?.execute([origin])? > 0)
}

/// Removes an entry that was found torn, unless a whole one has replaced it.
pub(super) fn remove_torn(db: &Connection, origin: &str) -> rusqlite::Result<()> {
    if get(db, origin)?.is_some_and(|sealed| Entry::open(sealed).is_none()) {
        remove(db, origin)?;
    }
    Ok(())
}

/// The number of the lease that is granted, or how long another one is held.
pub(super) fn acquire(
    db: &Connection,
    origin: &str,
    ttl: Duration,
    now: i64,
) -> rusqlite::Result<Result<i64, Duration>> {
    let held: Option<i64> = db
        .prepare_cached("SELECT ends FROM lease WHERE origin = ?1 AND NOT released AND ends > ?2")?
        .query_row(params![origin, now], |row| row.get(0))
        .optional()?;
    if let Some(ends) = held {
        return Ok(Err(slots::until(ends, now)));
    }
    let number: i64 = db
        .prepare_cached("UPDATE counter SET lease = lease + 1 RETURNING lease")?
        .query_row([], |row| row.get(0))?;
    db.prepare_cached(
        "INSERT OR REPLACE INTO lease (origin, number, ends, released) VALUES (?1, ?2, ?3, 0)",
    )?
    .execute(params![origin, number, slots::later(now, ttl)])?;
    Ok(Ok(number))
}

pub(super) fn release(db: &Connection, origin: &str, number: i64) -> rusqlite::Result<()> {
    db.prepare_cached("UPDATE lease SET released = 1 WHERE origin = ?1 AND number = ?2")?
        .execute(params![origin, number])?;
    Ok(())
}

pub(super) fn reserve(
    db: &Connection,
    origin: &str,
    interval: Duration,
    max_wait: Duration,
    now: i64,
) -> rusqlite::Result<Slot> {
    let mut slots = pace(db, origin)?;
    let slot = slots.reserve(interval, max_wait, now);
    if matches!(slot, Slot::Taken(_)) {
        write_pace(db, origin, &slots)?;
    }
    Ok(slot)
}

pub(super) fn hold(db: &Connection, origin: &str, until_in: Duration, now: i64) -> rusqlite::Result<()> {
    let mut slots = pace(db, origin)?;
    slots.hold(until_in, now);
    write_pace(db, origin, &slots)
}

fn pace(db: &Connection, origin: &str) -> rusqlite::Result<Slots> {
    let known = db
        .prepare_cached("SELECT last, held, longest FROM pace WHERE origin = ?1")?
        .query_row([origin], |row| Ok(Slots { last: row.get(0)?, held: row.get(1)?, longest: row.get(2)? }))
        .optional()?;
    Ok(known.unwrap_or(Slots::NEW))
}

fn write_pace(db: &Connection, origin: &str, slots: &Slots) -> rusqlite::Result<()> {
    db.prepare_cached("INSERT OR REPLACE INTO pace (origin, last, held, longest) VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![origin, slots.last, slots.held, slots.longest])?;
    Ok(())
}

/// Forgets leases and paces that can no longer matter, as [`Slots::is_over`] says.
pub(super) fn sweep(db: &Connection, now: i64) -> rusqlite::Result<()> {
    let kept = length(KEPT_AT_LEAST);
    db.execute("DELETE FROM lease WHERE ends < ?1", [now.saturating_sub(kept)])?;
    db.execute(
        "DELETE FROM pace WHERE held < ?1 AND last < ?2 AND last < ?1 - longest",
        params![now, now.saturating_sub(kept)],
    )?;
    Ok(())
}

pub(super) fn list(db: &Connection, after: &str, limit: usize) -> rusqlite::Result<Vec<EntryInfo>> {
    let mut statement =
        db.prepare_cached("SELECT origin, length(sealed), put FROM entry WHERE origin > ?1 ORDER BY origin")?;
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
        Some(before) => db.execute("DELETE FROM entry WHERE put < ?1", [before])?,
        None => db.execute("DELETE FROM entry", [])?,
    };
    // Free pages go back to the file system one a step.
    let mut statement = db.prepare("PRAGMA incremental_vacuum")?;
    let mut rows = statement.query([])?;
    while rows.next()?.is_some() {}
    Ok(removed as u64)
}

/// Every entry with its seal, in order: the number of entries, and the origins (as written) of those that are torn.
pub(super) fn torn(db: &Connection) -> rusqlite::Result<(u64, Vec<String>)> {
    let mut statement = db.prepare("SELECT origin, sealed FROM entry ORDER BY origin")?;
    let mut rows = statement.query([])?;
    let (mut entries, mut torn) = (0, Vec::new());
    while let Some(row) = rows.next()? {
        entries += 1;
        if Entry::open(row.get(1)?).is_none() {
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
