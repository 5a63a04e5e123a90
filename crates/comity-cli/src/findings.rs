//! Counts and prints findings about documents of every type.

use std::collections::HashSet;
use std::io::Write;

use comity::finding::{Finding, Place, Severity};
use comity_answers::lint::Counts;

use crate::exit::Failure;
use crate::output::Output;
use crate::render;

/// Returns `1 error`, `2 warnings` and so on, each formatted by `style`. A count of 0 is omitted.
pub(crate) fn words(counts: &Counts, style: impl Fn(Severity, String) -> String) -> Vec<String> {
    let words = [
        (counts.errors, "error", Severity::Error),
        (counts.warnings, "warning", Severity::Warning),
        (counts.notes, "note", Severity::Note),
    ];
    words
        .into_iter()
        .filter(|(number, ..)| *number > 0)
        .map(|(number, noun, severity)| {
            let number = usize::try_from(number).unwrap_or(usize::MAX);
            style(severity, render::count(number, noun))
        })
        .collect()
}

/// Printer of findings that prints each remedy once.
#[derive(Default)]
pub(crate) struct Printer {
    /// Printed remedies, each with the code of its findings.
    printed_remedies: HashSet<(&'static str, String)>,
}

impl Printer {
    /// Prints a finding such as `sitemap.xml:3: warning[sitemap-bad-priority]: message`, and a remedy that was not
    /// printed before. For a finding that replaces several, prints no remedy.
    pub(crate) fn print(
        &mut self,
        place: &str,
        finding: &Finding,
        output: &mut Output,
    ) -> Result<(), Failure> {
        let (style, faint) = (output.palette.severity(finding.severity()), output.palette.faint);
        let (severity, code) = (finding.severity(), finding.code());
        let (place, message) = (render::text(place.as_bytes()), render::text(finding.message().as_bytes()));
        writeln!(output, "{place}: {style}{severity}[{code}]{style:#}: {message}")?;
        let is_new =
            finding.repeats() == 0 && self.printed_remedies.insert((code, finding.help().to_owned()));
        if is_new {
            let help = format!("help: {}", render::text(finding.help().as_bytes()));
            writeln!(output, "  {faint}{}{faint:#}", render::wrap(&help, output.width, 4))?;
        }
        Ok(())
    }
}

/// Returns the place of a finding as text: `sitemap.xml:3`, or a description of the place if it has no line number.
pub(crate) fn place(file: &str, place: &Place) -> String {
    match place.line {
        Some(line) => format!("{file}:{line}"),
        None => place.to_string(),
    }
}
