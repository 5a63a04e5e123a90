//! The command `comity`, inside of Python.

use std::ffi::OsString;

use pyo3::prelude::*;

/// Runs the command with these arguments, without its own name, and returns its exit code.
///
/// It reads and prints through the file descriptors, not through `sys.stdin` and `sys.stdout`.
#[pyfunction]
pub(crate) fn run(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    // However the interpreter was called, the command is called `comity`.
    let arguments: Vec<OsString> = std::iter::once("comity".into()).chain(arguments).collect();
    py.detach(|| comity_cli::run(arguments))
}
