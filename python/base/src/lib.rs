//! `comity._comity` of the distribution `comity`.

use pyo3::prelude::*;

/// The compiled module of `comity`; import from `comity` instead.
#[pymodule(gil_used = false)]
fn _comity(module: &Bound<'_, PyModule>) -> PyResult<()> {
    comity_python::add_to(module)
}
