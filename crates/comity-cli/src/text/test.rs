//! Renders the result of a test.

use std::io::Write;

use comity_answers::test::TestRow;
use serde_json::json;

use super::Render;
use crate::annotations::{self, Sarif};
use crate::exit::Failure;
use crate::junit::Junit;
use crate::output::Output;
use crate::render;

/// The robots.txt of a test, and the URL as in the test file, or words for the whole site.
pub(crate) struct TestSource<'a> {
    pub(crate) robots: &'a str,
    pub(crate) url: &'a [u8],
}

impl TestSource<'_> {
    /// Returns the name of the test.
    fn name(&self, row: &TestRow<'_>) -> String {
        format!("{} {}", row.decision.agent, String::from_utf8_lossy(self.url))
    }
}

/// Returns the reason why the test failed.
fn message(row: &TestRow<'_>) -> String {
    let decision = &row.decision;
    let basis = |record| render::basis(record, &decision.agent);
    let basis = decision.decision.as_ref().map(basis).unwrap_or_default();
    match (&decision.error, row.access) {
        (Some(error), _) => error.clone(),
        (None, Some(access)) => format!("expected {}, is {access}", row.expected),
        (None, None) => {
            format!("expected {}, is {}: {basis}", row.expected, render::verdict(decision.allowed))
        }
    }
}

impl Render for TestRow<'_> {
    type View<'v> = TestSource<'v>;

    fn text(&self, source: &mut TestSource<'_>, output: &mut Output) -> Result<(), Failure> {
        if self.passed {
            return Ok(());
        }
        let (bad, faint) = (output.palette.bad, output.palette.faint);
        let line = format!("{}:{}", self.test_file, self.test_line);
        let (name, url) = (render::short(self.decision.agent.as_bytes(), 40), render::text(source.url));
        writeln!(output, "  {bad}failed{bad:#}  {name}  {url}")?;
        let message = message(self);
        let message = render::wrap(&render::text(message.as_bytes()), output.width, 10);
        writeln!(output, "          {message}")?;
        let why = self.why.as_ref().map(|why| format!(": {}", render::text(why.as_bytes())));
        Ok(writeln!(output, "          {faint}{line}{}{faint:#}", why.unwrap_or_default())?)
    }

    fn github(&self, source: &mut TestSource<'_>, output: &mut Output) -> Result<(), Failure> {
        if self.passed {
            return Ok(());
        }
        let place = format!("line={}", self.test_line);
        let text = format!("{} by {}: {}", source.name(self), source.robots, message(self));
        annotations::print("error", &self.test_file, "comity test", &place, &text, output)
    }

    fn junit(&self, source: &mut TestSource<'_>, junit: &mut Junit) {
        let why = || self.why.clone().unwrap_or_default().into_owned();
        junit.case(source.robots, &source.name(self), (!self.passed).then(|| (message(self), why())));
    }

    fn sarif(&self, source: &mut TestSource<'_>, sarif: &mut Sarif) {
        sarif.rule(0, || {
            json!({
                "id": "policy-test",
                "shortDescription": { "text": "The verdict of a robots.txt is not the expected one." },
            })
        });
        if self.passed {
            return;
        }
        let text = format!("{} by {}: {}", source.name(self), source.robots, message(self));
        sarif.result(json!({
            "ruleId": "policy-test",
            "level": "error",
            "message": { "text": text },
            "locations": [{
                "physicalLocation": {
                    "artifactLocation": { "uri": annotations::uri(&self.test_file) },
                    "region": { "startLine": self.test_line },
                },
            }],
        }));
    }
}
