//! Tests as JSON Lines: a question in each row, with its own robots.txt.
//!
//! This is the format of parsers' test suites. A row may have the answers of several engines. Then the expected answer
//! depends on the dialect, and rows without an answer for the dialect are skipped and counted.

use std::collections::BTreeMap;

use base64::Engine;
use comity::decision::DecisionRecord;
use comity::robots::{Agent, Dialect};
use comity_answers::robots_file::{Reading, RobotsFile};
use comity_answers::test::{Expected, Question, TestCase};
use serde::Deserialize;

use crate::exit::Failure;

/// A row of the file. Unknown keys are ignored.
#[derive(Debug, Deserialize)]
struct Row {
    robots_txt: Option<String>,
    robots_b64: Option<String>,
    user_agent: Option<String>,
    #[serde(default)]
    user_agents: Vec<String>,
    url: Option<String>,
    /// True if each character of the URL stands for one byte.
    #[serde(default)]
    url_is_latin1_bytes: bool,
    expected_allowed: Option<bool>,
    expected_line: Option<u32>,
    /// The answer of the standard; null if the standard is silent.
    #[serde(default, deserialize_with = "present")]
    rfc9309: Option<Option<Word>>,
    /// The answers of engines.
    #[serde(default)]
    answers: BTreeMap<String, Word>,
    #[serde(default)]
    refs: BTreeMap<String, Option<bool>>,
    /// True if all engines in `refs` agree.
    #[serde(default)]
    unanimous: bool,
    /// True if the engines that follow the standard agree.
    #[serde(default)]
    rfc_core_agrees: bool,
    #[serde(alias = "why")]
    note: Option<String>,
}

/// Distinguishes null from an absent key.
fn present<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Option<Word>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Word {
    Allow,
    Deny,
    #[serde(other)]
    Nothing,
}

/// A test with its robots.txt and the decision.
pub(super) struct TestWithFile {
    pub(super) file: RobotsFile,
    pub(super) case: TestCase,
    pub(super) decision: DecisionRecord,
}

/// The questions of a file, and the number of skipped rows by reason.
#[derive(Default)]
pub(super) struct Questions {
    pub(super) questions: Vec<TestWithFile>,
    pub(super) skipped: BTreeMap<&'static str, usize>,
}

/// Returns true if a test file is JSON Lines. No TOML begins with a brace.
pub(super) fn is_json_lines(bytes: &[u8]) -> bool {
    let text = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    text.trim_ascii_start().starts_with(b"{")
}

/// Reads the rows, and decides each question. Errors name the line.
pub(super) fn read(name: &str, text: &str, reading: &Reading) -> Result<Questions, Failure> {
    let mut found = Questions::default();
    for (line, text) in (1..).zip(text.trim_start_matches('\u{feff}').lines()) {
        if text.trim().is_empty() {
            continue;
        }
        let row: Row =
            serde_json::from_str(text).map_err(|error| Failure::new(format!("{name}:{line}: {error}")))?;
        match row.question(name, line, reading) {
            Ok(question) => found.questions.push(question),
            Err(reason) => *found.skipped.entry(reason).or_default() += 1,
        }
    }
    Ok(found)
}

impl Row {
    /// Returns the question, or the reason why the row has none.
    fn question(self, name: &str, line: usize, reading: &Reading) -> Result<TestWithFile, &'static str> {
        let Some(url) = &self.url else { return Err("the row has no URL") };
        let url = match self.url_is_latin1_bytes {
            true => url.chars().map(|c| u8::try_from(u32::from(c)).unwrap_or(b'?')).collect(),
            false => url.clone().into_bytes(),
        };
        let expected = self.expected(reading.dialect.unwrap_or_default())?;
        let agent = match (self.user_agents.as_slice(), &self.user_agent) {
            ([agent], _) | ([], Some(agent)) => Agent::unchecked_token(agent),
            ([], None) => return Err("the row names no crawler"),
            _ => return Err("the row names several crawlers"),
        };
        let robots = match (self.robots_txt, self.robots_b64) {
            (Some(text), _) => text.into_bytes(),
            (None, Some(text)) => base64::engine::general_purpose::STANDARD
                .decode(text)
                .map_err(|_| "the robots.txt is not valid base64")?,
            (None, None) => return Err("there is no robots.txt"),
        };
        let file = RobotsFile::of_bytes(format!("{name}:{line}"), robots);
        // The rows come from test suites, in which unusual names are intended, so notices are not computed. URLs are not
        // checked first, because the dialect defines their syntax.
        let rules = file.read(reading).rules_for(&agent);
        let decision = rules.decide(&url).map_err(|_| "the URL is neither absolute nor a path")?.to_record();
        let question = Question::Url(url, expected);
        Ok(TestWithFile { file, case: TestCase { line, agent, question, why: self.note }, decision })
    }

    /// Returns the expected answer of a dialect, or the reason why the row has none.
    fn expected(&self, dialect: Dialect) -> Result<Expected, &'static str> {
        let is_default = dialect == Dialect::Rfc9309;
        if let (true, Some(word)) = (is_default, self.rfc9309) {
            return match word {
                Some(Word::Allow) => Ok(Expected::new(true, None)),
                Some(Word::Deny) => Ok(Expected::new(false, None)),
                _ => Err("the standard is silent"),
            };
        }
        if is_default && !self.refs.is_empty() && !self.unanimous && !self.rfc_core_agrees {
            return Err("engines that follow the standard disagree");
        }
        if let Some(engine) = engine(dialect) {
            let answer = match (self.answers.get(engine), self.refs.get(engine)) {
                (Some(Word::Allow), _) => Some(true),
                (Some(Word::Deny), _) => Some(false),
                (_, answer) => answer.copied().flatten(),
            };
            if let Some(allowed) = answer {
                return Ok(Expected::new(allowed, None));
            }
        }
        match self.expected_allowed {
            Some(allowed) => Ok(Expected::new(allowed, self.expected_line)),
            None => Err("there is no answer for the dialect"),
        }
    }
}

/// Returns the engine whose answers apply to a dialect. For the default dialect, the answers of Google represent all
/// engines that agree.
fn engine(dialect: Dialect) -> Option<&'static str> {
    match dialect {
        Dialect::Rfc9309 | Dialect::Google => Some("google_cpp"),
        Dialect::Urllib => Some("cpython_old"),
        Dialect::Gym2008 => Some("rerp"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(row: &str, dialect: Dialect) -> Result<String, &'static str> {
        let text = format!("{{\"robots_txt\": \"\", \"user_agent\": \"a\", \"url\": \"/\", {row}}}");
        let row: Row = serde_json::from_str(&text).unwrap();
        let reading = Reading { dialect: Some(dialect), charset: None };
        row.question("tests.jsonl", 1, &reading).map(|test| match test.case.question {
            Question::Url(_, expected) => expected.to_string(),
            Question::Site(required) => required.to_string(),
        })
    }

    #[test]
    fn expected_answer_depends_on_the_dialect() {
        let suite = r#""expected_allowed": true, "refs": {"google_cpp": false}, "rfc_core_agrees": "#;
        let agreed = format!("{suite} true");
        assert_eq!(of(&agreed, Dialect::Rfc9309).as_deref(), Ok("disallowed"));
        assert_eq!(of(&agreed, Dialect::Google).as_deref(), Ok("disallowed"));
        assert_eq!(of(&agreed, Dialect::Yandex).as_deref(), Ok("allowed"));
        let open = format!("{suite} false");
        assert!(of(&open, Dialect::Rfc9309).unwrap_err().contains("disagree"));
        assert_eq!(of(&open, Dialect::Google).as_deref(), Ok("disallowed"));
        let matrix = r#""rfc9309": null, "answers": {"rerp": "deny", "google_cpp": "timeout"}"#;
        assert!(of(matrix, Dialect::Rfc9309).unwrap_err().contains("silent"));
        assert_eq!(of(matrix, Dialect::Gym2008).as_deref(), Ok("disallowed"));
        assert!(of(matrix, Dialect::Google).unwrap_err().contains("no answer"));
        assert_eq!(
            of(r#""expected_allowed": false, "expected_line": 4"#, Dialect::Rfc9309).as_deref(),
            Ok("disallowed by line 4")
        );
        assert!(of(r#""kind": "sitemaps""#, Dialect::Rfc9309).is_err());
    }
}
