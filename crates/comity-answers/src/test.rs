//! `test`: compares the decisions of a robots.txt, and its access for whole sites, with expected ones.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use comity::decision::DecisionRecord;
use comity::policy::Verdict;
use comity::robots::{Access, Agent, Dialect, RobotsTxt};
use serde::{Deserialize, Serialize};

use crate::check::CheckRow;
use crate::matrix::RequiredAccess;
use crate::notice::{Notice, NoticeLog, WithNotices};
use crate::operation::{FileOperation, Rows, collect_decisions};
use crate::provenance::Provenance;
use crate::request::{FileRequest, RequestError};
use crate::robots_file::{Reading, RobotsFile};
use crate::sources::{SourceError, Sources};
use crate::url;

/// A robots.txt, and its expected answers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct TestRequest {
    /// The text of a robots.txt.
    pub robots: Option<String>,
    /// A URL of the site whose robots.txt is tested.
    pub site: Option<String>,
    /// The dialect for parsing; default `rfc9309`.
    pub dialect: Option<Dialect>,
    /// The tests.
    pub tests: Vec<TestOfRequest>,
}

/// A URL or the whole site, a crawler, and the expected answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
#[serde(deny_unknown_fields)]
pub struct TestOfRequest {
    /// The product token of the crawler.
    pub agent: Option<String>,
    /// The full User-Agent header of the crawler.
    pub user_agent: Option<String>,
    /// The URL or path; without it, the test is about the whole site.
    pub url: Option<String>,
    /// The expected answer: `allowed`, `disallowed` or a verdict, optionally with the line of the rule that has to decide, as in
    /// `disallowed 4`. For the whole site: `allowed`, `partly` or `disallowed`, or several of them, as in `allowed-or-partly`.
    pub expect: String,
    /// The reason for the test, which is copied to the row.
    pub why: Option<String>,
}

/// A question about a crawler, with the expected answer.
#[derive(Clone, Debug)]
pub struct TestCase {
    /// Line of the test in its file; in a request, its number.
    pub line: usize,
    /// The crawler.
    pub agent: Agent,
    /// The URL or the whole site, and the expected answer.
    pub question: Question,
    /// The reason for the test.
    pub why: Option<String>,
}

/// The subject of a test, and the expected answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Question {
    /// A URL or path.
    Url(Vec<u8>, Expected),
    /// The whole site.
    Site(RequiredAccess),
}

/// The answer of a robots.txt to a question.
#[derive(Clone, Debug)]
pub enum TestAnswer {
    /// The decision on the URL.
    Decision(Box<DecisionRecord>),
    /// The access to the whole site.
    Access(Access),
}

/// The result of a test: a decision or an access, and the expected answer.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TestRow<'a> {
    /// The file of the test.
    pub test_file: Cow<'a, str>,
    /// The line of the test; in a request, its number.
    pub test_line: usize,
    /// The reason for the test.
    pub why: Option<Cow<'a, str>>,
    /// The expected answer.
    pub expected: String,
    /// True if the answer is the expected one.
    pub passed: bool,
    /// The access to the whole site, if the test has no URL. Then the URL is empty, the fields of the decision are null, and
    /// `allowed` is true if everything is allowed.
    pub access: Option<Access>,
    /// The decision.
    #[serde(flatten)]
    pub decision: CheckRow<'a>,
}

/// The results of a request, one row for each test.
pub type TestRows = Rows<TestRow<'static>>;

/// The operation `test`: compares the decisions of a robots.txt with expected ones.
#[derive(Clone, Debug)]
pub struct TestOperation {
    file: RobotsFile,
    reading: Reading,
    cases: Vec<TestCase>,
    notices: Vec<Notice>,
}

/// Value of `test_file` in the rows of a request.
const TESTS_OF_REQUEST: &str = "tests";

impl FileOperation for TestOperation {
    type Request = TestRequest;
    type Row = TestRows;

    const HAS_NOTICES: bool = true;

    async fn prepare(request: TestRequest, sources: &Sources) -> Result<TestOperation, SourceError> {
        let TestRequest { robots, site, dialect, tests } = request;
        let cases = (1..).zip(tests).map(|(number, test)| test.into_case(number));
        let cases = cases.collect::<Result<_, _>>()?;
        let (file, notice) = sources.rules_file(FileRequest { robots, site }, "robots.txt").await?;
        let reading = Reading { dialect, charset: None };
        Ok(TestOperation { file, reading, cases, notices: notice.into_iter().collect() })
    }

    fn row(self, max_decisions: usize) -> Result<WithNotices<TestRows>, RequestError> {
        let TestOperation { file, reading, cases, mut notices } = self;
        if cases.len() > max_decisions {
            let count = cases.len();
            return Err(RequestError::TooLarge(format!(
                "{count} tests are too many; a request has at most {max_decisions}"
            )));
        }
        let robots = file.read(&reading);
        let names = Notice::of_agents(cases.iter().map(|case| &case.agent), Some(&robots));
        let mut log = NoticeLog::default();
        let row = |case: &TestCase| {
            case.question.url().into_iter().for_each(|url| log.add_url(url));
            let answer = case.decide(&robots, &names);
            TestRow::new(TESTS_OF_REQUEST, case, &file.provenance, answer).into_owned()
        };
        let rows = collect_decisions(cases.iter().map(row))?;
        notices.extend(log.into_notices(Some(&file.name)));
        Ok(WithNotices { answer: Rows { rows }, notices })
    }
}

impl TestCase {
    /// Answers the question by a robots.txt. `names` has the notices about the names of crawlers.
    ///
    /// # Errors
    ///
    /// Returns the notice about the name of the crawler, because a test with a misspelt or retired name proves nothing. Returns
    /// the problem of the URL if the URL is invalid.
    pub fn decide(&self, robots: &RobotsTxt<'_>, names: &[Notice]) -> Result<TestAnswer, String> {
        if let Some(notice) = names.iter().find(|notice| notice.is_about(&self.agent)) {
            return Err(notice.to_string());
        }
        let rules = robots.rules_for(&self.agent);
        match &self.question {
            Question::Url(url, _) => match url::decide(&rules, url) {
                Ok(decision) => Ok(TestAnswer::Decision(Box::new(decision.to_record()))),
                Err(problem) => Err(problem.to_string()),
            },
            Question::Site(_) => Ok(TestAnswer::Access(rules.extent().access())),
        }
    }
}

impl Question {
    /// Creates the question about a URL. Without a URL, the question is about the whole site.
    ///
    /// # Errors
    ///
    /// Returns the reason why the expected answer is invalid.
    pub fn new(url: Option<String>, expect: &str) -> Result<Question, String> {
        match url {
            Some(url) => Ok(Question::Url(url.into_bytes(), expect.parse()?)),
            None => Ok(Question::Site(expect.parse()?)),
        }
    }

    /// Returns the URL; `None` for the whole site.
    pub fn url(&self) -> Option<&[u8]> {
        match self {
            Question::Url(url, _) => Some(url),
            Question::Site(_) => None,
        }
    }

    /// Returns true if an answer is the expected one.
    pub fn is_met(&self, answer: &TestAnswer) -> bool {
        match (self, answer) {
            (Question::Url(_, expected), TestAnswer::Decision(decision)) => expected.is_met(decision),
            (Question::Site(required), TestAnswer::Access(access)) => required.is_met(*access),
            _ => false,
        }
    }

    fn expected(&self) -> String {
        match self {
            Question::Url(_, expected) => expected.to_string(),
            Question::Site(required) => required.to_string(),
        }
    }
}

impl TestOfRequest {
    fn into_case(self, number: usize) -> Result<TestCase, RequestError> {
        let invalid = |problem: &dyn fmt::Display| RequestError::Invalid(format!("test {number}: {problem}"));
        let agent = match (&self.agent, &self.user_agent) {
            (Some(token), None) => Agent::token(token).map_err(|error| {
                let problem = error.problem();
                invalid(&format!("{problem}; use `user_agent` for a whole User-Agent header"))
            })?,
            (None, Some(header)) if !header.trim().is_empty() => Agent::header(header),
            (None, Some(_)) => return Err(invalid(&"`user_agent` is empty")),
            _ => return Err(invalid(&"name one crawler, in `agent` or `user_agent`")),
        };
        let question = Question::new(self.url, &self.expect).map_err(|error| invalid(&error))?;
        Ok(TestCase { line: number, agent, question, why: self.why })
    }
}

impl<'a> TestRow<'a> {
    /// Creates the row of a test with its answer, or with the error that prevents an answer, which fails the test.
    pub fn new(
        test_file: &'a str,
        case: &'a TestCase,
        robots_txt: &'a Provenance,
        answer: Result<TestAnswer, String>,
    ) -> TestRow<'a> {
        let robots_txt = Cow::Borrowed(robots_txt);
        let url = case.question.url().unwrap_or_default();
        TestRow {
            test_file: test_file.into(),
            test_line: case.line,
            why: case.why.as_deref().map(Cow::Borrowed),
            expected: case.question.expected(),
            passed: answer.as_ref().is_ok_and(|answer| case.question.is_met(answer)),
            access: match answer {
                Ok(TestAnswer::Access(access)) => Some(access),
                _ => None,
            },
            decision: match answer {
                Ok(TestAnswer::Decision(record)) => CheckRow::new(url, &case.agent, *record, robots_txt),
                Ok(TestAnswer::Access(access)) => CheckRow::of_site(&case.agent, access, robots_txt),
                Err(error) => CheckRow::of_error(url, &case.agent, robots_txt.into_owned(), error),
            },
        }
    }

    /// Returns the row without borrowed parts.
    pub fn into_owned(self) -> TestRow<'static> {
        TestRow {
            test_file: self.test_file.into_owned().into(),
            test_line: self.test_line,
            why: self.why.map(|why| why.into_owned().into()),
            expected: self.expected,
            passed: self.passed,
            access: self.access,
            decision: self.decision.into_owned(),
        }
    }
}

/// An expectation about a decision: `allowed`, `disallowed` or a verdict, and optionally the line that has to decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expected {
    answer: Answer,
    /// The line of the rule that has to decide.
    line: Option<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    Allowed(bool),
    Verdict(Verdict),
}

impl Expected {
    /// Creates the expectation that a URL is allowed or not, optionally by the rule on a line.
    pub fn new(allowed: bool, line: Option<u32>) -> Expected {
        Expected { answer: Answer::Allowed(allowed), line }
    }
}

/// Parses text such as `allowed`, `disallowed 4` or `unknown_unreachable`.
impl FromStr for Expected {
    type Err = String;

    fn from_str(text: &str) -> Result<Expected, String> {
        let (answer, line) = match text.split_once(char::is_whitespace) {
            Some((answer, line)) => (answer, Some(line.trim())),
            None => (text, None),
        };
        let line = line.map(|line| line.parse().map_err(|_| format!("`{line}` is not a line number")));
        let answer = match answer {
            "allowed" => Answer::Allowed(true),
            "disallowed" => Answer::Allowed(false),
            verdict => Answer::Verdict(
                verdict
                    .parse()
                    .map_err(|_| format!("`{verdict}` is neither `allowed`, `disallowed` nor a verdict"))?,
            ),
        };
        Ok(Expected { answer, line: line.transpose()? })
    }
}

impl Expected {
    /// Returns true if a decision meets the expectation.
    pub fn is_met(&self, decision: &DecisionRecord) -> bool {
        let is_answer = match self.answer {
            Answer::Allowed(allowed) => decision.recommendation.allows() == allowed,
            Answer::Verdict(verdict) => decision.verdict == verdict,
        };
        is_answer && self.line.is_none_or(|line| decision.rule.as_ref().is_some_and(|rule| rule.line == line))
    }
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.answer {
            Answer::Allowed(true) => f.write_str("allowed")?,
            Answer::Allowed(false) => f.write_str("disallowed")?,
            Answer::Verdict(verdict) => write!(f, "{verdict}")?,
        }
        match self.line {
            Some(line) => write!(f, " by line {line}"),
            None => Ok(()),
        }
    }
}
