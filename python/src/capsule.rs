//! Arrow's C data interface in Python capsules: the one place in the package with `unsafe`.
//!
//! A producer's object hands out capsules with C structures in them (`__arrow_c_array__`, `__arrow_c_stream__`); whoever
//! takes such a structure moves it out and leaves an empty one, so that exactly one of the two lets go of the memory.
//! Nothing is copied either way. <https://arrow.apache.org/docs/format/CDataInterface/PyCapsuleInterface.html>
//!
//! What the interface promises cannot be checked from here: that pointers point, and that buffers are as long as lengths
//! and last offsets say. What can be is: names of capsules, structures that were moved out before, types, and in the
//! columns that are read every offset, view and dictionary key, so that a careless producer gets an error.

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

/// The capsule of this name that an object hands out.
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
            Err(PyTypeError::new_err(format!("an Arrow method returned a capsule that is no `{name}`")))
        }
    }
}

/// The field that a schema capsule describes.
fn field(object: &Bound<'_, PyAny>) -> PyResult<Field> {
    let pointer = capsule(object, SCHEMA)?.pointer_checked(Some(SCHEMA))?;
    // SAFETY: a capsule of this name holds a pointer to an ArrowSchema (its producer's promise), which lives as long as
    // the capsule, and that outlives this borrow. The lock of the interpreter, or whoever made the capsule for us alone,
    // keeps others away.
    let schema = unsafe { pointer.cast::<FFI_ArrowSchema>().as_ref() };
    if schema.release().is_none() {
        return Err(errors::batch("the Arrow schema was taken by somebody before"));
    }
    Field::try_from(schema).map_err(errors::batch)
}

/// A column, or the columns of a batch, from an object with `__arrow_c_array__`.
pub(crate) fn import_array(object: &Bound<'_, PyAny>) -> PyResult<(Field, ArrayRef)> {
    let pair = object.call_method0(intern!(object.py(), "__arrow_c_array__"))?;
    let (schema, array): (Bound<'_, PyAny>, Bound<'_, PyAny>) = pair.extract()?;
    let field = field(&schema)?;
    let pointer = capsule(&array, ARRAY)?.pointer_checked(Some(ARRAY))?;
    // SAFETY: as for the schema. `from_raw` moves the structure out and leaves a released one, which the capsule's
    // destructor passes over.
    let array = unsafe { FFI_ArrowArray::from_raw(pointer.cast().as_ptr()) };
    let array = taken(array, field.data_type().clone())?;
    Ok((field, array))
}

/// An array that was moved out of its producer's structure.
fn taken(array: FFI_ArrowArray, data_type: DataType) -> PyResult<ArrayRef> {
    if array.is_released() {
        return Err(errors::batch("the Arrow array was taken by somebody before"));
    }
    // SAFETY: the structure is whole and ours. That it is laid out as its type says is the producer's promise, and as far
    // as reading goes `check` sees to it before anything is read.
    let data = unsafe { from_ffi_and_data_type(array, data_type) }.map_err(errors::batch)?;
    check(&data).map_err(errors::batch)?;
    Ok(make_array(data))
}

/// Checks what may be read: text and bytes, and dictionaries of these, at the top or in the columns of a batch.
fn check(data: &ArrayData) -> Result<(), arrow_schema::ArrowError> {
    // Text is read as bytes, so it need not be looked through for UTF-8, which costs as much as all the rest.
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

/// A batch from an object with `__arrow_c_array__`.
pub(crate) fn import_batch(object: &Bound<'_, PyAny>) -> PyResult<RecordBatch> {
    let (field, array) = import_array(object)?;
    batch(&schema_of(&field)?, array)
}

/// The schema of a batch, which is a struct without nulls to the C data interface.
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
        return Err(errors::batch("rows of the batch are null as a whole: drop them first"));
    }
    RecordBatch::try_new_with_options(schema.clone(), columns, &rows).map_err(errors::batch)
}

/// Batches from an object with `__arrow_c_stream__`, taken one by one.
#[derive(Debug)]
pub(crate) struct Batches {
    stream: FFI_ArrowArrayStream,
    pub(crate) schema: SchemaRef,
}

/// A function of a stream's structure.
type GetSchema = unsafe extern "C" fn(*mut FFI_ArrowArrayStream, *mut FFI_ArrowSchema) -> c_int;
type GetNext = unsafe extern "C" fn(*mut FFI_ArrowArrayStream, *mut FFI_ArrowArray) -> c_int;

impl Batches {
    pub(crate) fn import(object: &Bound<'_, PyAny>) -> PyResult<Batches> {
        let py = object.py();
        let stream = object.call_method0(intern!(py, "__arrow_c_stream__"))?;
        let pointer = capsule(&stream, STREAM)?.pointer_checked(Some(STREAM))?;
        // SAFETY: as for arrays: the structure is moved out, and an empty one stays for the capsule's destructor.
        let mut stream = unsafe { FFI_ArrowArrayStream::from_raw(pointer.cast().as_ptr()) };
        let Some(get_schema): Option<GetSchema> = stream.get_schema().filter(|_| stream.release().is_some())
        else {
            return Err(errors::batch("the Arrow stream was taken by somebody before"));
        };
        let mut schema = FFI_ArrowSchema::empty();
        let (at, place) = (Target(&raw mut stream), Target(&raw mut schema));
        // A producer written in Python takes the interpreter's lock for itself.
        let code = py.detach(|| {
            let (at, place) = (at, place);
            // SAFETY: both structures are ours and alive; the function is the stream's own.
            unsafe { get_schema(at.0, place.0) }
        });
        if code != 0 {
            return Err(errors::batch(Batches::complaint(&mut stream, code)));
        }
        if schema.release().is_none() {
            return Err(errors::batch("the Arrow stream gave no schema"));
        }
        let field = Field::try_from(&schema).map_err(errors::batch)?;
        Ok(Batches { stream, schema: schema_of(&field)? })
    }

    /// The next batch; may be called without the interpreter's lock.
    pub(crate) fn next(&mut self) -> Option<PyResult<RecordBatch>> {
        let get_next: GetNext = self.stream.get_next()?;
        let mut array = FFI_ArrowArray::empty();
        // SAFETY: the stream is ours and has not been released; it writes a structure that is ours from then on.
        let code = unsafe { get_next(&raw mut self.stream, &raw mut array) };
        if code != 0 {
            return Some(Err(errors::batch(Batches::complaint(&mut self.stream, code))));
        }
        if array.is_released() {
            return None;
        }
        let fields = DataType::Struct(self.schema.fields().clone());
        Some(taken(array, fields).and_then(|array| batch(&self.schema, array)))
    }

    /// Returns what a stream says about its last error.
    fn complaint(stream: &mut FFI_ArrowArrayStream, code: c_int) -> String {
        let text = stream.get_last_error().and_then(|get_last_error| {
            // SAFETY: the function is the stream's own; what it returns lives until the next call, and is copied here.
            let text = unsafe { get_last_error(&raw mut *stream) };
            // SAFETY: not null, and a C string by the interface's promise.
            (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
        });
        text.unwrap_or_else(|| format!("the Arrow stream failed with code {code} and did not say why"))
    }
}

/// A pointer that is handed to a closure which runs on this very thread, without the interpreter's lock.
struct Target<T>(*mut T);

// SAFETY: `Python::detach` asks for it, but runs its closure on the calling thread.
unsafe impl<T> Send for Target<T> {}

/// The schema of a batch as a capsule.
pub(crate) fn export_schema<'py>(py: Python<'py>, schema: &Schema) -> PyResult<Bound<'py, PyCapsule>> {
    let schema = FFI_ArrowSchema::try_from(schema).map_err(errors::batch)?;
    PyCapsule::new_with_value(py, schema, SCHEMA)
}

/// A batch as capsules of its schema and its data.
pub(crate) fn export_batch<'py>(py: Python<'py>, batch: &RecordBatch) -> PyResult<Bound<'py, PyTuple>> {
    let schema = export_schema(py, batch.schema_ref())?;
    let columns = batch.columns().to_vec();
    let fields = batch.schema_ref().fields().clone();
    let data = StructArray::try_new_with_length(fields, columns, None, batch.num_rows());
    let array = FFI_ArrowArray::new(&data.map_err(errors::batch)?.to_data());
    (schema, PyCapsule::new_with_value(py, array, ARRAY)?).into_pyobject(py)
}

/// A column as capsules of its type and its data.
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

/// Batches as a capsule of a stream, from which they are taken one by one.
pub(crate) fn export_stream<'py>(
    py: Python<'py>,
    reader: Box<dyn RecordBatchReader + Send>,
) -> PyResult<Bound<'py, PyCapsule>> {
    PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(reader), STREAM)
}
