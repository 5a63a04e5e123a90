//! The TDM Reservation Protocol (TDMRep): statements on whether rights to text and data mining are reserved.
//!
//! Source: the W3C Community Group's Final Report of 2024-05-10. TDMRep differs from robots.txt in two ways. The first
//! matching rule counts, not the longest. The header field replaces the value of the file, and the meta element
//! replaces both, even if the new value is less restrictive. If a source does not state a property, the property
//! remains unchanged.

use std::fmt;

use serde_json::Value;

use super::citation::{Citation, Preferences, shown, unstated};
use super::document_findings::{DocumentFindings, FindingPosition};
use super::kinds;
use crate::finding::{Channel, Finding, quoted};

use super::signal::Signal;
use super::words::Stance;
use crate::html;
use crate::http::Headers;
use crate::robots::scope::{Scope, UrlPath};

/// Maximum size of a `tdmrep.json` in bytes: 1 MiB. A larger file is rejected.
pub const MAX_TDMREP_BYTES: usize = 1024 * 1024;

/// Maximum number of rules of a `tdmrep.json`. A file with more rules is rejected.
pub const MAX_TDMREP_RULES: usize = 10_000;

/// The parsed file `/.well-known/tdmrep.json`.
///
/// ```
/// use comity::robots::Agent;
/// use comity::usage::{Stance, Signal, Tdmrep, Usage, Use};
///
/// let file = Tdmrep::parse(br#"[
///     { "location": "/open/", "tdm-reservation": 0 },
///     { "location": "/", "tdm-reservation": 1, "tdm-policy": "https://example.com/policy.json" }
/// ]"#)?;
/// let agent = Agent::token("examplebot")?;
/// let usage = Usage::for_agent(&agent).tdmrep(&file);
///
/// let report = usage.report("https://example.com/open/data")?;
/// let tdmrep = report.signal(Signal::Tdmrep).unwrap();
/// assert_eq!(tdmrep.stance(Use::TextAndDataMining), Stance::Allow);
///
/// let report = usage.report("https://example.com/data")?;
/// let preference = &report.signal(Signal::Tdmrep).unwrap().preferences()[0];
/// assert_eq!(preference.stance(), Stance::Disallow);
/// assert_eq!(preference.evidence()[0].index_in_list(), Some(1));
/// assert_eq!(preference.conditions(), ["a license is available under the policy at https://example.com/policy.json"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Tdmrep {
    rules: Vec<Rule>,
    findings: DocumentFindings,
}

/// A rule of the file.
#[derive(Clone, Debug)]
struct Rule {
    scope: Option<Scope>,
    statements: TdmStatements,
}

/// The statements of one source.
#[derive(Clone, Debug, Default)]
pub(super) struct TdmStatements {
    reservation: Option<(bool, Citation)>,
    policy: Option<(String, Citation)>,
}

impl Tdmrep {
    /// Reads the file.
    ///
    /// # Errors
    ///
    /// Returns [`TdmrepError`] if the file is too large, has too many rules, or is not a JSON array or object.
    pub fn parse(file: &[u8]) -> Result<Self, TdmrepError> {
        if file.len() > MAX_TDMREP_BYTES {
            return Err(TdmrepError::TooLarge { bytes: file.len() });
        }
        let text = file.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(file);
        let value = serde_json::from_slice(text).map_err(|error| TdmrepError::not_json(text, &error))?;
        let mut findings = DocumentFindings::new(Channel::TdmrepJson);
        let values = match value {
            Value::Array(values) => values,
            Value::Object(_) => {
                findings.note(&kinds::TDM_NOT_AN_ARRAY, FindingPosition::Document);
                vec![value]
            }
            other => return Err(TdmrepError::NoRules { shape: shape(&other) }),
        };
        if values.len() > MAX_TDMREP_RULES {
            return Err(TdmrepError::TooManyRules { rules: values.len() });
        }
        let mut locations = std::collections::HashSet::new();
        let rules = values.iter().enumerate().map(|(index, value)| {
            let location = value.get("location").and_then(Value::as_str).unwrap_or_default();
            if !value.is_object() {
                findings.detail(&kinds::TDM_NOT_A_RULE, FindingPosition::Rule(index), || {
                    format!("it is {}", shape(value))
                });
                return Rule { scope: None, statements: TdmStatements::default() };
            }
            if !locations.insert(location) {
                let message = || format!("an earlier rule is also for {}", quoted(location));
                findings.detail(&kinds::TDM_SHADOWED, FindingPosition::Rule(index), message);
            }
            Rule::read(index, value, location, &mut findings)
        });
        Ok(Tdmrep { rules: rules.collect(), findings })
    }

    /// Returns the number of rules.
    pub fn len(&self) -> usize {
        self.rules.len()
    }

    /// Returns true if the file has no rules.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// Returns the statements of the first rule that matches a path.
    pub(super) fn statements(&self, path: &UrlPath<'_>) -> TdmStatements {
        let matches = |rule: &&Rule| rule.scope.as_ref().is_some_and(|scope| scope.matches(path));
        self.rules.iter().find(matches).map(|rule| rule.statements.clone()).unwrap_or_default()
    }

    pub(super) fn findings(&self) -> Vec<Finding> {
        self.findings.list()
    }
}

impl Rule {
    fn read(index: usize, value: &Value, location: &str, findings: &mut DocumentFindings) -> Rule {
        let scope = Scope::new(location.as_bytes());
        if scope.is_none() {
            let message = || format!("the location is {}", quoted(location));
            findings.detail(&kinds::TDM_LOCATION, FindingPosition::Rule(index), message);
        }
        let evidence = |what: String| {
            Citation::index(Channel::TdmrepJson, index, format!("{}: {what}", shown(location.as_bytes())))
        };
        let mut statements = TdmStatements::default();
        match value.get("tdm-reservation").map(|value| (value, value_text(value))) {
            Some((_, text)) if text == "0" || text == "1" => {
                statements.reservation = Some((text == "1", evidence(format!("tdm-reservation {text}"))));
            }
            Some((_, text)) => {
                let message = || format!("`tdm-reservation` is {}", quoted(&text));
                findings.detail(&kinds::TDM_RESERVATION_VALUE, FindingPosition::Rule(index), message);
            }
            None => {
                let message = || "`tdm-reservation` is missing".to_owned();
                findings.detail(&kinds::TDM_RESERVATION_VALUE, FindingPosition::Rule(index), message);
            }
        }
        if let Some(policy) = value.get("tdm-policy") {
            let policy = policy.as_str().unwrap_or_default();
            let evidence = |policy: &str| evidence(format!("tdm-policy {policy}"));
            statements.take_policy(policy, evidence, FindingPosition::Rule(index), findings);
        }
        Rule { scope, statements }
    }
}

/// Returns the name of the type of a JSON value.
fn shape(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

/// Converts a number or a string to text, and any other value to JSON.
fn value_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        value => value.to_string(),
    }
}

impl TdmStatements {
    /// Returns the statements of the header fields.
    pub(super) fn in_header(headers: &Headers<'_>, findings: &mut DocumentFindings) -> TdmStatements {
        let mut statements = TdmStatements::default();
        let reservations = headers.get_all("tdm-reservation").enumerate().map(|(index, value)| {
            let text = format!("tdm-reservation: {}", shown(value));
            (String::from_utf8_lossy(value), Citation::index(Channel::HttpHeader, index, text))
        });
        statements.take_reservations(reservations, None, findings);
        if let Some(policy) = headers.get("tdm-policy") {
            let evidence =
                |policy: &str| Citation::index(Channel::HttpHeader, 0, format!("tdm-policy: {policy}"));
            statements.take_policy(
                &String::from_utf8_lossy(policy),
                evidence,
                FindingPosition::Document,
                findings,
            );
        }
        statements
    }

    /// Returns the statements of the meta elements.
    pub(super) fn in_html(facts: &html::Facts, findings: &mut DocumentFindings) -> TdmStatements {
        let metas = |name: &'static str| {
            let is_named = move |meta: &&html::Meta| {
                meta.name().is_some_and(|known| known.trim().eq_ignore_ascii_case(name))
            };
            facts.metas().iter().filter(is_named).map(move |meta| {
                let text = format!("<meta name=\"{name}\" content=\"{}\">", shown(meta.content().as_bytes()));
                let line = u32::try_from(meta.at().line()).unwrap_or(u32::MAX);
                (meta.content(), Citation::line(Channel::Html, line, text))
            })
        };
        let mut statements = TdmStatements::default();
        let line = metas("tdm-reservation").next().and_then(|(_, evidence)| evidence.line_number());
        let reservations = metas("tdm-reservation").map(|(value, evidence)| (value.into(), evidence));
        statements.take_reservations(reservations, line, findings);
        if let Some((policy, evidence)) = metas("tdm-policy").next() {
            let at = FindingPosition::from(evidence.line_number());
            statements.take_policy(policy, |_| evidence, at, findings);
        }
        statements
    }

    /// Reads the values of `tdm-reservation`. If they differ, or one is invalid, none counts. A value may be a list,
    /// because proxies join several fields by commas.
    fn take_reservations<'t>(
        &mut self,
        found: impl Iterator<Item = (std::borrow::Cow<'t, str>, Citation)>,
        line: Option<u32>,
        findings: &mut DocumentFindings,
    ) {
        let (mut is_conflict, mut is_odd) = (false, false);
        for (text, evidence) in found {
            for value in text.split(',').map(str::trim) {
                let reserved = match value {
                    "0" => false,
                    "1" => true,
                    _ => {
                        is_odd = true;
                        findings.detail(&kinds::TDM_RESERVATION_VALUE, line, || {
                            format!("`tdm-reservation` is {}", quoted(value))
                        });
                        continue;
                    }
                };
                match &self.reservation {
                    Some((before, _)) => is_conflict |= *before != reserved,
                    None => self.reservation = Some((reserved, evidence.clone())),
                }
            }
        }
        if is_conflict {
            findings.detail(&kinds::TDM_RESERVATION_CONFLICT, line, || "both 0 and 1 are given".to_owned());
        }
        if is_conflict || is_odd {
            self.reservation = None;
        }
    }

    fn take_policy(
        &mut self,
        policy: &str,
        evidence: impl FnOnce(&str) -> Citation,
        at: FindingPosition,
        findings: &mut DocumentFindings,
    ) {
        let policy = policy.trim();
        if policy.is_empty() || policy.contains(char::is_whitespace) {
            return findings.detail(&kinds::TDM_POLICY, at, || quoted(policy));
        }
        let policy = shown(policy.as_bytes());
        let evidence = evidence(&policy);
        self.policy = Some((policy, evidence));
    }

    /// Combines two sources: a value of the later source replaces the value of the earlier source.
    pub(super) fn superseded_by(self, later: TdmStatements) -> TdmStatements {
        TdmStatements {
            reservation: later.reservation.or(self.reservation),
            policy: later.policy.or(self.policy),
        }
    }

    /// Returns the statements as the preferences of the signal.
    pub(super) fn preferences(self) -> Preferences {
        let mut preferences = unstated(Signal::Tdmrep);
        let Some((reserved, evidence)) = self.reservation else { return preferences };
        for preference in preferences.to_mut() {
            preference.state(if reserved { Stance::Disallow } else { Stance::Allow });
            preference.push_evidence(|| evidence.clone());
            // A policy has no meaning if no rights are reserved.
            if let Some((url, evidence)) = self.policy.as_ref().filter(|_| reserved) {
                preference.push_condition(format!("a license is available under the policy at {url}"));
                preference.push_evidence(|| evidence.clone());
            }
        }
        preferences
    }
}

/// Returns serde_json's message without the position at its end.
fn reason(message: &str) -> String {
    message.split(" at line ").next().unwrap_or(message).to_owned()
}

/// The reason why a `tdmrep.json` is rejected.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TdmrepError {
    /// The file is larger than [`MAX_TDMREP_BYTES`].
    TooLarge {
        /// The size in bytes.
        bytes: usize,
    },
    /// The file is an HTML page.
    Html,
    /// The file is text that does not begin as JSON.
    PlainText,
    /// The file is empty, or begins as JSON but is not valid JSON.
    NotJson {
        /// The 1-based line at which reading stopped.
        line: usize,
        /// The reason.
        reason: String,
    },
    /// The file is JSON, but neither an array nor an object.
    NoRules {
        /// The type of the value, such as `a string`.
        shape: &'static str,
    },
    /// The file has more than [`MAX_TDMREP_RULES`] rules.
    TooManyRules {
        /// The number of rules.
        rules: usize,
    },
}

impl TdmrepError {
    /// Returns the error for a file that is not JSON.
    fn not_json(text: &[u8], error: &serde_json::Error) -> TdmrepError {
        let is_begun = matches!(text.trim_ascii_start().first(), Some(b'[' | b'{' | b'"') | None);
        if html::is_html(&Headers::new(), text) {
            TdmrepError::Html
        } else if is_begun {
            TdmrepError::NotJson { line: error.line(), reason: reason(&error.to_string()) }
        } else {
            TdmrepError::PlainText
        }
    }
}

/// The required form of the file.
const FORM: &str = "an array of rules is required: `[{\"location\": ...}, ...]`";

impl fmt::Display for TdmrepError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TdmrepError::TooLarge { bytes } => {
                write!(f, "a tdmrep.json of {bytes} bytes is too large; the maximum is {MAX_TDMREP_BYTES}")
            }
            TdmrepError::NotJson { line, reason } => write!(f, "line {line}: invalid JSON: {reason}"),
            TdmrepError::Html => write!(
                f,
                "the file is an HTML page, as servers often send for a missing file; {FORM}, or status 404"
            ),
            TdmrepError::PlainText => write!(f, "the file is plain text, not JSON; {FORM}"),
            TdmrepError::NoRules { shape } => write!(f, "the file is {shape}; {FORM}"),
            TdmrepError::TooManyRules { rules } => {
                write!(f, "a tdmrep.json has {rules} rules; the maximum is {MAX_TDMREP_RULES}")
            }
        }
    }
}

impl std::error::Error for TdmrepError {}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(file: &str) -> Vec<&'static str> {
        Tdmrep::parse(file.as_bytes()).expect("rules").findings().iter().map(Finding::code).collect()
    }

    #[test]
    fn file_without_rules_is_rejected_with_the_reason() {
        let error = |file: &[u8]| Tdmrep::parse(file).expect_err("refused").to_string();
        assert_eq!(error(b"[\n{"), "line 2: invalid JSON: EOF while parsing an object");
        for (file, shape) in [
            ("<!doctype html>\n<title>Not found</title>", "an HTML page"),
            ("tdm-reservation: 1\n", "plain text"),
            ("none", "plain text"),
            ("\"[{}]\"", "a string"),
            ("3", "a number"),
            ("null", "null"),
        ] {
            let error = error(file.as_bytes());
            assert!(error.starts_with(&format!("the file is {shape}")), "{error}");
            assert!(error.contains("an array of rules is required"), "{error}");
        }
        assert_eq!(error(b""), "line 1: invalid JSON: EOF while parsing a value");
        assert!(error(&vec![b' '; MAX_TDMREP_BYTES + 1]).contains("1048577 bytes"));
        let many = format!("[{}0]", "0,".repeat(MAX_TDMREP_RULES));
        assert!(error(many.as_bytes()).contains("10001 rules"));
        assert!(error("[".repeat(100_000).as_bytes()).contains("recursion limit"));
    }

    #[test]
    fn rule_with_invalid_parts_is_reported() {
        assert_eq!(kinds(r#"[{"location": "/", "tdm-reservation": 1}]"#), [""; 0]);
        assert_eq!(kinds(r#"{"location": "/", "tdm-reservation": "1"}"#), ["usage-tdm-not-an-array"]);
        assert_eq!(
            kinds(r#"[{"location": "a", "tdm-reservation": true, "tdm-policy": 3}, 7]"#),
            ["usage-tdm-location", "usage-tdm-policy", "usage-tdm-reservation-value", "usage-tdm-not-a-rule"]
        );
        assert_eq!(kinds(r#"["/", "/a"]"#), ["usage-tdm-not-a-rule"; 2]);
        let nested = Tdmrep::parse(br#"[[{"location": "/", "tdm-reservation": 1}]]"#).expect("rules");
        assert!(nested.findings()[0].message().ends_with("so it cannot be a rule: it is an array"));
        assert_eq!(
            kinds(r#"[{"location": "/", "tdm-reservation": 1}, {"location": "/", "tdm-reservation": 0}]"#),
            ["usage-tdm-shadowed"]
        );
    }

    #[test]
    fn different_values_of_one_source_count_as_absent() {
        let read = |values: &[&str]| {
            let headers: Headers<'_> = values.iter().map(|value| ("TDM-Reservation", *value)).collect();
            let mut findings = DocumentFindings::new(Channel::HttpHeader);
            let statements = TdmStatements::in_header(&headers, &mut findings);
            let kinds: Vec<_> = findings.list().iter().map(Finding::code).collect();
            (statements.reservation.map(|(reserved, _)| reserved), kinds)
        };
        assert_eq!(read(&["1", "1"]), (Some(true), vec![]));
        assert_eq!(read(&["1, 1"]), (Some(true), vec![]));
        assert_eq!(read(&["1, 0"]), (None, vec!["usage-tdm-reservation-conflict"]));
        assert_eq!(read(&["yes"]), (None, vec!["usage-tdm-reservation-value"]));
        assert_eq!(read(&[]), (None, vec![]));
    }
}
