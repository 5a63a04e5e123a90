//! Finds the columns with the URL, the time and the crawler of pages, and adds a column with parsed times.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, ArrayRef, RecordBatch, TimestampMicrosecondArray};
use arrow_schema::{DataType, Field, Schema, TimeUnit};

use crate::error::ArchiveError;
use crate::options::PageOptions;
use crate::times;

/// The columns of pages that describe a visit.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PageColumns {
    /// The column with the URL of each page.
    pub url: String,
    /// The column with the time at which each page was seen, as a timestamp. If the input has text or numbers, this is an added
    /// column that is parsed from [`time_source`](PageColumns::time_source).
    pub seen_at: Option<String>,
    /// The column of the input that `seen_at` is parsed from, if it is a different one.
    pub time_source: Option<String>,
    /// The column with the crawler of each page.
    pub agent: Option<String>,
    /// The column with the status code of each page, as a number or as text.
    pub status: Option<String>,
    /// The columns that were added for [`PageOptions::join_keys`].
    pub join_keys: Vec<String>,
}

/// Common names of the URL column, the most likely first. Case, `-` and `_` are ignored.
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
    /// Creates the columns for pages with this URL column. The other columns are set one by one.
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

    /// Finds the columns by the requested names, or else by their common names. `holds_url` finds a column with URLs if no name
    /// matches.
    pub(crate) fn find(
        name: &str,
        schema: &Schema,
        options: &PageOptions,
        holds_url: Option<usize>,
    ) -> Result<PageColumns, ArchiveError> {
        let present =
            || schema.fields().iter().take(50).map(|field| field.name().clone()).collect::<Vec<_>>();
        let wanted = |column: &Option<String>| match column {
            Some(column) if schema.column_with_name(column).is_none() => Err(ArchiveError::NoColumn {
                name: name.to_owned(),
                wanted: Some(column.clone()),
                present: present(),
            }),
            column => Ok(column.clone()),
        };
        let usual = |known: &[&str]| Some(schema.fields().get(usual_column(schema, known)?)?.name().clone());
        let by_content = || Some(schema.fields().get(holds_url?)?.name().clone());
        let Some(url) = wanted(&options.url_column)?.or_else(|| usual(&URLS)).or_else(by_content) else {
            return Err(ArchiveError::NoColumn { name: name.to_owned(), wanted: None, present: present() });
        };
        let time = wanted(&options.time_column)?.or_else(|| usual(&TIMES));
        let agent = wanted(&options.agent_column)?.or_else(|| usual(&AGENTS));
        let is_timestamp = |column: &String| {
            schema
                .field_with_name(column)
                .is_ok_and(|field| matches!(field.data_type(), DataType::Timestamp(_, _)))
        };
        let (seen_at, time_source) = match time {
            Some(time) if is_timestamp(&time) => (Some(time), None),
            Some(time) => (Some(free_name(schema, SEEN_AT)), Some(time)),
            None => (None, None),
        };
        let (status, join_keys) = (usual(&STATUSES), Vec::new());
        Ok(PageColumns { url, seen_at, time_source, agent, status, join_keys })
    }

    /// Returns the field of the added column of times.
    pub(crate) fn time_field(&self) -> Option<Field> {
        self.time_source.as_ref()?;
        Some(Field::new(self.seen_at.as_ref()?, time_type(), true))
    }

    /// Returns the times that are parsed from another column.
    pub(crate) fn times(&self, batch: &RecordBatch) -> Option<ArrayRef> {
        Some(Arc::new(as_times(batch.column_by_name(self.time_source.as_ref()?)?)))
    }
}

/// Returns the index of the column with the most likely of these names. Case, `-` and `_` are ignored.
pub(crate) fn usual_column(schema: &Schema, known: &[&str]) -> Option<usize> {
    let plain = |name: &str| name.to_ascii_lowercase().replace(['-', '_', ' ', '.'], "");
    known.iter().find_map(|known| schema.fields().iter().position(|field| plain(field.name()) == *known))
}

/// Returns the type of a column of times.
pub(crate) fn time_type() -> DataType {
    DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into()))
}

/// Returns a name that no column has.
fn free_name(schema: &Schema, name: &str) -> String {
    let mut free = name.to_owned();
    while schema.column_with_name(&free).is_some() {
        free.push_str("_utc");
    }
    free
}

/// Parses a column of texts, numbers or dates as times. A value that cannot be parsed becomes null.
pub(crate) fn as_times(column: &ArrayRef) -> TimestampMicrosecondArray {
    let read: TimestampMicrosecondArray = match column.data_type() {
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
                let seconds = |number: f64| (number.abs() < 1e11).then_some((number * 1e6) as i64);
                numbers.as_primitive::<Float64Type>().iter().map(|number| seconds(number?)).collect()
            },
        ),
        // The zone is kept: times are stored in UTC whatever the zone is.
        DataType::Timestamp(_, zone) => {
            cast(column, &DataType::Timestamp(TimeUnit::Microsecond, zone.clone()))
                .map_or_else(|| nulls(column.len()), |times| times.as_primitive().clone())
        }
        DataType::Date32 | DataType::Date64 => {
            cast(column, &DataType::Timestamp(TimeUnit::Microsecond, None))
                .map_or_else(|| nulls(column.len()), |times| times.as_primitive().clone())
        }
        _ => cast(column, &DataType::Utf8).map_or_else(
            || nulls(column.len()),
            |texts| texts.as_string::<i32>().iter().map(|text| times::micros(text?)).collect(),
        ),
    };
    read.with_timezone("UTC")
}

fn cast(column: &ArrayRef, to: &DataType) -> Option<ArrayRef> {
    arrow_cast::cast(column, to).ok()
}

fn nulls(length: usize) -> TimestampMicrosecondArray {
    TimestampMicrosecondArray::new_null(length)
}
