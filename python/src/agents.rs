//! The catalogue of known crawlers.

use comity::agents;
use pyo3::prelude::*;

use crate::data;

/// Every known crawler, sorted by token; `comity.agents.all` is its documented form.
#[pyfunction]
pub(crate) fn all_agents(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyAny>>> {
    data::build_all(py, "agents.KnownAgent", agents::all())
}

/// The crawler with this product token; `comity.agents.known` is its documented form.
#[pyfunction]
pub(crate) fn known_agent<'py>(py: Python<'py>, token: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
    agents::known(token).map(|agent| data::build(py, "agents.KnownAgent", agent)).transpose()
}

/// The crawler that a misspelt token may mean; `comity.agents.closest` is its documented form.
#[pyfunction]
pub(crate) fn closest_agent<'py>(py: Python<'py>, token: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
    agents::closest(token).map(|agent| data::build(py, "agents.KnownAgent", agent)).transpose()
}
