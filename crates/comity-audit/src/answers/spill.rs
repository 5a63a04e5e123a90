//! Answers that do not fit into memory: stored in files by site, so that each part of the sites can be decided separately.
//!
//! A redirect may lead to a site in another part. So each redirect is written to a file of its target's part. When that
//! part is read, the answer of the target is written to a file of the redirect's part. If the answer is a redirect
//! again, it is forwarded in the same way. At most five redirects are followed in a row.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{TimestampMicrosecondType, UInt32Type};
use arrow_array::{Array, ArrayRef, RecordBatch, StringArray, TimestampMicrosecondArray, UInt32Array};
use comity_arrow::RobotsTable;
use url::Url;

use super::{AnswerTables, AnswersSummary, MAX_REDIRECTS, RobotsAnswers, Row, TableSource};
use crate::error::AuditError;
use crate::map::TextSet;
use crate::parts::{PARTS, part_of, scatter};
use crate::scratch::{PartReader, PartWriter, Scratch};

/// Answers in files.
#[derive(Debug)]
pub(super) struct AnswerFiles {
    scratch: Arc<Scratch>,
    answers: PartWriter,
    count: u64,
}

impl AnswerFiles {
    pub(super) fn new(scratch: Arc<Scratch>) -> AnswerFiles {
        let answers = PartWriter::new(&scratch, "answers", PARTS);
        AnswerFiles { scratch, answers, count: 0 }
    }

    pub(super) fn add(&mut self, captures: &RecordBatch) -> Result<(), AuditError> {
        self.count += captures.num_rows() as u64;
        let keys = captures.column_by_name("key").and_then(|keys| keys.as_string_opt::<i32>());
        let Some(keys) = keys else { return Ok(()) };
        // The position of an answer in its source is no longer needed.
        let needed: Vec<usize> = captures
            .schema_ref()
            .fields()
            .iter()
            .enumerate()
            .filter(|(_, field)| !matches!(field.name().as_str(), "source" | "offset"))
            .map(|(column, _)| column)
            .collect();
        let needed = captures.project(&needed)?;
        for (part, rows) in scatter(keys.iter().map(|key| part_of(key.unwrap_or_default()))) {
            self.answers.write(part, &arrow_select::take::take_record_batch(&needed, &rows)?)?;
        }
        Ok(())
    }

    pub(super) fn into_tables(self) -> Result<AnswerTables, AuditError> {
        let answers = self.answers.finish()?;
        let mut redirects = Redirects {
            scratch: self.scratch.clone(),
            answers: &answers,
            found: PartWriter::new(&self.scratch, "found", PARTS),
            followed: 0,
        };
        let sent = redirects.resolve()?;
        let (found, followed) = (redirects.found.finish()?, redirects.followed);
        let summary = AnswersSummary {
            answers: self.count - (sent - followed),
            redirects_followed: followed,
            redirects_lost: sent - followed,
            ..AnswersSummary::default()
        };
        let parts = Parts { answers, found, counted: vec![false; PARTS], met: TextSet::default() };
        Ok(AnswerTables { source: TableSource::Parts(parts), summary })
    }
}

/// Answers in files, with the answers for redirects.
#[derive(Debug)]
pub(super) struct Parts {
    answers: PartReader,
    /// The answers at the targets of redirects, by the index of the redirect.
    found: PartReader,
    /// For each part, true if it is in the summary.
    counted: Vec<bool>,
    /// Bodies in the summary: one body may be in several parts.
    met: TextSet,
}

impl Parts {
    pub(super) fn len(&self) -> usize {
        PARTS
    }

    /// Adds the parts that are missing in a summary.
    pub(super) fn count_all(&mut self, summary: &mut AnswersSummary) -> Result<(), AuditError> {
        for part in 0..PARTS {
            if self.counted.get(part) == Some(&false) {
                self.table(part, summary)?;
            }
        }
        Ok(())
    }

    /// Reads a table. On the first read, its content is added to a summary.
    pub(super) fn table(
        &mut self,
        part: usize,
        summary: &mut AnswersSummary,
    ) -> Result<RobotsTable, AuditError> {
        let mut answers = load(&self.answers, part)?;
        let redirects = answers.rows.len();
        let mut places = Vec::new();
        for batch in self.found.read(part)?.into_iter().flatten() {
            let batch = batch?;
            let of_batch =
                batch.column_by_name("place").and_then(|places| places.as_primitive_opt::<UInt32Type>());
            places.extend(of_batch.into_iter().flat_map(|of_batch| of_batch.values().iter().copied()));
            answers.keep(&batch);
        }
        let found = answers.rows.split_off(redirects);
        for (place, answer) in places.into_iter().zip(found) {
            if let Some(row) = answers.rows.get_mut(place as usize) {
                *row = Row { key: row.key, at: row.at, ..answer };
            }
        }
        answers.rows.iter_mut().filter(|row| row.is_redirect()).for_each(Row::remove_answer);
        let table = answers.table()?;
        if let Some(counted) = self.counted.get_mut(part).filter(|counted| !**counted) {
            *counted = true;
            answers.count(&table, &mut self.met, summary);
        }
        Ok(table)
    }
}

fn load(answers: &PartReader, part: usize) -> Result<RobotsAnswers, AuditError> {
    let mut loaded = RobotsAnswers::new();
    for batch in answers.read(part)?.into_iter().flatten() {
        loaded.keep(&batch?);
    }
    Ok(loaded)
}

/// Redirects that are being followed.
struct Redirects<'a> {
    scratch: Arc<Scratch>,
    answers: &'a PartReader,
    found: PartWriter,
    followed: u64,
}

/// A redirect that is being followed.
struct PendingRedirect {
    /// The part of the redirect, and its index in that part.
    home: usize,
    place: u32,
    /// The time of the last redirect on the way.
    at: Option<i64>,
    target: Url,
}

impl Redirects<'_> {
    /// Follows all redirects. Returns their number.
    fn resolve(&mut self) -> Result<u64, AuditError> {
        let mut waiting = PartWriter::new(&self.scratch, STEPS[0], PARTS);
        let mut count = 0;
        for part in 0..PARTS {
            let answers = load(self.answers, part)?;
            let redirects = answers.rows.iter().enumerate().filter(|(_, row)| row.is_redirect());
            let mut sent = Vec::new();
            for (place, row) in redirects {
                count += 1;
                let on = |target| PendingRedirect { home: part, place: place as u32, at: row.at, target };
                sent.extend(answers.target(row).map(on));
            }
            send(&mut waiting, sent)?;
        }
        let mut waiting = waiting.finish()?;
        for step in 1..=MAX_REDIRECTS {
            let mut next = PartWriter::new(&self.scratch, STEPS[step % STEPS.len()], PARTS);
            let mut is_over = true;
            for part in 0..PARTS {
                let Some(batches) = waiting.read(part)? else { continue };
                let answers = load(self.answers, part)?;
                let by_key = answers.by_key();
                let (mut found, mut sent) = (Vec::new(), Vec::new());
                for batch in batches {
                    for redirect in received(&batch?) {
                        match answers.nearest(&redirect.target, redirect.at, &by_key) {
                            Some(row) if row.is_redirect() => {
                                let on = |target| PendingRedirect { at: row.at, target, ..redirect };
                                sent.extend(answers.target(&row).map(on));
                            }
                            Some(row) => found.push((redirect.home, redirect.place, row)),
                            None => {}
                        }
                    }
                }
                self.followed += found.len() as u64;
                self.keep(&answers, found)?;
                is_over &= sent.is_empty();
                send(&mut next, sent)?;
                waiting.remove(part);
            }
            waiting = next.finish()?;
            if is_over {
                break;
            }
        }
        Ok(count)
    }

    /// Writes the answers to the parts of the redirects that lead to them.
    fn keep(&mut self, answers: &RobotsAnswers, mut found: Vec<(usize, u32, Row)>) -> Result<(), AuditError> {
        found.sort_by_key(|(home, place, _)| (*home, *place));
        for of_home in found.chunk_by(|(one, ..), (other, ..)| one == other) {
            // Limits the size of the bodies in a batch.
            for some in of_home.chunks(256) {
                let Some((home, ..)) = some.first() else { continue };
                let rows: Vec<Row> = some.iter().map(|(.., row)| *row).collect();
                let places: UInt32Array = some.iter().map(|(_, place, _)| Some(*place)).collect();
                let captures = answers.captures(&rows)?;
                let schema = captures.schema();
                let mut columns: Vec<(&str, ArrayRef)> = schema
                    .fields()
                    .iter()
                    .map(|field| &**field.name())
                    .zip(captures.columns().to_vec())
                    .collect();
                columns.push(("place", Arc::new(places)));
                let columns = columns.into_iter().map(|(name, column)| (name, column, true));
                self.found.write(*home, &RecordBatch::try_from_iter_with_nullable(columns)?)?;
            }
        }
        Ok(())
    }
}

/// Names of two sets of files, which are used in turn.
const STEPS: [&str; 2] = ["redirects", "redirects-on"];

/// Writes redirects to the parts of their targets.
fn send(to: &mut PartWriter, mut sent: Vec<PendingRedirect>) -> Result<(), AuditError> {
    let part = |sent: &PendingRedirect| part_of(sent.target.as_str());
    sent.sort_by_key(part);
    for of_part in sent.chunk_by(|one, other| part(one) == part(other)) {
        let homes: UInt32Array = of_part.iter().map(|sent| Some(sent.home as u32)).collect();
        let places: UInt32Array = of_part.iter().map(|sent| Some(sent.place)).collect();
        let times: TimestampMicrosecondArray = of_part.iter().map(|sent| sent.at).collect();
        let targets = StringArray::from_iter_values(of_part.iter().map(|sent| sent.target.as_str()));
        let columns: [(&str, ArrayRef); 4] = [
            ("home", Arc::new(homes)),
            ("place", Arc::new(places)),
            ("at", Arc::new(times)),
            ("target", Arc::new(targets)),
        ];
        let batch =
            RecordBatch::try_from_iter_with_nullable(columns.map(|(name, column)| (name, column, true)))?;
        to.write(of_part.first().map_or(0, part), &batch)?;
    }
    Ok(())
}

/// Reads redirects back.
fn received(batch: &RecordBatch) -> Vec<PendingRedirect> {
    let numbers =
        |name| batch.column_by_name(name).and_then(|column| column.as_primitive_opt::<UInt32Type>());
    let times = batch.column_by_name("at").and_then(|at| at.as_primitive_opt::<TimestampMicrosecondType>());
    let targets = batch.column_by_name("target").and_then(|targets| targets.as_string_opt::<i32>());
    let (Some(homes), Some(places), Some(times), Some(targets)) =
        (numbers("home"), numbers("place"), times, targets)
    else {
        return Vec::new();
    };
    let of_row = |row: usize| {
        Some(PendingRedirect {
            home: homes.value(row) as usize,
            place: places.value(row),
            at: times.is_valid(row).then(|| times.value(row)),
            target: Url::parse(targets.value(row)).ok()?,
        })
    };
    (0..batch.num_rows()).filter_map(of_row).collect()
}
