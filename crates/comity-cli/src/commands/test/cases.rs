//! Reads test files. A question has a crawler, a URL (or the whole site), and the expected answer. `rows.rs` reads JSON
//! Lines.

use std::ffi::OsString;
use std::ops::Range;
use std::path::Path;

use comity::robots::{Agent, Dialect};
use comity_answers::test::{Expected, Question, TestCase};
use serde::Deserialize;
use toml::Spanned;

use super::rows::{self, Questions};
use crate::args::ReadingArgs;
use crate::exit::Failure;
use crate::input::Source;
use crate::location::Location;

/// A test file.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TestFile {
    #[serde(default)]
    robots: OneOrMany,
    #[serde(default)]
    pub(super) dialect: Option<Dialect>,
    #[serde(default)]
    test: Vec<Spanned<Test>>,
}

/// A table of the file, with one or more questions.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Test {
    agent: Option<String>,
    #[serde(default)]
    agents: Vec<String>,
    user_agent: Option<String>,
    url: Option<String>,
    expect: Option<String>,
    #[serde(default)]
    allowed: Vec<String>,
    #[serde(default)]
    disallowed: Vec<String>,
    why: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum OneOrMany {
    One(String),
    Many(Vec<String>),
}

impl Default for OneOrMany {
    fn default() -> Self {
        OneOrMany::Many(Vec::new())
    }
}

/// The content of a test file.
pub(super) struct LoadedTests {
    pub(super) name: String,
    pub(super) dialect: Dialect,
    pub(super) tests: Tests,
}

/// Questions, with their robots.txt.
pub(super) enum Tests {
    /// All questions are about the same robots.txt files.
    Shared(Vec<Location>, Vec<TestCase>),
    /// Each question has its own robots.txt.
    Each(Questions),
}

/// Reads a test file. `robots` and the dialect of `reading` replace the robots.txt files and the dialect that the test file
/// names.
pub(super) fn load(path: &Path, robots: &[OsString], reading: &ReadingArgs) -> Result<LoadedTests, Failure> {
    let source = Source::new(path);
    let name = source.name();
    let bytes = source.read()?;
    let text = std::str::from_utf8(&bytes).map_err(|_| Failure::new(format!("`{name}` is not UTF-8")))?;
    if rows::is_json_lines(&bytes) {
        if !robots.is_empty() {
            return Err(Failure::new(format!("each row of `{name}` has its own robots.txt"))
                .hint("omit --robots, or write the tests as TOML: `comity help test` shows how"));
        }
        let dialect = reading.dialect.unwrap_or_default();
        let questions = rows::read(&name, text, &reading.reading())?;
        return Ok(LoadedTests { name, dialect, tests: Tests::Each(questions) });
    }
    let line_of = |span: Range<usize>| text.get(..span.start).unwrap_or_default().matches('\n').count() + 1;
    let file: TestFile = toml::from_str(text).map_err(|error| {
        let line = line_of(error.span().unwrap_or_default());
        Failure::new(format!("{name}:{line}: {}", error.message().replace('\n', ", ")))
            .hint("`comity help test` shows an example of a test file")
    })?;
    let locations = match (robots, file.robots) {
        ([], OneOrMany::One(named)) => vec![relative_location(path, &named)],
        ([], OneOrMany::Many(named)) if named.is_empty() => vec![relative_location(path, "robots.txt")],
        ([], OneOrMany::Many(named)) => named.iter().map(|named| relative_location(path, named)).collect(),
        (robots, _) => robots.iter().map(Location::of).collect(),
    };
    let mut cases = Vec::new();
    for test in file.test {
        let line = line_of(test.span());
        test.into_inner()
            .add_to(line, &mut cases)
            .map_err(|problem| Failure::new(format!("{name}:{line}: {problem}")))?;
    }
    if cases.is_empty() {
        return Err(Failure::new(format!("`{name}` contains no test"))
            .hint("`comity help test` shows an example of a test file"));
    }
    let dialect = reading.dialect.or(file.dialect).unwrap_or_default();
    Ok(LoadedTests { name, dialect, tests: Tests::Shared(locations, cases) })
}

/// Resolves the name of a robots.txt in a test file: a site, or a path relative to the test file.
fn relative_location(path: &Path, named: &str) -> Location {
    let file = path.parent().unwrap_or(Path::new("")).join(named);
    match Location::of(named) {
        Location::File(_) => Location::File(file),
        Location::Site { is_assumed: true, .. } if file.exists() => Location::File(file),
        other => other,
    }
}

impl Test {
    /// Adds a case for each crawler and URL.
    fn add_to(self, line: usize, cases: &mut Vec<TestCase>) -> Result<(), String> {
        let tokens = self.agent.iter().chain(&self.agents);
        let mut agents = tokens
            .map(|token| {
                Agent::token(token).map_err(|error| {
                    format!("{}; use `user_agent` for a whole User-Agent header", error.problem())
                })
            })
            .collect::<Result<Vec<_>, _>>()?;
        agents.extend(self.user_agent.iter().map(Agent::header));
        if agents.is_empty() {
            return Err("no crawler is named: write agent, agents or user_agent".to_owned());
        }
        let mut questions = Vec::new();
        match (&self.url, &self.expect) {
            (url, Some(expect)) => questions.push(Question::new(url.clone(), expect)?),
            (None, None) => {}
            (Some(_), None) => return Err("url is given without expect: write both".to_owned()),
        }
        for (urls, allowed) in [(self.allowed, true), (self.disallowed, false)] {
            let expected = Expected::new(allowed, None);
            questions.extend(urls.into_iter().map(|url| Question::Url(url.into_bytes(), expected)));
        }
        if questions.is_empty() {
            return Err(
                "nothing is expected: write expect with or without url, allowed or disallowed".to_owned()
            );
        }
        for agent in &agents {
            cases.extend(questions.iter().map(|question| TestCase {
                line,
                agent: agent.clone(),
                question: question.clone(),
                why: self.why.clone(),
            }));
        }
        Ok(())
    }
}
