//! Finds the columns with the URL, the time and the crawler of pages, and adds a column with parsed times.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, ArrayRef, BooleanArray, RecordBatch, StringArray, TimestampMicrosecondArray};
use arrow_schema::{DataType, Field, Fields, Schema, TimeUnit};
use serde_json::Value;

use crate::error::ArchiveError;
use crate::options::PageOptions;
use crate::times::{self, TimeFormats};

/// The columns with the URL, the time, the crawler and the status code of pages.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PageColumns {
    /// The column with the URL of each page.
    pub url: String,
    /// The column with the time at which each page was seen, as a timestamp. If the input has text, numbers or dates
    /// instead, it is an added column with the parsed values of [`time_source`](PageColumns::time_source).
    pub seen_at: Option<String>,
    /// The column of the input from which `seen_at` is parsed, if `seen_at` is an added column.
    pub time_source: Option<String>,
    /// The column with the crawler of each page.
    pub agent: Option<String>,
    /// The column with the status code of each page, as a number or as text.
    pub status: Option<String>,
    /// The columns that were added for [`PageOptions::join_keys`].
    pub join_keys: Vec<String>,
}

/// Common names of the URL column, the most likely name first. [`plain`] is applied to names before the comparison.
const URLS: [&str; 10] = [
    "url",
    "targeturi",
    "warctargeturi",
    "originalurl",
    "original",
    "pageurl",
    "uri",
    "page",
    "link",
    "address",
];
/// Common names of the column of times.
pub(crate) const TIMES: [&str; 14] = [
    "seenat",
    "fetchtime",
    "fetchedat",
    "warcdate",
    "timestamp",
    "capturetime",
    "crawltime",
    "crawldate",
    "visitedat",
    "time",
    "datetime",
    "date",
    "lastfetched",
    "ts",
];
const AGENTS: [&str; 4] = ["agent", "crawler", "producttoken", "bot"];
const STATUSES: [&str; 6] =
    ["pagestatus", "status", "statuscode", "httpstatus", "fetchstatus", "responsecode"];

/// Name of the added column of times.
const SEEN_AT: &str = "seen_at";

impl PageColumns {
    /// Creates a value with this URL column. The other fields are empty, and can be set.
    ///
    /// ```
    /// use comity_formats::PageColumns;
    ///
    /// let columns = PageColumns::new("url");
    /// assert_eq!((columns.url.as_str(), columns.seen_at), ("url", None));
    /// ```
    pub fn new(url: impl Into<String>) -> PageColumns {
        PageColumns {
            url: url.into(),
            seen_at: None,
            time_source: None,
            agent: None,
            status: None,
            join_keys: Vec::new(),
        }
    }

    /// Finds the columns by the names in the options, or else by common names. `url_index` is the index of a column whose
    /// values are URLs. It is used if no top-level column has a common name; nested columns come last.
    pub(crate) fn find(
        name: &str,
        schema: &Schema,
        options: &PageOptions,
        url_index: Option<usize>,
    ) -> Result<PageColumns, ArchiveError> {
        let present = || {
            let names = schema.fields().iter().map(|field| field.name().clone());
            names.chain(paths(schema.fields(), DEPTH)).take(50).collect::<Vec<_>>()
        };
        let wanted = |column: &Option<String>| match column {
            Some(column) if type_at(schema.fields(), column).is_none() => Err(ArchiveError::NoColumn {
                name: name.to_owned(),
                wanted: Some(column.clone()),
                present: present(),
            }),
            column => Ok(column.clone()),
        };
        let common =
            |known: &[&str]| Some(schema.fields().get(common_column(schema, known)?)?.name().clone());
        let nested = |known: &[&str]| common_nested(schema.fields(), known);
        let by_content = || Some(schema.fields().get(url_index?)?.name().clone());
        let Some(url) = wanted(&options.url_column)?
            .or_else(|| common(&URLS))
            .or_else(by_content)
            .or_else(|| nested(&URLS))
        else {
            return Err(ArchiveError::NoColumn { name: name.to_owned(), wanted: None, present: present() });
        };
        let time = wanted(&options.time_column)?.or_else(|| common(&TIMES)).or_else(|| nested(&TIMES));
        let agent = wanted(&options.agent_column)?.or_else(|| common(&AGENTS));
        let is_timestamp =
            |column: &String| matches!(type_at(schema.fields(), column), Some(DataType::Timestamp(_, _)));
        let (seen_at, time_source) = match time {
            Some(time) if is_timestamp(&time) => (Some(time), None),
            Some(time) => (Some(free_name(schema, SEEN_AT)), Some(time)),
            None => (None, None),
        };
        let (status, join_keys) = (common(&STATUSES), Vec::new());
        Ok(PageColumns { url, seen_at, time_source, agent, status, join_keys })
    }

    /// Returns the field of the added column of times.
    pub(crate) fn time_field(&self) -> Option<Field> {
        self.time_source.as_ref()?;
        Some(Field::new(self.seen_at.as_ref()?, time_type(), true))
    }

    /// Returns the added column of times for a batch.
    pub(crate) fn times(&self, batch: &RecordBatch, formats: &TimeFormats) -> Option<ArrayRef> {
        Some(Arc::new(as_times(&column_at(batch, self.time_source.as_ref()?)?, formats)))
    }
}

/// Counts of pages without a known time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct MissingTimes {
    /// The number of rows without a time.
    pub missing: u64,
    /// The number of rows with a time that cannot be read.
    pub unreadable: u64,
    /// The first time that cannot be read.
    pub example: Option<String>,
}

impl MissingTimes {
    /// Counts the rows of a batch. `source` is the column from which the times were parsed, if they are in an added column.
    pub(crate) fn add(&mut self, times: &dyn Array, source: Option<&ArrayRef>) {
        if times.null_count() == 0 {
            return;
        }
        let texts = source.and_then(|source| cast(source, &DataType::Utf8));
        let texts = texts.as_ref().and_then(|texts| texts.as_string_opt::<i32>());
        for row in (0..times.len()).filter(|row| times.is_null(*row)) {
            match texts.filter(|texts| texts.is_valid(row)).map(|texts| texts.value(row)) {
                Some(text) if !text.trim().is_empty() => {
                    self.unreadable += 1;
                    self.example.get_or_insert_with(|| text.chars().take(EXAMPLE).collect());
                }
                _ => self.missing += 1,
            }
        }
    }
}

/// Maximum number of characters of an example.
const EXAMPLE: usize = 60;

/// Maximum depth of nested columns that are found by common names.
const DEPTH: usize = 4;

/// Returns a column, or a field of a nested column. The path `metadata.url` means the field `url` of the column `metadata`,
/// whose values are structures, or texts with JSON objects.
pub fn column_at(batch: &RecordBatch, path: &str) -> Option<ArrayRef> {
    if let Some(column) = batch.column_by_name(path) {
        return Some(column.clone());
    }
    split(path).find_map(|(name, rest)| part_of(batch.column_by_name(name)?, rest))
}

/// Returns all splits of a path into the name of a column and the path inside of the column. Names may contain dots.
fn split(path: &str) -> impl Iterator<Item = (&str, &str)> {
    path.match_indices('.').filter_map(|(at, _)| Some((path.get(..at)?, path.get(at + 1..)?)))
}

fn part_of(column: &ArrayRef, path: &str) -> Option<ArrayRef> {
    match column.data_type() {
        DataType::Struct(_) => {
            let parts = column.as_struct();
            let part = match parts.column_by_name(path) {
                Some(part) => part.clone(),
                None => split(path).find_map(|(name, rest)| part_of(parts.column_by_name(name)?, rest))?,
            };
            match parts.null_count() {
                0 => Some(part),
                _ => arrow_select::nullif::nullif(&part, &arrow_is_null(parts)).ok(),
            }
        }
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => {
            let texts = cast(column, &DataType::LargeUtf8)?;
            let parts = texts.as_string::<i64>().iter().map(|text| json_part(text?, path));
            Some(Arc::new(parts.collect::<StringArray>()))
        }
        _ => None,
    }
}

fn arrow_is_null(array: &dyn Array) -> BooleanArray {
    (0..array.len()).map(|row| Some(array.is_null(row))).collect()
}

/// Returns a field of a JSON object as text.
fn json_part(object: &str, path: &str) -> Option<String> {
    fn find<'v>(value: &'v Value, path: &str) -> Option<&'v Value> {
        let object = value.as_object()?;
        object.get(path).or_else(|| split(path).find_map(|(name, rest)| find(object.get(name)?, rest)))
    }
    match find(&serde_json::from_str(object).ok()?, path)? {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// Returns the type of a column, or of a field of a nested column.
fn type_at<'f>(fields: &'f Fields, path: &str) -> Option<&'f DataType> {
    if let Some((_, field)) = fields.find(path) {
        return Some(field.data_type());
    }
    split(path).find_map(|(name, rest)| match fields.find(name)?.1.data_type() {
        DataType::Struct(parts) => type_at(parts, rest),
        text @ (DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View) => Some(text),
        _ => None,
    })
}

/// Returns the path of a nested field with a common name. Earlier names in `known` take precedence.
fn common_nested(fields: &Fields, known: &[&str]) -> Option<String> {
    let paths = paths(fields, DEPTH);
    let is_it = |path: &&String, known: &str| plain(path.rsplit('.').next().unwrap_or_default()) == known;
    known.iter().find_map(|known| paths.iter().find(|path| is_it(path, known)).cloned())
}

/// Returns the paths of the plain fields in columns with structures, down to a depth.
fn paths(fields: &Fields, depth: usize) -> Vec<String> {
    let mut found = Vec::new();
    for field in fields {
        let DataType::Struct(parts) = field.data_type() else { continue };
        let leaves = parts.iter().filter(|part| !matches!(part.data_type(), DataType::Struct(_)));
        found.extend(leaves.map(|part| format!("{}.{}", field.name(), part.name())));
        if depth > 1 {
            found.extend(paths(parts, depth - 1).iter().map(|path| format!("{}.{path}", field.name())));
        }
    }
    found
}

/// Returns the index of a column with a common name. Earlier names in `known` take precedence. [`plain`] is applied to
/// names before the comparison.
pub(crate) fn common_column(schema: &Schema, known: &[&str]) -> Option<usize> {
    known.iter().find_map(|known| schema.fields().iter().position(|field| plain(field.name()) == *known))
}

/// Returns a name in lower case, without `-`, `_`, spaces and dots.
fn plain(name: &str) -> String {
    name.to_ascii_lowercase().replace(['-', '_', ' ', '.'], "")
}

/// Returns the type of a column of times.
pub(crate) fn time_type() -> DataType {
    DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into()))
}

/// Returns the name, with a suffix if it is the name of a column.
fn free_name(schema: &Schema, name: &str) -> String {
    let mut free = name.to_owned();
    while schema.column_with_name(&free).is_some() {
        free.push_str("_utc");
    }
    free
}

/// Converts a column of texts, numbers, dates or timestamps to times in UTC. A value that cannot be parsed becomes null.
pub(crate) fn as_times(column: &ArrayRef, formats: &TimeFormats) -> TimestampMicrosecondArray {
    let is_time =
        |kind: &DataType| matches!(kind, DataType::Timestamp(_, _) | DataType::Date32 | DataType::Date64);
    let read: TimestampMicrosecondArray = match column.data_type() {
        kind if !is_time(kind) && !formats.is_empty() => of_texts(column, |text| formats.micros(text)),
        DataType::Int8
        | DataType::Int16
        | DataType::Int32
        | DataType::Int64
        | DataType::UInt32
        | DataType::UInt64 => cast(column, &DataType::Int64).map_or_else(
            || nulls(column.len()),
            |numbers| {
                numbers.as_primitive::<Int64Type>().iter().map(|number| times::of_number(number?)).collect()
            },
        ),
        DataType::Float32 | DataType::Float64 => cast(column, &DataType::Float64).map_or_else(
            || nulls(column.len()),
            |numbers| {
                numbers.as_primitive::<Float64Type>().iter().map(|number| times::of_float(number?)).collect()
            },
        ),
        // Timestamps are stored in UTC, regardless of their zone.
        DataType::Timestamp(_, zone) => {
            cast(column, &DataType::Timestamp(TimeUnit::Microsecond, zone.clone()))
                .map_or_else(|| nulls(column.len()), |times| times.as_primitive().clone())
        }
        DataType::Date32 | DataType::Date64 => {
            cast(column, &DataType::Timestamp(TimeUnit::Microsecond, None))
                .map_or_else(|| nulls(column.len()), |times| times.as_primitive().clone())
        }
        _ => of_texts(column, times::micros),
    };
    read.with_timezone("UTC")
}

fn of_texts(column: &ArrayRef, read: impl Fn(&str) -> Option<i64>) -> TimestampMicrosecondArray {
    cast(column, &DataType::Utf8).map_or_else(
        || nulls(column.len()),
        |texts| texts.as_string::<i32>().iter().map(|text| read(text?)).collect(),
    )
}

fn cast(column: &ArrayRef, to: &DataType) -> Option<ArrayRef> {
    arrow_cast::cast(column, to).ok()
}

fn nulls(length: usize) -> TimestampMicrosecondArray {
    TimestampMicrosecondArray::new_null(length)
}
