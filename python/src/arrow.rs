//! Decisions for Arrow: adds columns of verdicts to columns of URLs. `comity.arrow` is built on this module.
//!
//! Batches are passed as capsules (`capsule.rs`). `comity_arrow` processes them without the interpreter's lock. No Python
//! object is created per row.

use std::collections::VecDeque;
use std::num::NonZero;
use std::str::FromStr;
use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::{ArrayRef, RecordBatch, RecordBatchIterator, RecordBatchReader, StringArray};
use arrow_schema::{ArrowError, SchemaRef};
use comity::policy::Preset;
use comity::robots::Dialect;
use comity_answers::url::check_cell;
use comity_arrow::{
    Auditor, AuditorOptions, BatchError, Columns, Input, Output, RobotsTable, Versions, Words,
};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};

use crate::agent::AgentLike;
use crate::capsule::{self, Batches};
use crate::errors;

/// Column names by role. `None` means that the column is not read.
type Names = Vec<(String, Option<String>)>;

fn columns(names: Names) -> PyResult<Columns> {
    names.into_iter().try_fold(Columns::new(), |columns, (input, name)| {
        let input = Input::from_str(&input).map_err(errors::unknown)?;
        Ok(match name {
            Some(name) => columns.with(input, name),
            None => columns.without(input),
        })
    })
}

fn error(error: BatchError) -> PyErr {
    match error {
        BatchError::UnknownOutput { .. } | BatchError::UnknownVersions { .. } => errors::unknown(error),
        error => errors::batch(error),
    }
}

/// Returns the batches of any object that exports Arrow data.
fn batches(data: &Bound<'_, PyAny>) -> PyResult<Vec<RecordBatch>> {
    if data.hasattr("__arrow_c_array__")? {
        return Ok(vec![capsule::import_batch(data)?]);
    }
    let mut batches = Batches::import(data)?;
    data.py().detach(|| std::iter::from_fn(|| batches.next()).collect())
}

/// Robots.txt files by key; see `comity.arrow`.
#[pyclass(frozen, module = "comity._comity")]
#[derive(Debug)]
pub(crate) struct NativeRobotsTable {
    inner: Arc<RobotsTable>,
}

#[pymethods]
impl NativeRobotsTable {
    #[new]
    fn new(py: Python<'_>, data: &Bound<'_, PyAny>, names: Names) -> PyResult<Self> {
        let (batches, columns) = (batches(data)?, columns(names)?);
        let table = py.detach(|| RobotsTable::new(batches, columns)).map_err(error)?;
        Ok(NativeRobotsTable { inner: Arc::new(table) })
    }

    /// Returns the number of keys.
    fn __len__(&self) -> usize {
        self.inner.len()
    }

    /// Returns the number of keys that are bare hosts.
    #[getter]
    fn bare_hosts(&self) -> usize {
        self.inner.bare_hosts()
    }
}

/// Decides batches; see `comity.arrow.Auditor`.
#[pyclass(frozen, module = "comity._comity")]
#[derive(Debug)]
pub(crate) struct NativeAuditor {
    inner: Arc<Auditors>,
    /// Columns that must not exist, because an argument replaces them, each with the argument.
    replaced: Vec<(String, &'static str)>,
}

/// Auditors, one per thread.
#[derive(Debug)]
struct Auditors {
    first: Mutex<Auditor>,
    others: Vec<Mutex<Auditor>>,
}

/// Minimum number of rows per thread. For fewer rows, starting another thread costs more than it saves.
const ROWS_OF_THREAD: usize = 4096;

impl Auditors {
    /// Decides a batch on one thread.
    fn decide(&self, batch: &RecordBatch) -> Result<RecordBatch, BatchError> {
        lock(&self.first).decide(batch)
    }

    /// Decides a batch in one part per thread, or more if a column would exceed the maximum text size. A small batch uses
    /// fewer threads. Neighbouring rows stay together and in order, because they often have the same origin.
    fn decide_in_parts(&self, batch: &RecordBatch) -> Result<Vec<RecordBatch>, BatchError> {
        let rows = batch.num_rows();
        let threads = (rows / ROWS_OF_THREAD).clamp(1, 1 + self.others.len());
        let part = rows.div_ceil(threads);
        let slice = |nth: usize| {
            let start = rows.min(nth * part);
            batch.slice(start, part.min(rows - start))
        };
        if threads == 1 {
            return lock(&self.first).decide_in_parts(batch);
        }
        std::thread::scope(|scope| {
            let others = self.others.iter().zip(1..threads).map(|(auditor, nth)| {
                let part = slice(nth);
                scope.spawn(move || lock(auditor).decide_in_parts(&part))
            });
            let others: Vec<_> = others.collect();
            let mut parts = lock(&self.first).decide_in_parts(&slice(0))?;
            for other in others {
                parts.extend(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?);
            }
            Ok(parts)
        })
    }
}

#[pymethods]
impl NativeAuditor {
    #[new]
    #[pyo3(signature = (
        *, agent, table, preset, dialect, outputs, names, keep, prefix, dictionary, cache_bytes, versions, threads
    ))]
    #[allow(clippy::too_many_arguments, reason = "keyword arguments")]
    fn new(
        py: Python<'_>,
        agent: Option<AgentLike<'_, '_>>,
        table: Option<&Bound<'_, NativeRobotsTable>>,
        preset: &str,
        dialect: Option<&str>,
        outputs: Vec<String>,
        names: Names,
        keep: bool,
        prefix: String,
        dictionary: bool,
        cache_bytes: usize,
        versions: &str,
        threads: usize,
    ) -> PyResult<Self> {
        let threads = match threads {
            0 => std::thread::available_parallelism().map_or(1, NonZero::get),
            threads => threads,
        };
        let column = |input: &str| match names.iter().find(|(known, _)| known == input) {
            Some((_, name)) => name.clone(),
            None => Some(input.to_owned()),
        };
        let replaced = [("agent", agent.is_some()), ("robots", table.is_some())];
        let replaced = replaced.into_iter().filter(|(_, is_given)| *is_given);
        let replaced = replaced.filter_map(|(input, _)| Some((column(input)?, input))).collect();
        let outputs = outputs.iter().map(|name| name.parse::<Output>());
        let outputs = outputs.collect::<Result<Vec<_>, _>>().map_err(error)?;
        let preset = Preset::from_str(preset).map_err(errors::unknown)?;
        let dialect = match dialect {
            Some(dialect) => Dialect::from_str(dialect).map_err(errors::unknown)?,
            None => preset.dialect(),
        };
        let mut options = AuditorOptions::new()
            .preset(preset)
            .dialect(dialect)
            .outputs(outputs)
            .columns(columns(names)?)
            .keep_input(keep)
            .prefix(prefix)
            .words(if dictionary { Words::Dictionary } else { Words::Text })
            .cache_bytes(cache_bytes / threads)
            .versions(Versions::from_str(versions).map_err(error)?);
        // In RFC 9309, text that is not a URL is an error. Most other dialects parse any text, as their originals do.
        if dialect == Dialect::Rfc9309 {
            options = options.check_url(check_cell);
        }
        if let Some(agent) = agent {
            options = options.agent(agent.to_agent(py, None)?);
        }
        let auditor = || {
            Mutex::new(match table {
                Some(table) => Auditor::with_table(options.clone(), table.get().inner.clone()),
                None => Auditor::new(options.clone()),
            })
        };
        let others = (1..threads).map(|_| auditor()).collect();
        Ok(NativeAuditor { inner: Arc::new(Auditors { first: auditor(), others }), replaced })
    }

    /// Decides one batch.
    fn decide_batch(&self, py: Python<'_>, data: &Bound<'_, PyAny>) -> PyResult<NativeBatch> {
        let batch = capsule::import_batch(data)?;
        self.check_columns(batch.schema_ref())?;
        let inner = py.detach(|| self.inner.decide(&batch)).map_err(error)?;
        Ok(NativeBatch { inner })
    }

    /// Decides the batches of a stream lazily, one per read.
    fn decide_stream(&self, data: &Bound<'_, PyAny>) -> PyResult<NativeStream> {
        let batches = Batches::import(data)?;
        self.check_columns(&batches.schema)?;
        // An empty batch reports errors in the columns now, as an exception. Errors during streaming reach the reader only
        // as errors of its Arrow library.
        let empty = RecordBatch::new_empty(batches.schema.clone());
        let schema = self.inner.decide(&empty).map_err(error)?.schema();
        let reader = DecidingReader {
            batches,
            auditors: self.inner.clone(),
            schema: schema.clone(),
            ready: VecDeque::new(),
            ended: false,
        };
        Ok(NativeStream { schema, reader: Mutex::new(Some(Box::new(reader))) })
    }
}

impl NativeAuditor {
    /// Rejects a column that would be ignored because of an argument.
    fn check_columns(&self, schema: &SchemaRef) -> PyResult<()> {
        let found = self.replaced.iter().find(|(column, _)| schema.column_with_name(column).is_some());
        match found {
            None => Ok(()),
            Some((column, argument)) => Err(errors::batch(format!(
                "the table has a column `{column}`, and {argument}=... was given, too: leave out the argument, or ignore \
                 the column with columns={{\"{argument}\": None}}"
            ))),
        }
    }
}

fn lock(auditor: &Mutex<Auditor>) -> std::sync::MutexGuard<'_, Auditor> {
    auditor.lock().unwrap_or_else(PoisonError::into_inner)
}

/// One batch, exported through Arrow's methods.
#[pyclass(frozen, module = "comity._comity")]
#[derive(Debug)]
pub(crate) struct NativeBatch {
    inner: RecordBatch,
}

#[pymethods]
impl NativeBatch {
    fn __len__(&self) -> usize {
        self.inner.num_rows()
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        capsule::export_schema(py, self.inner.schema_ref())
    }

    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        // The interface allows producers to ignore a requested schema.
        let _ = requested_schema;
        capsule::export_batch(py, &self.inner)
    }

    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        let one = std::iter::once(Ok(self.inner.clone()));
        capsule::export_stream(py, Box::new(RecordBatchIterator::new(one, self.inner.schema())))
    }

    fn __repr__(&self) -> String {
        format!("<Arrow batch of {} rows, {} columns>", self.inner.num_rows(), self.inner.num_columns())
    }
}

/// Batches that are decided when they are read. They can be read once.
#[pyclass(frozen, module = "comity._comity")]
pub(crate) struct NativeStream {
    schema: SchemaRef,
    reader: Mutex<Option<Box<dyn RecordBatchReader + Send>>>,
}

#[pymethods]
impl NativeStream {
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        capsule::export_schema(py, &self.schema)
    }

    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        let reader = self.reader.lock().unwrap_or_else(PoisonError::into_inner).take();
        match reader {
            Some(reader) => capsule::export_stream(py, reader),
            None => {
                Err(errors::batch("the stream was already read: decide the data again to get another stream"))
            }
        }
    }

    /// Returns an iterator of the decided batches, as `RecordBatch` of pyarrow.
    fn __iter__<'py>(slf: Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let class = slf.py().import("pyarrow")?.getattr("RecordBatchReader")?;
        Ok(class.call_method1("from_stream", (slf,))?.try_iter()?.into_any())
    }

    fn __repr__(&self) -> String {
        format!("<Arrow stream of {} columns>", self.schema.fields().len())
    }
}

/// Reader that decides the batches of a stream.
struct DecidingReader {
    batches: Batches,
    auditors: Arc<Auditors>,
    schema: SchemaRef,
    /// Parts of a batch that are ready to be returned.
    ready: VecDeque<RecordBatch>,
    ended: bool,
}

impl DecidingReader {
    fn decide_next(&mut self) -> Option<Result<RecordBatch, ArrowError>> {
        let wrong = |error: String| Some(Err(ArrowError::ComputeError(error)));
        loop {
            if let Some(batch) = self.ready.pop_front() {
                return Some(Ok(batch));
            }
            let batch = match self.batches.next()? {
                Ok(batch) => batch,
                // The closure also drops the error, because dropping a Python object requires the interpreter.
                Err(error) => {
                    return wrong(Python::attach(move |py| error.into_value(py).bind(py).to_string()));
                }
            };
            match self.auditors.decide_in_parts(&batch) {
                Ok(parts) => self.ready.extend(parts),
                Err(error) => return wrong(error.to_string()),
            }
        }
    }
}

impl Iterator for DecidingReader {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let next = self.decide_next();
        self.ended = !matches!(next, Some(Ok(_)));
        next
    }
}

impl RecordBatchReader for DecidingReader {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}

/// One column, exported through Arrow's methods.
#[pyclass(frozen, module = "comity._comity")]
#[derive(Debug)]
pub(crate) struct NativeColumn {
    inner: ArrayRef,
}

#[pymethods]
impl NativeColumn {
    fn __len__(&self) -> usize {
        self.inner.len()
    }

    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let _ = requested_schema;
        capsule::export_array(py, "origin", &self.inner)
    }
}

/// Returns the origin of a URL, or None.
#[pyfunction]
pub(crate) fn origin(url: crate::input::UrlText<'_>) -> Option<String> {
    comity_arrow::origin(&url).map(std::borrow::Cow::into_owned)
}

/// Returns the origins of a column of URLs.
#[pyfunction]
pub(crate) fn origins(py: Python<'_>, urls: &Bound<'_, PyAny>) -> PyResult<NativeColumn> {
    let (_, urls) = capsule::import_array(urls)?;
    let origins: StringArray = py.detach(|| comity_arrow::origins(&urls)).map_err(error)?;
    Ok(NativeColumn { inner: Arc::new(origins) })
}

/// Returns the names of the output columns in three lists: the default columns, the optional columns about fetching, and
/// the optional columns about use.
#[pyfunction]
pub(crate) fn outputs() -> (Vec<&'static str>, Vec<&'static str>, Vec<&'static str>) {
    let verdicts: Vec<_> = Output::verdicts().into_iter().map(Output::name).collect();
    let usage: Vec<_> = Output::usage().map(Output::name).collect();
    let is_other = |name: &&str| !verdicts.contains(name) && !usage.contains(name);
    let others = Output::all().map(Output::name).filter(is_other).collect();
    (verdicts, others, usage)
}
