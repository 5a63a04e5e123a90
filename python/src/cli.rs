//! The command `comity`, run inside Python.

use std::ffi::OsString;

use pyo3::prelude::*;

/// Runs the command with these arguments, without its own name, and returns its exit code.
///
/// It reads and prints through the file descriptors, not through `sys.stdin` and `sys.stdout`.
#[pyfunction]
pub(crate) fn run(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    // The command is always called `comity`, however the interpreter was started.
    let arguments: Vec<OsString> = std::iter::once("comity".into()).chain(arguments).collect();
    py.detach(|| comity_cli::run(arguments))
}
