//! Hands values of the engine out as dataclasses of the package.
//!
//! A value is serialised to the same words as in JSON, then `comity._data.build` makes the dataclass of it. One way for
//! all types keeps Python and JSON in step; it is for what is asked once per site or page, not once per URL.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use serde::Serialize;

static BUILD: PyOnceLock<Py<PyAny>> = PyOnceLock::new();

/// The dataclass `name` (`module.Class` within the package) of a value.
pub(crate) fn build<'py, T: Serialize + ?Sized>(
    py: Python<'py>,
    name: &str,
    value: &T,
) -> PyResult<Bound<'py, PyAny>> {
    let build = BUILD
        .get_or_try_init(py, || py.import("comity._data")?.getattr("build").map(Bound::unbind))?
        .bind(py);
    build.call1((name, plain(py, value)?))
}

/// The same for each of several.
pub(crate) fn build_all<'py, T: Serialize>(
    py: Python<'py>,
    name: &str,
    values: impl IntoIterator<Item = T>,
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    values.into_iter().map(|value| build(py, name, &value)).collect()
}

/// A value as dictionaries, lists, numbers and strings.
pub(crate) fn plain<'py, T: Serialize + ?Sized>(py: Python<'py>, value: &T) -> PyResult<Bound<'py, PyAny>> {
    Ok(pythonize::pythonize(py, value)?)
}
