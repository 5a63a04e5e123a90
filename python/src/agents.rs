//! The catalogue of known crawlers.

use comity::agents;
use pyo3::prelude::*;

use crate::data;

/// Returns every known crawler, sorted by token. `comity.agents.all` is the public function.
#[pyfunction]
pub(crate) fn all_agents(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyAny>>> {
    data::build_all(py, "agents.KnownAgent", agents::all())
}

/// Returns the crawler with this product token. `comity.agents.known` is the public function.
#[pyfunction]
pub(crate) fn known_agent<'py>(py: Python<'py>, token: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
    agents::known(token).map(|agent| data::build(py, "agents.KnownAgent", agent)).transpose()
}

/// Returns the crawler whose token is closest to a misspelt token. `comity.agents.closest` is the public function.
#[pyfunction]
pub(crate) fn closest_agent<'py>(py: Python<'py>, token: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
    agents::closest(token).map(|agent| data::build(py, "agents.KnownAgent", agent)).transpose()
}
