//! Warnings about the names of crawlers.

use std::collections::HashSet;
use std::ffi::CString;
use std::sync::{Mutex, PoisonError};

use comity::robots::{self, RobotsTxt};
use comity_answers::notice::Notice;
use pyo3::prelude::*;

/// Maximum number of checked names. Further names cause no warnings.
const MAX_NAMES: usize = 10_000;

/// Warns (`comity.errors.ComityWarning`) if the name of a crawler or of a fallback is a probable misspelling or that of a
/// retired crawler. Names in the robots.txt and the catalogue count as correct. Each name is checked once per process, so
/// that programs with many files have no extra cost. A header causes no warnings.
pub(crate) fn warn(py: Python<'_>, agent: &robots::Agent, robots: Option<&RobotsTxt<'_>>) -> PyResult<()> {
    let own = Some(agent.as_str()).filter(|_| !agent.is_header());
    let new: Vec<_> = own.into_iter().chain(agent.fallbacks()).filter(|name| is_new(name)).collect();
    let new: Vec<_> = new.into_iter().map(robots::Agent::token).collect();
    Notice::of_agents(&new, robots).into_iter().try_for_each(|notice| warn_with(py, notice.message, 1))
}

/// Raises a warning (`comity.errors.ComityWarning`) at the caller that is `level` frames up.
pub(crate) fn warn_with(py: Python<'_>, message: String, level: i32) -> PyResult<()> {
    let category = py.import("comity.errors")?.getattr("ComityWarning")?;
    // Messages contain no NUL, because the names in them are shown without control characters.
    match CString::new(message) {
        Ok(message) => PyErr::warn(py, &category, &message, level),
        Err(_) => Ok(()),
    }
}

/// Warns about the token that is passed to `comity.Client`.
#[pyfunction]
pub(crate) fn warn_of_name(py: Python<'_>, token: &str) -> PyResult<()> {
    warn(py, &robots::Agent::token(token), None)
}

/// Returns true if the name was not checked before.
fn is_new(name: &str) -> bool {
    static SEEN: Mutex<Option<HashSet<String>>> = Mutex::new(None);
    // The set is valid even after a panic, because names are only added.
    let mut seen = SEEN.lock().unwrap_or_else(PoisonError::into_inner);
    let seen = seen.get_or_insert_default();
    !seen.contains(name) && seen.len() < MAX_NAMES && seen.insert(name.to_owned())
}
