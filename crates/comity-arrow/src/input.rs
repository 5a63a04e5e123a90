//! Reads columns of text, integers and times.
//!
//! Text of any Arrow type is read as bytes without a copy, since robots.txt files and URLs are bytes.

use std::time::{Duration, SystemTime};

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Date64Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType,
    UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{
    Array, ArrayRef, BinaryArray, BinaryViewArray, FixedSizeBinaryArray, LargeBinaryArray, LargeStringArray,
    RecordBatch, StringArray, StringViewArray,
};
use arrow_schema::{DataType, TimeUnit};
use comity::robots::Body;

use crate::error::BatchError;
use crate::options::{Columns, Input};

/// The columns of a batch, by input.
#[derive(Debug)]
pub(crate) struct BatchColumns<'a> {
    batch: &'a RecordBatch,
    columns: &'a Columns,
    default_name: fn(Input) -> &'static str,
}

impl<'a> BatchColumns<'a> {
    pub(crate) fn in_batch(batch: &'a RecordBatch, columns: &'a Columns) -> Self {
        BatchColumns { batch, columns, default_name: Input::as_str }
    }

    pub(crate) fn in_table(batch: &'a RecordBatch, columns: &'a Columns) -> Self {
        BatchColumns { batch, columns, default_name: Input::table_column }
    }

    /// Returns the column of an input, with its name.
    fn column(&self, input: Input) -> Result<Option<(&'a str, &'a ArrayRef)>, BatchError> {
        let (name, is_named) = match self.columns.get(input) {
            Some(None) => return Ok(None),
            Some(Some(name)) => (name, true),
            None => ((self.default_name)(input), false),
        };
        match self.batch.column_by_name(name) {
            Some(column) => Ok(Some((name, column))),
            None if is_named => Err(self.missing(input, name)),
            None => Ok(None),
        }
    }

    /// Returns an error if no column has answers for robots.txt.
    pub(crate) fn require_answers(&self) -> Result<(), BatchError> {
        for input in [Input::Robots, Input::Status, Input::Failure] {
            if self.array(input)?.is_some() {
                return Ok(());
            }
        }
        let fields = self.batch.schema_ref().fields();
        Err(BatchError::NoAnswers { present: fields.iter().map(|field| field.name().clone()).collect() })
    }

    fn missing(&self, input: Input, name: &str) -> BatchError {
        let fields = self.batch.schema_ref().fields();
        BatchError::NoColumn {
            input: input.meaning(),
            column: name.to_owned(),
            present: fields.iter().map(|field| field.name().clone()).collect(),
        }
    }

    pub(crate) fn bytes(&self, input: Input) -> Result<Option<BytesColumn<'a>>, BatchError> {
        self.column(input)?.map(|(name, column)| BytesColumn::new(name, column)).transpose()
    }

    /// Returns the column of an input unchanged.
    pub(crate) fn array(&self, input: Input) -> Result<Option<&'a ArrayRef>, BatchError> {
        Ok(self.column(input)?.map(|(_, column)| column))
    }

    pub(crate) fn bytes_needed(&self, input: Input) -> Result<BytesColumn<'a>, BatchError> {
        let name = self.columns.get(input).flatten().unwrap_or_else(|| (self.default_name)(input));
        self.bytes(input)?.ok_or_else(|| self.missing(input, name))
    }

    pub(crate) fn codes(&self, input: Input) -> Result<Option<Codes>, BatchError> {
        self.column(input)?.map(|(name, column)| Codes::new(name, column)).transpose()
    }

    /// Reads codes that may be text, as in CDX.
    pub(crate) fn written_codes(&self, input: Input) -> Result<Option<Codes>, BatchError> {
        self.column(input)?.map(|(name, column)| Codes::written(name, column)).transpose()
    }

    pub(crate) fn times(&self, input: Input) -> Result<Option<Times>, BatchError> {
        self.column(input)?.map(|(name, column)| Times::new(name, column)).transpose()
    }
}

/// A column of bytes.
#[derive(Debug)]
pub(crate) enum BytesColumn<'a> {
    Utf8(&'a StringArray),
    LargeUtf8(&'a LargeStringArray),
    Utf8View(&'a StringViewArray),
    Binary(&'a BinaryArray),
    LargeBinary(&'a LargeBinaryArray),
    BinaryView(&'a BinaryViewArray),
    FixedSizeBinary(&'a FixedSizeBinaryArray),
    /// Every value is null.
    Null,
    /// A dictionary column.
    Dictionary {
        /// The keys as an Arrow array, which defines the null rows.
        keys: &'a dyn Array,
        /// The index in `values` for each row.
        indexes: Vec<u32>,
        values: Box<BytesColumn<'a>>,
    },
}

impl<'a> BytesColumn<'a> {
    pub(crate) fn new(name: &str, column: &'a ArrayRef) -> Result<Self, BatchError> {
        Ok(match column.data_type() {
            DataType::Utf8 => BytesColumn::Utf8(column.as_string()),
            DataType::LargeUtf8 => BytesColumn::LargeUtf8(column.as_string()),
            DataType::Utf8View => BytesColumn::Utf8View(column.as_string_view()),
            DataType::Binary => BytesColumn::Binary(column.as_binary()),
            DataType::LargeBinary => BytesColumn::LargeBinary(column.as_binary()),
            DataType::BinaryView => BytesColumn::BinaryView(column.as_binary_view()),
            DataType::FixedSizeBinary(_) => BytesColumn::FixedSizeBinary(column.as_fixed_size_binary()),
            DataType::Null => BytesColumn::Null,
            DataType::Dictionary(_, _) => {
                let dictionary = column.as_any_dictionary();
                let values = BytesColumn::new(name, dictionary.values())?;
                let indexes = match dictionary.values().is_empty() {
                    true => Vec::new(),
                    false => dictionary
                        .normalized_keys()
                        .into_iter()
                        .map(|key| u32::try_from(key).unwrap_or(u32::MAX))
                        .collect(),
                };
                BytesColumn::Dictionary { keys: dictionary.keys(), indexes, values: Box::new(values) }
            }
            other => {
                return Err(BatchError::WrongType {
                    column: name.to_owned(),
                    wanted: "text or bytes (Utf8, Binary, their large and view forms, dictionaries of these)",
                    found: other.clone(),
                });
            }
        })
    }

    /// Returns the bytes of a row, or `None` if it is null.
    #[inline]
    pub(crate) fn get(&self, row: usize) -> Option<&'a [u8]> {
        match self {
            BytesColumn::Utf8(array) => array.is_valid(row).then(|| array.value(row).as_bytes()),
            BytesColumn::LargeUtf8(array) => array.is_valid(row).then(|| array.value(row).as_bytes()),
            BytesColumn::Utf8View(array) => array.is_valid(row).then(|| array.value(row).as_bytes()),
            BytesColumn::Binary(array) => array.is_valid(row).then(|| array.value(row)),
            BytesColumn::LargeBinary(array) => array.is_valid(row).then(|| array.value(row)),
            BytesColumn::BinaryView(array) => array.is_valid(row).then(|| array.value(row)),
            BytesColumn::FixedSizeBinary(array) => array.is_valid(row).then(|| array.value(row)),
            BytesColumn::Null => None,
            BytesColumn::Dictionary { keys, indexes, values } => {
                if keys.is_null(row) {
                    return None;
                }
                values.get(*indexes.get(row)? as usize)
            }
        }
    }

    /// Returns the value of a row as a robots.txt body, or `None` if it is null. The body of a text column is UTF-8.
    #[inline]
    pub(crate) fn body(&self, row: usize) -> Option<Body<'a>> {
        let bytes = self.get(row)?;
        Some(if self.is_text() { Body::utf8(bytes) } else { Body::from(bytes) })
    }

    fn is_text(&self) -> bool {
        match self {
            BytesColumn::Utf8(_) | BytesColumn::LargeUtf8(_) | BytesColumn::Utf8View(_) => true,
            BytesColumn::Dictionary { values, .. } => values.is_text(),
            _ => false,
        }
    }

    /// Returns the index of a row's value: the row itself, or its dictionary key. Returns `None` if the row is null.
    pub(crate) fn value_index(&self, row: usize) -> Option<u32> {
        let index = match self {
            BytesColumn::Dictionary { keys, indexes, .. } => {
                return indexes.get(row).copied().filter(|_| !keys.is_null(row));
            }
            _ => u32::try_from(row).ok(),
        };
        index.filter(|_| self.get(row).is_some())
    }

    /// Returns true if equal values often have one address in memory. Then a lookup by address saves comparisons.
    pub(crate) fn shares_addresses(&self) -> bool {
        matches!(self, BytesColumn::Utf8View(_) | BytesColumn::BinaryView(_) | BytesColumn::Dictionary { .. })
    }
}

/// A column of status codes.
#[derive(Debug)]
pub(crate) struct Codes {
    /// The codes. [`Codes::NONE`] means a missing code.
    codes: Vec<u32>,
}

impl Codes {
    const NONE: u32 = u32::MAX;

    fn new(name: &str, column: &ArrayRef) -> Result<Self, BatchError> {
        macro_rules! read {
            ($kind:ty, $to:expr) => {{
                let to: fn(<$kind as arrow_array::ArrowPrimitiveType>::Native) -> u32 = $to;
                let array = column.as_primitive::<$kind>();
                (0..array.len())
                    .map(|row| if array.is_null(row) { Codes::NONE } else { to(array.value(row)) })
                    .collect()
            }};
        }
        let codes = match column.data_type() {
            DataType::Int8 => read!(Int8Type, |code| Codes::code(code.into())),
            DataType::Int16 => read!(Int16Type, |code| Codes::code(code.into())),
            DataType::Int32 => read!(Int32Type, |code| Codes::code(code.into())),
            DataType::Int64 => read!(Int64Type, Codes::code),
            DataType::UInt8 => read!(UInt8Type, |code| Codes::code(code.into())),
            DataType::UInt16 => read!(UInt16Type, |code| Codes::code(code.into())),
            DataType::UInt32 => read!(UInt32Type, |code| Codes::code(code.into())),
            DataType::UInt64 => read!(UInt64Type, |code| Codes::code(i64::try_from(code).unwrap_or(-1))),
            DataType::Float32 => read!(Float32Type, |code| Codes::whole(code.into())),
            DataType::Float64 => read!(Float64Type, Codes::whole),
            DataType::Null => vec![Codes::NONE; column.len()],
            other => {
                return Err(BatchError::WrongType {
                    column: name.to_owned(),
                    wanted: "whole numbers",
                    found: other.clone(),
                });
            }
        };
        Ok(Codes { codes })
    }

    /// Reads codes that may be text.
    fn written(name: &str, column: &ArrayRef) -> Result<Self, BatchError> {
        let Ok(texts) = BytesColumn::new(name, column) else { return Codes::new(name, column) };
        let codes = (0..column.len()).map(|row| texts.get(row).map_or(Codes::NONE, Codes::text));
        Ok(Codes { codes: codes.collect() })
    }

    /// Converts a number to a code. Numbers outside of 16 bits become 0. Invalid codes count as 5xx (RFC 9110 §15).
    fn code(code: i64) -> u32 {
        u16::try_from(code).unwrap_or_default().into()
    }

    /// Converts a float to a code. Programs without nullable integers write codes as floats, and missing codes as NaN.
    fn whole(code: f64) -> u32 {
        match code {
            _ if code.is_nan() => Codes::NONE,
            _ if code.fract() == 0.0 && (0.0..65536.0).contains(&code) => code as u32,
            _ => 0,
        }
    }

    /// Parses the code in a text. In CDX, `-` means a missing code.
    fn text(text: &[u8]) -> u32 {
        match std::str::from_utf8(text).map(str::trim) {
            Ok("" | "-") => Codes::NONE,
            Ok(text) => text.parse().map_or(0, Codes::code),
            Err(_) => 0,
        }
    }

    #[inline]
    pub(crate) fn get(&self, row: usize) -> Option<u16> {
        self.codes.get(row).and_then(|&code| u16::try_from(code).ok())
    }
}

/// A column of times, in nanoseconds since 1970.
#[derive(Debug)]
pub(crate) struct Times {
    times: Vec<Option<i128>>,
}

impl Times {
    fn new(name: &str, column: &ArrayRef) -> Result<Self, BatchError> {
        const DAY: i128 = 86_400_000_000_000;
        macro_rules! read {
            ($kind:ty, $nanoseconds:expr) => {
                column
                    .as_primitive::<$kind>()
                    .iter()
                    .map(|t| t.map(|t| i128::from(t) * $nanoseconds))
                    .collect()
            };
        }
        let times = match column.data_type() {
            DataType::Timestamp(TimeUnit::Second, _) => read!(TimestampSecondType, 1_000_000_000),
            DataType::Timestamp(TimeUnit::Millisecond, _) => read!(TimestampMillisecondType, 1_000_000),
            DataType::Timestamp(TimeUnit::Microsecond, _) => read!(TimestampMicrosecondType, 1_000),
            DataType::Timestamp(TimeUnit::Nanosecond, _) => read!(TimestampNanosecondType, 1),
            DataType::Date32 => read!(Date32Type, DAY),
            DataType::Date64 => read!(Date64Type, 1_000_000),
            DataType::Null => vec![None; column.len()],
            other => {
                return Err(BatchError::WrongType {
                    column: name.to_owned(),
                    wanted: "timestamps or dates",
                    found: other.clone(),
                });
            }
        };
        Ok(Times { times })
    }

    #[inline]
    pub(crate) fn get(&self, row: usize) -> Option<i128> {
        self.times.get(row).copied().flatten()
    }
}

/// An arbitrary time of answers, for decisions that depend only on the age of the answer.
pub(crate) const BASE_TIME: i128 = 1_000_000_000_000_000_000;

/// Converts a time for the engine. A time that the system cannot represent becomes 1970.
pub(crate) fn system_time(nanoseconds: i128) -> SystemTime {
    let size = nanoseconds.unsigned_abs();
    // Nearly every time fits into 64 bits, and 64-bit division is much faster.
    let duration = match u64::try_from(size) {
        Ok(size) => Duration::from_nanos(size),
        Err(_) => {
            let seconds = u64::try_from(size / 1_000_000_000).unwrap_or(u64::MAX);
            Duration::new(seconds, (size % 1_000_000_000) as u32)
        }
    };
    let time = match nanoseconds < 0 {
        true => SystemTime::UNIX_EPOCH.checked_sub(duration),
        false => SystemTime::UNIX_EPOCH.checked_add(duration),
    };
    time.unwrap_or(SystemTime::UNIX_EPOCH)
}
