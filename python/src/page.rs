//! Page directives: `X-Robots-Tag`, `Robots-Tag`, meta robots.

use std::str::FromStr;

use comity::html;
use comity::page::{self, Profile};
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::input::{BytesLike, Fields, Moment};
use crate::{agent, data, errors};

/// The directives in a page and its HTTP header: restrictions that the site requests from users of the content.
///
/// Directives never forbid a fetch; only robots.txt does.
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
    /// Reads header fields and, if given, the HTML of the page.
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

    /// The directives of the header, followed by the directives of the page.
    #[getter]
    fn statements<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        data::build_all(py, "page.Statement", self.inner.statements())
    }

    /// The findings.
    #[getter]
    fn findings<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        data::build_all(py, "findings.Finding", self.inner.findings())
    }

    /// Returns the combined effect of all directives on a crawler.
    ///
    /// `token` is its product token, or `*` for a crawler that no directive names. `profile` is `google`, `bing`, `yandex`
    /// or `draft`. `now` is compared with `unavailable_after`. Raises `TokenError` for an invalid token.
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

/// Reads the directives and usage statements in a page's HTML. For a `str`, which is already decoded, the charset is ignored.
pub(crate) fn facts(page: &Bound<'_, PyAny>, charset: Option<&str>) -> PyResult<html::Facts> {
    let charset = if page.is_instance_of::<PyString>() { Some("utf-8") } else { charset };
    let bytes = page.extract::<BytesLike<'_>>()?;
    Ok(page.py().detach(|| html::FactsOptions::new().charset(charset).read(&bytes)))
}
