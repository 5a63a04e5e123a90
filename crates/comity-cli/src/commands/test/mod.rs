//! `comity test`: the answers that a robots.txt has to give.
//!
//! Each question is asked of each robots.txt. What is read is `cases`; this file asks, and shows what came of it.

mod args;
mod cases;
mod rows;

#[cfg(feature = "schema")]
use comity_answers::schema::RowSchema;
use std::borrow::Cow;
use std::io::Write;

use comity::robots::{Dialect, RobotsTxt};
use comity_answers::check::CheckRow;
use comity_answers::robots_file::{Reading, RobotsFile};
use serde::Serialize;
use serde_json::{Value, json};

pub(crate) use self::args::TestArgs;
use self::cases::{Case, Loaded, Tests};
use self::rows::Questions;
use crate::annotations;
use crate::args::Format;
use crate::exit::{Exit, Failure};
use crate::junit::Junit;
use crate::output::Output;
use crate::render;
use crate::robots_txt::without_page;
use crate::sites::reader::Reader;

/// Asks every question.
pub(crate) fn run(args: &TestArgs, output: &mut Output) -> Result<Exit, Failure> {
    let default = vec!["robots.test.toml".into()];
    let files = if args.files.is_empty() { &default } else { &args.files };
    let mut reader = Reader::new(&args.network);
    let mut report = Report { args, junit: Junit::default(), results: Vec::new(), passed: 0, failed: 0 };
    for path in files {
        let loaded = cases::load(path, &args.robots, args.reading.dialect)?;
        match &loaded.tests {
            Tests::Shared(locations, cases) => {
                for location in locations {
                    let file = reader.read(location, output).map_err(|unread| unread.failure())?;
                    report.ask(&loaded, cases, &without_page(file, output), output)?;
                }
            }
            Tests::Each(rows) => report.ask_each(&loaded, rows, output)?,
        }
    }
    reader.finish();
    report.finish(output)
}

/// What came of the questions so far.
struct Report<'a> {
    args: &'a TestArgs,
    junit: Junit,
    /// For SARIF.
    results: Vec<Value>,
    passed: usize,
    failed: usize,
}

/// A result as JSON: a decision, with what was expected.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Row<'a> {
    /// The file of the test.
    test_file: &'a str,
    /// The line of the test.
    test_line: usize,
    /// The reason that the test gives.
    why: Option<&'a str>,
    /// The expected answer.
    expected: String,
    /// True if the answer is the expected one.
    passed: bool,
    #[serde(flatten)]
    decision: CheckRow<'a>,
}

#[cfg(feature = "schema")]
pub(crate) const SCHEMA: RowSchema = RowSchema::new::<Row<'static>>("test", "a line of `comity test`");

impl Report<'_> {
    /// Asks the questions of one file of one robots.txt.
    fn ask(
        &mut self,
        loaded: &Loaded,
        cases: &[Case],
        file: &RobotsFile,
        output: &mut Output,
    ) -> Result<(), Failure> {
        let dialect = loaded.dialect;
        self.heading(&file.name, &format!("tested by {}, read as {dialect}", loaded.name), output)?;
        let robots = self.parse(file, dialect);
        for case in cases {
            self.take(case, (loaded, file), &robots, output)?;
        }
        self.gap(output)
    }

    /// Asks the questions of a file in which each has a robots.txt of its own.
    fn ask_each(&mut self, loaded: &Loaded, rows: &Questions, output: &mut Output) -> Result<(), Failure> {
        let (name, dialect) = (&loaded.name, loaded.dialect);
        for (reason, number) in &rows.skipped {
            let rows = render::count(*number, "row");
            output.note(&format!("`{name}`: {rows} left out: {reason}"));
        }
        if rows.questions.is_empty() {
            return Ok(());
        }
        let about = format!("each question with its own robots.txt, read as {dialect}");
        self.heading(name, &about, output)?;
        for question in &rows.questions {
            let place = format!("{name}:{}", question.case.line);
            let file = RobotsFile::of_bytes(place, question.robots.clone());
            let robots = self.parse(&file, dialect);
            self.take(&question.case, (loaded, &file), &robots, output)?;
        }
        self.gap(output)
    }

    fn parse<'f>(&self, file: &'f RobotsFile, dialect: Dialect) -> RobotsTxt<'f> {
        let charset = self.args.reading.charset.clone();
        file.read(&Reading { dialect: Some(dialect), charset })
    }

    fn is_text(&self) -> bool {
        self.args.format.get() == Format::Text && !self.args.quiet
    }

    fn heading(&self, name: &str, about: &str, output: &mut Output) -> Result<(), Failure> {
        if !self.is_text() {
            return Ok(());
        }
        let (strong, faint) = (output.palette.strong, output.palette.faint);
        Ok(writeln!(output, "{strong}{name}{strong:#}  {faint}{about}{faint:#}")?)
    }

    fn gap(&self, output: &mut Output) -> Result<(), Failure> {
        if self.is_text() { Ok(writeln!(output)?) } else { Ok(()) }
    }

    fn take(
        &mut self,
        case: &Case,
        (loaded, file): (&Loaded, &RobotsFile),
        robots: &RobotsTxt<'_>,
        output: &mut Output,
    ) -> Result<(), Failure> {
        let rules = robots.rules_for(&case.agent);
        let decision = rules
            .decide(&case.url)
            .map_err(|error| Failure::new(format!("{}:{}: {error}", loaded.name, case.line)))?;
        let record = decision.to_record();
        let passed = case.expected.is_met(&record);
        *(if passed { &mut self.passed } else { &mut self.failed }) += 1;
        let name = format!("{} {}", case.agent.as_str(), String::from_utf8_lossy(&case.url));
        let is = render::verdict(record.recommendation.allows());
        let message =
            format!("expected {}, is {is}: {}", case.expected, render::basis(&record, case.agent.as_str()));
        match self.args.format.get() {
            Format::Text if self.args.quiet || passed => {}
            Format::Text => {
                let (bad, faint) = (output.palette.bad, output.palette.faint);
                let line = format!("{}:{}", loaded.name, case.line);
                let (name, url) =
                    (render::short(case.agent.as_str().as_bytes(), 40), render::text(&case.url));
                writeln!(output, "  {bad}failed{bad:#}  {name}  {url}")?;
                writeln!(
                    output,
                    "          {}",
                    render::wrap(&render::text(message.as_bytes()), output.width, 10)
                )?;
                let why = case.why.as_ref().map(|why| format!(": {}", render::text(why.as_bytes())));
                writeln!(output, "          {faint}{line}{}{faint:#}", why.unwrap_or_default())?;
            }
            Format::Json => {
                let url = &case.url;
                let row = Row {
                    test_file: &loaded.name,
                    test_line: case.line,
                    why: case.why.as_deref(),
                    expected: case.expected.to_string(),
                    passed,
                    decision: CheckRow::new(url, &case.agent, record, Cow::Borrowed(&file.provenance)),
                };
                output.json_line(&row)?;
            }
            Format::Github if passed => {}
            Format::Github => {
                let place = format!("line={}", case.line);
                let text = format!("{name} by {}: {message}", file.name);
                annotations::print("error", &loaded.name, "comity test", &place, &text, output)?;
            }
            Format::Junit => {
                let why = case.why.clone().unwrap_or_default();
                self.junit.case(&file.name, &name, (!passed).then_some((message, why)));
            }
            _ if passed => {}
            _ => self.results.push(json!({
                "ruleId": "policy-test",
                "level": "error",
                "message": { "text": format!("{name} by {}: {message}", file.name) },
                "locations": [{
                    "physicalLocation": {
                        "artifactLocation": { "uri": annotations::uri(&loaded.name) },
                        "region": { "startLine": case.line },
                    },
                }],
            })),
        }
        Ok(())
    }

    fn finish(mut self, output: &mut Output) -> Result<Exit, Failure> {
        let all = self.passed + self.failed;
        if all == 0 {
            return Err(Failure::new("no question was asked, so nothing was tested"));
        }
        match self.args.format.get() {
            Format::Text if !self.args.quiet => {
                let style = output.palette.verdict(self.failed == 0);
                let text = match self.failed {
                    0 => format!("{} passed", render::count(all, "question")),
                    failed => format!("{failed} of {} failed", render::count(all, "question")),
                };
                writeln!(output, "{style}{text}{style:#}")?;
            }
            Format::Junit => self.junit.print("comity test", output)?,
            Format::Sarif => {
                let rules = json!([{
                    "id": "policy-test",
                    "shortDescription": { "text": "A robots.txt gives another answer than it has to." },
                }]);
                output.json_pretty(&annotations::sarif(rules, std::mem::take(&mut self.results)))?;
            }
            _ => {}
        }
        Ok(if self.failed == 0 { Exit::Success } else { Exit::Objection })
    }
}
