//! Decisions from HTTP answers.

use std::str::FromStr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use comity::policy::{self, Answer, Failure, Mode, OnUnreachable, Overrides, Preset};
use comity::robots;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyType};

use crate::agent::AgentLike;
use crate::decision::Decision;
use crate::input::{BodyLike, Fields, Moment, UrlText};
use crate::{data, errors, rules};

/// Decides what one crawler may fetch from one origin, given the answers to requests for its robots.txt.
///
///     >>> policy = Policy("examplebot")
///     >>> policy.update(200, "User-agent: *\nDisallow: /private\n")
///     >>> policy.decide("https://example.com/private/a").verdict
///     'disallowed_explicit'
///     >>> policy.update(503)                         # the last good copy applies
///     >>> policy.decide("https://example.com/public").is_allowed
///     True
///
/// `on_unreachable` (`deny`, `warn`, `allow`) and `max_age` (seconds) override the preset.
///
/// Times are seconds since 1970 or datetimes with a time zone. The default is the current time.
#[pyclass(frozen, module = "comity")]
#[derive(Debug)]
pub(crate) struct Policy {
    agent: robots::Agent,
    inner: Mutex<policy::Policy>,
}

#[pymethods]
impl Policy {
    #[new]
    #[pyo3(signature = (agent, *, preset = "rfc9309", mode = None, on_unreachable = None, max_age = None))]
    fn new(
        py: Python<'_>,
        agent: AgentLike<'_, '_>,
        preset: &str,
        mode: Option<&str>,
        on_unreachable: Option<&str>,
        max_age: Option<f64>,
    ) -> PyResult<Self> {
        let preset = preset_of(preset)?;
        let mode = mode.map_or(Ok(preset.mode()), |name| Mode::from_str(name).map_err(errors::unknown))?;
        let mut overrides = Overrides::default();
        if let Some(name) = on_unreachable {
            overrides =
                overrides.with_on_unreachable(OnUnreachable::from_str(name).map_err(errors::unknown)?);
        }
        if let Some(seconds) = max_age {
            let max_age = Duration::try_from_secs_f64(seconds).map_err(|_| {
                PyValueError::new_err(format!("max_age: `{seconds}` is not a number of seconds, 0 or more"))
            })?;
            overrides = overrides.with_max_age(max_age);
        }
        let inner = policy::Policy::without_answer(preset).with_mode(mode).with_overrides(overrides);
        Ok(Policy { agent: agent.to_agent(py, None)?, inner: Mutex::new(inner) })
    }

    /// Updates the policy with the next answer for robots.txt.
    ///
    /// Pass the status code with header and body, or as `failure` the reason for a missing answer (`timeout`, `dns`, `tls`,
    /// `connection`, `protocol`, `redirects`, `guard`, `oversize`, `unsupported_coding`, `local`).
    ///
    /// The body is `bytes` as sent by the server, or an already decoded `str`. After a 2xx answer without a body,
    /// robots.txt is unknown; pass `b""` for an empty file. After a 3xx answer other than 304, robots.txt is unknown too:
    /// follow the redirects first, and pass `failure="redirects"` if there are too many.
    #[pyo3(signature = (
        status = None, body = None, *, failure = None, headers = None, fetched_at = None, redirects = Vec::new(),
        digest = None
    ))]
    #[allow(clippy::too_many_arguments, reason = "keyword arguments")]
    fn update(
        &self,
        py: Python<'_>,
        status: Option<u16>,
        body: Option<BodyLike<'_>>,
        failure: Option<&str>,
        headers: Option<Fields>,
        fetched_at: Option<Moment>,
        redirects: Vec<String>,
        digest: Option<String>,
    ) -> PyResult<()> {
        let at = Moment::or_now(fetched_at);
        let headers = headers.unwrap_or_default();
        let headers = headers.headers()?;
        let mut answer = match (status, failure) {
            (Some(status), None) => Answer::status(status, at),
            (None, Some(failure)) => {
                Answer::failure(Failure::from_str(failure).map_err(errors::unknown)?, at)
            }
            _ => {
                return Err(PyTypeError::new_err(
                    "pass the status code of the answer, or failure=... if there was none; not both",
                ));
            }
        };
        if let Some(body) = &body {
            answer = answer.with_body(body.body());
        }
        answer = answer.with_headers(&headers).with_redirects(redirects);
        if let Some(digest) = digest {
            answer = answer.with_digest(digest);
        }
        py.detach(|| {
            let mut inner = self.lock();
            let reading = inner.preset().read(&answer);
            inner.update(&reading, &self.agent);
        });
        Ok(())
    }

    /// Creates a policy from the response to a request for robots.txt.
    ///
    /// Accepts a response of `requests`, `httpx`, `aiohttp` (after `await response.read()`), `urllib` or Scrapy, with its
    /// status, header, body and redirects. A response in a content coding that the library did not decode counts as
    /// unreachable. A request for another path than `/robots.txt` causes a `ComityWarning`. Raises `ReadError` if the
    /// body was not read, or was read before and not kept.
    #[classmethod]
    #[pyo3(signature = (
        agent, response, *, preset = "rfc9309", mode = None, on_unreachable = None, max_age = None, fetched_at = None
    ))]
    #[allow(clippy::too_many_arguments, reason = "keyword arguments")]
    fn from_response<'py>(
        class: &Bound<'py, PyType>,
        agent: Bound<'py, PyAny>,
        response: &Bound<'py, PyAny>,
        preset: &str,
        mode: Option<&str>,
        on_unreachable: Option<&str>,
        max_age: Option<f64>,
        fetched_at: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let options = PyDict::new(class.py());
        options.set_item("preset", preset)?;
        options.set_item("mode", mode)?;
        options.set_item("on_unreachable", on_unreachable)?;
        options.set_item("max_age", max_age)?;
        let policy = class.call((agent,), Some(&options))?;
        update_from(&policy, response, fetched_at)?;
        Ok(policy)
    }

    /// Updates the policy with the response to the next request for robots.txt; see `from_response`.
    #[pyo3(signature = (response, *, fetched_at = None))]
    fn update_from<'py>(
        slf: &Bound<'py, Self>,
        response: &Bound<'py, PyAny>,
        fetched_at: Option<Bound<'py, PyAny>>,
    ) -> PyResult<()> {
        update_from(slf.as_any(), response, fetched_at)
    }

    /// Decides one URL.
    #[pyo3(signature = (url, now = None))]
    fn decide(&self, url: UrlText<'_>, now: Option<Moment>) -> PyResult<Decision> {
        let inner = self.lock();
        let decision = inner.decide(&*url, Moment::or_now(now)).map_err(errors::url)?;
        Ok(Decision::by_record(decision.to_record()))
    }

    /// Returns True if a URL may be fetched. `decide` also returns the evidence.
    #[pyo3(signature = (url, now = None))]
    fn is_allowed(&self, url: UrlText<'_>, now: Option<Moment>) -> PyResult<bool> {
        let inner = self.lock();
        let decision = inner.decide(&*url, Moment::or_now(now)).map_err(errors::url)?;
        Ok(!decision.blocks())
    }

    /// Returns True if the latest answer is fresh, so that robots.txt need not be requested again.
    #[pyo3(signature = (now = None))]
    fn is_fresh(&self, now: Option<Moment>) -> bool {
        self.lock().is_fresh(Moment::or_now(now))
    }

    /// Returns the treatment that the preset prescribes for the current state of robots.txt.
    #[pyo3(signature = (now = None))]
    fn treatment(&self, now: Option<Moment>) -> &'static str {
        self.lock().treatment(Moment::or_now(now)).as_str()
    }

    /// Returns the crawl delay for the crawler, in seconds, or None if robots.txt has none.
    #[pyo3(signature = (now = None))]
    fn crawl_delay(&self, now: Option<Moment>) -> Option<f64> {
        self.lock().rules(Moment::or_now(now))?.crawl_delay().map(|delay| delay.as_secs_f64())
    }

    /// Returns the request rate for the crawler (documents per period), or None if robots.txt has none.
    #[pyo3(signature = (now = None))]
    fn request_rate<'py>(&self, py: Python<'py>, now: Option<Moment>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let inner = self.lock();
        inner.rules(Moment::or_now(now)).map_or(Ok(None), |rules| rules::request_rate(py, rules))
    }

    /// Returns the part of the day, in UTC, in which the crawler should visit, or None if robots.txt has none.
    #[pyo3(signature = (now = None))]
    fn visit_time<'py>(&self, py: Python<'py>, now: Option<Moment>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let inner = self.lock();
        inner.rules(Moment::or_now(now)).map_or(Ok(None), |rules| rules::visit_time(py, rules))
    }

    /// The latest answer, or None before the first one.
    #[getter]
    fn evidence<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let evidence = self.lock().evidence().cloned();
        evidence.map(|evidence| data::build(py, "decisions.Evidence", &evidence)).transpose()
    }

    /// The name of the preset.
    #[getter]
    fn preset(&self) -> &'static str {
        self.lock().preset().name()
    }

    /// The dialect in which the preset reads robots.txt.
    #[getter]
    fn dialect(&self) -> &'static str {
        self.lock().preset().dialect().name()
    }

    /// The name of the mode.
    #[getter]
    fn mode(&self) -> &'static str {
        self.lock().mode().as_str()
    }

    /// Sets whether other pages of the site are reachable. Some presets use this during a long outage of robots.txt.
    fn set_site_is_reachable(&self, reachable: bool) {
        self.lock().set_site_is_reachable(reachable);
    }

    fn __repr__(&self) -> String {
        let inner = self.lock();
        let (preset, mode) = (inner.preset().name(), inner.mode());
        let answer = inner.evidence().map_or("no answer yet", |evidence| evidence.kind().as_str());
        format!("<Policy for {}: {answer}, preset {preset}, mode {mode}>", self.agent)
    }
}

impl Policy {
    /// Locks the policy. Its state is valid even after a panic, because an update replaces it in its last step.
    fn lock(&self) -> MutexGuard<'_, policy::Policy> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Passes the parts of a response to `update`.
fn update_from<'py>(
    policy: &Bound<'py, PyAny>,
    response: &Bound<'py, PyAny>,
    fetched_at: Option<Bound<'py, PyAny>>,
) -> PyResult<()> {
    let answer = policy.py().import("comity._responses")?.getattr("answer_of")?.call1((response,))?;
    let answer = answer.cast_into::<PyDict>()?;
    answer.set_item("fetched_at", fetched_at)?;
    policy.call_method("update", (), Some(&answer)).map(|_| ())
}

/// Returns the names of the presets.
#[pyfunction]
pub(crate) fn presets() -> Vec<&'static str> {
    Preset::ALL.into_iter().map(Preset::name).collect()
}

/// Returns the preset with a name.
fn preset_of(name: &str) -> PyResult<Preset> {
    Preset::from_str(name).map_err(errors::unknown)
}
