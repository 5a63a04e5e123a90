//! Decisions for columns of URLs: `comity.arrow` is their documented form.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use comity::policy::{Mode, Preset};
use comity::robots::Dialect;
use comity::usage::Use;
use comity_audit::{Auditor, Names, Options};
use pyo3::exceptions::PyValueError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::agent::AgentLike;
use crate::{capsule, errors};

/// What decides; `comity.arrow.Auditor` is its documented form.
#[pyclass(frozen, module = "comity._comity")]
#[derive(Debug)]
pub(crate) struct ArrowAuditor {
    inner: Arc<Mutex<Auditor>>,
}

#[pymethods]
impl ArrowAuditor {
    #[new]
    #[pyo3(signature = (*, agent, preset, mode, dialect, names, columns, usage, prefix, append, cache_bytes))]
    #[allow(clippy::too_many_arguments, reason = "keyword arguments")]
    fn new(
        agent: Option<AgentLike<'_, '_>>,
        preset: &str,
        mode: Option<&str>,
        dialect: Option<&str>,
        names: [Option<String>; 6],
        columns: Option<Vec<String>>,
        usage: Vec<String>,
        prefix: String,
        append: bool,
        cache_bytes: usize,
    ) -> PyResult<Self> {
        let mut options = Options::default();
        options.agent = agent.map(|agent| agent.to_agent());
        options.preset = preset.parse::<Preset>().map_err(errors::unknown)?;
        options.mode = mode.map(|name| name.parse::<Mode>()).transpose().map_err(errors::unknown)?;
        options.dialect = dialect.map(|name| name.parse::<Dialect>()).transpose().map_err(errors::unknown)?;
        options.names = Names::default();
        let [url, agent, robots, status, failure, key] = names;
        (options.names.url, options.names.agent, options.names.robots) = (url, agent, robots);
        (options.names.status, options.names.failure, options.names.key) = (status, failure, key);
        if let Some(columns) = columns {
            let columns = columns.iter().map(|name| name.parse());
            options.columns = columns.collect::<Result<_, _>>().map_err(errors::unknown)?;
        }
        options.usage = usage.iter().map(|name| use_of(name)).collect::<PyResult<_>>()?;
        (options.prefix, options.append, options.cache_bytes) = (prefix, append, cache_bytes);
        Ok(ArrowAuditor { inner: Arc::new(Mutex::new(Auditor::new(options))) })
    }

    /// Takes the answers from a table of their own.
    fn set_answers(&self, py: Python<'_>, table: &Bound<'_, PyAny>) -> PyResult<()> {
        let batches = match table.hasattr(intern!(py, "__arrow_c_stream__"))? {
            true => {
                let stream = capsule::stream_of(table)?;
                py.detach(|| stream.collect::<Result<Vec<_>, _>>()).map_err(arrow)?
            }
            false => vec![capsule::batch_of(table)?],
        };
        py.detach(|| lock(&self.inner).set_answers(&batches)).map_err(errors::batch)
    }

    /// Decides the rows of one batch.
    fn decide_batch(&self, py: Python<'_>, batch: &Bound<'_, PyAny>) -> PyResult<ArrowBatch> {
        let batch = capsule::batch_of(batch)?;
        let batch = py.detach(|| lock(&self.inner).decide(&batch)).map_err(errors::batch)?;
        Ok(ArrowBatch { batch })
    }

    /// Decides batch after batch, each when it is asked for.
    fn decide_stream(&self, py: Python<'_>, batches: &Bound<'_, PyAny>) -> PyResult<ArrowStream> {
        let given = capsule::stream_of(batches)?;
        // What is wrong with the columns is said now, not by whoever reads the stream.
        let none = RecordBatch::new_empty(given.schema());
        let schema = py.detach(|| lock(&self.inner).decide(&none)).map_err(errors::batch)?.schema();
        let auditor = Arc::clone(&self.inner);
        let decided = Decided { auditor, given, schema: Arc::clone(&schema), rest: None };
        Ok(ArrowStream { schema, batches: Mutex::new(Some(Box::new(decided))) })
    }
}

/// A use by its name.
fn use_of(name: &str) -> PyResult<Use> {
    let found = Use::ALL.into_iter().find(|usage| usage.as_str() == name);
    found.ok_or_else(|| {
        let known: Vec<_> = Use::ALL.into_iter().map(Use::as_str).collect();
        errors::unknown(format!("there is no use `{name}`; there are {}", known.join(", ")))
    })
}

/// An auditor is whole whenever the lock is free, or has cached less than it might.
fn lock(auditor: &Mutex<Auditor>) -> MutexGuard<'_, Auditor> {
    auditor.lock().unwrap_or_else(PoisonError::into_inner)
}

fn arrow(error: ArrowError) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// A record batch, for any library that takes Arrow's PyCapsule interface.
#[pyclass(frozen, module = "comity._comity")]
#[derive(Debug)]
pub(crate) struct ArrowBatch {
    batch: RecordBatch,
}

#[pymethods]
impl ArrowBatch {
    /// The capsules of the schema and the struct array. The batch stays: it can be handed out any number of times.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
        // The interface lets a producer that cannot cast ignore the request.
        drop(requested_schema);
        capsule::batch_capsules(py, &self.batch)
    }

    /// The capsule of the schema.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        capsule::schema_capsule(py, self.batch.schema_ref())
    }

    fn __len__(&self) -> usize {
        self.batch.num_rows()
    }

    fn __repr__(&self) -> String {
        format!("<ArrowBatch: {} rows, {} columns>", self.batch.num_rows(), self.batch.num_columns())
    }
}

/// A stream of record batches, for any library that takes Arrow's PyCapsule interface. It can be read once.
#[pyclass(frozen, module = "comity._comity")]
pub(crate) struct ArrowStream {
    schema: SchemaRef,
    batches: Mutex<Option<Box<dyn RecordBatchReader + Send>>>,
}

#[pymethods]
impl ArrowStream {
    /// The capsule of the stream.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        drop(requested_schema);
        let batches = self.batches.lock().unwrap_or_else(PoisonError::into_inner).take();
        match batches {
            Some(batches) => capsule::stream_capsule(py, batches),
            None => {
                Err(PyValueError::new_err("this stream was read before: decide again, or keep the table"))
            }
        }
    }

    /// The capsule of the schema.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        capsule::schema_capsule(py, &self.schema)
    }

    fn __repr__(&self) -> String {
        format!("<ArrowStream: {} columns>", self.schema.fields().len())
    }
}

/// A batch that comes is decided in parts of no more than so many rows, so that no column of texts grows too long.
const MOST_ROWS: usize = 1 << 17;

/// The batches of a stream, decided as they are asked for.
struct Decided {
    auditor: Arc<Mutex<Auditor>>,
    given: Box<dyn RecordBatchReader + Send>,
    schema: SchemaRef,
    rest: Option<RecordBatch>,
}

impl Iterator for Decided {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let batch = match self.rest.take() {
            Some(rest) => rest,
            None => match self.given.next()? {
                Ok(batch) => batch,
                Err(error) => return Some(Err(error)),
            },
        };
        let rows = batch.num_rows().min(MOST_ROWS);
        if rows < batch.num_rows() {
            self.rest = Some(batch.slice(rows, batch.num_rows() - rows));
        }
        let decided = lock(&self.auditor).decide(&batch.slice(0, rows));
        Some(decided.map_err(|error| ArrowError::InvalidArgumentError(error.to_string())))
    }
}

impl RecordBatchReader for Decided {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }
}
