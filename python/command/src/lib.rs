//! `comity._comity` of the distribution `comity-command`: the bindings of `comity` with audits and the command.
//!
//! This module replaces the module of `comity`. A second module would not work, because an audit uses the caller's client,
//! and a class of one extension module cannot be used in another one.

// PyO3 passes arguments by value.
#![allow(clippy::needless_pass_by_value, reason = "signatures are Python's")]

mod audit;
mod cli;

use pyo3::prelude::*;

/// The compiled module of `comity`; import from `comity` instead.
#[pymodule(gil_used = false)]
fn _comity(module: &Bound<'_, PyModule>) -> PyResult<()> {
    comity_python::add_to(module)?;
    module.add_function(wrap_pyfunction!(audit::audit, module)?)?;
    module.add_function(wrap_pyfunction!(audit::audit_index, module)?)?;
    module.add_function(wrap_pyfunction!(audit::audit_report, module)?)?;
    module.add_function(wrap_pyfunction!(audit::audit_verify, module)?)?;
    module.add_function(wrap_pyfunction!(cli::run, module)?)
}
