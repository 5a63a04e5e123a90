//! A table of robots.txt files by key, with all their versions.
//!
//! A row is one answer. Several rows with one key are its history. The state at a time follows from the answers up to
//! then, as it would for a client that was running all the time, so the last good copy applies during an outage.

use arrow_array::RecordBatch;
use comity::policy::{AnswerKind, Availability, Preset, Reply, Treatment};
use hashbrown::HashMap;

use crate::answer::{AnswerColumns, RowAnswer};
use crate::error::AuditError;
use crate::input::{BatchColumns, NOON};
use crate::options::{Columns, Input};
use crate::origin::origin;

type Map<K, V> = HashMap<K, V, foldhash::fast::RandomState>;

/// Robots.txt files by key, which are joined to every batch.
///
/// Its columns are `key` and any of `body`, `status`, `failure`, `fetched_at`, `content_type`, under these names or
/// those in [`Columns`].
#[derive(Debug)]
pub struct RobotsTable {
    batches: Vec<RecordBatch>,
    columns: Columns,
    keys: Map<Vec<u8>, u32>,
    /// Entries by origin, for keys that are URLs. Two spellings of one origin have one history.
    origins: Map<String, u32>,
    entries: Vec<Vec<Version>>,
}

/// One answer: its row, and its time.
#[derive(Clone, Copy, Debug)]
struct Version {
    batch: u32,
    row: u32,
    at: Option<i128>,
}

impl RobotsTable {
    /// Takes a table. The batches are kept as they are, not copied. Rows without a key are skipped.
    ///
    /// # Errors
    ///
    /// [`AuditError`] if there is no key column, or a value of a column cannot be read.
    pub fn new(
        batches: impl IntoIterator<Item = RecordBatch>,
        columns: Columns,
    ) -> Result<RobotsTable, AuditError> {
        let mut table = RobotsTable {
            batches: batches.into_iter().collect(),
            columns,
            keys: Map::default(),
            origins: Map::default(),
            entries: Vec::new(),
        };
        for (number, batch) in table.batches.iter().enumerate() {
            let found = BatchColumns::in_table(batch, &table.columns);
            let keys = found.bytes_needed(Input::Key)?;
            let answers = AnswerColumns::new(&found)?;
            for row in 0..batch.num_rows() {
                let Some(key) = keys.get(row) else { continue };
                let by_key = *table.keys.entry_ref(key).or_insert_with(|| new_entry(&mut table.entries));
                let by_origin = origin(key).map(|origin| {
                    *table.origins.entry_ref(&*origin).or_insert_with(|| new_entry(&mut table.entries))
                });
                let answer = answers.answer(row).map_err(|problem| AuditError::Row { row, problem })?;
                // A row without an answer is not a version.
                if answer.reply.is_none() {
                    continue;
                }
                let version = Version {
                    batch: u32::try_from(number).unwrap_or(u32::MAX),
                    row: u32::try_from(row).unwrap_or(u32::MAX),
                    at: answers.time(row),
                };
                for entry in [Some(by_key), by_origin].into_iter().flatten() {
                    table
                        .entries
                        .get_mut(entry as usize)
                        .into_iter()
                        .for_each(|versions| versions.push(version));
                }
            }
        }
        // The sort is stable: of two rows with one time, the later row is the later answer.
        table.entries.iter_mut().for_each(|versions| versions.sort_by_key(|version| version.at));
        Ok(table)
    }

    /// Returns the number of keys.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Returns whether the table is empty.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    pub(crate) fn by_key(&self, key: &[u8]) -> Option<u32> {
        self.keys.get(key).copied()
    }

    pub(crate) fn by_origin(&self, origin: &str) -> Option<u32> {
        self.origins.get(origin).copied()
    }

    /// Returns the version of an entry that applied at a time, or the latest one.
    pub(crate) fn version_at(&self, entry: u32, time: Option<i128>) -> Option<u32> {
        let versions = self.entries.get(entry as usize)?;
        let known = match time {
            Some(time) => versions.partition_point(|version| version.at.is_none_or(|at| at <= time)),
            None => versions.len(),
        };
        u32::try_from(known.checked_sub(1)?).ok()
    }

    /// Returns when a version came.
    pub(crate) fn time_of(&self, entry: u32, version: u32) -> Option<i128> {
        self.version(entry, version)?.at
    }

    fn version(&self, entry: u32, version: u32) -> Option<Version> {
        self.entries.get(entry as usize)?.get(version as usize).copied()
    }

    /// Returns the answer in a version of an entry.
    pub(crate) fn answer(&self, entry: u32, version: u32) -> RowAnswer<'_> {
        let read = || {
            let version = self.version(entry, version)?;
            let batch = self.batches.get(version.batch as usize)?;
            let answers = AnswerColumns::new(&BatchColumns::in_table(batch, &self.columns)).ok()?;
            let answer = answers.answer(version.row as usize).ok()?;
            Some(RowAnswer { at: version.at.unwrap_or(NOON), ..answer })
        };
        read().unwrap_or_default()
    }

    /// Returns the answers that decide the state after a version, in order.
    ///
    /// The first is the last answer that settled the matter. If it left a copy, a later 304 renews the copy and ends an
    /// outage, so the last 304 comes next. Then comes the first failure after it, which begins the outage, and then the
    /// version itself.
    pub(crate) fn history(&self, entry: u32, version: u32, preset: Preset) -> Vec<u32> {
        let settled = (0..=version).rev().find(|&at| {
            !matches!(self.standing(entry, at, preset), Standing::Failure | Standing::NotModified)
        });
        let has_copy = settled.is_some_and(|at| self.standing(entry, at, preset) == Standing::Copy);
        let after = settled.map_or(0, |at| at + 1);
        let is_new_start = |&at: &u32| match self.standing(entry, at, preset) {
            Standing::NotModified if has_copy => true,
            Standing::NotModified => {
                preset.entry(AnswerKind::NotModified).availability() != Availability::Unreachable
            }
            _ => false,
        };
        let renewed = (after..=version).rev().find(is_new_start);
        let failed = renewed.map_or(after, |at| at + 1);
        let mut history: Vec<u32> = settled.into_iter().chain(renewed).collect();
        history.extend((failed <= version).then_some(failed));
        history.push(version);
        history.dedup();
        history
    }

    /// Returns how a version changes what is known about the site.
    fn standing(&self, entry: u32, version: u32, preset: Preset) -> Standing {
        let answer = self.answer(entry, version);
        if answer.reply == Some(Reply::Status(304)) {
            return Standing::NotModified;
        }
        let standing = answer.with_reading(preset, |reading| match reading.evidence() {
            evidence if evidence.availability() == Availability::Unreachable => Standing::Failure,
            evidence if evidence.treatment() == Treatment::ReadRules => Standing::Copy,
            _ => Standing::Settled,
        });
        standing.unwrap_or(Standing::Failure)
    }
}

/// Adds an entry, and returns its number.
fn new_entry(entries: &mut Vec<Vec<Version>>) -> u32 {
    entries.push(Vec::new());
    u32::try_from(entries.len() - 1).unwrap_or(u32::MAX)
}

/// Describes how an answer changes what is known about the site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing {
    /// It has a body that was read, and that can apply again later.
    Copy,
    /// It settles the matter without a copy.
    Settled,
    /// robots.txt was unreachable.
    Failure,
    NotModified,
}
