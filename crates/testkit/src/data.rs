//! Cases from the test suites of other projects, which are outside of the repository.
//!
//! The environment variable `COMITY_DATA` contains the path of a folder with `conformance/`, `corpus/` and `seeds/`.
//! The rows in `conformance/*.jsonl` are decisions that were observed in other projects. `conformance/README.md` in
//! that folder lists the dialects for which each suite is correct.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Once;

use serde::Deserialize;
use serde::de::DeserializeOwned;

/// The environment variable with the path of the folder.
pub const VARIABLE: &str = "COMITY_DATA";

/// Returns the folder in `COMITY_DATA`. If the variable is not set, reports it once on standard error.
pub fn shared_data() -> Option<PathBuf> {
    static SAID: Once = Once::new();
    let folder = std::env::var_os(VARIABLE).filter(|value| !value.is_empty()).map(PathBuf::from);
    if folder.is_none() {
        SAID.call_once(|| {
            report_skipped(&format!(
                "{VARIABLE} is not set, so cases from outside the repository were not run"
            ));
        });
    }
    folder
}

/// Reports a skipped test on standard error. The test harness captures the output of `eprintln!`, so the message is
/// written directly: without it, a skipped test would look like a test that passed.
pub(crate) fn report_skipped(reason: &str) {
    // If standard error cannot be written, the message is lost.
    let _ = std::io::stderr().write_all(format!("SKIPPED: {reason}\n").as_bytes());
}

/// One decision from another project's test suite.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::exhaustive_structs, reason = "tests take it apart")]
pub struct Row {
    /// The name of the suite, and a number.
    pub id: String,
    /// The body, as served.
    pub robots: Vec<u8>,
    /// The names of the crawler. Some suites pass more than one.
    pub agents: Vec<String>,
    /// The URL.
    pub url: String,
    /// True if each character of the URL stands for one byte.
    pub url_is_latin1_bytes: bool,
    /// The answer that the suite expects.
    pub expected_allowed: bool,
    /// The deciding line, if the suite has it.
    pub expected_line: Option<u32>,
    /// How the project of the suite compares the names of crawlers: `exact`, `prefix`, `substring`, `base-host` or
    /// `custom`.
    pub mode: String,
    /// True if the suite marks the case as specific to Google.
    pub google_specific: bool,
    /// True if all engines in `refs` give equal answers.
    pub unanimous: bool,
    /// True if three engines give equal answers: Google's program, nzrsky and robotxt.
    pub rfc_core_agrees: bool,
    /// The answers of other engines; `None` if they fail.
    pub refs: BTreeMap<String, Option<bool>>,
    /// The deciding line according to Google's program; `None` if it reports no line.
    pub google_matching_line: Option<u32>,
    /// The remark of the suite.
    pub note: String,
}

impl Row {
    /// Returns the bytes of the URL.
    pub fn url_bytes(&self) -> Cow<'_, [u8]> {
        let bytes = || self.url.chars().map(|c| u8::try_from(u32::from(c)).ok()).collect::<Option<Vec<_>>>();
        match self.url_is_latin1_bytes.then(bytes).flatten() {
            Some(bytes) => Cow::Owned(bytes),
            None => Cow::Borrowed(self.url.as_bytes()),
        }
    }
}

/// One minimal case, with the answers of many engines.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::exhaustive_structs, reason = "tests take it apart")]
pub struct MatrixRow {
    /// The name of the case.
    pub id: String,
    /// The body, as served.
    pub robots: Vec<u8>,
    /// The crawler.
    pub agent: String,
    /// The URL.
    pub url: String,
    /// The answer of RFC 9309; `None` if the RFC leaves it open.
    pub rfc9309: Option<bool>,
    /// The subject of the case.
    pub why: String,
    /// The answer of each engine.
    pub answers: BTreeMap<String, EngineAnswer>,
}

/// The answer of an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
#[expect(clippy::exhaustive_enums, reason = "tests take it apart")]
pub enum EngineAnswer {
    /// Allowed.
    Allow,
    /// Disallowed.
    Deny,
    /// The engine fails.
    Error,
    /// The engine does not finish.
    Timeout,
}

/// Error of reading rows.
#[derive(Debug, thiserror::Error)]
#[error("{}{}: {problem}", path.display(), line.map(|line| format!(":{line}")).unwrap_or_default())]
pub struct DataError {
    path: PathBuf,
    line: Option<usize>,
    problem: String,
}

/// Reads the rows of a suite, such as `google_cpp`. `data` is the folder that [`shared_data`] returns.
///
/// # Errors
///
/// [`DataError`] names the file and line with a problem.
pub fn rows(data: &Path, suite: &str) -> Result<Vec<Row>, DataError> {
    read_lines(&suite_path(data, suite), JsonRow::into_row)
}

/// Reads the rows of the matrix of engines. `data` is the folder that [`shared_data`] returns. A few rows describe
/// their body instead of containing it; they are skipped.
///
/// # Errors
///
/// [`DataError`] names the file and line with a problem.
pub fn matrix(data: &Path) -> Result<Vec<MatrixRow>, DataError> {
    let rows = read_lines(&suite_path(data, "matrix"), JsonMatrixRow::into_row)?;
    Ok(rows.into_iter().flatten().collect())
}

fn suite_path(data: &Path, suite: &str) -> PathBuf {
    data.join("conformance").join(format!("{suite}.jsonl"))
}

fn read_lines<J: DeserializeOwned, T>(
    path: &Path,
    convert: impl Fn(J) -> Result<T, String>,
) -> Result<Vec<T>, DataError> {
    let error = |line, problem| DataError { path: path.to_owned(), line, problem };
    let text = fs::read_to_string(path).map_err(|problem| error(None, problem.to_string()))?;
    text.lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(index, line)| {
            let row = serde_json::from_str(line).map_err(|problem| problem.to_string());
            row.and_then(&convert).map_err(|problem| error(Some(index + 1), problem))
        })
        .collect()
}

/// A row of a suite in JSON.
#[derive(Deserialize)]
struct JsonRow {
    id: String,
    robots_txt: Option<String>,
    robots_b64: Option<String>,
    user_agent: Option<String>,
    #[serde(default)]
    user_agents: Vec<String>,
    url: String,
    #[serde(default)]
    url_is_latin1_bytes: bool,
    expected_allowed: bool,
    expected_line: Option<u32>,
    #[serde(default)]
    mode: String,
    #[serde(default)]
    google_specific: bool,
    #[serde(default)]
    unanimous: bool,
    #[serde(default)]
    rfc_core_agrees: bool,
    #[serde(default)]
    refs: BTreeMap<String, Option<bool>>,
    #[serde(default)]
    google_matching_line: u32,
    #[serde(default)]
    note: String,
}

impl JsonRow {
    fn into_row(self) -> Result<Row, String> {
        let agents = if self.user_agents.is_empty() {
            self.user_agent.into_iter().collect()
        } else {
            self.user_agents
        };
        Ok(Row {
            id: self.id,
            robots: robots(self.robots_txt, self.robots_b64)?,
            agents,
            url: self.url,
            url_is_latin1_bytes: self.url_is_latin1_bytes,
            expected_allowed: self.expected_allowed,
            expected_line: self.expected_line,
            mode: self.mode,
            google_specific: self.google_specific,
            unanimous: self.unanimous,
            rfc_core_agrees: self.rfc_core_agrees,
            refs: self.refs,
            google_matching_line: Some(self.google_matching_line).filter(|line| *line > 0),
            note: self.note,
        })
    }
}

/// A row of the matrix in JSON.
#[derive(Deserialize)]
struct JsonMatrixRow {
    id: String,
    robots_txt: Option<String>,
    robots_b64: Option<String>,
    user_agent: String,
    url: String,
    rfc9309: Option<EngineAnswer>,
    why: String,
    answers: BTreeMap<String, EngineAnswer>,
}

impl JsonMatrixRow {
    fn into_row(self) -> Result<Option<MatrixRow>, String> {
        if self.robots_b64.as_deref().is_some_and(|text| text.starts_with("(generated")) {
            return Ok(None);
        }
        let rfc9309 = match self.rfc9309 {
            None => None,
            Some(EngineAnswer::Allow) => Some(true),
            Some(EngineAnswer::Deny) => Some(false),
            Some(other) => return Err(format!("`rfc9309` cannot be {other:?}")),
        };
        Ok(Some(MatrixRow {
            id: self.id,
            robots: robots(self.robots_txt, self.robots_b64)?,
            agent: self.user_agent,
            url: self.url,
            rfc9309,
            why: self.why,
            answers: self.answers,
        }))
    }
}

fn robots(text: Option<String>, base64: Option<String>) -> Result<Vec<u8>, String> {
    match (text, base64) {
        (Some(text), None) => Ok(text.into_bytes()),
        (None, Some(base64)) => from_base64(&base64).ok_or_else(|| "`robots_b64` is not base64".to_owned()),
        _ => Err("it must have exactly one of `robots_txt` and `robots_b64`".to_owned()),
    }
}

/// Decodes base64 (RFC 4648 §4, padded).
fn from_base64(text: &str) -> Option<Vec<u8>> {
    let digits = text.trim_end_matches('=');
    if !text.len().is_multiple_of(4) || text.len() - digits.len() > 2 || digits.len() % 4 == 1 {
        return None;
    }
    let mut decoded = Vec::with_capacity(digits.len() * 3 / 4);
    for quad in digits.as_bytes().chunks(4) {
        let mut bits = 0_u32;
        for &digit in quad {
            bits = bits << 6 | u32::from(base64_value(digit)?);
        }
        bits <<= 6 * (4 - quad.len());
        let [_, bytes @ ..] = bits.to_be_bytes();
        decoded.extend_from_slice(&bytes[..quad.len() - 1]);
    }
    Some(decoded)
}

fn base64_value(digit: u8) -> Option<u8> {
    match digit {
        b'A'..=b'Z' => Some(digit - b'A'),
        b'a'..=b'z' => Some(digit - b'a' + 26),
        b'0'..=b'9' => Some(digit - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_text_is_decoded() {
        for (text, bytes) in
            [("", &b""[..]), ("Zg==", b"f"), ("Zm8=", b"fo"), ("Zm9v", b"foo"), ("77u/", b"\xEF\xBB\xBF")]
        {
            assert_eq!(from_base64(text).as_deref(), Some(bytes), "{text}");
        }
        for bad in ["Zg=", "Z===", "Z", "Zm9v=", "Zm 9", "Zm-9"] {
            assert_eq!(from_base64(bad), None, "{bad}");
        }
    }

    #[test]
    fn row_of_a_suite_is_read() {
        let json = r#"{"id": "s-1", "robots_b64": "QQ==", "user_agent": "a,b", "user_agents": ["a", "b"],
            "url": "/ð", "url_is_latin1_bytes": true, "expected_allowed": true, "expected_line": null,
            "refs": {"x": null, "y": false}, "google_matching_line": 0, "suite": "s"}"#;
        let row = serde_json::from_str::<JsonRow>(json).expect("a row").into_row().expect("in order");
        assert_eq!(row.robots, b"A");
        assert_eq!(row.agents, ["a", "b"]);
        assert_eq!(*row.url_bytes(), *b"/\xF0");
        assert_eq!(row.google_matching_line, None);
        assert_eq!(row.refs["y"], Some(false));
    }

    #[test]
    fn missing_suite_is_named_in_the_error() {
        let error = rows(Path::new("no-such-folder"), "s").expect_err("there is none").to_string();
        assert!(error.contains("s.jsonl"), "{error}");
    }

    #[test]
    fn shared_rows_are_read() -> Result<(), String> {
        let Some(data) = shared_data() else { return Ok(()) };
        for suite in ["google_cpp", "cpython", "crawler_commons", "yandex_observed", "rerp", "ruby"] {
            let rows = rows(&data, suite).map_err(|error| error.to_string())?;
            assert!(!rows.is_empty(), "{suite} has rows");
            assert!(rows.iter().all(|row| !row.agents.is_empty()), "{suite}: every row has an agent");
        }
        let matrix = matrix(&data).map_err(|error| error.to_string())?;
        assert!(matrix.iter().any(|row| row.rfc9309.is_none()));
        Ok(())
    }
}
