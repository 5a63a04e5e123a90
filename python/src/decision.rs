//! Decisions: verdicts with their evidence.
//!
//! Programs make millions of decisions and inspect few of them. A decision by rules therefore stores the rules and the URL,
//! and computes its evidence on demand. Decisions of a policy or a client store their evidence. The attributes are the
//! fields of [`DecisionRecord`]. Frequently used fields have a method; [`add_fields`] adds a property for each other field.

use std::sync::Arc;

use comity::decision::{DecisionRecord, Field, FieldKind, RuleRecord};
use comity::policy::{Recommendation, Verdict};
use comity::robots;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyCFunction, PyDict, PyTuple};

use crate::{data, errors};

/// A decision about fetching a URL: verdict, recommendation and evidence.
///
/// `is_allowed` is True if a well-behaved program may fetch the URL. In a condition, the decision has the value of
/// `is_allowed`. Fields without a value are None: a decision of `Robots` or `Rules` has no preset and no HTTP answer.
#[pyclass(frozen, module = "comity")]
pub(crate) struct Decision {
    verdict: Verdict,
    recommendation: Recommendation,
    blocked: bool,
    backing: Backing,
    /// The JSON form. It is computed at the first access.
    json: PyOnceLock<Py<PyDict>>,
}

/// Source of the evidence.
enum Backing {
    /// Rules that are evaluated again.
    Rules { rules: Arc<robots::Rules>, url: Box<[u8]> },
    /// A record that contains the evidence.
    Record(Box<DecisionRecord>),
    /// The JSON form only: the decision was unpickled.
    Json,
}

#[pymethods]
impl Decision {
    /// True if a well-behaved program may fetch the URL: by the rules, and by preset and mode if the decision has them.
    #[getter]
    fn is_allowed(&self) -> bool {
        !self.blocked
    }

    /// Equal to `is_allowed`. Tables have a column of this name.
    #[getter]
    fn allowed(&self) -> bool {
        !self.blocked
    }

    /// True if a well-behaved program must not fetch: the opposite of `is_allowed`.
    #[getter]
    fn blocked(&self) -> bool {
        self.blocked
    }

    /// The result of the rules: `allowed_explicit`, `allowed_implicit`, `disallowed_explicit`, `unknown_unreachable`,
    /// `unknown_parse_error` or `skipped_by_user_policy`.
    #[getter]
    fn verdict(&self) -> &'static str {
        self.verdict.as_str()
    }

    /// The advice for a well-behaved program: `recommended`, `not_recommended`, `allowed_but_warn` or
    /// `unknown_do_not_fetch_by_default`.
    #[getter]
    fn recommendation(&self) -> &'static str {
        self.recommendation.as_str()
    }

    /// The line number of the deciding rule, from 1, or None if no rule decided.
    #[getter]
    fn line<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        match self.json_field(py, "rule")? {
            Some(rule) => rule.get_item("line").map(Some),
            None => Ok(None),
        }
    }

    /// The answer to the request for robots.txt in words: the status code or the failure. If robots.txt is unreachable, the
    /// start of the outage and the time of the next request follow. None if no answer decided.
    #[getter]
    fn answer(&self, py: Python<'_>) -> PyResult<Option<String>> {
        let answer = |record: &DecisionRecord| record.evidence.is_some().then(|| record.answer());
        match &self.backing {
            Backing::Rules { .. } => Ok(None),
            Backing::Record(record) => Ok(answer(record)),
            Backing::Json => Ok(answer(&pythonize::depythonize(self.json(py)?.as_any())?)),
        }
    }

    /// Returns the decision as a dictionary with the field names of the command's JSON.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        // Returns a deep copy, so that callers can modify it.
        let copy = py.import("copy")?.getattr("deepcopy")?.call1((self.json(py)?,))?;
        Ok(copy.cast_into()?)
    }

    /// Returns the decision as JSON.
    fn to_json<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.import("json")?.getattr("dumps")?.call1((self.json(py)?,))
    }

    fn __bool__(&self) -> bool {
        !self.blocked
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let mut text = format!("<Decision {}", self.verdict);
        if let Some(rule) = self.json_field(py, "rule")? {
            let rule: RuleRecord = pythonize::depythonize(&rule)?;
            text.push_str(&format!(": line {}: {rule}", rule.line));
        }
        if let Some(group) = self.json_field(py, "group")? {
            text.push_str(&format!(" (group {group})"));
        }
        for (name, usual) in [("preset", None), ("mode", Some("respect")), ("dialect", None)] {
            match self.json_field(py, name)? {
                Some(value) if usual.is_none_or(|usual| !value.eq(usual).unwrap_or(false)) => {
                    text.push_str(&format!(", {name} {value}"));
                }
                _ => {}
            }
        }
        Ok(text + ">")
    }

    fn __eq__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<bool> {
        match other.cast::<Decision>() {
            Ok(other) => self.json(py)?.eq(other.get().json(py)?),
            Err(_) => Ok(false),
        }
    }

    fn __hash__(&self) -> isize {
        self.verdict as isize
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let parts = (self.json(py)?, self.blocked);
        Ok((py.get_type::<Decision>().getattr("_restore")?, parts.into_pyobject(py)?))
    }

    #[staticmethod]
    pub(crate) fn _restore(json: Bound<'_, PyDict>, blocked: bool) -> PyResult<Self> {
        let text = |name: &str| -> PyResult<String> {
            json.get_item(name)?.map(|value| value.extract()).transpose().map(Option::unwrap_or_default)
        };
        let invalid =
            || PyValueError::new_err("cannot unpickle the decision: its data is not that of a decision");
        let (verdict, recommendation) = (text("verdict")?, text("recommendation")?);
        let verdict: Verdict = verdict.parse().map_err(|_| invalid())?;
        let recommendation: Recommendation = recommendation.parse().map_err(|_| invalid())?;
        let py = json.py();
        let known = PyOnceLock::new();
        let _ = known.set(py, json.unbind());
        Ok(Decision { verdict, recommendation, blocked, backing: Backing::Json, json: known })
    }
}

impl Decision {
    /// Decides a URL by rules.
    pub(crate) fn by_rules(rules: Arc<robots::Rules>, url: &[u8]) -> PyResult<Self> {
        let decision = rules.decide(url).map_err(errors::url)?;
        let (verdict, blocked) = (decision.verdict(), !decision.is_allowed());
        let recommendation = decision.recommendation();
        let backing = Backing::Rules { rules, url: url.into() };
        Ok(Decision { verdict, recommendation, blocked, backing, json: PyOnceLock::new() })
    }

    /// Creates a decision from a record that contains its evidence.
    pub(crate) fn by_record(record: DecisionRecord) -> Self {
        Decision {
            verdict: record.verdict,
            recommendation: record.recommendation,
            blocked: record.blocked,
            backing: Backing::Record(Box::new(record)),
            json: PyOnceLock::new(),
        }
    }

    /// Returns the JSON form as a dictionary.
    fn json<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let json = self.json.get_or_try_init(py, || -> PyResult<Py<PyDict>> {
            let json = match &self.backing {
                Backing::Rules { rules, url } => {
                    data::plain(py, &rules.decide(url.as_ref()).map_err(errors::url)?)?
                }
                Backing::Record(record) => data::plain(py, record)?,
                Backing::Json => PyDict::new(py).into_any(),
            };
            Ok(json.cast_into::<PyDict>()?.unbind())
        })?;
        Ok(json.bind(py).clone())
    }

    fn json_field<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
        Ok(self.json(py)?.get_item(name)?.filter(|value| !value.is_none()))
    }

    /// Returns the value of a field. Nested records become dataclasses.
    fn field<'py>(&self, py: Python<'py>, field: &Field) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Some(value) = self.json_field(py, field.name)? else { return Ok(None) };
        match field.kind {
            FieldKind::Record(name, _) => {
                let class = format!("decisions.{name}");
                py.import("comity._data")?.getattr("build")?.call1((class, value)).map(Some)
            }
            // Returns a copy, so that callers can modify it.
            FieldKind::Overrides => value.call_method0("copy").map(Some),
            _ => Ok(Some(value)),
        }
    }
}

/// Adds a property to the class for each field of a decision without a method.
pub(crate) fn add_fields(py: Python<'_>) -> PyResult<()> {
    let class = py.get_type::<Decision>();
    let property = py.import("builtins")?.getattr("property")?;
    for field in DecisionRecord::FIELDS {
        if class.hasattr(field.name)? {
            continue;
        }
        let get = move |args: &Bound<'_, PyTuple>, _: Option<&Bound<'_, PyDict>>| -> PyResult<Py<PyAny>> {
            let (py, decision) = (args.py(), args.get_item(0)?);
            let value = decision.cast::<Decision>()?.get().field(py, field)?;
            Ok(value.map_or_else(|| py.None(), Bound::unbind))
        };
        let get = PyCFunction::new_closure(py, None, None, get)?;
        class.setattr(field.name, property.call1((get, py.None(), py.None(), field.about))?)?;
    }
    Ok(())
}
