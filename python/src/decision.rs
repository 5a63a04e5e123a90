//! Decisions: a verdict with its evidence.
//!
//! Millions are made and few are looked into, so a decision by rules keeps the rules and the URL; its evidence is worked
//! out when somebody asks for it. Decisions of a policy or a client come with theirs.

use std::sync::Arc;

use comity::policy::{DecisionRecord, Recommendation, Verdict};
use comity::robots;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyTuple};
use serde::Serialize;

use crate::{data, errors};

/// The decision about fetching a URL: what is known, what to do about it, and why.
///
/// `is_allowed`, and the truth of the decision itself, say whether a well-behaved program may fetch. What the decision
/// does not have is None: one that `Robots` or `Rules` made knows no preset and no transport.
#[pyclass(frozen, module = "comity")]
pub(crate) struct Decision {
    verdict: Verdict,
    recommendation: Recommendation,
    blocks: bool,
    source: Source,
    /// The words of the JSON form, once somebody has asked.
    words: PyOnceLock<Py<PyDict>>,
}

/// The source of the evidence.
enum Source {
    /// The rules, asked again.
    Rules { rules: Arc<robots::Rules>, url: Box<[u8]> },
    /// A decision that brought its own.
    Record(Box<DecisionRecord>),
    /// A copy; the words are all there is.
    Words,
}

#[pymethods]
impl Decision {
    /// True if a well-behaved program may fetch: by the rules, and by preset and mode where there are such.
    #[getter]
    fn is_allowed(&self) -> bool {
        !self.blocks
    }

    /// The opposite of `is_allowed`.
    #[getter]
    fn blocks(&self) -> bool {
        self.blocks
    }

    /// Returns what is known: `allowed_explicit`, `allowed_implicit`, `disallowed_explicit`, `unknown_unreachable`,
    /// `unknown_parse_error` or `skipped_by_user_policy`.
    #[getter]
    fn verdict(&self) -> &'static str {
        self.verdict.as_str()
    }

    /// Returns what a well-behaved program does about it: `recommended`, `not_recommended`, `allowed_but_warn` or
    /// `unknown_do_not_fetch_by_default`.
    #[getter]
    fn recommendation(&self) -> &'static str {
        self.recommendation.as_str()
    }

    /// The rule that decided, if one did.
    #[getter]
    fn rule<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.part(py, "rule", "robots.Rule")
    }

    /// The line that decided, from 1, if one did.
    #[getter]
    fn line<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        match self.word(py, "rule")? {
            Some(rule) => rule.get_item("line").map(Some),
            None => Ok(None),
        }
    }

    /// The name by which the group was chosen: the crawler's own, or `*`.
    #[getter]
    fn group<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.word(py, "group")
    }

    /// The dialect that was applied.
    #[getter]
    fn dialect<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.word(py, "dialect")
    }

    /// Returns what the rules' verdict rests on: `rule`, `no_rule`, `no_group` or `robots_txt`.
    #[getter]
    fn basis<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.word(py, "basis")
    }

    /// The preset.
    #[getter]
    fn preset<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.word(py, "preset")
    }

    /// Returns what is decided otherwise than by the preset: `on_unreachable`, `max_age_seconds`; None if nothing is.
    #[getter]
    fn overrides<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.word(py, "overrides")?.map(|words| words.call_method0("copy")).transpose()
    }

    /// The mode: `respect`, `report_only` or `ignore`.
    #[getter]
    fn mode<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.word(py, "mode")
    }

    /// Returns what the preset does about the answer that came.
    #[getter]
    fn treatment<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.word(py, "treatment")
    }

    /// True if the fetch is allowed although nothing is known, because the preset or an override says so.
    #[getter]
    fn failed_open(&self) -> PyResult<bool> {
        self.flag("failed_open")
    }

    /// True if the evidence had expired by then and should have been asked for again.
    #[getter]
    fn is_stale(&self) -> PyResult<bool> {
        self.flag("stale")
    }

    /// The answer that it rests on.
    #[getter]
    fn evidence<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.part(py, "evidence", "policy.Evidence")
    }

    /// The outage in which it was made.
    #[getter]
    fn outage<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.part(py, "outage", "policy.Outage")
    }

    /// The same as a dictionary, in the words of the command's JSON.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        // A copy, all the way down: what callers do to it is theirs.
        let copy = py.import("copy")?.getattr("deepcopy")?.call1((self.words(py)?,))?;
        Ok(copy.cast_into()?)
    }

    /// The same as JSON.
    fn to_json<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.import("json")?.getattr("dumps")?.call1((self.words(py)?,))
    }

    fn __bool__(&self) -> bool {
        !self.blocks
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let mut text = format!("<Decision {}", self.verdict);
        if let Some(rule) = self.rule(py)? {
            text.push_str(&format!(": line {}: {}", rule.getattr("line")?, rule.str()?));
        }
        if let Some(group) = self.group(py)? {
            text.push_str(&format!(" (group {group})"));
        }
        for (name, usual) in [("preset", None), ("mode", Some("respect")), ("dialect", None)] {
            match self.word(py, name)? {
                Some(word) if usual.is_none_or(|usual| !word.eq(usual).unwrap_or(false)) => {
                    text.push_str(&format!(", {name} {word}"));
                }
                _ => {}
            }
        }
        Ok(text + ">")
    }

    fn __eq__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<bool> {
        match other.cast::<Decision>() {
            Ok(other) => self.words(py)?.eq(other.get().words(py)?),
            Err(_) => Ok(false),
        }
    }

    fn __hash__(&self) -> isize {
        self.verdict as isize
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let parts = (self.words(py)?, self.blocks);
        Ok((py.get_type::<Decision>().getattr("_restore")?, parts.into_pyobject(py)?))
    }

    #[staticmethod]
    fn _restore(words: Bound<'_, PyDict>, blocks: bool) -> PyResult<Self> {
        let word = |name: &str| -> PyResult<String> {
            words.get_item(name)?.map(|word| word.extract()).transpose().map(Option::unwrap_or_default)
        };
        let broken = || PyValueError::new_err("this is not a pickled decision");
        let (verdict, recommendation) = (word("verdict")?, word("recommendation")?);
        let verdict: Verdict = verdict.parse().map_err(|_| broken())?;
        let recommendation: Recommendation = recommendation.parse().map_err(|_| broken())?;
        let py = words.py();
        let known = PyOnceLock::new();
        let _ = known.set(py, words.unbind());
        Ok(Decision { verdict, recommendation, blocks, source: Source::Words, words: known })
    }
}

impl Decision {
    /// Decides a URL by rules.
    pub(crate) fn by_rules(rules: Arc<robots::Rules>, url: &[u8]) -> PyResult<Self> {
        let decision = rules.decide(url).map_err(errors::url)?;
        let (verdict, blocks) = (decision.verdict(), !decision.is_allowed());
        let recommendation = decision.recommendation();
        let source = Source::Rules { rules, url: url.into() };
        Ok(Decision { verdict, recommendation, blocks, source, words: PyOnceLock::new() })
    }

    /// A decision that brought its evidence.
    pub(crate) fn by_record(record: DecisionRecord) -> Self {
        Decision {
            verdict: record.verdict,
            recommendation: record.recommendation,
            blocks: record.blocked,
            source: Source::Record(Box::new(record)),
            words: PyOnceLock::new(),
        }
    }

    /// All of it as a dictionary.
    fn words<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let words = self.words.get_or_try_init(py, || -> PyResult<Py<PyDict>> {
            let words = match &self.source {
                Source::Rules { rules, url } => {
                    data::plain(py, &rules.decide(url.as_ref()).map_err(errors::url)?)?
                }
                Source::Record(record) => data::plain(py, record)?,
                Source::Words => PyDict::new(py).into_any(),
            };
            Ok(words.cast_into::<PyDict>()?.unbind())
        })?;
        Ok(words.bind(py).clone())
    }

    fn word<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
        Ok(self.words(py)?.get_item(name)?.filter(|word| !word.is_none()))
    }

    /// A part as a dataclass.
    fn part<'py>(&self, py: Python<'py>, name: &str, class: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Some(words) = self.word(py, name)? else { return Ok(None) };
        py.import("comity._data")?.getattr("build")?.call1((class, words)).map(Some)
    }

    fn flag(&self, name: &str) -> PyResult<bool> {
        match &self.source {
            Source::Rules { .. } => Ok(false),
            _ => Python::attach(|py| self.word(py, name)?.map_or(Ok(false), |word| word.is_truthy())),
        }
    }
}

/// A rule by itself.
#[derive(Debug, Serialize)]
pub(crate) struct RuleData {
    kind: robots::DirectiveKind,
    pattern: String,
    line: u32,
}

impl RuleData {
    /// The rule as it stands in the file.
    pub(crate) fn of(rule: &robots::Rule<'_>) -> Self {
        RuleData { kind: rule.kind(), pattern: rule.pattern_text().into_owned(), line: rule.line() }
    }
}
