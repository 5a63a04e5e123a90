//! Decisions from HTTP answers.

use std::str::FromStr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use comity::policy::{self, Answer, Failure, Mode, OnUnreachable, Overrides, Preset};
use comity::robots;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

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
///     >>> policy.update(503)                         # the last good copy serves
///     >>> policy.decide("https://example.com/public").is_allowed
///     True
///
/// `on_unreachable` (`deny`, `warn`, `allow`) and `max_age` (seconds) are choices of one's own beside the preset.
///
/// Times are seconds since 1970 or datetimes that know their time zone; where none is given, the clock is read.
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
                PyValueError::new_err(format!("max_age: {seconds} is not a number of seconds"))
            })?;
            overrides = overrides.with_max_age(max_age);
        }
        let inner = policy::Policy::without_answer(preset).with_mode(mode).with_overrides(overrides);
        Ok(Policy { agent: agent.to_agent(py, None)?, inner: Mutex::new(inner) })
    }

    /// Takes in the next answer: a status code with its header and body, or `failure`, the reason why there was none
    /// (`timeout`, `dns`, `tls`, `connection`, `protocol`, `redirects`, `guard`, `oversize`, `unsupported_coding`,
    /// `local`).
    ///
    /// A body is `bytes` as the server sent them, or `str`, which no charset applies to. A 2xx answer without a body leaves
    /// robots.txt unknown; an empty file is `b""`. A 3xx other than 304 is a redirect that was not followed, which leaves
    /// it unknown, too; pass `failure="redirects"` after following as many as you would.
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

    /// Decides one URL at a time.
    #[pyo3(signature = (url, now = None))]
    fn decide(&self, url: UrlText<'_>, now: Option<Moment>) -> PyResult<Decision> {
        let inner = self.lock();
        let decision = inner.decide(&*url, Moment::or_now(now)).map_err(errors::url)?;
        Ok(Decision::by_record(decision.to_record()))
    }

    /// Returns whether a URL may be fetched at a time. `decide` also says why.
    #[pyo3(signature = (url, now = None))]
    fn is_allowed(&self, url: UrlText<'_>, now: Option<Moment>) -> PyResult<bool> {
        let inner = self.lock();
        let decision = inner.decide(&*url, Moment::or_now(now)).map_err(errors::url)?;
        Ok(!decision.blocks())
    }

    /// Returns whether robots.txt need not be asked for at a time.
    #[pyo3(signature = (now = None))]
    fn is_fresh(&self, now: Option<Moment>) -> bool {
        self.lock().is_fresh(Moment::or_now(now))
    }

    /// Returns what the preset does at a time.
    #[pyo3(signature = (now = None))]
    fn treatment(&self, now: Option<Moment>) -> &'static str {
        self.lock().treatment(Moment::or_now(now)).as_str()
    }

    /// The seconds that the crawler is asked to wait between two requests.
    #[pyo3(signature = (now = None))]
    fn crawl_delay(&self, now: Option<Moment>) -> Option<f64> {
        self.lock().rules(Moment::or_now(now))?.crawl_delay().map(|delay| delay.as_secs_f64())
    }

    /// Returns how many documents in how much time the crawler is asked to be content with.
    #[pyo3(signature = (now = None))]
    fn request_rate<'py>(&self, py: Python<'py>, now: Option<Moment>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let inner = self.lock();
        inner.rules(Moment::or_now(now)).map_or(Ok(None), |rules| rules::request_rate(py, rules))
    }

    /// The time of day, in UTC, at which the crawler is asked to come.
    #[pyo3(signature = (now = None))]
    fn visit_time<'py>(&self, py: Python<'py>, now: Option<Moment>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let inner = self.lock();
        inner.rules(Moment::or_now(now)).map_or(Ok(None), |rules| rules::visit_time(py, rules))
    }

    /// The latest answer; None if there was none yet.
    #[getter]
    fn evidence<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let evidence = self.lock().evidence().cloned();
        evidence.map(|evidence| data::build(py, "decisions.Evidence", &evidence)).transpose()
    }

    /// The preset.
    #[getter]
    fn preset(&self) -> &'static str {
        self.lock().preset().name()
    }

    /// The mode.
    #[getter]
    fn mode(&self) -> &'static str {
        self.lock().mode().as_str()
    }

    /// Tells whether the rest of the site can be reached, which some presets want to know in a long outage.
    fn set_site_is_reachable(&self, reachable: bool) {
        self.lock().set_site_is_reachable(reachable);
    }

    fn __repr__(&self) -> String {
        let inner = self.lock();
        let (preset, mode) = (inner.preset().name(), inner.mode());
        let answer = inner.evidence().map_or("not asked yet", |evidence| evidence.kind().as_str());
        format!("<Policy for {}: {answer}, preset {preset}, mode {mode}>", self.agent)
    }
}

impl Policy {
    /// Locks the policy. Its state is valid even after a panic, because an update replaces it in its last step.
    fn lock(&self) -> MutexGuard<'_, policy::Policy> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The names of the presets.
#[pyfunction]
pub(crate) fn presets() -> Vec<&'static str> {
    Preset::ALL.into_iter().map(Preset::name).collect()
}

/// Returns the preset with a name.
fn preset_of(name: &str) -> PyResult<Preset> {
    Preset::from_str(name).map_err(errors::unknown)
}
