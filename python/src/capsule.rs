//! Arrow's PyCapsule interface: batches and streams change hands as C structs, and no value is copied.
//!
//! The only module of the workspace with `unsafe`: a capsule holds an untyped pointer, and what it points to was made
//! by another library. Each block says what it relies on. What can be checked is: the capsule's name, that nothing was
//! taken out of it before, and, by Arrow's own validation, that buffers are as long as the lengths and offsets say.
#![allow(unsafe_code, reason = "Arrow's C data interface is one of pointers")]

use std::ffi::{CStr, c_char};
use std::ptr::NonNull;
use std::sync::Arc;

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi, to_ffi};
use arrow_array::ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader};
use arrow_array::{Array, RecordBatch, RecordBatchOptions, RecordBatchReader, StructArray};
use arrow_schema::{DataType, Schema};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyCapsuleMethods, PyTuple};

const SCHEMA: &CStr = c"arrow_schema";
const ARRAY: &CStr = c"arrow_array";
const STREAM: &CStr = c"arrow_array_stream";

/// The batch of an object with `__arrow_c_array__`.
pub(crate) fn batch_of(object: &Bound<'_, PyAny>) -> PyResult<RecordBatch> {
    let py = object.py();
    let pair = object.call_method0(intern!(py, "__arrow_c_array__"))?;
    let pair = pair.cast::<PyTuple>()?;
    let (schema, array) = (pair.get_item(0)?, pair.get_item(1)?);
    let schema = pointer::<FFI_ArrowSchema>(&schema, SCHEMA)?;
    let array = pointer::<FFI_ArrowArray>(&array, ARRAY)?;
    // SAFETY: a capsule of this name holds a pointer to an initialised `ArrowArray` of Arrow's C data interface, which
    // `FFI_ArrowArray` is laid out as. It is alive, since `pair` holds the capsule, and nobody else touches it: this
    // thread is attached to the interpreter and calls nothing in between. Taking it leaves a released struct behind,
    // which is how a consumer says that it took it.
    let array = unsafe { FFI_ArrowArray::from_raw(array.as_ptr()) };
    if array.is_released() {
        return Err(PyValueError::new_err("the Arrow array of this object was taken before"));
    }
    check_schema(schema)?;
    // SAFETY: as above, for `ArrowSchema`; that it is not released was checked.
    let schema = unsafe { FFI_ArrowSchema::from_raw(schema.as_ptr()) };
    let fields = Schema::try_from(&schema).map_err(refused)?;
    // SAFETY: that the buffers are there is the producer's promise; no consumer can look. What can be looked at is
    // validated below, before anything is read.
    let data = unsafe { from_ffi(array, &schema) }.map_err(refused)?;
    data.validate().map_err(refused)?;
    if !matches!(data.data_type(), DataType::Struct(_)) || data.null_count() > 0 {
        return Err(PyTypeError::new_err("pass a record batch: a struct array without nulls of its own"));
    }
    let rows = RecordBatchOptions::new().with_row_count(Some(data.len()));
    let columns = StructArray::from(data).into_parts().1;
    RecordBatch::try_new_with_options(Arc::new(fields), columns, &rows).map_err(refused)
}

/// The batches of an object with `__arrow_c_stream__`, read as they are asked for.
pub(crate) fn stream_of(object: &Bound<'_, PyAny>) -> PyResult<Box<dyn RecordBatchReader + Send>> {
    let capsule = object.call_method0(intern!(object.py(), "__arrow_c_stream__"))?;
    let stream = pointer::<FFI_ArrowArrayStream>(&capsule, STREAM)?;
    // SAFETY: as for arrays: the name promises an initialised `ArrowArrayStream`, the capsule is alive, and this thread
    // alone uses it.
    let stream = unsafe { FFI_ArrowArrayStream::from_raw(stream.as_ptr()) };
    if stream.release().is_none() {
        return Err(PyValueError::new_err("the Arrow stream of this object was taken before"));
    }
    Ok(Box::new(RecordBatchStreamReader::try_new(stream).map_err(refused)?))
}

/// The capsule of a schema.
pub(crate) fn schema_capsule<'py>(py: Python<'py>, schema: &Schema) -> PyResult<Bound<'py, PyCapsule>> {
    let schema = FFI_ArrowSchema::try_from(schema).map_err(refused)?;
    PyCapsule::new_with_value(py, schema, SCHEMA)
}

/// The capsules of a batch. Dropped untouched, they release what they hold.
pub(crate) fn batch_capsules<'py>(
    py: Python<'py>,
    batch: &RecordBatch,
) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
    let (array, _) = to_ffi(&StructArray::from(batch.clone()).into_data()).map_err(refused)?;
    // The schema of the batch, not of the struct: it has the metadata.
    Ok((schema_capsule(py, batch.schema_ref())?, PyCapsule::new_with_value(py, array, ARRAY)?))
}

/// The capsule of a stream.
pub(crate) fn stream_capsule(
    py: Python<'_>,
    batches: Box<dyn RecordBatchReader + Send>,
) -> PyResult<Bound<'_, PyCapsule>> {
    PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(batches), STREAM)
}

/// The pointer in a capsule of this name.
fn pointer<T>(object: &Bound<'_, PyAny>, name: &CStr) -> PyResult<NonNull<T>> {
    let pointer = object.cast::<PyCapsule>()?.pointer_checked(Some(name))?.cast::<T>();
    if !pointer.as_ptr().is_aligned() {
        return Err(PyValueError::new_err("the capsule's pointer is not aligned"));
    }
    Ok(pointer)
}

/// Whether a schema has a format, as one that is not released does. Arrow's reader takes that for granted.
fn check_schema(schema: NonNull<FFI_ArrowSchema>) -> PyResult<()> {
    // SAFETY: the struct is initialised and aligned (see `batch_of`), and its first member is the pointer to its
    // format; nothing is read through that.
    let format = unsafe { schema.cast::<*const c_char>().read() };
    match format.is_null() {
        true => Err(PyValueError::new_err("the Arrow schema of this object was taken before")),
        false => Ok(()),
    }
}

fn refused(error: arrow_schema::ArrowError) -> PyErr {
    PyValueError::new_err(error.to_string())
}
