//! Converts the columns of a table to the columns of captures.

use std::sync::Arc;

use arrow_array::builder::BinaryBuilder;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, UInt64Type};
use arrow_array::{Array, ArrayRef, BinaryArray, RecordBatch, StringArray, UInt16Array, UInt64Array};
use arrow_schema::{ArrowError, DataType, Schema};

use super::body_files::BodyFiles;
use super::options::CaptureOptions;
use super::rows::{digest, schema};
use crate::columns::{TIMES, as_times, common_column};
use crate::damage::Damaged;
use crate::error::ArchiveError;
use crate::format::{ArchiveFormat, Compression};
use crate::input::ArchiveInput;
use crate::options::PageOptions;
use crate::pages::{Reader, open_reader};
use crate::times::TimeFormats;

// Common names of columns, as `common_column` compares them.

const KEYS: [&str; 10] =
    ["key", "origin", "robotsurl", "url", "targeturi", "site", "host", "hostname", "domain", "urlhostname"];
const BODIES: [&str; 6] = ["body", "robots", "robotstxt", "content", "text", "robotstxtcontent"];
/// Columns with the names of files that contain bodies. They are used only in tables without a column of bodies.
const BODY_FILES: [&str; 7] =
    ["bodyfile", "bodypath", "bodyfilename", "robotsfile", "robotstxtfile", "contentfile", "file"];
const STATUSES: [&str; 6] =
    ["status", "statuscode", "httpstatus", "robotsstatus", "fetchstatus", "responsecode"];
const FAILURES: [&str; 2] = ["failure", "robotsfailure"];
const CONTENT_TYPES: [&str; 5] = ["contenttype", "robotscontenttype", "mimetype", "mime", "contentmimetype"];
const LOCATIONS: [&str; 3] = ["location", "redirect", "fetchredirect"];

/// Maximum length of a line, in bytes. A line may contain a body in JSON, in which a character needs up to six bytes.
const LINE_BYTES: usize = 4 << 20;

/// Maximum size of the bodies from files in a batch, in bytes.
const MAX_BATCH_BYTES: usize = 64 << 20;

/// A reader of the captures of a table.
pub(super) struct TableCaptures {
    name: String,
    format: ArchiveFormat,
    columns: Columns,
    reader: Box<dyn Reader>,
    max_body_bytes: usize,
    body_files: Option<BodyFiles>,
    /// Number of rows that were read.
    rows: u64,
    /// The rows of the last batch whose bodies are not read yet, and the number of all rows before them.
    rest: Option<(RecordBatch, u64)>,
}

/// The bodies of the first rows of a batch.
struct Bodies {
    array: BinaryArray,
    /// The rows whose body could not be read.
    unread: Vec<usize>,
}

/// Indexes of the columns in the table.
struct Columns {
    key: usize,
    fetched_at: Option<usize>,
    status: Option<usize>,
    failure: Option<usize>,
    content_type: Option<usize>,
    location: Option<usize>,
    body: Option<usize>,
    body_file: Option<usize>,
    source: Option<usize>,
    offset: Option<usize>,
}

impl Columns {
    fn find(name: &str, schema: &Schema) -> Result<Columns, ArchiveError> {
        let find = |names: &[&str]| common_column(schema, names);
        let present = || schema.fields().iter().take(50).map(|field| field.name().clone()).collect();
        let missing = |wanted: &str| ArchiveError::NoColumn {
            name: name.to_owned(),
            wanted: Some(wanted.into()),
            present: present(),
        };
        let columns = Columns {
            key: find(&KEYS).ok_or_else(|| missing("key"))?,
            fetched_at: find(&TIMES),
            status: find(&STATUSES),
            failure: find(&FAILURES),
            content_type: find(&CONTENT_TYPES),
            location: find(&LOCATIONS),
            body: find(&BODIES),
            body_file: find(&BODY_FILES).filter(|_| find(&BODIES).is_none()),
            source: find(&["source"]),
            offset: find(&["offset"]),
        };
        match columns.body.or(columns.body_file).or(columns.status).or(columns.failure) {
            Some(_) => Ok(columns),
            None => Err(missing("body")),
        }
    }
}

impl TableCaptures {
    pub(super) fn open(
        input: ArchiveInput,
        compression: Compression,
        format: ArchiveFormat,
        options: &CaptureOptions,
    ) -> Result<(TableCaptures, Damaged), ArchiveError> {
        let name = input.name().to_owned();
        let reading = PageOptions::new().batch_rows(options.batch_rows).max_record_bytes(LINE_BYTES);
        let opened = open_reader(input, compression, format, &reading)?;
        let columns = Columns::find(&name, &opened.schema)?;
        let table = TableCaptures {
            name,
            format,
            columns,
            reader: opened.reader,
            max_body_bytes: options.max_body_bytes,
            body_files: options.body_files.clone(),
            rows: 0,
            rest: None,
        };
        Ok((table, opened.damaged))
    }

    pub(super) fn is_manifest(&self) -> bool {
        self.columns.body_file.is_some()
    }

    pub(super) fn next(&mut self, damaged: &mut Damaged) -> Option<Result<RecordBatch, ArchiveError>> {
        let (batch, before) = match self.rest.take() {
            Some(rest) => rest,
            None => match self.reader.next(damaged)? {
                Ok(batch) => {
                    let before = self.rows;
                    self.rows += batch.num_rows() as u64;
                    (batch, before)
                }
                Err(error) => return Some(Err(error)),
            },
        };
        let captures = self.first_captures(&batch, before, damaged);
        Some(captures.map_err(|error| ArchiveError::broken(&self.name, self.format, error)))
    }

    /// Returns the captures for the first rows of a batch. Stops when the bodies from files exceed the maximum size.
    fn first_captures(
        &mut self,
        batch: &RecordBatch,
        before: u64,
        damaged: &mut Damaged,
    ) -> Result<RecordBatch, ArrowError> {
        let bodies = match self.columns.body_file.and_then(|index| batch.columns().get(index)) {
            Some(files) => self.bodies_in_files(batch, files, before, damaged)?,
            None => {
                let column = self.columns.body.and_then(|index| batch.columns().get(index));
                Bodies { array: self.bodies(column, batch.num_rows())?, unread: Vec::new() }
            }
        };
        let count = bodies.array.len();
        if count < batch.num_rows() {
            let rest = batch.slice(count, batch.num_rows() - count);
            self.rest = Some((rest, before + count as u64));
        }
        self.captures(&batch.slice(0, count), bodies, before, damaged)
    }

    /// Reads the files named by the rows, up to a total size. Unsuccessful answers have no body.
    fn bodies_in_files(
        &self,
        batch: &RecordBatch,
        files: &ArrayRef,
        before: u64,
        damaged: &mut Damaged,
    ) -> Result<Bodies, ArrowError> {
        let files = arrow_cast::cast(files, &DataType::Utf8)?;
        let statuses = self.statuses(batch)?;
        let (mut array, mut unread, mut total) = (BinaryBuilder::new(), Vec::new(), 0);
        for (row, file) in files.as_string::<i32>().iter().enumerate() {
            let is_good = statuses.is_null(row) || (200..300).contains(&statuses.value(row));
            let Some(file) = file.filter(|file| is_good && !file.trim().is_empty()) else {
                array.append_null();
                continue;
            };
            let read = match &self.body_files {
                Some(files) => files.read(file.trim(), self.max_body_bytes),
                None => Err("the body is in a file, but the folder of the table is unknown".to_owned()),
            };
            match read {
                Ok(body) => {
                    total += body.len();
                    array.append_value(&body);
                }
                Err(problem) => {
                    damaged.note(before + 1 + row as u64, problem);
                    unread.push(row);
                    array.append_null();
                }
            }
            if total >= MAX_BATCH_BYTES {
                break;
            }
        }
        Ok(Bodies { array: array.finish(), unread })
    }

    /// Parses the statuses. A value such as `200 OK` or 0 becomes null.
    fn statuses(&self, batch: &RecordBatch) -> Result<UInt16Array, ArrowError> {
        let Some(column) = self.columns.status.and_then(|index| batch.columns().get(index)) else {
            return Ok(UInt16Array::new_null(batch.num_rows()));
        };
        // Programs without nullable integers write `200.0`.
        let statuses = arrow_cast::cast(column, &DataType::Float64)?;
        let statuses = statuses.as_primitive::<Float64Type>().iter();
        let is_status = |status: &f64| status.fract() == 0.0 && (1.0..65536.0).contains(status);
        Ok(statuses.map(|status| status.filter(is_status).map(|status| status as u16)).collect())
    }

    /// Returns the rows without an answer: rows without status and failure in a table that has a column of statuses.
    fn unanswered(&self, statuses: &UInt16Array, failures: &StringArray) -> Vec<usize> {
        let has_failure = |row: usize| failures.is_valid(row) && !failures.value(row).trim().is_empty();
        match self.columns.status {
            Some(_) => {
                (0..statuses.len()).filter(|row| statuses.is_null(*row) && !has_failure(*row)).collect()
            }
            None => Vec::new(),
        }
    }

    /// Converts a batch to the columns of captures. Removes rows without a key, rows whose body could not be read, and
    /// `unanswered` rows.
    fn captures(
        &self,
        batch: &RecordBatch,
        bodies: Bodies,
        before: u64,
        damaged: &mut Damaged,
    ) -> Result<RecordBatch, ArrowError> {
        let Bodies { array: bodies, unread } = bodies;
        let rows = batch.num_rows();
        let column = |index: Option<usize>| index.and_then(|index| batch.columns().get(index));
        let text = |index: Option<usize>| -> Result<StringArray, ArrowError> {
            match column(index) {
                Some(column) => Ok(arrow_cast::cast(column, &DataType::Utf8)?.as_string().clone()),
                None => Ok(StringArray::new_null(rows)),
            }
        };
        let keys = text(Some(self.columns.key))?;
        let statuses = self.statuses(batch)?;
        // A body without a status counts as status 200.
        let statuses: UInt16Array = match self.columns.status {
            None => bodies.iter().map(|body| body.map(|_| 200)).collect(),
            Some(_) => statuses,
        };
        let failures = text(self.columns.failure)?;
        let unanswered = self.unanswered(&statuses, &failures);
        let times = column(self.columns.fetched_at).map(|column| as_times(column, &TimeFormats::default()));
        let numbers = (before + 1..).map(Some).take(rows);
        let sources = match self.columns.source {
            Some(_) => {
                text(self.columns.source)?.iter().map(|source| Some(source.unwrap_or(&self.name))).collect()
            }
            None => StringArray::from_iter(std::iter::repeat_n(Some(&self.name), rows)),
        };
        let offsets: UInt64Array = match column(self.columns.offset) {
            Some(column) => {
                let offsets = arrow_cast::cast(column, &DataType::UInt64)?;
                offsets
                    .as_primitive::<UInt64Type>()
                    .iter()
                    .zip(numbers)
                    .map(|(offset, row)| offset.or(row))
                    .collect()
            }
            None => numbers.collect(),
        };
        let digests: StringArray = bodies.iter().map(|body| body.map(digest)).collect();
        let columns: Vec<ArrayRef> = vec![
            Arc::new(StringArray::from_iter_values(keys.iter().map(Option::unwrap_or_default))),
            match times {
                Some(times) => Arc::new(times),
                None => arrow_array::new_null_array(schema().field(1).data_type(), rows),
            },
            Arc::new(statuses),
            Arc::new(failures),
            Arc::new(text(self.columns.content_type)?),
            Arc::new(text(self.columns.location)?),
            Arc::new(bodies),
            Arc::new(digests),
            Arc::new(sources),
            Arc::new(offsets),
        ];
        let captures = RecordBatch::try_new(schema(), columns)?;
        if keys.null_count() == 0 && unread.is_empty() && unanswered.is_empty() {
            return Ok(captures);
        }
        for row in (0..rows).filter(|row| keys.is_null(*row)) {
            damaged.note(before + 1 + row as u64, "a row that names no site");
        }
        for row in unanswered.iter().filter(|row| keys.is_valid(**row)) {
            damaged.note(before + 1 + *row as u64, "neither a status nor a failure is known");
        }
        let is_out = |row: usize| [&unread, &unanswered].iter().any(|rows| rows.binary_search(&row).is_ok());
        let is_kept = |row: usize| Some(keys.is_valid(row) && !is_out(row));
        let kept = arrow_array::BooleanArray::from_iter((0..rows).map(is_kept));
        arrow_select::filter::filter_record_batch(&captures, &kept)
    }

    /// Returns the bodies, truncated to the maximum size.
    fn bodies(&self, column: Option<&ArrayRef>, rows: usize) -> Result<BinaryArray, ArrowError> {
        let Some(column) = column else { return Ok(BinaryArray::new_null(rows)) };
        let bodies = arrow_cast::cast(column, &DataType::LargeBinary)?;
        let cut = |body: &[u8]| body.len() > self.max_body_bytes;
        let bodies = bodies.as_binary::<i64>();
        let is_whole = !bodies.iter().flatten().any(cut);
        match i32::try_from(bodies.values().len()) {
            Ok(_) if is_whole => Ok(arrow_cast::cast(bodies, &DataType::Binary)?.as_binary().clone()),
            _ => Ok(bodies
                .iter()
                .map(|body| Some(body?.get(..self.max_body_bytes).unwrap_or(body?)))
                .collect()),
        }
    }
}
