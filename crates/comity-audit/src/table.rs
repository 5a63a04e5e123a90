//! A table of robots.txt files by key, each with the versions that were seen of it.
//!
//! A row is one answer. Several rows of one key are its history: what applies at a time follows from the answers up to
//! then, as it would have for a client that lived through them, so that during an outage the last good copy serves.

use arrow_array::RecordBatch;
use comity::policy::{AnswerKind, Availability, Preset, Reply, Treatment};
use hashbrown::HashMap;

use crate::answer::{Answer, AnswerColumns};
use crate::error::AuditError;
use crate::input::{Found, NOON};
use crate::options::{Columns, Input};
use crate::origin::origin;

type Map<K, V> = HashMap<K, V, foldhash::fast::RandomState>;

/// Robots.txt files by key: given once, joined to every batch.
///
/// Columns: `key`, and of `body`, `status`, `failure`, `fetched_at`, `content_type` those that there are, under these
/// names or those that [`Columns`] give.
#[derive(Debug)]
pub struct RobotsTable {
    batches: Vec<RecordBatch>,
    columns: Columns,
    keys: Map<Vec<u8>, u32>,
    /// By origin, for keys that are URLs: two that are written differently have one history.
    origins: Map<String, u32>,
    entries: Vec<Vec<Version>>,
}

/// One answer: where it stands, and when it came.
#[derive(Clone, Copy, Debug)]
struct Version {
    batch: u32,
    row: u32,
    at: Option<i128>,
}

impl RobotsTable {
    /// Takes in a table. The batches are kept as they are, not copied. Rows without a key are passed over.
    ///
    /// # Errors
    ///
    /// [`AuditError`] if there is no key column, or a column holds what it cannot hold.
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
            let found = Found::in_table(batch, &table.columns);
            let keys = found.bytes_needed(Input::Key)?;
            let answers = AnswerColumns::new(&found)?;
            for row in 0..batch.num_rows() {
                let Some(key) = keys.get(row) else { continue };
                let by_key = *table.keys.entry_ref(key).or_insert_with(|| new_entry(&mut table.entries));
                let by_origin = origin(key).map(|origin| {
                    *table.origins.entry_ref(&*origin).or_insert_with(|| new_entry(&mut table.entries))
                });
                let answer = answers.answer(row).map_err(|problem| AuditError::Row { row, problem })?;
                // A row that tells of no answer is not a version.
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
        // Stable: of two at one time the later row is the later answer.
        table.entries.iter_mut().for_each(|versions| versions.sort_by_key(|version| version.at));
        Ok(table)
    }

    /// Returns how many keys there are.
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

    /// The version of an entry that applied at a time, or the latest one.
    pub(crate) fn version_at(&self, entry: u32, time: Option<i128>) -> Option<u32> {
        let versions = self.entries.get(entry as usize)?;
        let known = match time {
            Some(time) => versions.partition_point(|version| version.at.is_none_or(|at| at <= time)),
            None => versions.len(),
        };
        u32::try_from(known.checked_sub(1)?).ok()
    }

    /// When a version came.
    pub(crate) fn time_of(&self, entry: u32, version: u32) -> Option<i128> {
        self.version(entry, version)?.at
    }

    fn version(&self, entry: u32, version: u32) -> Option<Version> {
        self.entries.get(entry as usize)?.get(version as usize).copied()
    }

    /// Returns the answer in a version of an entry.
    pub(crate) fn answer(&self, entry: u32, version: u32) -> Answer<'_> {
        let read = || {
            let version = self.version(entry, version)?;
            let batch = self.batches.get(version.batch as usize)?;
            let answers = AnswerColumns::new(&Found::in_table(batch, &self.columns)).ok()?;
            let answer = answers.answer(version.row as usize).ok()?;
            Some(Answer { at: version.at.unwrap_or(NOON), ..answer })
        };
        read().unwrap_or_default()
    }

    /// The answers that what applies after a version follows from, in order.
    ///
    /// The last one that settled the matter comes first. If it left a copy, a 304 renews that and ends an outage, so the
    /// last 304 is next; then the first failure after it, from which the outage counts; then the version itself.
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

/// The number of an entry that is made.
fn new_entry(entries: &mut Vec<Vec<Version>>) -> u32 {
    entries.push(Vec::new());
    u32::try_from(entries.len() - 1).unwrap_or(u32::MAX)
}

/// Describes how an answer changes what is known about the site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing {
    /// It was read, and can serve again later.
    Copy,
    /// It settles the matter without a copy.
    Settled,
    /// robots.txt could not be reached.
    Failure,
    NotModified,
}
