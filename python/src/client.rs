//! HTTP client for `comity.Client` and `comity.AsyncClient`. One class serves both: with `is_async`, its methods return
//! futures.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use comity::decision::DecisionRecord;
use comity::html::Facts;
use comity::page::PageDirectives as Directives;
use comity::policy::Failure;
use comity::sitemap::Item;
use comity_answers::url::web_url;
use comity_client::retrieval;
use comity_client::settings::{self, Setting, Settings, ValueKind};
use comity_client::{Cause, Client, Discovery, DiscoveryStep, FetchError, FetchOptions, Origin, Remedy};
use http::StatusCode;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyDict, PyList, PyTuple};
use serde::Serialize;
use tokio::runtime::Handle;

use crate::admission::NativeAdmission;
use crate::crawl::NativeCrawl;
use crate::decision::Decision;
use crate::input::{Fields, UrlText, texts};
use crate::page::PageDirectives;
use crate::testing::NativeWeb;
use crate::waiting::Runner;
use crate::{data, errors};

/// Value that only the creating process may use. After a fork, the locks and connections of the value still belong to the
/// parent process.
#[derive(Debug)]
pub(crate) struct ProcessBound<T> {
    value: Option<T>,
    runner: Runner,
}

impl<T> ProcessBound<T> {
    pub(crate) fn new(value: T, runner: Runner) -> Self {
        ProcessBound { value: Some(value), runner }
    }

    pub(crate) fn get(&self) -> PyResult<&T> {
        if !self.runner.is_ours() {
            return Err(errors::forked());
        }
        self.value.as_ref().ok_or_else(errors::closed)
    }

    /// Takes the value and returns it for dropping. In a forked process, leaks the value and returns None.
    pub(crate) fn take(&mut self) -> Option<T> {
        let value = self.value.take();
        if !self.runner.is_ours() {
            std::mem::forget(value);
            return None;
        }
        value
    }
}

impl<T> Drop for ProcessBound<T> {
    fn drop(&mut self) {
        drop(self.take());
    }
}

/// The client behind `comity.Client` and `comity.AsyncClient`.
#[derive(Debug)]
#[pyclass(frozen, module = "comity._comity")]
pub struct NativeClient {
    client: Mutex<ProcessBound<Client>>,
    runner: Runner,
    is_async: bool,
}

#[pymethods]
impl NativeClient {
    /// Creates a client; with `web`, one that sends its requests there.
    #[new]
    #[pyo3(signature = (settings, is_async, web = None))]
    fn new(
        py: Python<'_>,
        settings: &Bound<'_, PyDict>,
        is_async: bool,
        web: Option<&Bound<'_, NativeWeb>>,
    ) -> PyResult<Self> {
        let settings = read_settings(settings)?;
        let runner = Runner::of_process()?;
        crate::log::follow(py);
        let web = web.map(|web| web.get());
        let client = py.detach(|| {
            runner.inside(|| {
                let store = settings.store.open().map_err(errors::store)?;
                let guard = settings.guard.clone();
                let mut builder = Client::with_settings(settings).shared_store(store);
                if let Some(web) = web {
                    builder = web.connect(builder, &guard);
                }
                builder.build().map_err(errors::setting)
            })
        })?;
        let client = ProcessBound::new(client, runner.clone());
        Ok(NativeClient { client: Mutex::new(client), runner, is_async })
    }

    /// Fetches a URL. `llms` names the strategy for other forms of the page: `disabled`, `prefer` or `force`.
    #[allow(clippy::too_many_arguments, reason = "keyword arguments")]
    fn fetch<'py>(
        &self,
        py: Python<'py>,
        url: UrlText<'_>,
        llms: Option<&str>,
        headers: Option<Fields>,
        max_wait: Option<f64>,
        timeout: Option<f64>,
        max_bytes: Option<i64>,
        content_types: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (client, url) = (self.client()?, url.text()?.to_owned());
        let usual = client.fetch_options();
        let options = options(usual, llms, headers, max_wait, timeout, max_bytes, content_types)?;
        let problem = web_url(url.as_bytes()).err();
        let future = async move {
            match problem {
                Some(problem) => Err(client.refuse_url(&url, problem.to_string())),
                None => client.fetch_with(url, &options).await,
            }
        };
        self.runner.run(py, self.is_async, future, |py, fetched| match fetched {
            Ok(page) => Ok(Py::new(py, Page::new(page))?.into_any()),
            Err(error) => Err(fetch_error(py, &error)),
        })
    }

    /// Returns the admission of a URL, once a request for it may be sent with another HTTP stack. `call` names the
    /// holder of the admission in the log.
    fn admit<'py>(
        &self,
        py: Python<'py>,
        url: UrlText<'_>,
        max_wait: Option<f64>,
        call: String,
    ) -> PyResult<Bound<'py, PyAny>> {
        let asked = (url.text()?.to_owned(), call);
        NativeAdmission::wait(py, self.client()?, asked, max_wait, &self.runner, self.is_async)
    }

    /// Returns the User-Agent header that the client sends.
    #[getter]
    fn user_agent(&self) -> PyResult<String> {
        Ok(String::from_utf8_lossy(self.client()?.user_agent().as_bytes()).into_owned())
    }

    /// Returns a new crawl, to which URLs are added later.
    #[allow(clippy::too_many_arguments, reason = "keyword arguments")]
    fn crawl(
        &self,
        jobs: Option<usize>,
        max_queued: Option<usize>,
        llms: Option<&str>,
        headers: Option<Fields>,
        max_wait: Option<f64>,
        timeout: Option<f64>,
        max_bytes: Option<i64>,
        content_types: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<NativeCrawl> {
        let client = self.client()?;
        let usual = client.fetch_options();
        let fetch = options(usual, llms, headers, max_wait, timeout, max_bytes, content_types)?;
        let mut crawl = client.crawl_options().clone().fetch(Some(fetch));
        crawl.jobs = jobs.unwrap_or(crawl.jobs);
        crawl.max_queued = max_queued.unwrap_or(crawl.max_queued);
        Ok(NativeCrawl::new(&client, crawl, &self.runner, self.is_async))
    }

    /// Decides a URL without fetching it.
    fn decide<'py>(&self, py: Python<'py>, url: UrlText<'_>) -> PyResult<Bound<'py, PyAny>> {
        let (client, url) = (self.client()?, url.text()?.to_owned());
        origin_of(&url)?;
        let requested = url.clone();
        let future = async move { client.decide(url).await };
        self.runner.run(py, self.is_async, future, move |py, decided| match decided {
            Ok(record) => Ok(Py::new(py, Decision::by_record(record))?.into_any()),
            Err(cause) => Err(decision_error(py, &requested, cause)),
        })
    }

    /// Returns the crawl delay in a site's robots.txt, in seconds.
    fn crawl_delay<'py>(&self, py: Python<'py>, url: UrlText<'_>) -> PyResult<Bound<'py, PyAny>> {
        let (client, url) = (self.client()?, url.text()?.to_owned());
        origin_of(&url)?;
        let requested = url.clone();
        let future = async move { client.crawl_delay(url).await };
        self.runner.run(py, self.is_async, future, move |py, delay| match delay {
            Ok(delay) => Ok(delay.map(|delay| delay.as_secs_f64()).into_pyobject(py)?.into_any().unbind()),
            Err(cause) => Err(decision_error(py, &requested, cause)),
        })
    }

    /// Returns the robots.txt of a site with state, status code, reason and body. Requests it if the cache has no fresh
    /// answer.
    fn robots<'py>(&self, py: Python<'py>, url: UrlText<'_>) -> PyResult<Bound<'py, PyAny>> {
        let (client, url) = (self.client()?, url.text()?.to_owned());
        origin_of(&url)?;
        let requested = url.clone();
        let future = async move { client.robots_txt(url).await };
        let class = py.import("comity.client")?.getattr("RobotsFile")?.unbind();
        self.runner.run(py, self.is_async, future, move |py, file| {
            let file = file.map_err(|cause| decision_error(py, &requested, cause))?;
            let body = file.body().map(|body| PyBytes::new(py, body));
            class.call1(py, (file.state(), file.status(), file.reason(), body))
        })
    }

    /// Removes a site's robots.txt from the cache and the store. Returns true if the store had an entry.
    fn forget<'py>(&self, py: Python<'py>, url: UrlText<'_>) -> PyResult<Bound<'py, PyAny>> {
        let (client, origin) = (self.client()?, origin_of(url.text()?)?);
        let future = async move { client.forget(&origin).await };
        self.runner.run(py, self.is_async, future, |py, had| {
            Ok(had.map_err(errors::store)?.into_pyobject(py)?.to_owned().into_any().unbind())
        })
    }

    /// Returns a walk over the sitemaps of a site.
    fn discover(&self, url: UrlText<'_>) -> PyResult<Walk> {
        let state = Step::Origin { client: self.client()?, origin: origin_of(url.text()?)? };
        let state = Arc::new(tokio::sync::Mutex::new(state));
        Ok(Walk { state: ProcessBound::new(state, self.runner.clone()), is_async: self.is_async })
    }

    /// Returns the counters so far.
    fn counters<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        data::plain(py, &self.client()?.counters().snapshot())
    }

    /// Drops the client. Requests in flight continue. A store is closed with the last client that uses it.
    fn close(&self, py: Python<'_>) {
        let client = self.lock().take();
        // Closing the store may write to disk.
        py.detach(|| drop(client));
    }

    /// Returns token, preset and mode.
    fn names(&self) -> PyResult<(String, &'static str, &'static str)> {
        let client = self.client()?;
        Ok((client.agent().as_str().to_owned(), client.preset().name(), client.mode().as_str()))
    }
}

impl NativeClient {
    fn lock(&self) -> std::sync::MutexGuard<'_, ProcessBound<Client>> {
        self.client.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn client(&self) -> PyResult<Client> {
        self.lock().get().cloned()
    }

    /// Returns the client and its runtime.
    ///
    /// # Errors
    ///
    /// If the client is closed, or belongs to another process.
    pub fn client_and_runtime(&self) -> PyResult<(Client, Handle)> {
        Ok((self.client()?, self.runner.handle()))
    }
}

/// Reads the settings. An error names the section and the key.
fn read_settings(settings: &Bound<'_, PyDict>) -> PyResult<Settings> {
    let whole = pythonize::depythonize::<Settings>(settings);
    let error = match whole {
        Ok(settings) => return Ok(settings),
        Err(error) => error,
    };
    let py = settings.py();
    // Reading each key alone finds the one with the error.
    for (section, values) in settings.iter() {
        let Ok(values) = values.cast::<PyDict>() else {
            return Err(errors::setting(format!(
                "{section}: a section must be a mapping of keys to values, not {}{}",
                crate::input::type_name(&values),
                hint(&section)
            )));
        };
        let empty = PyDict::new(py);
        empty.set_item(&section, PyDict::new(py))?;
        if let Err(error) = pythonize::depythonize::<Settings>(&empty) {
            let hint = hint(&section);
            return Err(errors::setting(format!("unknown section `{section}`: {error}{hint}")));
        }
        for (key, value) in values.iter() {
            let (alone, one) = (PyDict::new(py), PyDict::new(py));
            one.set_item(&key, value)?;
            alone.set_item(&section, one)?;
            if let Err(error) = pythonize::depythonize::<Settings>(&alone) {
                return Err(errors::setting(format!("{section}.{key}: {error}{}", hint(&key))));
            }
        }
    }
    Err(errors::setting(error))
}

/// Returns a hint with Comity's name for a setting of another library, or an empty text for an unknown key.
fn hint(key: &Bound<'_, PyAny>) -> String {
    let name = key.extract::<String>().ok();
    name.and_then(|name| settings::new_name(&name))
        .map_or_else(String::new, |new| format!("; Comity's setting is {new}"))
}

/// Returns the keyword arguments of a client, each with the section and key of its setting, and whether it is a list.
#[pyfunction]
pub(crate) fn keywords() -> HashMap<String, (&'static str, &'static str, bool)> {
    let settings = Settings::all().filter(|setting| setting.path() != "agent.token");
    let row = |setting: &Setting| (setting.section, setting.key, setting.form.is_list);
    settings.filter_map(|setting| Some((setting.keyword()?, row(setting)))).collect()
}

/// Returns Comity's name for a setting of another library, if the setting is known.
#[pyfunction]
pub(crate) fn new_name(key: &str) -> Option<&'static str> {
    settings::new_name(key)
}

/// Returns the client's options, overridden by the caller's options.
fn options(
    usual: &FetchOptions,
    llms: Option<&str>,
    headers: Option<Fields>,
    max_wait: Option<f64>,
    timeout: Option<f64>,
    max_bytes: Option<i64>,
    content_types: Option<&Bound<'_, PyAny>>,
) -> PyResult<FetchOptions> {
    let mut options = usual.clone();
    if let Some(name) = llms {
        options.llms = name.parse().map_err(errors::unknown)?;
    }
    if let Some(fields) = headers {
        for (name, value) in fields.headers()?.iter() {
            let value = std::str::from_utf8(value)
                .map_err(|_| errors::setting(format!("the header field `{name}` is not UTF-8")))?;
            options = options.header(name, value).map_err(errors::setting)?;
        }
    }
    match max_wait {
        Some(f64::INFINITY) => options.max_wait = None,
        Some(wait) => options.max_wait = Some(seconds("max_wait", wait)?),
        None => {}
    }
    if let Some(timeout) = timeout {
        options.timeout = seconds("timeout", timeout)?;
    }
    if let Some(bytes) = max_bytes {
        options.max_bytes = usize::try_from(bytes).map_err(|_| {
            errors::setting(format!("max_bytes: `{bytes}` is not a number of bytes, 0 or more"))
        })?;
    }
    if content_types.is_some() {
        options.content_types = texts("content_types", content_types)?;
    }
    Ok(options)
}

/// Converts a number of seconds to a duration. An error names the argument.
pub(crate) fn seconds(name: &str, seconds: f64) -> PyResult<Duration> {
    Duration::try_from_secs_f64(seconds)
        .map_err(|_| errors::setting(format!("{name}: `{seconds}` is not a number of seconds, 0 or more")))
}

fn origin_of(url: &str) -> PyResult<Origin> {
    let (_, origin) = web_url(url.as_bytes()).map_err(errors::not_web_url)?;
    Ok(origin)
}

/// Returns the error for a fetch without a resulting page.
pub(crate) fn fetch_error(py: Python<'_>, error: &FetchError) -> PyErr {
    match data::plain(py, error.record()) {
        Ok(record) => {
            let message = format!("{}: {}", error.record().final_url, message_of(error.cause()));
            errors::fetch(kind_of(error.cause()), message, record)
        }
        Err(error) => error,
    }
}

/// Returns the text of a cause, with the keyword argument that would allow the request.
fn message_of(cause: &Cause) -> String {
    match cause.remedy() {
        Some(remedy) => format!("{cause} ({} {})", keyword_of(&remedy), remedy.effect()),
        None => cause.to_string(),
    }
}

/// Returns a remedy as an argument of a client: `allow_port=[22]`, or `settings={"guard": {…}}` for a setting without a
/// keyword argument.
fn keyword_of(remedy: &Remedy) -> String {
    let setting = remedy.setting();
    let value = match (remedy.value(), setting.form.kind) {
        (None, _) => "...".to_owned(),
        (Some(value), ValueKind::Switch) => if value == "true" { "True" } else { "False" }.to_owned(),
        (Some(value), _) if value.bytes().all(|byte| byte.is_ascii_digit()) => value.to_owned(),
        (Some(value), _) => format!("{value:?}"),
    };
    let value = if setting.form.is_list { format!("[{value}]") } else { value };
    match setting.keyword() {
        Some(keyword) => format!("{keyword}={value}"),
        None => format!("settings={{{:?}: {{{:?}: {value}}}}}", setting.section, setting.key),
    }
}

/// Returns the kind of Python exception for a cause.
fn kind_of(cause: &Cause) -> errors::Fetch {
    match (cause, cause.failure()) {
        (Cause::Wait(_), _) => errors::Fetch::TimedOut,
        _ if cause.is_timeout() => errors::Fetch::TimedOut,
        (_, Some(Failure::Dns | Failure::Tls | Failure::Connection | Failure::Protocol)) => {
            errors::Fetch::ConnectionFailed
        }
        _ if cause.is_refusal() => errors::Fetch::Refused,
        _ => errors::Fetch::Failed,
    }
}

/// Record of a URL that could not be decided or was not admitted: some fields of a fetch's record, and the decision.
#[derive(Serialize)]
struct DecisionErrorRecord<'a> {
    requested_url: &'a str,
    final_url: &'a str,
    outcome: &'static str,
    error: &'a str,
    retry_after_seconds: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    decision: Option<&'a DecisionRecord>,
}

/// Returns the error for a URL that could not be decided.
fn decision_error(py: Python<'_>, url: &str, cause: Cause) -> PyErr {
    match cause {
        Cause::Store(error) => errors::store(error),
        cause => admission_error(py, url, &cause),
    }
}

/// Returns the error for a URL that was not admitted. As in `fetch`, a failed store is a `FetchError`.
pub(crate) fn admission_error(py: Python<'_>, url: &str, cause: &Cause) -> PyErr {
    let message = cause.to_string();
    let decision = match cause {
        Cause::Url(_) => return errors::bad_url(url, message),
        cause => cause.decision(),
    };
    let outcome = cause.outcome().as_str();
    let retry_after_seconds = cause.retry_after(SystemTime::now()).map(|delay| delay.as_secs_f64());
    let record = DecisionErrorRecord {
        requested_url: url,
        final_url: url,
        outcome,
        error: &message,
        retry_after_seconds,
        decision,
    };
    match data::plain(py, &record) {
        Ok(record) => errors::fetch(kind_of(cause), format!("{url}: {}", message_of(cause)), record),
        Err(error) => error,
    }
}

/// An HTTP answer with any status code, and the record of its fetch.
#[pyclass(frozen, module = "comity.client")]
pub(crate) struct Page {
    page: retrieval::Page,
    body: PyOnceLock<Py<PyBytes>>,
    record: PyOnceLock<Py<PyAny>>,
    /// True if the page was unpickled, so that only `record` has its record.
    is_restored: bool,
}

#[pymethods]
impl Page {
    /// The status code. Answers with an error status, such as 404, are pages too.
    #[getter]
    fn status(&self) -> u16 {
        self.page.status().as_u16()
    }

    /// True if the status code is 200 to 299.
    #[getter]
    fn is_success(&self) -> bool {
        self.page.status().is_success()
    }

    /// The URL of the page, after all redirects.
    #[getter]
    fn url(&self) -> &str {
        &self.page.record().final_url
    }

    /// The header fields by lower-case name. The values of a repeated field are joined with commas.
    #[getter]
    fn headers<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let headers = PyDict::new(py);
        for name in self.page.headers().keys() {
            let values = self.page.headers().get_all(name).iter();
            let values: Vec<_> = values.map(|value| String::from_utf8_lossy(value.as_bytes())).collect();
            headers.set_item(name.as_str(), values.join(", "))?;
        }
        Ok(headers)
    }

    /// The header fields, with their values as bytes. Fields of the same name are adjacent.
    #[getter]
    fn raw_headers<'py>(&self, py: Python<'py>) -> Vec<(&str, Bound<'py, PyBytes>)> {
        let fields = self.page.headers().iter();
        fields.map(|(name, value)| (name.as_str(), PyBytes::new(py, value.as_bytes()))).collect()
    }

    /// The body, after decoding of its content encodings.
    #[getter]
    fn body<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        self.body.get_or_init(py, || PyBytes::new(py, self.page.body()).unbind()).bind(py).clone()
    }

    /// The body as text. The charset is that of the byte order mark, else of the header, else of the HTML, else UTF-8.
    #[getter]
    fn text(&self, py: Python<'_>) -> String {
        py.detach(|| self.page.text())
    }

    /// The record of the fetch, with the field names of the command's JSON: hops with their decisions, waits and
    /// attempts, digests, warnings.
    #[getter]
    fn record<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let record =
            self.record.get_or_try_init(py, || data::plain(py, self.page.record()).map(Bound::unbind))?;
        Ok(record.bind(py).clone())
    }

    /// The warnings about the use of the content, each with `kind`, `name` and `message`. They did not block the fetch.
    #[getter]
    fn warnings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.record(py)?.get_item("warnings")
    }

    /// The robots.txt decision about the last URL after redirects.
    #[getter]
    fn decision(&self, py: Python<'_>) -> PyResult<Option<Decision>> {
        if !self.is_restored {
            let decision = self.page.record().hops.last().and_then(|hop| hop.decision.clone());
            return Ok(decision.map(Decision::by_record));
        }
        let hops = self.record(py)?.get_item("hops")?;
        if hops.is_empty()? {
            return Ok(None);
        }
        let decision = hops.get_item(-1)?.get_item("decision")?;
        if decision.is_none() {
            return Ok(None);
        }
        // The decision in a record also has the field `allowed`.
        let fields = PyDict::new(py);
        for field in DecisionRecord::FIELDS {
            if decision.contains(field.name)? {
                fields.set_item(field.name, decision.get_item(field.name)?)?;
            }
        }
        let blocked = decision.get_item("blocked")?.is_truthy()?;
        Decision::_restore(fields, blocked).map(Some)
    }

    /// The usage preferences of all signals, or None if they were not read (`fetch.reads_use`).
    #[getter]
    fn usage<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let usage = self.record(py)?.get_item("usage")?;
        if usage.is_none() { Ok(None) } else { data::build_from(py, "usage.Report", usage).map(Some) }
    }

    /// The directives of the header and the page.
    #[getter]
    fn directives(&self, py: Python<'_>) -> PageDirectives {
        py.detach(|| {
            let directives = Directives::of_header(&self.page.fields());
            PageDirectives::of(match Facts::of_answer(&self.page.fields(), self.page.body()) {
                Some(facts) => directives.and_page(&facts),
                None => directives,
            })
        })
    }

    /// Returns the page as Markdown with absolute links. Text that is not HTML is returned unchanged. If the conversion
    /// truncates the page at a limit, `warnings` gets another entry.
    fn markdown(&self, py: Python<'_>) -> PyResult<String> {
        let markdown = py
            .detach(|| self.page.to_markdown())
            .map_err(|error| errors::unreadable(format!("{}: {error}", self.page.record().final_url)))?;
        if !markdown.warnings.is_empty() {
            let known = self.warnings(py)?;
            for warning in &markdown.warnings {
                let warning = data::plain(py, warning)?;
                if !known.contains(&warning)? {
                    known.call_method1("append", (warning,))?;
                }
            }
        }
        Ok(markdown.text)
    }

    /// Returns the absolute web URLs to which an HTML page links, in order and without fragments. A URL that is linked twice
    /// occurs twice. Reads 1 MiB of the page and 5,000 links at most.
    fn links(&self, py: Python<'_>) -> Vec<String> {
        py.detach(|| {
            let (Some(facts), Some(url)) = (self.page.facts(), self.page.url()) else { return Vec::new() };
            facts.anchor_urls(&url).map(String::from).collect()
        })
    }

    /// Returns the body parsed as JSON. Raises `ValueError`, as `json.loads` does.
    fn json<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        // JSON has its own rules for text without a declared charset. Python's reader implements them.
        py.import(intern!(py, "json"))?.call_method1(intern!(py, "loads"), (self.body(py),))
    }

    /// Returns the page. Raises `StatusError` if its status code is 400 or more.
    fn raise_for_status(this: Bound<'_, Self>) -> PyResult<Bound<'_, Self>> {
        let page = this.get();
        let status = page.page.status();
        if status.as_u16() < 400 {
            return Ok(this);
        }
        let message = format!("{}: the status code is {status}", page.url());
        Err(errors::status(message, &this))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let parts = (self.url(), self.status(), self.raw_headers(py), self.body(py), self.record(py)?);
        Ok((py.get_type::<Page>().getattr("_restore")?, parts.into_pyobject(py)?))
    }

    /// Restores a pickled page.
    #[staticmethod]
    fn _restore(
        py: Python<'_>,
        url: String,
        status: u16,
        headers: Fields,
        body: Vec<u8>,
        record: Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        let status = StatusCode::from_u16(status).map_err(errors::setting)?;
        let page = retrieval::Page::restore(url, status, headers.to_map()?, body.into());
        let known = PyOnceLock::new();
        let _ = known.set(py, record.unbind());
        Ok(Page { page, body: PyOnceLock::new(), record: known, is_restored: true })
    }

    fn __repr__(&self) -> String {
        let record = self.page.record();
        format!(
            "<Page {} {}: {} bytes>",
            self.page.status().as_u16(),
            record.final_url,
            self.page.body().len()
        )
    }
}

impl Page {
    pub(crate) fn new(page: retrieval::Page) -> Self {
        Page { page, body: PyOnceLock::new(), record: PyOnceLock::new(), is_restored: false }
    }
}

/// Maximum number of steps that one call of `Walk::next` returns.
const MAX_STEPS: usize = 256;

/// A walk over sitemaps, read in batches of steps.
#[pyclass(frozen, module = "comity._comity")]
pub(crate) struct Walk {
    state: ProcessBound<Arc<tokio::sync::Mutex<Step>>>,
    is_async: bool,
}

/// State of a walk.
enum Step {
    /// Before the request for robots.txt.
    Origin { client: Client, origin: Origin },
    /// Reading sitemaps.
    Walking(Box<Discovery>),
}

#[pymethods]
impl Walk {
    /// Returns the next steps. The list is empty at the end.
    fn next<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let state = self.state.get()?.clone();
        let future = async move {
            let mut step = state.lock().await;
            if let Step::Origin { client, origin } = &*step {
                *step = Step::Walking(Box::new(client.discover(origin).await?));
            }
            let mut steps = Vec::new();
            if let Step::Walking(discovery) = &mut *step {
                while let Some(found) = discovery.next().await {
                    let is_item = matches!(found, DiscoveryStep::Item { .. });
                    steps.push(found);
                    // The next step may need the network, unless this one is an item. Return the finished steps without
                    // waiting for it.
                    if !is_item || steps.len() == MAX_STEPS {
                        break;
                    }
                }
            }
            Ok(steps)
        };
        self.state.runner.run(py, self.is_async, future, |py, steps| {
            let steps = steps.map_err(|error: comity_client::store::StoreError| errors::store(error))?;
            let list = PyList::empty(py);
            for found in &steps {
                list.append(show(py, found)?)?;
            }
            Ok(list.into_any().unbind())
        })
    }
}

/// Converts a step to `comity.client.DiscoveryStep`.
fn show<'py>(py: Python<'py>, found: &DiscoveryStep) -> PyResult<Bound<'py, PyAny>> {
    let parts = PyDict::new(py);
    let (kind, sitemap) = match found {
        DiscoveryStep::Opened { sitemap, depth, .. } => {
            parts.set_item("depth", depth)?;
            ("opened", sitemap)
        }
        DiscoveryStep::Item { sitemap, item, .. } => {
            let (kind, item) = match item {
                Item::Url(url) => ("url", data::build(py, "sitemap.Url", url)?),
                Item::Sitemap(listed) => ("sitemap", data::build(py, "sitemap.Sitemap", listed)?),
                Item::Finding(finding) => ("finding", data::build(py, "findings.Finding", finding)?),
                other => return Err(errors::unreadable(format!("unknown sitemap entry: {other:?}"))),
            };
            parts.set_item("item", item)?;
            (kind, sitemap)
        }
        DiscoveryStep::Refused { loc, refusal, .. } => {
            parts.set_item("reason", refusal.to_string())?;
            ("refused", loc)
        }
        DiscoveryStep::Failed { sitemap, error, .. } => {
            parts.set_item("reason", error.to_string())?;
            parts.set_item("error", fetch_error(py, error).into_value(py))?;
            ("failed", sitemap)
        }
        DiscoveryStep::Missing { sitemap, status, was_named, .. } => {
            parts.set_item("status", status)?;
            parts.set_item("was_named", was_named)?;
            ("missing", sitemap)
        }
        DiscoveryStep::Ended { sitemap, summary, .. } => {
            parts.set_item("item", data::build(py, "sitemap.Summary", summary)?)?;
            ("ended", sitemap)
        }
        other => return Err(errors::unreadable(format!("unknown step of a sitemap walk: {other:?}"))),
    };
    let class = py.import(intern!(py, "comity.client"))?.getattr(intern!(py, "DiscoveryStep"))?;
    class.call((kind, sitemap), Some(&parts))
}
