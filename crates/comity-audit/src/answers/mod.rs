//! Builds lookup tables from the robots.txt answers of many captures.
//!
//! An archive stores a redirect as a redirect, and the answer at its target as an answer of another site. A client
//! would have followed the redirect, so here a redirect gets the answer of its target that is nearest in time, over at
//! most five steps (RFC 9309 §2.3.1.2). If the archive has no answer of the target within a day, the rules are
//! unknown, so the redirect does not count as an answer.
//!
//! Answers that do not fit into memory are written to files, one for each part of the sites (`spill.rs`). Pages are then
//! decided part by part.

mod spill;

use std::path::Path;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, TimestampMicrosecondType, UInt16Type};
use arrow_array::{
    Array, ArrayRef, BinaryArray, DictionaryArray, Int32Array, RecordBatch, StringArray,
    TimestampMicrosecondArray, UInt16Array,
};
use comity_arrow::{Columns, Input, RobotsTable};
use serde::{Deserialize, Serialize};
use url::Url;

use self::spill::AnswerFiles;
use crate::error::AuditError;
use crate::map::{Map, TextSet};
use crate::scratch::Scratch;

/// Maximum number of redirects that are followed (RFC 9309 §2.3.1.2).
const MAX_REDIRECTS: usize = 5;

/// Maximum time between a redirect and the answer of its target, before or after: a day, in microseconds.
const WINDOW: i64 = 24 * 3600 * 1_000_000;

const NONE: u32 = u32::MAX;

/// Answers to requests for robots.txt, collected from captures: batches with the columns of
/// [`Captures::schema`](comity_formats::Captures::schema).
///
/// Equal bodies are stored once.
#[derive(Debug, Default)]
pub struct RobotsAnswers {
    texts: Texts,
    rows: Vec<Row>,
    bodies: Vec<(Arc<str>, Box<[u8]>)>,
    /// Bodies by their digests.
    by_digest: Map<Arc<str>, u32>,
    body_bytes: usize,
    limit: Option<Limit>,
    spilled: Option<AnswerFiles>,
}

/// Maximum size in memory, and the files for a larger collection.
#[derive(Debug)]
struct Limit {
    bytes: usize,
    scratch: Arc<Scratch>,
}

/// Counts of the answers of a job.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "AuditAnswers"))]
#[non_exhaustive]
pub struct AnswersSummary {
    /// The number of answers.
    pub answers: u64,
    /// The number of sites.
    pub sites: u64,
    /// The number of different bodies.
    pub bodies: u64,
    /// The total size of the different bodies, in bytes.
    pub body_bytes: u64,
    /// The number of redirects that lead to another answer.
    pub redirects_followed: u64,
    /// The number of redirects without an answer of their target within a day; they are not counted as answers.
    pub redirects_lost: u64,
    /// The number of answers without a time. They apply to pages with a time only if `nearest` is set.
    #[serde(default)]
    pub undated: u64,
    /// The time of the first answer, in microseconds since 1970.
    pub first: Option<i64>,
    /// The time of the last answer, in microseconds since 1970.
    pub last: Option<i64>,
}

#[derive(Clone, Copy, Debug)]
struct Row {
    key: u32,
    at: Option<i64>,
    status: Option<u16>,
    failure: u32,
    content_type: u32,
    location: u32,
    body: u32,
}

impl Row {
    fn is_redirect(&self) -> bool {
        self.failure == NONE && self.status.is_some_and(is_redirect)
    }

    /// Removes the answer from the row.
    fn remove_answer(&mut self) {
        (self.status, self.body) = (None, NONE);
    }
}

/// Returns whether a status code is a redirect.
pub(crate) fn is_redirect(status: u16) -> bool {
    matches!(status, 301 | 302 | 303 | 307 | 308)
}

/// Returns the URL of the robots.txt that a redirect of an origin, or of a bare host, leads to.
pub(crate) fn redirect_target(key: &str, location: &str) -> Option<Url> {
    let base = match Url::parse(key) {
        Ok(url) if url.has_host() => url,
        _ => Url::parse(&format!("https://{key}")).ok()?,
    };
    let target = base.join("/robots.txt").ok()?.join(location).ok()?;
    let is_robots_txt = target.path() == "/robots.txt" && matches!(target.scheme(), "http" | "https");
    is_robots_txt.then_some(target)
}

/// The answers as lookup tables: one table, or one for each part of the sites if they do not fit into memory.
#[derive(Debug)]
pub struct AnswerTables {
    source: TableSource,
    summary: AnswersSummary,
}

#[derive(Debug)]
enum TableSource {
    Memory(Arc<RobotsTable>),
    Parts(spill::Parts),
}

impl AnswerTables {
    /// Creates a table without answers.
    pub(crate) fn empty() -> Result<AnswerTables, AuditError> {
        let table = RobotsTable::new([], Columns::new())?;
        Ok(AnswerTables { source: TableSource::Memory(Arc::new(table)), summary: AnswersSummary::default() })
    }

    /// Returns false if there are answers in memory, and none of them has a time.
    pub(crate) fn has_times(&self) -> bool {
        self.summary.answers == 0 || self.summary.first.is_some() || self.parts() > 1
    }

    /// Returns the only table, if all answers fit into memory.
    pub fn single(&self) -> Option<Arc<RobotsTable>> {
        match &self.source {
            TableSource::Memory(table) => Some(table.clone()),
            TableSource::Parts(_) => None,
        }
    }

    /// Returns the number of tables: 1, or the number of parts of the sites if the answers do not fit into memory.
    pub fn parts(&self) -> usize {
        match &self.source {
            TableSource::Memory(_) => 1,
            TableSource::Parts(parts) => parts.len(),
        }
    }

    /// Reads a table.
    ///
    /// # Errors
    ///
    /// Returns [`AuditError`] if the table cannot be read back.
    pub fn table(&mut self, part: usize) -> Result<Arc<RobotsTable>, AuditError> {
        match &mut self.source {
            TableSource::Memory(table) => Ok(table.clone()),
            TableSource::Parts(parts) => Ok(Arc::new(parts.table(part, &mut self.summary)?)),
        }
    }

    /// Returns a summary of the answers. Reads the parts that were not read yet.
    ///
    /// # Errors
    ///
    /// Returns [`AuditError`] if a part cannot be read back.
    pub fn summary(&mut self) -> Result<&AnswersSummary, AuditError> {
        if let TableSource::Parts(parts) = &mut self.source {
            parts.count_all(&mut self.summary)?;
        }
        Ok(&self.summary)
    }
}

/// Numbered texts.
#[derive(Debug, Default)]
struct Texts {
    numbers: Map<Arc<str>, u32>,
    texts: Vec<Arc<str>>,
    /// Total length of the texts, in bytes.
    bytes: usize,
}

impl Texts {
    /// Returns the approximate size, in bytes.
    fn bytes(&self) -> usize {
        self.bytes + self.texts.len() * 64
    }

    fn number(&mut self, text: Option<&str>) -> u32 {
        let Some(text) = text else { return NONE };
        if let Some(number) = self.numbers.get(text) {
            return *number;
        }
        let (text, number): (Arc<str>, u32) = (text.into(), self.texts.len() as u32);
        self.bytes += text.len();
        self.texts.push(text.clone());
        self.numbers.insert(text, number);
        number
    }

    fn get(&self, number: u32) -> Option<&str> {
        Some(self.texts.get(number as usize)?)
    }
}

impl RobotsAnswers {
    /// Creates a collection without answers.
    pub fn new() -> Self {
        RobotsAnswers::default()
    }

    /// Creates a collection with an approximate maximum size in memory, in bytes. A larger collection is written to files in a
    /// folder.
    ///
    /// # Errors
    ///
    /// Returns [`AuditError`] if no file can be created in the folder.
    pub fn within(bytes: usize, folder: &Path) -> Result<Self, AuditError> {
        let scratch = Arc::new(Scratch::new(folder)?);
        Ok(RobotsAnswers { limit: Some(Limit { bytes, scratch }), ..RobotsAnswers::default() })
    }

    /// Adds a batch of captures.
    ///
    /// # Errors
    ///
    /// Returns [`AuditError`] if answers that do not fit into memory cannot be written.
    pub fn add(&mut self, captures: &RecordBatch) -> Result<(), AuditError> {
        if let Some(spilled) = &mut self.spilled {
            return spilled.add(captures);
        }
        self.keep(captures);
        let bytes = self.bytes();
        if let Some(limit) = self.limit.take_if(|limit| bytes > limit.bytes) {
            let mut spilled = AnswerFiles::new(limit.scratch);
            let held = std::mem::take(self);
            for rows in held.pieces() {
                spilled.add(&held.captures(rows)?)?;
            }
            self.spilled = Some(spilled);
        }
        Ok(())
    }

    /// Returns the approximate size, in bytes.
    fn bytes(&self) -> usize {
        let rows = self.rows.len() * size_of::<Row>();
        rows + self.texts.bytes() + self.body_bytes + self.bodies.len() * 128
    }

    fn keep(&mut self, captures: &RecordBatch) {
        let text = |name| captures.column_by_name(name).and_then(|column| column.as_string_opt::<i32>());
        let (keys, failures, types, locations, digests) =
            (text("key"), text("failure"), text("content_type"), text("location"), text("digest"));
        let times = captures
            .column_by_name("fetched_at")
            .and_then(|column| column.as_primitive_opt::<TimestampMicrosecondType>());
        let statuses =
            captures.column_by_name("status").and_then(|column| column.as_primitive_opt::<UInt16Type>());
        let bodies = captures.column_by_name("body").and_then(|column| column.as_binary_opt::<i32>());
        let Some(keys) = keys else { return };
        for row in 0..captures.num_rows() {
            let of = |column: Option<&StringArray>| match column {
                Some(column) if column.is_valid(row) => Some(column.value(row).to_owned()),
                _ => None,
            };
            let body = bodies.filter(|bodies| bodies.is_valid(row)).map(|bodies| bodies.value(row));
            let body = match (body, of(digests)) {
                (Some(body), Some(digest)) => self.body(body, digest),
                _ => NONE,
            };
            let new = Row {
                key: self.texts.number(Some(keys.value(row))),
                at: times.filter(|times| times.is_valid(row)).map(|times| times.value(row)),
                status: statuses
                    .filter(|statuses| statuses.is_valid(row))
                    .map(|statuses| statuses.value(row)),
                failure: self.texts.number(of(failures).as_deref()),
                content_type: self.texts.number(of(types).as_deref()),
                location: self.texts.number(of(locations).as_deref()),
                body,
            };
            self.rows.push(new);
        }
    }

    fn body(&mut self, body: &[u8], digest: String) -> u32 {
        let digest: Arc<str> = digest.into();
        if let Some(known) = self.by_digest.get(&digest) {
            return *known;
        }
        let number = self.bodies.len() as u32;
        self.body_bytes += body.len();
        self.bodies.push((digest.clone(), body.into()));
        self.by_digest.insert(digest, number);
        number
    }

    /// Splits the rows into pieces whose bodies fit into one batch.
    fn pieces(&self) -> Vec<&[Row]> {
        const MOST: usize = 32 << 20;
        let (mut pieces, mut rest, mut bytes, mut length) = (Vec::new(), &*self.rows, 0, 0);
        for row in &self.rows {
            length += 1;
            bytes += self.bodies.get(row.body as usize).map_or(0, |(_, body)| body.len());
            if bytes > MOST
                && let Some((piece, after)) = rest.split_at_checked(length)
            {
                pieces.push(piece);
                (rest, bytes, length) = (after, 0, 0);
            }
        }
        pieces.push(rest);
        pieces
    }

    /// Returns true if the collection has no answers.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty() && self.spilled.is_none()
    }

    /// Returns the lookup tables.
    ///
    /// # Errors
    ///
    /// Returns [`AuditError`] if answers that did not fit into memory cannot be read back.
    pub fn into_tables(mut self) -> Result<AnswerTables, AuditError> {
        match self.spilled.take() {
            Some(spilled) => spilled.into_tables(),
            None => {
                let (table, summary) = self.into_table()?;
                Ok(AnswerTables { source: TableSource::Memory(Arc::new(table)), summary })
            }
        }
    }

    fn into_table(mut self) -> Result<(RobotsTable, AnswersSummary), AuditError> {
        let mut summary = AnswersSummary::default();
        self.follow_redirects(&mut summary);
        summary.answers = self.rows.len() as u64 - summary.redirects_lost;
        let table = self.table()?;
        self.count(&table, &mut TextSet::default(), &mut summary);
        Ok((table, summary))
    }

    /// Builds the table.
    fn table(&self) -> Result<RobotsTable, AuditError> {
        Ok(RobotsTable::new([self.batch()?], Columns::new().without(Input::Url))?)
    }

    /// Adds the content of the table to a summary. Bodies that were counted before are not counted again.
    fn count(&self, table: &RobotsTable, met: &mut TextSet, summary: &mut AnswersSummary) {
        let times = self.rows.iter().filter_map(|row| row.at);
        let is_undated = |row: &&Row| row.at.is_none() && (row.status.is_some() || row.failure != NONE);
        summary.undated += self.rows.iter().filter(is_undated).count() as u64;
        summary.first = times.clone().chain(summary.first).min();
        summary.last = times.chain(summary.last).max();
        for (_, body) in self.bodies.iter().filter(|(digest, _)| met.insert(digest)) {
            summary.bodies += 1;
            summary.body_bytes += body.len() as u64;
        }
        summary.sites += table.len() as u64;
    }

    /// Replaces each redirect by the answer at its target, or removes it if its target has no answer.
    fn follow_redirects(&mut self, summary: &mut AnswersSummary) {
        if !self.rows.iter().any(Row::is_redirect) {
            return;
        }
        let by_key = self.by_key();
        let mut found = Vec::new();
        for (number, row) in self.rows.iter().enumerate().filter(|(_, row)| row.is_redirect()) {
            let mut answer = Some(*row);
            for _ in 0..MAX_REDIRECTS {
                match answer {
                    Some(row) if row.is_redirect() => {
                        let target = self.target(&row);
                        answer = target.and_then(|target| self.nearest(&target, row.at, &by_key));
                    }
                    _ => break,
                }
            }
            found.push((number, answer.filter(|answer| !answer.is_redirect())));
        }
        for (number, answer) in found {
            let Some(row) = self.rows.get_mut(number) else { continue };
            match answer {
                Some(answer) => {
                    summary.redirects_followed += 1;
                    *row = Row { key: row.key, at: row.at, ..answer };
                }
                None => {
                    summary.redirects_lost += 1;
                    row.remove_answer();
                }
            }
        }
    }

    /// Returns the indexes of rows by their keys.
    fn by_key(&self) -> Map<u32, Vec<u32>> {
        let mut by_key: Map<u32, Vec<u32>> = Map::default();
        for (number, row) in self.rows.iter().enumerate() {
            by_key.entry(row.key).or_default().push(number as u32);
        }
        by_key
    }

    /// Returns the URL of the robots.txt that a redirect leads to.
    fn target(&self, row: &Row) -> Option<Url> {
        redirect_target(self.texts.get(row.key)?, self.texts.get(row.location)?)
    }

    /// Returns the answer of a robots.txt that is nearest to a time, at most [`WINDOW`] away.
    fn nearest(&self, target: &Url, at: Option<i64>, by_key: &Map<u32, Vec<u32>>) -> Option<Row> {
        let numbers = |key: &str| by_key.get(self.texts.numbers.get(key)?);
        let origin = target.origin().ascii_serialization();
        let host = origin.split_once("://").map_or("", |(_, host)| host);
        let answers = numbers(&origin).or_else(|| numbers(host))?;
        let distance = |other: &Row| match (at, other.at) {
            (Some(at), Some(other)) => at.abs_diff(other),
            // Without times, any answer of the target applies.
            (None, None) => 0,
            _ => u64::MAX,
        };
        let nearest = answers.iter().filter_map(|number| self.rows.get(*number as usize));
        let nearest = nearest.min_by_key(|other| distance(other))?;
        (distance(nearest) <= WINDOW.unsigned_abs()).then_some(*nearest)
    }

    /// Returns rows with the columns of captures.
    fn captures(&self, rows: &[Row]) -> Result<RecordBatch, AuditError> {
        let text = |number: fn(&Row) -> u32| -> ArrayRef {
            Arc::new(rows.iter().map(|row| self.texts.get(number(row))).collect::<StringArray>())
        };
        let body = |row: &Row| self.bodies.get(row.body as usize);
        let bodies: BinaryArray = rows.iter().map(|row| body(row).map(|(_, body)| &**body)).collect();
        let digests: StringArray = rows.iter().map(|row| body(row).map(|(digest, _)| &**digest)).collect();
        let times: TimestampMicrosecondArray = rows.iter().map(|row| row.at).collect();
        let columns: [(&str, ArrayRef); 8] = [
            ("key", text(|row| row.key)),
            ("fetched_at", Arc::new(times.with_timezone("UTC"))),
            ("status", Arc::new(rows.iter().map(|row| row.status).collect::<UInt16Array>())),
            ("failure", text(|row| row.failure)),
            ("content_type", text(|row| row.content_type)),
            ("location", text(|row| row.location)),
            ("body", Arc::new(bodies)),
            ("digest", Arc::new(digests)),
        ];
        Ok(RecordBatch::try_from_iter_with_nullable(columns.map(|(name, column)| (name, column, true)))?)
    }

    /// Returns the answers in the form that auditors read. Each body is stored once, and rows refer to it.
    fn batch(&self) -> Result<RecordBatch, AuditError> {
        let rows = &self.rows;
        let text = |number: fn(&Row) -> u32| -> ArrayRef {
            Arc::new(rows.iter().map(|row| self.texts.get(number(row))).collect::<StringArray>())
        };
        let bodies = rows.iter().map(|row| (row.body != NONE).then(|| row.body.cast_signed()));
        let bodies = DictionaryArray::<Int32Type>::try_new(
            bodies.collect::<Int32Array>(),
            Arc::new(BinaryArray::from_iter_values(self.bodies.iter().map(|(_, body)| body))),
        )?;
        let times: TimestampMicrosecondArray = rows.iter().map(|row| row.at).collect();
        let columns: [(&str, ArrayRef); 6] = [
            ("key", text(|row| row.key)),
            ("fetched_at", Arc::new(times.with_timezone("UTC"))),
            ("status", Arc::new(rows.iter().map(|row| row.status).collect::<UInt16Array>())),
            ("failure", text(|row| row.failure)),
            ("content_type", text(|row| row.content_type)),
            ("body", Arc::new(bodies)),
        ];
        Ok(RecordBatch::try_from_iter(columns)?)
    }
}
