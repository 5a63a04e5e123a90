//! JUnit's XML, the format for test reports of CI systems.

use std::fmt::Write as _;
use std::io::Write;

use comity::finding::Finding;
use comity::shown;

use crate::exit::Failure;
use crate::output::Output;

/// A report under construction.
#[derive(Debug, Default)]
pub(crate) struct Junit {
    cases: Vec<Case>,
}

/// One test.
#[derive(Debug)]
struct Case {
    /// The file that the test is about.
    class: String,
    name: String,
    /// Short message and details of the failure; `None` if the test passed.
    failure: Option<(String, String)>,
}

impl Junit {
    /// Adds the result of one test.
    pub(crate) fn case(&mut self, class: &str, name: &str, failure: Option<(String, String)>) {
        self.cases.push(Case { class: class.to_owned(), name: name.to_owned(), failure });
    }

    /// Adds a finding, as a failure if `is_failure`.
    pub(crate) fn add(&mut self, file: &str, finding: &Finding, is_failure: bool) {
        let name = format!("{}: {}", finding.place(), finding.code());
        let failure = (finding.message().to_owned(), finding.help().to_owned());
        self.case(file, &name, is_failure.then_some(failure));
    }

    /// Prints the report. An empty report gets one passing test, because some programs reject a report without tests.
    pub(crate) fn print(&mut self, suite: &str, output: &mut Output) -> Result<(), Failure> {
        if self.cases.is_empty() {
            self.case(suite, "no findings", None);
        }
        let failures = self.cases.iter().filter(|case| case.failure.is_some()).count();
        let (tests, suite) = (self.cases.len(), escaped(suite));
        writeln!(output, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
        writeln!(output, "<testsuites tests=\"{tests}\" failures=\"{failures}\">")?;
        writeln!(
            output,
            "  <testsuite name=\"{suite}\" tests=\"{tests}\" failures=\"{failures}\" errors=\"0\">"
        )?;
        for case in &self.cases {
            let (class, name) = (escaped(&case.class), escaped(&case.name));
            match &case.failure {
                None => writeln!(output, "    <testcase classname=\"{class}\" name=\"{name}\"/>")?,
                Some((message, text)) => {
                    let (message, text) = (escaped(message), escaped(text));
                    writeln!(output, "    <testcase classname=\"{class}\" name=\"{name}\">")?;
                    writeln!(
                        output,
                        "      <failure message=\"{message}\">{text}</failure>\n    </testcase>"
                    )?;
                }
            }
        }
        Ok(writeln!(output, "  </testsuite>\n</testsuites>")?)
    }
}

/// Escapes a text for XML, in quotes or between tags. Replaces control characters, which XML does not allow, and
/// characters that are unsafe to print.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        let _ = match c {
            '&' => write!(out, "&amp;"),
            '<' => write!(out, "&lt;"),
            '>' => write!(out, "&gt;"),
            '"' => write!(out, "&quot;"),
            '\n' => write!(out, "&#10;"),
            c if shown::is_unsafe(c) || matches!(c, '\u{fffe}' | '\u{ffff}') => write!(out, "\u{fffd}"),
            c => write!(out, "{c}"),
        };
    }
    out
}
