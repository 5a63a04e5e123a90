//! Warnings about the names of crawlers.

use std::collections::HashSet;
use std::ffi::CString;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use comity::robots::{self, RobotsTxt};
use comity_answers::notice::Notice;
use pyo3::prelude::*;

/// Maximum number of checked names. Further names cause no warnings.
const MAX_NAMES: usize = 10_000;

/// Warns (`comity.errors.ComityWarning`) if the name of a crawler or of a fallback is a probable misspelling or that of a
/// retired crawler. A name in the robots.txt counts as correct. Each name is checked once per process, so that programs
/// with many files have no extra cost. A header causes no warnings.
pub(crate) fn warn(py: Python<'_>, agent: &robots::Agent, robots: Option<&RobotsTxt<'_>>) -> PyResult<()> {
    let new: Vec<_> = names(agent).filter(|name| is_new(name)).collect();
    let new: Vec<_> = new.into_iter().map(robots::Agent::unchecked_token).collect();
    Notice::of_agents(&new, robots).into_iter().try_for_each(|notice| warn_with(py, notice.message, 1))
}

/// Raises a warning (`comity.errors.ComityWarning`) at the caller that is `level` frames up.
///
/// # Errors
///
/// If the program's warning filter turns the warning into an exception.
pub fn warn_with(py: Python<'_>, message: String, level: i32) -> PyResult<()> {
    let category = py.import("comity.errors")?.getattr("ComityWarning")?;
    // Messages contain no NUL, because the names in them are shown without control characters.
    match CString::new(message) {
        Ok(message) => PyErr::warn(py, &category, &message, level),
        Err(_) => Ok(()),
    }
}

/// Warns if the token that is passed to `comity.Client` is probably misspelt, or that of a retired crawler.
#[pyfunction]
pub(crate) fn warn_of_name(py: Python<'_>, token: &str) -> PyResult<()> {
    warn(py, &robots::Agent::unchecked_token(token), None)
}

/// Returns the names of an agent that can cause a warning.
fn names(agent: &robots::Agent) -> impl Iterator<Item = &str> {
    Some(agent.as_str()).filter(|_| !agent.is_header()).into_iter().chain(agent.fallbacks())
}

/// Returns true if no name of an agent can cause a warning any more.
pub(crate) fn is_known(agent: &robots::Agent) -> bool {
    let seen = seen();
    names(agent).all(|name| seen.contains(name)) || seen.len() >= MAX_NAMES
}

/// Returns true if the name was not checked before.
fn is_new(name: &str) -> bool {
    let mut seen = seen();
    !seen.contains(name) && seen.len() < MAX_NAMES && seen.insert(name.to_owned())
}

/// Returns the names that were checked. The set is valid even after a panic, because names are only added.
fn seen() -> MutexGuard<'static, HashSet<String>> {
    static SEEN: LazyLock<Mutex<HashSet<String>>> = LazyLock::new(Mutex::default);
    SEEN.lock().unwrap_or_else(PoisonError::into_inner)
}
