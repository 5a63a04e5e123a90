//! `comity test`: the answers that a robots.txt has to give.
//!
//! Each question is asked of each robots.txt. What is read is `cases`; this file asks, and shows what came of it.

mod args;
mod cases;

use std::io::Write;

use comity::robots::RobotsTxt;
use serde::Serialize;
use serde_json::{Value, json};

pub(crate) use self::args::TestArgs;
use self::cases::{Case, Loaded};
use crate::annotations;
use crate::args::Format;
use crate::decisions::{DecisionJson, DecisionRow};
use crate::exit::{Exit, Failure};
use crate::junit::Junit;
use crate::output::Output;
use crate::render;
use crate::robots_txt::RobotsFile;
use crate::sites::reader::Reader;

/// Asks every question.
pub(crate) fn run(args: &TestArgs, output: &mut Output) -> Result<Exit, Failure> {
    let default = vec!["robots.test.toml".into()];
    let files = if args.files.is_empty() { &default } else { &args.files };
    let mut reader = Reader::new(&args.network);
    let mut report = Report { args, junit: Junit::default(), results: Vec::new(), passed: 0, failed: 0 };
    for path in files {
        let loaded = cases::load(path, &args.robots)?;
        for location in &loaded.locations {
            let file = reader.read(location, output).map_err(|unread| unread.failure())?.without_page(output);
            report.ask(&loaded, &file, output)?;
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
struct Row<'a> {
    test_file: &'a str,
    test_line: usize,
    why: Option<&'a str>,
    expected: String,
    passed: bool,
    #[serde(flatten)]
    decision: DecisionRow<'a, DecisionJson>,
}

impl Report<'_> {
    /// Asks the questions of one file of one robots.txt.
    fn ask(&mut self, loaded: &Loaded, file: &RobotsFile, output: &mut Output) -> Result<(), Failure> {
        let reading = &self.args.reading;
        let dialect = reading.dialect.or(loaded.dialect).unwrap_or_default();
        let charset = reading.charset.as_deref().or(file.charset.as_deref());
        let robots = RobotsTxt::parse_with_charset(&file.body, dialect, charset);
        let is_text = self.args.format.get() == Format::Text && !self.args.quiet;
        if is_text {
            let strong = output.palette.strong;
            let faint = output.palette.faint;
            writeln!(
                output,
                "{strong}{}{strong:#}  {faint}tested by {}, read as {dialect}{faint:#}",
                file.name, loaded.name
            )?;
        }
        for case in &loaded.cases {
            self.take(case, (loaded, file), &robots, output)?;
        }
        if is_text { Ok(writeln!(output)?) } else { Ok(()) }
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
        let name = format!("{} {}", case.agent.as_str(), case.url);
        let is = render::verdict(record.recommendation.allows());
        let message = format!("expected {}, is {is}: {}", case.expected, render::basis(&record, &case.agent));
        match self.args.format.get() {
            Format::Text if self.args.quiet || passed => {}
            Format::Text => {
                let (bad, faint) = (output.palette.bad, output.palette.faint);
                let line = format!("{}:{}", loaded.name, case.line);
                let (name, url) =
                    (render::short(case.agent.as_str().as_bytes(), 40), render::text(case.url.as_bytes()));
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
                let url = case.url.as_bytes();
                let row = Row {
                    test_file: &loaded.name,
                    test_line: case.line,
                    why: case.why.as_deref(),
                    expected: case.expected.to_string(),
                    passed,
                    decision: DecisionRow::new(url, &case.agent, &decision, &file.provenance),
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
