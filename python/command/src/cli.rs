//! The command `comity`, run inside Python.

use std::ffi::OsString;

use pyo3::prelude::*;

/// Runs the command with these arguments, which do not include the program name, and returns its exit code.
///
/// The command uses the process's file descriptors, not `sys.stdin` and `sys.stdout`.
#[pyfunction]
pub(crate) fn run(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    // The command is always called `comity`, however the interpreter was started.
    let arguments: Vec<OsString> = std::iter::once("comity".into()).chain(arguments).collect();
    py.detach(|| comity_cli::run(arguments))
}
