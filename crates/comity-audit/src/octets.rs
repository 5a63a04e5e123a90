//! Columns of texts, read as octets.
//!
//! Octets, not `str`: whoever made a batch may have put anything into it. For the same reason every slice is checked, so
//! that a batch that lies about itself has rows without a value and nothing worse.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowDictionaryKeyType, ByteArrayType, ByteViewType, Int8Type, Int16Type, Int32Type, Int64Type,
    UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrowPrimitiveType, GenericByteArray, GenericByteViewArray};
use arrow_buffer::{ArrowNativeType, Buffer, NullBuffer};
use arrow_schema::DataType;

use crate::error::AuditError;

/// A column of texts.
#[derive(Debug)]
pub(crate) struct Octets<'a> {
    nulls: Option<&'a NullBuffer>,
    layout: Layout<'a>,
}

#[derive(Debug)]
enum Layout<'a> {
    Small { offsets: &'a [i32], data: &'a [u8] },
    Large { offsets: &'a [i64], data: &'a [u8] },
    View { views: &'a [u128], inline: &'a [u8], buffers: &'a [Buffer] },
    Dictionary { codes: Box<[usize]>, values: Box<Octets<'a>> },
    Null,
}

/// What such a column may be.
const WANTED: &str = "Utf8, Binary, a large or view form of these, or a dictionary of them";

impl<'a> Octets<'a> {
    /// The column as texts.
    pub(crate) fn of(name: &str, array: &'a dyn Array) -> Result<Self, AuditError> {
        let refuse =
            || AuditError::Type { column: name.to_owned(), found: array.data_type().clone(), wanted: WANTED };
        let layout = match array.data_type() {
            DataType::Utf8 => small(array.as_string::<i32>()),
            DataType::Binary => small(array.as_binary::<i32>()),
            DataType::LargeUtf8 => large(array.as_string::<i64>()),
            DataType::LargeBinary => large(array.as_binary::<i64>()),
            DataType::Utf8View => view(array.as_string_view()),
            DataType::BinaryView => view(array.as_binary_view()),
            DataType::Null => Layout::Null,
            DataType::Dictionary(key, value) if !matches!(**value, DataType::Dictionary(..)) => {
                let Some(dictionary) = array.as_any_dictionary_opt() else { return Err(refuse()) };
                let values = Box::new(Octets::of(name, dictionary.values().as_ref())?);
                let keys = dictionary.keys();
                let codes = match **key {
                    DataType::Int8 => codes::<Int8Type>(keys),
                    DataType::Int16 => codes::<Int16Type>(keys),
                    DataType::Int32 => codes::<Int32Type>(keys),
                    DataType::Int64 => codes::<Int64Type>(keys),
                    DataType::UInt8 => codes::<UInt8Type>(keys),
                    DataType::UInt16 => codes::<UInt16Type>(keys),
                    DataType::UInt32 => codes::<UInt32Type>(keys),
                    DataType::UInt64 => codes::<UInt64Type>(keys),
                    _ => return Err(refuse()),
                };
                Layout::Dictionary { codes, values }
            }
            _ => return Err(refuse()),
        };
        Ok(Octets { nulls: array.nulls(), layout })
    }

    /// The text in a row; `None` if it is null.
    pub(crate) fn get(&self, row: usize) -> Option<&'a [u8]> {
        if self.nulls.is_some_and(|nulls| row >= nulls.len() || nulls.is_null(row)) {
            return None;
        }
        match &self.layout {
            Layout::Small { offsets, data } => {
                let (start, end) = (*offsets.get(row)?, *offsets.get(row + 1)?);
                data.get(usize::try_from(start).ok()?..usize::try_from(end).ok()?)
            }
            Layout::Large { offsets, data } => {
                let (start, end) = (*offsets.get(row)?, *offsets.get(row + 1)?);
                data.get(usize::try_from(start).ok()?..usize::try_from(end).ok()?)
            }
            Layout::View { views, inline, buffers } => {
                let view = *views.get(row)?;
                // Length, then twelve octets of text, or four of it, a buffer's number and a place in it.
                let length = (view & 0xFFFF_FFFF) as usize;
                if length <= 12 {
                    let start = row * 16 + 4;
                    return inline.get(start..start + length);
                }
                let (buffer, start) = ((view >> 64) as u32 as usize, (view >> 96) as usize);
                buffers.get(buffer)?.as_slice().get(start..start.checked_add(length)?)
            }
            Layout::Dictionary { codes, values } => values.get(*codes.get(row)?),
            Layout::Null => None,
        }
    }

    /// The number of a row's text in the dictionary, if there is one.
    pub(crate) fn code(&self, row: usize) -> Option<usize> {
        match &self.layout {
            Layout::Dictionary { codes, .. } => codes.get(row).copied(),
            _ => None,
        }
    }
}

fn small<T: ByteArrayType<Offset = i32>>(array: &GenericByteArray<T>) -> Layout<'_> {
    Layout::Small { offsets: array.value_offsets(), data: array.value_data() }
}

fn large<T: ByteArrayType<Offset = i64>>(array: &GenericByteArray<T>) -> Layout<'_> {
    Layout::Large { offsets: array.value_offsets(), data: array.value_data() }
}

fn view<T: ByteViewType + ?Sized>(array: &GenericByteViewArray<T>) -> Layout<'_> {
    let views = array.views();
    Layout::View { views, inline: views.inner().as_slice(), buffers: array.data_buffers() }
}

/// Keys as numbers; one that is negative is beyond every dictionary.
fn codes<K: ArrowDictionaryKeyType>(keys: &dyn Array) -> Box<[usize]>
where
    <K as ArrowPrimitiveType>::Native: ArrowNativeType,
{
    let keys = keys.as_primitive::<K>();
    keys.values().iter().map(|key| key.to_usize().unwrap_or(usize::MAX)).collect()
}
