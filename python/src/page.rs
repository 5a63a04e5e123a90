//! Page directives: `X-Robots-Tag`, `Robots-Tag`, meta robots.

use std::str::FromStr;

use comity::html;
use comity::page::{self, Profile};
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::input::{BytesLike, Fields, Moment};
use crate::{agent, data, errors};

/// The directives of a page and its header: what they ask of those who use the page.
///
/// None of it forbids to fetch the page; that is for robots.txt.
///
///     >>> directives = PageDirectives({"X-Robots-Tag": "noindex"}, html="<meta name=robots content=nofollow>")
///     >>> [warning.warning for warning in directives.outcome("examplebot").warnings]
///     ['do_not_index', 'do_not_follow']
#[pyclass(frozen, module = "comity.page")]
#[derive(Debug)]
pub(crate) struct PageDirectives {
    inner: page::PageDirectives,
}

#[pymethods]
impl PageDirectives {
    /// Reads header fields, and a page's HTML if there is one.
    #[new]
    #[pyo3(signature = (headers = None, html = None, *, charset = None))]
    fn new(headers: Option<Fields>, html: Option<Bound<'_, PyAny>>, charset: Option<&str>) -> PyResult<Self> {
        let fields = headers.unwrap_or_default();
        let headers = fields.headers()?;
        let mut inner = page::PageDirectives::of_header(&headers);
        if let Some(html) = html {
            let charset = charset.map(str::to_owned).or_else(|| headers.charset());
            inner = inner.and_page(&facts(&html, charset.as_deref())?);
        }
        Ok(PageDirectives { inner })
    }

    /// Every directive, in the order of header and page.
    #[getter]
    fn statements<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        data::build_all(py, "page.Statement", self.inner.statements())
    }

    /// Returns the findings.
    #[getter]
    fn findings<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        data::build_all(py, "findings.Finding", self.inner.findings())
    }

    /// Returns what the directives come to for a crawler, by its product token, under a profile (`google`, `bing`,
    /// `yandex` or `draft`), at a time. Raises `TokenError` for a text that is no token; `*` is no crawler in particular.
    #[pyo3(signature = (token, profile = "google", now = None))]
    fn outcome<'py>(
        &self,
        py: Python<'py>,
        token: &str,
        profile: &str,
        now: Option<Moment>,
    ) -> PyResult<Bound<'py, PyAny>> {
        agent::check(token)?;
        let profile = Profile::from_str(profile).map_err(errors::unknown)?;
        data::build(py, "page.Outcome", &self.inner.outcome(token, profile, Moment::or_now(now)))
    }

    fn __repr__(&self) -> String {
        let count = self.inner.statements().len();
        format!("<PageDirectives: {count} statement{}>", if count == 1 { "" } else { "s" })
    }
}

impl PageDirectives {
    /// Wraps directives that were already parsed.
    pub(crate) fn of(inner: page::PageDirectives) -> Self {
        PageDirectives { inner }
    }
}

/// Returns the statements in a page's HTML about its use. A `str` is already decoded, so the charset does not apply to it.
pub(crate) fn facts(page: &Bound<'_, PyAny>, charset: Option<&str>) -> PyResult<html::Facts> {
    let charset = if page.is_instance_of::<PyString>() { Some("utf-8") } else { charset };
    let bytes = page.extract::<BytesLike<'_>>()?;
    Ok(page.py().detach(|| html::FactsOptions::new().charset(charset).read(&bytes)))
}
