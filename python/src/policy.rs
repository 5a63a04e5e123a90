//! Decisions from HTTP answers.

use std::str::FromStr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use comity::policy::{self, Answer, Failure, Mode, OnUnreachable, Overrides, Preset};
use comity::robots::{self, Body};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple, PyType};

use crate::agent::{Agent, AgentLike};
use crate::decision::Decision;
use crate::input::{BodyLike, Fields, Moment, UrlText, texts};
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
    agent: Agent,
    inner: Mutex<State>,
}

/// The state of a policy, and the answers that lead to it, for pickles.
#[derive(Debug)]
struct State {
    policy: policy::Policy,
    /// The latest answer that is not a failure, and its latest confirmation (304).
    file: Vec<KeptAnswer>,
    /// The first and the last failure of an outage.
    failures: Vec<KeptAnswer>,
    /// The local failure after these answers, if one occurred.
    local: Option<KeptAnswer>,
    site_is_reachable: Option<bool>,
}

/// An answer in the form of the arguments of `update`.
#[derive(Clone, Debug)]
struct KeptAnswer {
    status: Option<u16>,
    failure: Option<String>,
    body: Option<Vec<u8>>,
    is_text: bool,
    headers: Vec<(String, Vec<u8>)>,
    at: SystemTime,
    redirects: Vec<String>,
    digest: Option<String>,
}

/// A stored answer in a pickle: its fields in order, the time as seconds and nanoseconds since 1970.
type PickledAnswer = (
    (Option<u16>, Option<String>, Option<Vec<u8>>, bool),
    (Vec<(String, Vec<u8>)>, (u64, u32), Vec<String>, Option<String>),
);

impl KeptAnswer {
    /// Applies the answer to a policy.
    fn apply(&self, policy: &mut policy::Policy, agent: &robots::Agent) -> PyResult<()> {
        let mut answer = match (self.status, &self.failure) {
            (Some(status), None) => Answer::status(status, self.at),
            (None, Some(failure)) => {
                Answer::failure(Failure::from_str(failure).map_err(errors::unknown)?, self.at)
            }
            _ => {
                return Err(PyTypeError::new_err(
                    "pass the status code of the answer, or failure=... if there was none; not both",
                ));
            }
        };
        if let Some(body) = &self.body {
            answer = answer.with_body(if self.is_text { Body::utf8(body) } else { Body::from(&**body) });
        }
        let headers = self.headers.iter().map(|(name, value)| (name.as_str(), value.as_slice())).collect();
        answer = answer.with_headers(&headers).with_redirects(self.redirects.clone());
        if let Some(digest) = &self.digest {
            answer = answer.with_digest(digest.clone());
        }
        let reading = policy.preset().read(&answer);
        policy.update(&reading, agent);
        Ok(())
    }

    fn into_pickled(self) -> PickledAnswer {
        let since = self.at.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        (
            (self.status, self.failure, self.body, self.is_text),
            (self.headers, (since.as_secs(), since.subsec_nanos()), self.redirects, self.digest),
        )
    }

    fn of_pickled(pickled: PickledAnswer) -> Self {
        let ((status, failure, body, is_text), (headers, (seconds, nanoseconds), redirects, digest)) =
            pickled;
        let at = SystemTime::UNIX_EPOCH + Duration::new(seconds, nanoseconds);
        KeptAnswer { status, failure, body, is_text, headers, at, redirects, digest }
    }
}

impl State {
    fn update(&mut self, answer: KeptAnswer, agent: &robots::Agent) -> PyResult<()> {
        answer.apply(&mut self.policy, agent)?;
        if self.policy.local_fault().is_some() {
            self.local = Some(answer);
            return Ok(());
        }
        self.local = None;
        if self.policy.outage().is_some() {
            // The first and the last failure define an outage.
            self.failures.truncate(1);
            self.failures.push(answer);
        } else {
            self.failures.clear();
            if answer.status == Some(304) {
                self.file.truncate(1)
            } else {
                self.file.clear()
            }
            self.file.push(answer);
        }
        Ok(())
    }

    /// Returns the answers in their order.
    fn answers(&self) -> impl Iterator<Item = &KeptAnswer> {
        self.file.iter().chain(&self.failures).chain(&self.local)
    }
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
                errors::setting(format!("max_age: `{seconds}` is not a number of seconds, 0 or more"))
            })?;
            overrides = overrides.with_max_age(max_age);
        }
        let policy = policy::Policy::without_answer(preset).with_mode(mode).with_overrides(overrides);
        agent.to_agent(py, None)?;
        let (file, failures) = (Vec::new(), Vec::new());
        let state = State { policy, file, failures, local: None, site_is_reachable: None };
        Ok(Policy { agent: agent.to_object()?, inner: Mutex::new(state) })
    }

    /// Updates the policy with the next answer for robots.txt.
    ///
    /// Pass status code, header and body. If there was no answer, pass the reason as `failure` (`timeout`, `dns`, `tls`,
    /// `connection`, `protocol`, `redirects`, `guard`, `oversize`, `unsupported_coding`, `local`).
    ///
    /// The body is `bytes` as sent by the server, or an already decoded `str`. After a 2xx answer without a body,
    /// robots.txt is unknown; pass `b""` for an empty file. So it is after a 206, unless its `Content-Range` covers the whole
    /// file. After a 3xx answer other than 304, robots.txt is unknown too: follow the redirects first, and pass
    /// `failure="redirects"` if there are too many.
    #[pyo3(signature = (
        status = None, body = None, *, failure = None, headers = None, fetched_at = None, redirects = None,
        digest = None
    ))]
    #[allow(clippy::too_many_arguments, reason = "keyword arguments")]
    fn update(
        &self,
        py: Python<'_>,
        status: Option<i64>,
        body: Option<BodyLike<'_>>,
        failure: Option<String>,
        headers: Option<Fields>,
        fetched_at: Option<Moment>,
        redirects: Option<&Bound<'_, PyAny>>,
        digest: Option<String>,
    ) -> PyResult<()> {
        let status = status.map(|status| {
            u16::try_from(status)
                .map_err(|_| errors::setting(format!("status: `{status}` is not an HTTP status code")))
        });
        let headers = headers.unwrap_or_default();
        let headers = headers.headers()?;
        let headers = headers.iter().map(|(name, value)| (name.to_owned(), value.to_vec())).collect();
        let answer = KeptAnswer {
            status: status.transpose()?,
            failure,
            is_text: body.as_ref().is_some_and(|body| body.body().is_text()),
            body: body.map(|body| body.body().as_bytes().to_vec()),
            headers,
            at: Moment::or_now(fetched_at),
            redirects: texts("redirects", redirects)?,
            digest,
        };
        py.detach(|| self.lock().update(answer, &self.agent.inner))
    }

    /// Creates a policy from the response to a request for robots.txt.
    ///
    /// Accepts a response of `requests`, `httpx`, `aiohttp` (after `await response.read()`), `urllib` or Scrapy, with its
    /// status, header, body and redirects. A response in a content coding that the library did not decode, and a
    /// truncated compressed body, count as unreachable. Reads at most 8 MiB of a response that is still open. A request
    /// for another path than `/robots.txt` causes a `ComityWarning`. Raises `ReadError` if the body was not read, or was
    /// read before and not kept.
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
        let decision = inner.policy.decide(&*url, Moment::or_now(now)).map_err(errors::url)?;
        Ok(Decision::by_record(decision.to_record()))
    }

    /// Returns True if a URL may be fetched. `decide` also returns the evidence.
    #[pyo3(signature = (url, now = None))]
    fn is_allowed(&self, url: UrlText<'_>, now: Option<Moment>) -> PyResult<bool> {
        let inner = self.lock();
        let decision = inner.policy.decide(&*url, Moment::or_now(now)).map_err(errors::url)?;
        Ok(!decision.blocks())
    }

    /// Returns True if the latest answer is fresh, so that robots.txt need not be requested again.
    #[pyo3(signature = (now = None))]
    fn is_fresh(&self, now: Option<Moment>) -> bool {
        self.lock().policy.is_fresh(Moment::or_now(now))
    }

    /// Returns the treatment that the preset prescribes for the current state of robots.txt.
    #[pyo3(signature = (now = None))]
    fn treatment(&self, now: Option<Moment>) -> &'static str {
        self.lock().policy.treatment(Moment::or_now(now)).as_str()
    }

    /// Returns the crawl delay for the crawler, in seconds, or None if robots.txt is unknown or has none.
    #[pyo3(signature = (now = None))]
    fn crawl_delay(&self, now: Option<Moment>) -> Option<f64> {
        self.lock().policy.rules(Moment::or_now(now))?.crawl_delay().map(|delay| delay.as_secs_f64())
    }

    /// Returns the request rate for the crawler (documents per period), or None if robots.txt is unknown or has none.
    #[pyo3(signature = (now = None))]
    fn request_rate<'py>(&self, py: Python<'py>, now: Option<Moment>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let inner = self.lock();
        inner.policy.rules(Moment::or_now(now)).map_or(Ok(None), |rules| rules::request_rate(py, rules))
    }

    /// Returns the part of the day (UTC) in which the crawler should visit, or None if robots.txt is unknown or has none.
    #[pyo3(signature = (now = None))]
    fn visit_time<'py>(&self, py: Python<'py>, now: Option<Moment>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let inner = self.lock();
        inner.policy.rules(Moment::or_now(now)).map_or(Ok(None), |rules| rules::visit_time(py, rules))
    }

    /// The latest answer, or None before the first one.
    #[getter]
    fn evidence<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let evidence = self.lock().policy.evidence().cloned();
        evidence.map(|evidence| data::build(py, "decisions.Evidence", &evidence)).transpose()
    }

    /// The name of the preset.
    #[getter]
    fn preset(&self) -> &'static str {
        self.lock().policy.preset().name()
    }

    /// The dialect in which the preset reads robots.txt.
    #[getter]
    fn dialect(&self) -> &'static str {
        self.lock().policy.preset().dialect().name()
    }

    /// The name of the mode.
    #[getter]
    fn mode(&self) -> &'static str {
        self.lock().policy.mode().as_str()
    }

    /// Sets whether other pages of the site are reachable. Some presets use this during a long outage of robots.txt.
    fn set_site_is_reachable(&self, reachable: bool) {
        let mut inner = self.lock();
        inner.site_is_reachable = Some(reachable);
        inner.policy.set_site_is_reachable(reachable);
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let inner = self.lock();
        let policy = &inner.policy;
        let overrides = policy.overrides();
        let options = PyDict::new(py);
        options.set_item("preset", policy.preset().name())?;
        options.set_item("mode", policy.mode().as_str())?;
        options.set_item("on_unreachable", overrides.on_unreachable().map(OnUnreachable::as_str))?;
        options.set_item("max_age", overrides.max_age().map(|age| age.as_secs_f64()))?;
        let answers: Vec<PickledAnswer> = inner.answers().cloned().map(KeptAnswer::into_pickled).collect();
        let parts = (self.agent.clone(), options, answers, inner.site_is_reachable);
        Ok((py.get_type::<Policy>().getattr("_restore")?, parts.into_pyobject(py)?))
    }

    /// Restores a pickled policy.
    #[classmethod]
    fn _restore<'py>(
        class: &Bound<'py, PyType>,
        agent: Bound<'py, PyAny>,
        options: Bound<'py, PyDict>,
        answers: Vec<PickledAnswer>,
        site_is_reachable: Option<bool>,
    ) -> PyResult<Bound<'py, Policy>> {
        let policy = class.call((agent,), Some(&options))?.cast_into::<Policy>()?;
        let mut inner = policy.get().lock();
        for answer in answers {
            inner.update(KeptAnswer::of_pickled(answer), &policy.get().agent.inner)?;
        }
        drop(inner);
        if let Some(reachable) = site_is_reachable {
            policy.get().set_site_is_reachable(reachable);
        }
        Ok(policy)
    }

    fn __repr__(&self) -> String {
        let inner = self.lock();
        let (preset, mode) = (inner.policy.preset().name(), inner.policy.mode());
        let answer = inner.policy.evidence().map_or("no answer yet", |evidence| evidence.kind().as_str());
        format!("<Policy for {}: {answer}, preset {preset}, mode {mode}>", self.agent.inner)
    }
}

impl Policy {
    /// Locks the policy. A poisoned lock is usable, because each step of an update leaves a valid state.
    fn lock(&self) -> MutexGuard<'_, State> {
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
