//! llms.txt: a list of pages that a site recommends to language models.

use std::str::FromStr;

use comity::llms::{self, Reader, Strategy};
use pyo3::prelude::*;
use url::Url;

use crate::input::{BytesLike, UrlText};
use crate::{data, errors};

/// A parsed llms.txt: hints of a site for language models. The file grants no permission.
///
///     >>> llms = LlmsTxt.parse("# Reed\n\n> Tools.\n\n## Docs\n\n- [Start](https://example.com/start.md): how\n")
///     >>> llms.grade
///     'H1, summary and sections with links'
///     >>> [link.target for link in llms.links]
///     ['https://example.com/start.md']
#[pyclass(frozen, module = "comity.llms")]
#[derive(Debug)]
pub(crate) struct LlmsTxt {
    inner: llms::LlmsTxt,
}

#[pymethods]
impl LlmsTxt {
    /// Parses a body. Relative links are resolved against `url`, the URL of the file, if it is given.
    #[staticmethod]
    #[pyo3(signature = (body, *, url = None, charset = None, max_bytes = None, max_links = None))]
    fn parse(
        py: Python<'_>,
        body: BytesLike<'_>,
        url: Option<UrlText<'_>>,
        charset: Option<&str>,
        max_bytes: Option<usize>,
        max_links: Option<usize>,
    ) -> PyResult<Self> {
        let mut reader = Reader::new();
        if let Some(url) = &url {
            reader = reader.url(url_of(url)?);
        }
        if let Some(charset) = charset {
            reader = reader.charset(charset);
        }
        if let Some(bytes) = max_bytes {
            reader = reader.max_bytes(bytes);
        }
        if let Some(links) = max_links {
            reader = reader.max_links(links);
        }
        Ok(LlmsTxt { inner: py.detach(|| reader.read(&*body)) })
    }

    /// The kind of the body: `llms_txt`, or another kind such as `markdown` or `html`.
    #[getter]
    fn kind(&self) -> &'static str {
        self.inner.kind().as_str()
    }

    /// The grade of conformance to the llms.txt proposal, in words.
    #[getter]
    fn grade(&self) -> &'static str {
        self.inner.grade().as_str()
    }

    /// The grade as a number, from 0 to 4.
    #[getter]
    fn grade_level(&self) -> u8 {
        self.inner.grade().level()
    }

    /// The text of the H1 heading.
    #[getter]
    fn title(&self) -> Option<&str> {
        self.inner.title().map(|passage| passage.text())
    }

    /// The text of the blockquote below the title.
    #[getter]
    fn summary(&self) -> Option<&str> {
        self.inner.summary().map(|passage| passage.text())
    }

    /// The text between the title or summary and the first section.
    #[getter]
    fn details(&self) -> Option<&str> {
        self.inner.details().map(|passage| passage.text())
    }

    /// The sections, with their links.
    #[getter]
    fn sections<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        data::build_all(py, "llms.Section", self.inner.sections())
    }

    /// Every link, in the order of the file.
    #[getter]
    fn links<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        data::build_all(py, "llms.Link", self.inner.links())
    }

    /// The findings.
    #[getter]
    fn findings<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        data::build_all(py, "findings.Finding", self.inner.findings())
    }

    /// True if the file exceeds a limit, so that its end was not read.
    #[getter]
    fn truncated(&self) -> bool {
        self.inner.is_truncated()
    }

    /// Returns the URLs that may have the content of a page, best first. `strategy` is `prefer`, `force` or `disabled`.
    ///
    /// A candidate may be fetched only if the robots.txt of its own origin allows it.
    #[pyo3(signature = (page, strategy = "prefer"))]
    fn candidates<'py>(
        &self,
        py: Python<'py>,
        page: UrlText<'_>,
        strategy: &str,
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let strategy = Strategy::from_str(strategy).map_err(|_| {
            errors::unknown(format!("unknown strategy `{strategy}`; must be one of: disabled, prefer, force"))
        })?;
        let found = llms::candidates(&url_of(&page)?, Some(&self.inner), strategy);
        data::build_all(py, "llms.Candidate", found)
    }

    /// Returns the file as a dictionary with the field names of the command's JSON.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        data::plain(py, &self.inner)
    }

    fn __repr__(&self) -> String {
        let (kind, links) = (self.inner.kind().as_str(), self.inner.links().count());
        format!("<LlmsTxt {kind}: grade {}, {links} link{}>", self.grade(), if links == 1 { "" } else { "s" })
    }
}

/// Returns the first deviation from the proposal's form as a `Finding`, or None if the body has no deviation.
#[pyfunction]
pub(crate) fn check_strict<'py>(py: Python<'py>, body: BytesLike<'_>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let broken = py.detach(|| llms::check_strict(&*body));
    broken.map(|finding| data::build(py, "findings.Finding", &finding)).transpose()
}

fn url_of(url: &UrlText<'_>) -> PyResult<Url> {
    let text = url.text()?;
    Url::parse(text).map_err(|error| errors::bad_url(text, error))
}

/// Returns the URLs at which sites may publish a Markdown form of a page.
#[pyfunction]
pub(crate) fn markdown_variants(page: UrlText<'_>) -> PyResult<Vec<String>> {
    Ok(llms::markdown_variants(&url_of(&page)?).into_iter().map(String::from).collect())
}
