//! The crawler that a question is about.

use comity::robots;
use pyo3::basic::CompareOp;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};

use crate::input::{BytesLike, texts, type_name};
use crate::{errors, notices};

/// A crawler, by product token or `User-Agent` header.
///
/// `Agent("GPTBot")` has a product token: the crawler's name in robots.txt. Every parameter that takes an agent also
/// takes the token as a plain `str`. `*` stands for a crawler that no group names. A text that cannot be a token raises
/// `TokenError`: an empty text, or one with `/`, `(`, `;`, `,`, a control character, or white space that is not part of
/// a known crawler's name. `Agent.header("Mozilla/5.0 (compatible; GPTBot/1.2; ...)")` has the whole value of a
/// `User-Agent` header.
///
/// `fallbacks` are further tokens to try, in order and before `*`, if no group names the crawler. A crawler with
/// `ignores_star` does not follow the group of `*`. Comparisons of agents ignore the case of tokens.
#[pyclass(frozen, module = "comity", from_py_object)]
#[derive(Clone, Debug)]
pub(crate) struct Agent {
    pub(crate) inner: robots::Agent,
    fallbacks: Vec<String>,
}

#[pymethods]
impl Agent {
    #[new]
    #[pyo3(signature = (token, *, fallbacks = None, ignores_star = false))]
    fn new(
        token: &Bound<'_, PyAny>,
        fallbacks: Option<&Bound<'_, PyAny>>,
        ignores_star: bool,
    ) -> PyResult<Self> {
        let Ok(token) = token.extract::<&str>() else {
            return Err(PyTypeError::new_err(format!(
                "token: pass a product token as str, not {}",
                type_name(token)
            )));
        };
        let fallbacks = texts("fallbacks", fallbacks)?;
        check_all(&fallbacks)?;
        Ok(Agent::make(checked(token)?, fallbacks, ignores_star))
    }

    /// Returns the crawler with the whole value of a User-Agent header.
    #[staticmethod]
    #[pyo3(signature = (user_agent, *, fallbacks = None, ignores_star = false))]
    fn header(
        user_agent: BytesLike<'_>,
        fallbacks: Option<&Bound<'_, PyAny>>,
        ignores_star: bool,
    ) -> PyResult<Self> {
        let fallbacks = texts("fallbacks", fallbacks)?;
        check_all(&fallbacks)?;
        let user_agent = String::from_utf8_lossy(&user_agent);
        Ok(Agent::make(robots::Agent::header(user_agent), fallbacks, ignores_star))
    }

    /// The product token: as given, or as found in the header. A header without a name is returned as a whole.
    #[getter]
    fn name(&self) -> &str {
        self.inner.product_token()
    }

    /// The whole User-Agent header, or None if the agent was given by its token.
    #[getter]
    fn user_agent(&self) -> Option<&str> {
        self.is_header().then(|| self.inner.as_str())
    }

    /// True if the agent was given as a whole User-Agent header.
    #[getter]
    fn is_header(&self) -> bool {
        self.inner.is_header()
    }

    /// Further tokens to try, in order.
    #[getter]
    fn fallbacks<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.fallbacks)
    }

    /// True if the crawler does not follow the group of `*`.
    #[getter]
    fn ignores_star(&self) -> bool {
        self.inner.ignores_star()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let name = PyString::new(py, self.inner.as_str()).repr()?;
        let mut text =
            if self.is_header() { format!("Agent.header({name}") } else { format!("Agent({name}") };
        if !self.fallbacks.is_empty() {
            text.push_str(&format!(", fallbacks={}", self.fallbacks(py)?.repr()?));
        }
        if self.ignores_star() {
            text.push_str(", ignores_star=True");
        }
        Ok(text + ")")
    }

    fn __richcmp__(&self, other: &Bound<'_, PyAny>, op: CompareOp) -> PyResult<Py<PyAny>> {
        let py = other.py();
        let equal = other.cast::<Agent>().is_ok_and(|other| other.get().key() == self.key());
        Ok(match op {
            CompareOp::Eq => equal.into_pyobject(py)?.to_owned().into_any().unbind(),
            CompareOp::Ne => (!equal).into_pyobject(py)?.to_owned().into_any().unbind(),
            _ => py.NotImplemented(),
        })
    }

    fn __hash__(&self) -> u64 {
        use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
        BuildHasherDefault::<DefaultHasher>::default().hash_one(self.key())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let parts = (self.inner.as_str(), self.is_header(), self.fallbacks.clone(), self.ignores_star());
        Ok((py.get_type::<Agent>().getattr("_restore")?, parts.into_pyobject(py)?))
    }

    /// Restores a pickled agent without checking it again.
    #[staticmethod]
    fn _restore(name: String, is_header: bool, fallbacks: Vec<String>, ignores_star: bool) -> Self {
        let agent =
            if is_header { robots::Agent::header(name) } else { robots::Agent::unchecked_token(name) };
        Agent::make(agent, fallbacks, ignores_star)
    }
}

impl Agent {
    /// Returns the parts that equal agents share. The case of tokens does not matter in robots.txt.
    fn key(&self) -> (String, bool, Vec<String>, bool) {
        let name = match self.is_header() {
            true => self.inner.as_str().to_owned(),
            false => self.inner.as_str().to_ascii_lowercase(),
        };
        let fallbacks = self.fallbacks.iter().map(|token| token.to_ascii_lowercase()).collect();
        (name, self.is_header(), fallbacks, self.ignores_star())
    }

    fn make(mut inner: robots::Agent, fallbacks: Vec<String>, ignores_star: bool) -> Self {
        for token in &fallbacks {
            inner = inner.or_token(token);
        }
        if ignores_star {
            inner = inner.ignoring_star();
        }
        Agent { inner, fallbacks }
    }
}

/// Returns the crawler with a product token; for `*`, a crawler that no group names.
fn checked(token: &str) -> PyResult<robots::Agent> {
    robots::Agent::token(token).map_err(errors::token)
}

/// Rejects a text that is neither a product token nor `*`.
pub(crate) fn check(token: &str) -> PyResult<()> {
    checked(token).map(|_| ())
}

fn check_all(tokens: &[String]) -> PyResult<()> {
    tokens.iter().try_for_each(|token| check(token))
}

/// Argument that names a crawler: a product token as `str`, or an [`Agent`].
#[derive(Debug)]
pub(crate) enum AgentLike<'a, 'py> {
    /// Text without unpaired surrogates. It may be an invalid token.
    Token(&'a str),
    /// Text with unpaired surrogates, which were replaced.
    Repaired(String),
    /// An [`Agent`] object.
    Agent(Borrowed<'a, 'py, Agent>),
}

impl AgentLike<'_, '_> {
    /// Returns the engine's agent. Raises `comity.TokenError` for an invalid token. Warns if the name is probably a
    /// misspelling.
    pub(crate) fn to_agent(
        &self,
        py: Python<'_>,
        robots: Option<&robots::RobotsTxt<'_>>,
    ) -> PyResult<robots::Agent> {
        let agent = self.agent()?;
        notices::warn(py, &agent, robots)?;
        Ok(agent)
    }

    /// Returns the agent as an object of Python.
    pub(crate) fn to_object(&self) -> PyResult<Agent> {
        Ok(match self {
            AgentLike::Agent(agent) => agent.get().clone(),
            token => Agent { inner: token.agent()?, fallbacks: Vec::new() },
        })
    }

    /// Returns the engine's agent, or `None` if one of its names was not checked yet and may cause a warning. Raises
    /// `comity.TokenError` for an invalid token.
    pub(crate) fn known_agent(&self) -> PyResult<Option<robots::Agent>> {
        let agent = self.agent()?;
        Ok(notices::is_known(&agent).then_some(agent))
    }

    fn agent(&self) -> PyResult<robots::Agent> {
        match self {
            AgentLike::Token(token) => checked(token),
            AgentLike::Repaired(token) => checked(token),
            AgentLike::Agent(agent) => Ok(agent.get().inner.clone()),
        }
    }

    /// Returns true if the argument names `agent`. `is_plain` is the result of [`AgentLike::is_plain`] for `agent`.
    pub(crate) fn is(&self, agent: &robots::Agent, is_plain: bool) -> bool {
        match self {
            AgentLike::Token(token) => is_plain && agent.as_str() == *token,
            AgentLike::Repaired(token) => is_plain && agent.as_str() == token,
            AgentLike::Agent(wanted) => wanted.get().inner == *agent,
        }
    }

    /// Returns true if the argument has a product token and no options.
    pub(crate) fn is_plain(&self) -> bool {
        match self {
            AgentLike::Token(_) | AgentLike::Repaired(_) => true,
            AgentLike::Agent(agent) => {
                let agent = agent.get();
                agent.fallbacks.is_empty() && !agent.inner.is_header() && !agent.inner.ignores_star()
            }
        }
    }
}

impl<'a, 'py> FromPyObject<'a, 'py> for AgentLike<'a, 'py> {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(text) = object.cast::<PyString>() {
            return Ok(match object.extract::<&'a str>() {
                Ok(text) => AgentLike::Token(text),
                Err(_) => AgentLike::Repaired(text.to_string_lossy().into_owned()),
            });
        }
        match object.cast::<Agent>() {
            Ok(agent) => Ok(AgentLike::Agent(agent)),
            Err(_) => Err(PyTypeError::new_err(format!(
                "pass a product token (str) or an Agent, not {}; a whole User-Agent header is Agent.header(...)",
                type_name(&object)
            ))),
        }
    }
}
