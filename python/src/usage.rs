//! Usage preferences: the permitted uses of content.

use comity::usage::{LicenseDocument, Tdmrep, Usage, Vocabulary};
use pyo3::prelude::*;

use crate::agent::AgentLike;
use crate::input::{BytesLike, Fields, UrlText};
use crate::page::facts;
use crate::robots::Robots;
use crate::{data, errors};

/// Returns the usage preferences of all signals for a URL. `comity.usage.report` is the public function.
#[pyfunction]
#[pyo3(signature = (url, agent, *, robots, headers, html, tdmrep, rsl, user, place, vocabulary))]
#[allow(clippy::too_many_arguments, reason = "keyword arguments")]
pub(crate) fn usage_report<'py>(
    py: Python<'py>,
    url: UrlText<'_>,
    agent: AgentLike<'_, '_>,
    robots: Option<&Bound<'_, Robots>>,
    headers: Option<Fields>,
    html: Option<Bound<'_, PyAny>>,
    tdmrep: Option<BytesLike<'_>>,
    rsl: Vec<Bound<'_, PyAny>>,
    user: Option<String>,
    place: Option<String>,
    vocabulary: &str,
) -> PyResult<Bound<'py, PyAny>> {
    let agent = agent.to_agent(py, robots.map(|robots| robots.get().txt(py)))?;
    let tdmrep = tdmrep.map(|file| Tdmrep::parse(&file)).transpose().map_err(errors::unreadable)?;
    let licenses = rsl
        .iter()
        .map(|text| LicenseDocument::parse(&text.extract::<BytesLike<'_>>()?).map_err(errors::unreadable))
        .collect::<PyResult<Vec<_>>>()?;
    let fields = headers.unwrap_or_default();
    let headers = fields.headers()?;
    let vocabulary = vocabulary.parse::<Vocabulary>().map_err(errors::unknown)?;
    let mut usage = Usage::with_vocabulary(&agent, vocabulary).headers(&headers);
    if let Some(robots) = robots {
        usage = usage.robots(robots.get().txt(py));
    }
    if let Some(html) = html {
        let charset = headers.charset();
        usage = usage.html(&facts(&html, charset.as_deref())?);
    }
    if let Some(tdmrep) = &tdmrep {
        usage = usage.tdmrep(tdmrep);
    }
    for document in &licenses {
        usage = usage.rsl(document);
    }
    if let Some(user) = user {
        usage = usage.user(user);
    }
    if let Some(place) = place {
        usage = usage.place(place);
    }
    data::build(py, "usage.Report", &usage.report(&*url).map_err(errors::url)?)
}
