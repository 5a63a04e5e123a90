//! Rules for one crawler.

use std::sync::Arc;

use comity::decision::ContenderRecord;
use comity::robots;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyString};

use crate::decision::Decision;
use crate::input::UrlText;
use crate::{data, errors};

/// The rules of a robots.txt for one crawler. A crawler can store this object for each host.
///
/// The object does not contain the file, so it cannot be pickled. For another process, pickle the `Robots`, and call its
/// `rules_for` there.
#[pyclass(frozen, module = "comity")]
#[derive(Debug)]
pub(crate) struct Rules {
    pub(crate) inner: Arc<robots::Rules>,
}

#[pymethods]
impl Rules {
    /// The name of the dialect.
    #[getter]
    fn dialect(&self) -> &'static str {
        self.inner.dialect().name()
    }

    /// The name by which the group was chosen, such as the crawler's own, a fallback's, or `*`; None without a group.
    #[getter]
    fn group(&self) -> Option<&str> {
        self.inner.group()
    }

    /// Returns True if a URL may be fetched. `decide` also returns the evidence.
    fn is_allowed(&self, url: &Bound<'_, PyAny>) -> PyResult<bool> {
        is_allowed(&self.inner, url)
    }

    /// Decides several URLs, such as the links of a page. Returns True for each URL that may be fetched, and None for text
    /// that the dialect does not accept as a URL. One call is faster than a call of `is_allowed` per URL.
    fn are_allowed(&self, urls: &Bound<'_, PyAny>) -> PyResult<Vec<Option<bool>>> {
        are_allowed(&self.inner, urls)
    }

    /// Decides one URL, and returns the decision with its evidence.
    fn decide(&self, url: UrlText<'_>) -> PyResult<Decision> {
        Decision::by_rules(Arc::clone(&self.inner), &url)
    }

    /// Returns every rule that matches a URL, in order of precedence and with its role. `Robots.explain` also returns the
    /// decision and the groups of the file.
    fn contenders<'py>(&self, py: Python<'py>, url: UrlText<'_>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let found = self.inner.contenders(&*url).map_err(errors::url)?;
        contenders(py, found.iter().map(|contender| contender.to_record()))
    }

    /// The crawl delay for the crawler, in seconds, or None if the file has none.
    #[getter]
    fn crawl_delay(&self) -> Option<f64> {
        self.inner.crawl_delay().map(|delay| delay.as_secs_f64())
    }

    /// The request rate for the crawler (documents per period), or None if the file has none.
    #[getter]
    fn request_rate<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        request_rate(py, &self.inner)
    }

    /// The part of the day, in UTC, in which the crawler should visit, or None if the file has none.
    #[getter]
    fn visit_time<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        visit_time(py, &self.inner)
    }

    /// The memory that the rules use in addition to the object itself, in bytes.
    #[getter]
    fn heap_bytes(&self) -> usize {
        self.inner.heap_bytes()
    }

    fn __len__(&self) -> usize {
        self.inner.len()
    }

    /// Returns an iterator of the rules, in order of precedence.
    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let rules = data::build_all(py, "decisions.Rule", self.inner.iter().map(|rule| rule.to_record()))?;
        Ok(rules.into_pyobject(py)?.try_iter()?.into_any())
    }

    fn __repr__(&self) -> String {
        let count = self.inner.len();
        let rules = if count == 1 { "rule" } else { "rules" };
        match self.inner.group() {
            Some(group) => format!("<Rules {}: {count} {rules} of the group `{group}`>", self.dialect()),
            None => format!("<Rules {}: no group applies to the crawler>", self.dialect()),
        }
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(PyTypeError::new_err(
            "Rules cannot be pickled, because they do not contain the file: pickle the Robots, and call its rules_for \
             in the other process",
        ))
    }
}

/// Returns true if a URL may be fetched.
pub(crate) fn is_allowed(rules: &robots::Rules, url: &Bound<'_, PyAny>) -> PyResult<bool> {
    UrlText::with_bytes(url, |url| rules.is_allowed(url))?.map_err(errors::url)
}

/// Returns true for each URL that may be fetched, and `None` for text that the dialect does not accept as a URL.
pub(crate) fn are_allowed(rules: &robots::Rules, urls: &Bound<'_, PyAny>) -> PyResult<Vec<Option<bool>>> {
    // The result of `urlsplit` is a tuple. Without the check for `geturl`, its elements would count as several URLs.
    if urls.cast::<PyString>().is_ok() || urls.cast::<PyBytes>().is_ok() || urls.hasattr("geturl")? {
        return Err(PyTypeError::new_err("pass several URLs, such as a list; for one URL, call is_allowed"));
    }
    let answer = |url: &Bound<'_, PyAny>| UrlText::with_bytes(url, |url| rules.is_allowed(url).ok());
    match urls.cast::<PyList>() {
        Ok(list) => list.iter().map(|url| answer(&url)).collect(),
        Err(_) => urls.try_iter()?.map(|url| answer(&url?)).collect(),
    }
}

/// Converts the rules that matched a URL to dataclasses.
pub(crate) fn contenders<'py>(
    py: Python<'py>,
    contenders: impl IntoIterator<Item = ContenderRecord>,
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    data::build_all(py, "decisions.Contender", contenders)
}

/// Returns a request rate as a dataclass.
pub(crate) fn request_rate<'py>(
    py: Python<'py>,
    rules: &robots::Rules,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    rules.request_rate().map(|rate| data::build(py, "robots.RequestRate", &rate)).transpose()
}

/// Returns a visit time as a dataclass.
pub(crate) fn visit_time<'py>(py: Python<'py>, rules: &robots::Rules) -> PyResult<Option<Bound<'py, PyAny>>> {
    rules.visit_time().map(|window| data::build(py, "robots.VisitTime", &window)).transpose()
}
