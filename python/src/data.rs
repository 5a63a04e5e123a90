//! Converts values of the engine to dataclasses of the package.
//!
//! A value is serialised in its JSON form, and `comity._data.build` creates the dataclass from it. This single conversion
//! keeps Python and JSON consistent. It is for values that are needed once per site or page, not once per URL.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use serde::Serialize;

static BUILD: PyOnceLock<Py<PyAny>> = PyOnceLock::new();

/// Converts a value to the dataclass `name` (`module.Class` within the package).
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

/// Converts each of several values to the dataclass `name`.
pub(crate) fn build_all<'py, T: Serialize>(
    py: Python<'py>,
    name: &str,
    values: impl IntoIterator<Item = T>,
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    values.into_iter().map(|value| build(py, name, &value)).collect()
}

/// Converts a value to dictionaries, lists, numbers and strings.
///
/// # Errors
///
/// If the value has no such form.
pub fn plain<'py, T: Serialize + ?Sized>(py: Python<'py>, value: &T) -> PyResult<Bound<'py, PyAny>> {
    Ok(pythonize::pythonize(py, value)?)
}
