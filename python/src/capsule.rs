//! Arrow's C data interface in Python capsules. This is the only module of the package with `unsafe`.
//!
//! A producer exports capsules with C structures (`__arrow_c_array__`, `__arrow_c_stream__`). A consumer moves such a
//! structure out and leaves an empty one behind, so exactly one of the two frees the memory. Neither of them copies data.
//! <https://arrow.apache.org/docs/format/CDataInterface/PyCapsuleInterface.html>
//!
//! Two promises of the interface cannot be checked here: that pointers are valid, and that each buffer is as large as the
//! length and the last offset of its array require. The module checks the names of capsules and the types of columns, and
//! rejects structures that were moved out before. In columns of text, bytes and dictionaries, it also checks every
//! offset, view and key.

#![allow(unsafe_code, reason = "the C data interface consists of pointers")]

use std::ffi::{CStr, c_int};
use std::sync::Arc;

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi_and_data_type};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{
    Array, ArrayRef, RecordBatch, RecordBatchOptions, RecordBatchReader, StructArray, make_array,
};
use arrow_data::ArrayData;
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyCapsuleMethods, PyTuple};

use crate::errors;
use crate::input::type_name;

const SCHEMA: &CStr = c"arrow_schema";
const ARRAY: &CStr = c"arrow_array";
const STREAM: &CStr = c"arrow_array_stream";

/// Casts an object to a capsule, and checks the capsule's name.
fn capsule<'a, 'py>(
    object: &'a Bound<'py, PyAny>,
    name: &'static CStr,
) -> PyResult<&'a Bound<'py, PyCapsule>> {
    let capsule = object.cast::<PyCapsule>().map_err(|_| {
        PyTypeError::new_err(format!("an Arrow method returned {}, not a capsule", type_name(object)))
    })?;
    match capsule.is_valid_checked(Some(name)) {
        true => Ok(capsule),
        false => {
            let name = name.to_string_lossy();
            Err(PyTypeError::new_err(format!(
                "an Arrow method returned a capsule that is not named `{name}`"
            )))
        }
    }
}

/// Returns the field that a schema capsule describes.
fn field(object: &Bound<'_, PyAny>) -> PyResult<Field> {
    let pointer = capsule(object, SCHEMA)?.pointer_checked(Some(SCHEMA))?;
    // SAFETY: the producer promises that a capsule of this name holds a pointer to an ArrowSchema. The schema lives as long
    // as the capsule, which outlives this borrow. Nothing else accesses it: this thread holds the interpreter's lock, or
    // the producer made the capsule for this call only.
    let schema = unsafe { pointer.cast::<FFI_ArrowSchema>().as_ref() };
    if schema.release().is_none() {
        return Err(errors::batch("the Arrow schema was consumed before: export it again"));
    }
    Field::try_from(schema).map_err(errors::batch)
}

/// Imports a column, or the columns of a batch, from an object with `__arrow_c_array__`.
pub(crate) fn import_array(object: &Bound<'_, PyAny>) -> PyResult<(Field, ArrayRef)> {
    let pair = object.call_method0(intern!(object.py(), "__arrow_c_array__"))?;
    let (schema, array): (Bound<'_, PyAny>, Bound<'_, PyAny>) = pair.extract()?;
    let field = field(&schema)?;
    let pointer = capsule(&array, ARRAY)?.pointer_checked(Some(ARRAY))?;
    // SAFETY: the capsule holds a pointer to an ArrowArray, under the conditions that `field` states for a schema. `from_raw`
    // moves the structure out and leaves a released one behind, which the capsule's destructor ignores.
    let array = unsafe { FFI_ArrowArray::from_raw(pointer.cast().as_ptr()) };
    let array = to_array(array, field.data_type().clone())?;
    Ok((field, array))
}

/// Converts an array structure that was moved out of a capsule.
fn to_array(array: FFI_ArrowArray, data_type: DataType) -> PyResult<ArrayRef> {
    if array.is_released() {
        return Err(errors::batch("the Arrow array was consumed before: export it again"));
    }
    // SAFETY: this function owns the complete structure. The producer promises that its layout fits its type. `check`
    // verifies all data that is read, before the first read.
    let data = unsafe { from_ffi_and_data_type(array, data_type) }.map_err(errors::batch)?;
    check(&data).map_err(errors::batch)?;
    Ok(make_array(data))
}

/// Checks a column, or all columns of a batch, before the first read. Checks every offset, view and key of text, bytes and
/// dictionaries, and the sizes of the buffers of other types.
fn check(data: &ArrayData) -> Result<(), arrow_schema::ArrowError> {
    // Text is read as bytes, so it is not checked for valid UTF-8. That check would take as long as all other work.
    let bytes = match data.data_type() {
        DataType::Utf8 | DataType::Binary => DataType::Binary,
        DataType::LargeUtf8 | DataType::LargeBinary => DataType::LargeBinary,
        DataType::Utf8View | DataType::BinaryView => DataType::BinaryView,
        DataType::Dictionary(_, _) => {
            data.validate()?;
            data.validate_values()?;
            return data.child_data().iter().try_for_each(check);
        }
        DataType::Struct(_) => {
            data.validate()?;
            return data.child_data().iter().try_for_each(check);
        }
        _ => return data.validate(),
    };
    data.clone().into_builder().data_type(bytes).build().map(drop)
}

/// Imports a batch from an object with `__arrow_c_array__`.
pub(crate) fn import_batch(object: &Bound<'_, PyAny>) -> PyResult<RecordBatch> {
    let (field, array) = import_array(object)?;
    batch(&schema_of(&field)?, array)
}

/// Returns the schema of a batch. The C data interface represents a batch as a struct without nulls.
fn schema_of(field: &Field) -> PyResult<SchemaRef> {
    match field.data_type() {
        DataType::Struct(fields) => {
            Ok(Arc::new(Schema::new_with_metadata(fields.clone(), field.metadata().clone())))
        }
        other => Err(errors::batch(format!("pass a batch or table with columns, not one column of {other}"))),
    }
}

fn batch(schema: &SchemaRef, array: ArrayRef) -> PyResult<RecordBatch> {
    let rows = RecordBatchOptions::new().with_row_count(Some(array.len()));
    let (_, columns, nulls) = StructArray::from(array.to_data()).into_parts();
    if nulls.is_some_and(|nulls| nulls.null_count() > 0) {
        return Err(errors::batch("the batch has rows that are null as a whole: drop these rows first"));
    }
    RecordBatch::try_new_with_options(schema.clone(), columns, &rows).map_err(errors::batch)
}

/// Batches of an object with `__arrow_c_stream__`, read one by one.
#[derive(Debug)]
pub(crate) struct Batches {
    stream: FFI_ArrowArrayStream,
    pub(crate) schema: SchemaRef,
}

/// Signature of a stream's `get_schema` function.
type GetSchema = unsafe extern "C" fn(*mut FFI_ArrowArrayStream, *mut FFI_ArrowSchema) -> c_int;
/// Signature of a stream's `get_next` function.
type GetNext = unsafe extern "C" fn(*mut FFI_ArrowArrayStream, *mut FFI_ArrowArray) -> c_int;

impl Batches {
    pub(crate) fn import(object: &Bound<'_, PyAny>) -> PyResult<Batches> {
        let py = object.py();
        let stream = object.call_method0(intern!(py, "__arrow_c_stream__"))?;
        let pointer = capsule(&stream, STREAM)?.pointer_checked(Some(STREAM))?;
        // SAFETY: the capsule holds a pointer to an ArrowArrayStream, under the conditions that `field` states for a schema.
        // `from_raw` moves the structure out and leaves an empty one for the capsule's destructor.
        let mut stream = unsafe { FFI_ArrowArrayStream::from_raw(pointer.cast().as_ptr()) };
        let Some(get_schema): Option<GetSchema> = stream.get_schema().filter(|_| stream.release().is_some())
        else {
            return Err(errors::batch("the Arrow stream was consumed before: export it again"));
        };
        let mut schema = FFI_ArrowSchema::empty();
        let (stream_target, schema_target) = (Target(&raw mut stream), Target(&raw mut schema));
        // A producer written in Python acquires the interpreter's lock itself.
        let code = py.detach(|| {
            let (stream_target, schema_target) = (stream_target, schema_target);
            // SAFETY: this function owns both structures, and both are alive. The function pointer belongs to the stream.
            unsafe { get_schema(stream_target.0, schema_target.0) }
        });
        if code != 0 {
            return Err(errors::batch(Batches::last_error(&mut stream, code)));
        }
        if schema.release().is_none() {
            return Err(errors::batch("the Arrow stream returned no schema"));
        }
        let field = Field::try_from(&schema).map_err(errors::batch)?;
        Ok(Batches { stream, schema: schema_of(&field)? })
    }

    /// Returns the next batch. May be called without the interpreter's lock.
    pub(crate) fn next(&mut self) -> Option<PyResult<RecordBatch>> {
        let get_next: GetNext = self.stream.get_next()?;
        let mut array = FFI_ArrowArray::empty();
        // SAFETY: this struct owns the stream, which has not been released. This function owns the structure that the
        // stream writes.
        let code = unsafe { get_next(&raw mut self.stream, &raw mut array) };
        if code != 0 {
            return Some(Err(errors::batch(Batches::last_error(&mut self.stream, code))));
        }
        if array.is_released() {
            return None;
        }
        let fields = DataType::Struct(self.schema.fields().clone());
        Some(to_array(array, fields).and_then(|array| batch(&self.schema, array)))
    }

    /// Returns the last error message of a stream.
    fn last_error(stream: &mut FFI_ArrowArrayStream, code: c_int) -> String {
        let text = stream.get_last_error().and_then(|get_last_error| {
            // SAFETY: the function pointer belongs to the stream. The returned text lives until the next call, and is
            // copied here.
            let text = unsafe { get_last_error(&raw mut *stream) };
            // SAFETY: the pointer is not null, and the interface promises a C string.
            (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
        });
        text.unwrap_or_else(|| format!("the Arrow stream failed with code {code} and without a message"))
    }
}

/// Pointer for a closure that runs on the same thread without the interpreter's lock.
struct Target<T>(*mut T);

// SAFETY: the value is not sent. `Python::detach` requires `Send`, but runs its closure on the calling thread.
unsafe impl<T> Send for Target<T> {}

/// Exports the schema of a batch as a capsule.
pub(crate) fn export_schema<'py>(py: Python<'py>, schema: &Schema) -> PyResult<Bound<'py, PyCapsule>> {
    let schema = FFI_ArrowSchema::try_from(schema).map_err(errors::batch)?;
    PyCapsule::new_with_value(py, schema, SCHEMA)
}

/// Exports a batch as capsules of its schema and its data.
pub(crate) fn export_batch<'py>(py: Python<'py>, batch: &RecordBatch) -> PyResult<Bound<'py, PyTuple>> {
    let schema = export_schema(py, batch.schema_ref())?;
    let columns = batch.columns().to_vec();
    let fields = batch.schema_ref().fields().clone();
    let data = StructArray::try_new_with_length(fields, columns, None, batch.num_rows());
    let array = FFI_ArrowArray::new(&data.map_err(errors::batch)?.to_data());
    (schema, PyCapsule::new_with_value(py, array, ARRAY)?).into_pyobject(py)
}

/// Exports a column as capsules of its type and its data.
pub(crate) fn export_array<'py>(
    py: Python<'py>,
    name: &str,
    array: &ArrayRef,
) -> PyResult<Bound<'py, PyTuple>> {
    let field = Field::new(name, array.data_type().clone(), true);
    let schema = FFI_ArrowSchema::try_from(field).map_err(errors::batch)?;
    let array = FFI_ArrowArray::new(&array.to_data());
    (PyCapsule::new_with_value(py, schema, SCHEMA)?, PyCapsule::new_with_value(py, array, ARRAY)?)
        .into_pyobject(py)
}

/// Exports batches as the capsule of a stream.
pub(crate) fn export_stream<'py>(
    py: Python<'py>,
    reader: Box<dyn RecordBatchReader + Send>,
) -> PyResult<Bound<'py, PyCapsule>> {
    PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(reader), STREAM)
}
