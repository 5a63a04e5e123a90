//! Parsed robots.txt files: decisions, records, groups and lints.

use std::ops::Deref;
use std::str::FromStr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use comity::decision::RuleRecord;
use comity::robots::{self, Access, Body, Dialect, RecordKind, RobotsTxt, lint};
use pyo3::prelude::*;
use pyo3::sync::OnceLockExt;
use pyo3::types::{PyBytes, PyTuple};
use serde::Serialize;

use crate::agent::AgentLike;
use crate::decision::Decision;
use crate::input::{BodyLike, UrlText};
use crate::rules::{self, Rules};
use crate::{data, errors};

/// Maximum number of agents, besides the first one, whose rules a file caches.
const MAX_OTHER_AGENTS: usize = 15;

/// Minimum size in bytes of bodies that are parsed without the interpreter's lock. For smaller bodies, releasing the lock
/// costs more than it saves.
const MIN_DETACHED_BYTES: usize = 16 * 1024;

/// A robots.txt, parsed in one dialect.
///
/// Parsing never fails. Bytes that are not a robots.txt give a file without records.
///
///     >>> robots = Robots.parse("User-agent: *\nDisallow: /search\nAllow: /search/about\n")
///     >>> robots.is_allowed("examplebot", "https://example.com/search?q=1")
///     False
///     >>> robots.decide("examplebot", "https://example.com/search/about").line
///     3
#[pyclass(frozen, module = "comity")]
#[derive(Debug)]
pub(crate) struct Robots {
    body: Py<PyBytes>,
    /// True if the body was given as text, to which no charset applies.
    is_text: bool,
    dialect: Dialect,
    charset: Option<String>,
    /// The parsed file; empty until it is needed. Many programs check only one URL, which does not need it.
    parsed: OnceLock<RobotsTxt<'static>>,
    /// True after the first question that was answered without parsing the whole file.
    is_asked: AtomicBool,
    /// The Python object of the first agent, and its rules. Most files are used with one agent only.
    first: OnceLock<(Py<PyAny>, CachedRules)>,
    /// Rules of other agents, the most recently used first.
    others: Mutex<Vec<CachedRules>>,
}

#[derive(Debug)]
struct CachedRules {
    agent: robots::Agent,
    is_plain: bool,
    rules: Arc<robots::Rules>,
}

impl CachedRules {
    fn new(py: Python<'_>, robots: &RobotsTxt<'_>, agent: &AgentLike<'_, '_>) -> PyResult<Self> {
        let (is_plain, agent) = (agent.is_plain(), agent.to_agent(py, Some(robots))?);
        let rules = Arc::new(robots.rules_for(&agent));
        Ok(CachedRules { agent, is_plain, rules })
    }

    fn is_for(&self, agent: &AgentLike<'_, '_>) -> bool {
        agent.is(&self.agent, self.is_plain)
    }
}

/// Reference to cached rules: borrowed from the first entry, or shared with an entry that may be evicted.
enum RulesRef<'a> {
    First(&'a Arc<robots::Rules>),
    Other(Arc<robots::Rules>),
}

impl Deref for RulesRef<'_> {
    type Target = robots::Rules;

    fn deref(&self) -> &robots::Rules {
        match self {
            RulesRef::First(rules) => rules,
            RulesRef::Other(rules) => rules,
        }
    }
}

#[pymethods]
impl Robots {
    /// Parses a body (`bytes` or `str`) in a dialect (`comity.dialects()` lists them).
    ///
    /// `charset` is the label in the Content-Type, if there was one. Only dialects that match characters instead of bytes
    /// use it. It is ignored for a `str`, which is already decoded.
    #[staticmethod]
    #[pyo3(signature = (body, *, dialect = "rfc9309", charset = None))]
    fn parse(
        py: Python<'_>,
        body: &Bound<'_, PyAny>,
        dialect: &str,
        charset: Option<String>,
    ) -> PyResult<Self> {
        let dialect = dialect_of(dialect)?;
        let given: BodyLike<'_> = body.extract()?;
        let text = given.body();
        let (bytes, is_text) = (text.as_bytes(), text.is_text());
        // Text is stored as UTF-8. ASCII text needs no charset, because all default charsets of dialects contain ASCII.
        let charset = if is_text { (!bytes.is_ascii()).then(|| "utf-8".to_owned()) } else { charset };
        let body = match body.cast::<PyBytes>() {
            Ok(bytes) => bytes.clone().unbind(),
            Err(_) => PyBytes::new(py, bytes).unbind(),
        };
        Ok(Robots {
            body,
            is_text,
            dialect,
            charset,
            parsed: OnceLock::new(),
            is_asked: AtomicBool::new(false),
            first: OnceLock::new(),
            others: Mutex::default(),
        })
    }

    /// The name of the dialect in which the file was parsed.
    #[getter]
    fn dialect(&self) -> &'static str {
        self.dialect.name()
    }

    /// The body that was passed to `parse`; text is encoded as UTF-8.
    #[getter]
    fn body(&self, py: Python<'_>) -> Py<PyBytes> {
        self.body.clone_ref(py)
    }

    /// True if the file exceeds the size limit of the dialect, so that its end was not read.
    #[getter]
    fn truncated(&self, py: Python<'_>) -> bool {
        self.txt(py).is_truncated()
    }

    /// The values of the `Sitemap` records.
    #[getter]
    fn sitemaps(&self, py: Python<'_>) -> Vec<String> {
        self.txt(py).sitemaps().map(|value| value.into_owned()).collect()
    }

    /// Every record, in the order of the file.
    #[getter]
    fn records<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        data::build_all(py, "robots.Record", self.txt(py).records().map(|record| RecordData::of(&record)))
    }

    /// Every group, in the order of the file.
    #[getter]
    fn groups<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        data::build_all(py, "robots.Group", self.txt(py).groups().map(|group| GroupData::of(&group)))
    }

    /// Returns the rules for a crawler. They need less memory than the file, which they do not contain.
    fn rules_for(&self, agent: &Bound<'_, PyAny>) -> PyResult<Rules> {
        Ok(Rules { inner: self.rules(agent)? })
    }

    /// Returns True if a crawler may fetch a URL. `decide` also returns the evidence.
    fn is_allowed(&self, agent: &Bound<'_, PyAny>, url: &Bound<'_, PyAny>) -> PyResult<bool> {
        if self.parsed.get().is_none()
            && let Some(answer) = self.first_answer(agent, url)?
        {
            return Ok(answer);
        }
        rules::is_allowed(&*self.cached_rules(agent)?, url)
    }

    /// Decides several URLs, such as the links of a page. Returns True for each URL that a crawler may fetch, and None for
    /// text that the dialect does not accept as a URL. One call is faster than a call of `is_allowed` per URL.
    fn are_allowed(&self, agent: &Bound<'_, PyAny>, urls: &Bound<'_, PyAny>) -> PyResult<Vec<Option<bool>>> {
        rules::are_allowed(&*self.cached_rules(agent)?, urls)
    }

    /// Decides one URL for a crawler, and returns the decision with its evidence.
    fn decide(&self, agent: &Bound<'_, PyAny>, url: UrlText<'_>) -> PyResult<Decision> {
        Decision::by_rules(self.rules(agent)?, &url)
    }

    /// Decides one URL for a crawler. Returns the decision, the groups that apply to the crawler, and each matching rule
    /// with its role.
    fn explain<'py>(
        &self,
        py: Python<'py>,
        agent: &Bound<'_, PyAny>,
        url: UrlText<'_>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let asked: AgentLike<'_, '_> = agent.extract()?;
        let robots = self.txt(py);
        let explanation = robots.explain(&asked.to_agent(py, Some(robots))?, &*url).map_err(errors::url)?;
        let groups = data::build_all(py, "decisions.ChosenGroup", explanation.groups)?;
        let contenders = rules::contenders(py, explanation.contenders)?;
        let decision = Decision::by_record(explanation.decision);
        let class = py.import("comity.decisions")?.getattr("Explanation")?;
        let (groups, contenders) = (PyTuple::new(py, groups)?, PyTuple::new(py, contenders)?);
        class.call1((String::from_utf8_lossy(&url), decision, groups, contenders))
    }

    /// Returns the crawl delay for a crawler, in seconds, or None if the file has none.
    fn crawl_delay(&self, agent: &Bound<'_, PyAny>) -> PyResult<Option<f64>> {
        Ok(self.cached_rules(agent)?.crawl_delay().map(|delay| delay.as_secs_f64()))
    }

    /// Returns the request rate for a crawler (documents per period), or None if the file has none.
    fn request_rate<'py>(
        &self,
        py: Python<'py>,
        agent: &Bound<'_, PyAny>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        rules::request_rate(py, &*self.cached_rules(agent)?)
    }

    /// Returns the part of the day, in UTC, in which a crawler should visit, or None if the file has none.
    fn visit_time<'py>(
        &self,
        py: Python<'py>,
        agent: &Bound<'_, PyAny>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        rules::visit_time(py, &*self.cached_rules(agent)?)
    }

    /// Returns the extent to which a crawler may fetch the site: all, a part or nothing.
    fn extent<'py>(&self, py: Python<'py>, agent: &Bound<'_, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let rules = self.rules(agent)?;
        let extent = py.detach(|| ExtentData::of(&rules));
        data::build(py, "robots.Extent", &extent)
    }

    /// Returns a finding for each problem of the file, with its place and a remedy.
    fn lint<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let body = self.body.bind(py).as_bytes();
        let findings = py.detach(|| lint::lint(body));
        data::build_all(py, "findings.Finding", findings)
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        let (records, groups) = (self.txt(py).records().count(), self.txt(py).groups().len());
        let number = |count: usize, one: &str| format!("{count} {one}{}", if count == 1 { "" } else { "s" });
        let (records, groups) = (number(records, "record"), number(groups, "group"));
        format!("<Robots {}: {records} in {groups}>", self.dialect())
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Robots>().is_ok_and(|other| {
            let (py, other) = (other.py(), other.get());
            self.dialect == other.dialect
                && self.charset == other.charset
                && self.body.bind(py).as_bytes() == other.body.bind(py).as_bytes()
        })
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
        self.body.bind(py).hash()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let parts = (self.body.clone_ref(py), self.dialect(), self.charset.clone());
        Ok((py.get_type::<Robots>().getattr("_restore")?, parts.into_pyobject(py)?))
    }

    #[staticmethod]
    fn _restore(
        py: Python<'_>,
        body: &Bound<'_, PyAny>,
        dialect: &str,
        charset: Option<String>,
    ) -> PyResult<Self> {
        Robots::parse(py, body, dialect, charset)
    }
}

impl Robots {
    /// Returns the parsed file.
    pub(crate) fn txt(&self, py: Python<'_>) -> &RobotsTxt<'static> {
        self.parsed.get_or_init_py_attached(py, || {
            let body = self.text(py);
            let parse =
                || RobotsTxt::parse_with_charset(body, self.dialect, self.charset.as_deref()).into_owned();
            if body.as_bytes().len() > MIN_DETACHED_BYTES { py.detach(parse) } else { parse() }
        })
    }

    /// Returns the body as input for the engine.
    fn text<'a>(&'a self, py: Python<'a>) -> Body<'a> {
        let bytes = self.body.bind(py).as_bytes();
        if self.is_text { Body::utf8(bytes) } else { Body::from(bytes) }
    }

    /// Answers the first question about the file without parsing the whole file. Returns `None` for later questions, if a
    /// charset was given, and for an agent whose name must be compared with the names in the file first.
    fn first_answer(&self, agent: &Bound<'_, PyAny>, url: &Bound<'_, PyAny>) -> PyResult<Option<bool>> {
        if (self.charset.is_some() && !self.is_text) || self.is_asked.swap(true, Ordering::Relaxed) {
            return Ok(None);
        }
        let py = agent.py();
        let like: AgentLike<'_, '_> = agent.extract()?;
        let Some(agent) = like.known_agent()? else {
            return Ok(None);
        };
        UrlText::with_bytes(url, |url| answer_once(py, self.text(py), self.dialect, &agent, url))?.map(Some)
    }

    /// Returns the rules for an agent, which is a product token or an `Agent`.
    fn rules(&self, agent: &Bound<'_, PyAny>) -> PyResult<Arc<robots::Rules>> {
        Ok(match self.cached_rules(agent)? {
            RulesRef::First(rules) => Arc::clone(rules),
            RulesRef::Other(rules) => rules,
        })
    }

    /// Returns the rules for an agent, from the cache if possible. For the first agent, no lock is needed.
    #[inline]
    fn cached_rules(&self, agent: &Bound<'_, PyAny>) -> PyResult<RulesRef<'_>> {
        match self.first.get() {
            Some((object, known)) if object.is(agent) => Ok(RulesRef::First(&known.rules)),
            _ => self.find_or_compile(agent),
        }
    }

    /// Returns the rules for an agent whose Python object is not that of the first agent. The names may be equal.
    #[inline(never)]
    fn find_or_compile(&self, agent: &Bound<'_, PyAny>) -> PyResult<RulesRef<'_>> {
        let like: AgentLike<'_, '_> = agent.extract()?;
        let (_, first) = match self.first.get() {
            Some(first) => first,
            None => {
                let made = CachedRules::new(agent.py(), self.txt(agent.py()), &like)?;
                self.first.get_or_init(|| (agent.clone().unbind(), made))
            }
        };
        if first.is_for(&like) {
            return Ok(RulesRef::First(&first.rules));
        }
        // The list is valid even after a panic, because entries are only pushed, swapped and dropped.
        let others = || self.others.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = move_to_front(&mut others(), &like) {
            return Ok(RulesRef::Other(known));
        }
        // `CachedRules::new` can warn, and a warning runs Python code that can switch threads. So the list is not locked here.
        let made = CachedRules::new(agent.py(), self.txt(agent.py()), &like)?;
        let rules = Arc::clone(&made.rules);
        let mut others = others();
        if let Some(known) = move_to_front(&mut others, &like) {
            return Ok(RulesRef::Other(known));
        }
        others.truncate(MAX_OTHER_AGENTS - 1);
        others.insert(0, made);
        Ok(RulesRef::Other(rules))
    }
}

/// Moves the rules for an agent to the front of the list, if they are in it, and returns them.
fn move_to_front(others: &mut [CachedRules], agent: &AgentLike<'_, '_>) -> Option<Arc<robots::Rules>> {
    let place = others.iter().position(|known| known.is_for(agent))?;
    others[..=place].rotate_right(1);
    others.first().map(|known| Arc::clone(&known.rules))
}

/// Returns True if the rules in a robots.txt body permit an agent to fetch a URL. This function is the fastest for a body
/// that is used once, because it compiles and caches nothing.
#[pyfunction]
#[pyo3(signature = (body, agent, url, *, dialect = "rfc9309"))]
pub(crate) fn is_allowed(
    py: Python<'_>,
    body: BodyLike<'_>,
    agent: AgentLike<'_, '_>,
    url: UrlText<'_>,
    dialect: &str,
) -> PyResult<bool> {
    let (dialect, agent) = (dialect_of(dialect)?, agent.to_agent(py, None)?);
    answer_once(py, body.body(), dialect, &agent, &url)
}

/// Returns true if the rules in a body permit an agent to fetch a URL.
fn answer_once(
    py: Python<'_>,
    body: Body<'_>,
    dialect: Dialect,
    agent: &robots::Agent,
    url: &[u8],
) -> PyResult<bool> {
    let ask = || robots::is_allowed_as(body, dialect, agent, url);
    let answer = if body.as_bytes().len() > MIN_DETACHED_BYTES { py.detach(ask) } else { ask() };
    answer.map_err(errors::url)
}

/// Returns the names of the dialects.
#[pyfunction]
pub(crate) fn dialects() -> Vec<&'static str> {
    Dialect::ALL.into_iter().map(Dialect::name).collect()
}

/// Returns the dialect with a name.
pub(crate) fn dialect_of(name: &str) -> PyResult<Dialect> {
    Dialect::from_str(name).map_err(errors::unknown)
}

#[derive(Serialize)]
struct RecordData {
    line: u32,
    kind: RecordKind,
    key: String,
    value: String,
    group: Option<usize>,
    is_misspelt: bool,
    is_missing_colon: bool,
}

impl RecordData {
    fn of(record: &robots::Record<'_>) -> Self {
        RecordData {
            line: record.line(),
            kind: record.kind(),
            key: String::from_utf8_lossy(record.key()).into_owned(),
            value: record.value_text().into_owned(),
            group: record.group(),
            is_misspelt: record.is_misspelt(),
            is_missing_colon: record.is_missing_colon(),
        }
    }
}

#[derive(Serialize)]
struct GroupData {
    index: usize,
    agents: Vec<String>,
    rules: Vec<RecordData>,
    records: Vec<RecordData>,
    is_for_everyone: bool,
    is_dropped: bool,
}

impl GroupData {
    fn of(group: &robots::Group<'_>) -> Self {
        GroupData {
            index: group.index(),
            agents: group.agents().map(|record| record.value_text().into_owned()).collect(),
            rules: group.rules().map(|record| RecordData::of(&record)).collect(),
            records: group.records().map(|record| RecordData::of(&record)).collect(),
            is_for_everyone: group.is_for_everyone(),
            is_dropped: group.is_dropped(),
        }
    }
}

#[derive(Serialize)]
struct ExtentData {
    access: Access,
    is_open: bool,
    rule: Option<RuleRecord>,
    exception: Option<RuleRecord>,
    exceptions: usize,
}

impl ExtentData {
    fn of(rules: &robots::Rules) -> Self {
        let extent = rules.extent();
        ExtentData {
            access: extent.access(),
            is_open: extent.is_open(),
            rule: extent.rule().map(|rule| rule.to_record()),
            exception: extent.exception().map(|rule| rule.to_record()),
            exceptions: extent.exceptions(),
        }
    }
}
