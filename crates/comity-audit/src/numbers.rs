//! Columns of status codes. Tables that had gaps keep them as floats, so those are read, too.

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type,
    UInt16Type, UInt32Type, UInt64Type,
};
use arrow_schema::DataType;

use crate::error::AuditError;

/// The status codes of a column. What cannot be one is 0, which counts as every other code that no HTTP answer has.
pub(crate) fn statuses(name: &str, array: &dyn Array) -> Result<Vec<Option<u16>>, AuditError> {
    macro_rules! whole {
        ($type:ty) => {
            of::<$type>(array, |value| u16::try_from(value).unwrap_or(0))
        };
    }
    // A cast from a float saturates, and one of a fraction cuts it off.
    Ok(match array.data_type() {
        DataType::Int8 => whole!(Int8Type),
        DataType::Int16 => whole!(Int16Type),
        DataType::Int32 => whole!(Int32Type),
        DataType::Int64 => whole!(Int64Type),
        DataType::UInt8 => of::<UInt8Type>(array, u16::from),
        DataType::UInt16 => of::<UInt16Type>(array, |value| value),
        DataType::UInt32 => whole!(UInt32Type),
        DataType::UInt64 => whole!(UInt64Type),
        DataType::Float32 => floats(of_float::<Float32Type>(array, f64::from)),
        DataType::Float64 => floats(of_float::<Float64Type>(array, |value| value)),
        DataType::Null => vec![None; array.len()],
        found => {
            return Err(AuditError::Type {
                column: name.to_owned(),
                found: found.clone(),
                wanted: "a column of whole numbers",
            });
        }
    })
}

fn of<T: ArrowPrimitiveType>(array: &dyn Array, read: impl Fn(T::Native) -> u16) -> Vec<Option<u16>> {
    array.as_primitive::<T>().iter().map(|value| value.map(&read)).collect()
}

fn of_float<T: ArrowPrimitiveType>(array: &dyn Array, read: impl Fn(T::Native) -> f64) -> Vec<Option<f64>> {
    array.as_primitive::<T>().iter().map(|value| value.map(&read)).collect()
}

/// "Not a number" is how such tables say null.
fn floats(values: Vec<Option<f64>>) -> Vec<Option<u16>> {
    values.into_iter().map(|value| value.filter(|value| !value.is_nan()).map(|value| value as u16)).collect()
}
