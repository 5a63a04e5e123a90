//! The robots.txt answers of many captures, as the table that decides.
//!
//! An archive keeps a redirect as what it is, and what it leads to as an answer of another site. A client that was sent on
//! would have read that other answer, so here a redirect takes the answer of its target that is nearest in time, over at
//! most five steps (RFC 9309 §2.3.1.2). A redirect whose target the archive does not have says nothing: what stood there is
//! not known, so it is not an answer.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, TimestampMicrosecondType, UInt16Type};
use arrow_array::{
    Array, ArrayRef, BinaryArray, DictionaryArray, Int32Array, RecordBatch, StringArray,
    TimestampMicrosecondArray, UInt16Array,
};
use comity_audit::{Columns, Input, RobotsTable};
use serde::{Deserialize, Serialize};
use url::Url;

use crate::error::JobError;
use crate::map::Map;

/// How many redirects are followed (RFC 9309 §2.3.1.2).
const MAX_REDIRECTS: usize = 5;

/// The target of a redirect is looked for among answers that came at most so much later or earlier: a day, in microseconds.
const WINDOW: i64 = 24 * 3600 * 1_000_000;

const NONE: u32 = u32::MAX;

/// Answers to requests for robots.txt, collected from captures: batches with the columns of
/// [`Captures::schema`](comity_archive::Captures::schema).
///
/// A body is kept once, however many answers have it.
#[derive(Debug, Default)]
pub struct RobotsAnswers {
    texts: Texts,
    rows: Vec<Row>,
    bodies: Vec<Box<[u8]>>,
    /// Bodies by their digests.
    by_digest: Map<Box<str>, u32>,
    body_bytes: usize,
}

/// What the answers of a job are, in numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AnswersSummary {
    /// How many answers there are.
    pub answers: u64,
    /// How many sites they are from.
    pub sites: u64,
    /// How many different bodies they have.
    pub bodies: u64,
    /// The size of these bodies.
    pub body_bytes: u64,
    /// How many are redirects that lead to another answer.
    pub redirects_followed: u64,
    /// How many are redirects whose target the sources do not have; they are not counted as answers.
    pub redirects_lost: u64,
    /// The time of the first, in microseconds since 1970.
    pub first: Option<i64>,
    /// The time of the last, in microseconds since 1970.
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

/// Texts with numbers.
#[derive(Debug, Default)]
struct Texts {
    numbers: Map<Arc<str>, u32>,
    texts: Vec<Arc<str>>,
}

impl Texts {
    fn number(&mut self, text: Option<&str>) -> u32 {
        let Some(text) = text else { return NONE };
        if let Some(number) = self.numbers.get(text) {
            return *number;
        }
        let (text, number): (Arc<str>, u32) = (text.into(), self.texts.len() as u32);
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

    /// Adds a batch of captures.
    pub fn add(&mut self, captures: &RecordBatch) {
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
        let (bodies, bytes) = (&mut self.bodies, &mut self.body_bytes);
        *self.by_digest.entry(digest.into()).or_insert_with(|| {
            *bytes += body.len();
            bodies.push(body.into());
            (bodies.len() - 1) as u32
        })
    }

    /// Returns how many answers were added.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Returns true if there is no answer.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Returns the table that decides, and what it holds in numbers.
    ///
    /// # Errors
    ///
    /// [`JobError`] if the table cannot be made.
    pub fn into_table(mut self) -> Result<(RobotsTable, AnswersSummary), JobError> {
        let mut summary = AnswersSummary {
            answers: self.rows.len() as u64,
            bodies: self.bodies.len() as u64,
            body_bytes: self.body_bytes as u64,
            first: self.rows.iter().filter_map(|row| row.at).min(),
            last: self.rows.iter().filter_map(|row| row.at).max(),
            ..AnswersSummary::default()
        };
        self.follow_redirects(&mut summary);
        let table = RobotsTable::new([self.batch()?], Columns::new().without(Input::Url))?;
        summary.sites = table.len() as u64;
        Ok((table, summary))
    }

    /// Gives each redirect the answer that it leads to.
    fn follow_redirects(&mut self, summary: &mut AnswersSummary) {
        let is_redirect = |row: &Row| {
            row.failure == NONE && row.status.is_some_and(|code| matches!(code, 301 | 302 | 303 | 307 | 308))
        };
        if !self.rows.iter().any(is_redirect) {
            return;
        }
        let mut by_key: Map<u32, Vec<u32>> = Map::default();
        for (number, row) in self.rows.iter().enumerate() {
            by_key.entry(row.key).or_default().push(number as u32);
        }
        let mut found = Vec::new();
        for (number, row) in self.rows.iter().enumerate().filter(|(_, row)| is_redirect(row)) {
            let mut answer = Some(*row);
            for _ in 0..MAX_REDIRECTS {
                match answer {
                    Some(row) if is_redirect(&row) => answer = self.target(&row, &by_key),
                    _ => break,
                }
            }
            found.push((number, answer.filter(|answer| !is_redirect(answer))));
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
                    summary.answers -= 1;
                    // Without a status there is no answer.
                    (row.status, row.body) = (None, NONE);
                }
            }
        }
    }

    /// Returns the answer that a redirect leads to: of those of its target, the nearest in time.
    fn target(&self, row: &Row, by_key: &Map<u32, Vec<u32>>) -> Option<Row> {
        let key = self.texts.get(row.key)?;
        let base = match Url::parse(key) {
            Ok(url) if url.has_host() => url,
            _ => Url::parse(&format!("https://{key}")).ok()?,
        };
        let target = base.join("/robots.txt").ok()?.join(self.texts.get(row.location)?).ok()?;
        if target.path() != "/robots.txt" || !matches!(target.scheme(), "http" | "https") {
            return None;
        }
        let numbers = |key: &str| by_key.get(self.texts.numbers.get(key)?);
        let origin = target.origin().ascii_serialization();
        let host = origin.split_once("://").map_or("", |(_, host)| host);
        let answers = numbers(&origin).or_else(|| numbers(host))?;
        let distance = |other: &Row| match (row.at, other.at) {
            (Some(at), Some(other)) => at.abs_diff(other),
            _ => 0,
        };
        let nearest = answers.iter().filter_map(|number| self.rows.get(*number as usize));
        let nearest = nearest.min_by_key(|other| distance(other))?;
        (distance(nearest) <= WINDOW.unsigned_abs()).then_some(*nearest)
    }

    /// The answers as the kernel reads them. A body stands once, and rows name it.
    fn batch(&self) -> Result<RecordBatch, JobError> {
        let rows = &self.rows;
        let text = |number: fn(&Row) -> u32| -> ArrayRef {
            Arc::new(rows.iter().map(|row| self.texts.get(number(row))).collect::<StringArray>())
        };
        let bodies = rows.iter().map(|row| (row.body != NONE).then(|| row.body.cast_signed()));
        let bodies = DictionaryArray::<Int32Type>::try_new(
            bodies.collect::<Int32Array>(),
            Arc::new(BinaryArray::from_iter_values(&self.bodies)),
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
