//! Renders the directives of a page.

use std::io::Write;

use comity::page::{PageOutcome, Source as Place, SourceKind, Statement, UseWarning};
use comity_answers::page::PageRow;

use super::{Layout, Render};
use crate::exit::Failure;
use crate::findings;
use crate::output::Output;
use crate::render;

/// Maximum number of causes per warning, and of ignored statements per reason.
const SHOWN: usize = 5;

impl Render for PageRow<'_> {
    /// The crawler for which the page is read.
    type View<'v> = &'v str;

    const LAYOUT: Layout = Layout::Document;

    fn text(&self, agent: &mut &str, output: &mut Output) -> Result<(), Failure> {
        let (strong, faint) = (output.palette.strong, output.palette.faint);
        let mut files: Vec<&str> =
            [&self.headers, &self.html].into_iter().flatten().map(String::as_str).collect();
        files.dedup();
        let agent = render::short(agent.as_bytes(), 60);
        let count = render::count(self.statements, "directive");
        writeln!(
            output,
            "{strong}{}{strong:#}  {faint}{count}, read for {agent}{faint:#}",
            files.join(", ")
        )?;
        for outcome in &self.outcomes {
            print_outcome(outcome, output)?;
        }
        print_findings(self, output)
    }
}

fn print_findings(row: &PageRow<'_>, output: &mut Output) -> Result<(), Failure> {
    if row.findings.is_empty() {
        return Ok(());
    }
    let strong = output.palette.strong;
    writeln!(output, "\n{strong}Findings{strong:#}")?;
    let mut printer = findings::Printer::default();
    row.findings.iter().try_for_each(|finding| printer.print(&finding.place().to_string(), finding, output))
}

fn print_outcome(outcome: &PageOutcome<'_>, output: &mut Output) -> Result<(), Failure> {
    let (strong, faint, good) = (output.palette.strong, output.palette.faint, output.palette.good);
    let profile = outcome.profile();
    writeln!(output, "\n{strong}By the rules of {}{strong:#}", profile.title())?;
    if outcome.warnings().is_empty() {
        writeln!(output, "  {good}no restrictions{good:#}")?;
    }
    for warning in outcome.warnings() {
        print_warning(warning, output)?;
    }
    // Statements with equal reasons stay in the order of the page.
    let mut aside: Vec<_> = outcome.set_aside().iter().collect();
    aside.sort_by_key(|aside| aside.reason());
    for same in aside.chunk_by(|one, other| one.reason() == other.reason()) {
        let Some(first) = same.first() else { continue };
        let texts: Vec<_> = same.iter().take(SHOWN).map(|aside| aside_text(aside.statement())).collect();
        let more = more(same.len());
        let text = format!("{}: {}{more}", first.reason().summary(), texts.join(", "));
        writeln!(output, "  {faint}{}{faint:#}", render::wrap(&text, output.width, 4))?;
    }
    Ok(())
}

fn print_warning(warning: &UseWarning<'_>, output: &mut Output) -> Result<(), Failure> {
    let (style, faint) = (output.palette.bad, output.palette.faint);
    let summary = match warning.value() {
        Some(value) => format!("{}: {value}", warning.restriction().summary()),
        None => warning.restriction().summary().to_owned(),
    };
    writeln!(output, "  {style}{}{style:#}  {summary}", warning.restriction())?;
    for cause in warning.causes().iter().take(SHOWN) {
        let text = render::short(cause.text().as_bytes(), 80);
        writeln!(output, "      {text}  {faint}{}{faint:#}", place(cause.source()))?;
    }
    if warning.causes().len() > SHOWN {
        writeln!(output, "      {faint}{}{faint:#}", more(warning.causes().len()).trim_start_matches(", "))?;
    }
    Ok(())
}

/// Returns `, and 3 more`, or an empty text.
fn more(total: usize) -> String {
    if total > SHOWN { format!(", and {} more", total - SHOWN) } else { String::new() }
}

/// Formats a statement as `noindex (to osprey)`.
fn aside_text(statement: &Statement) -> String {
    let text = render::short(statement.text().as_bytes(), 40);
    match statement.agent() {
        Some(agent) => format!("{text} (to {})", render::short(agent.as_bytes(), 40)),
        None => text.into_owned(),
    }
}

/// Formats the place of a statement.
fn place(place: &Place) -> String {
    let name = render::short(place.name().as_bytes(), 40);
    let line = place.line().unwrap_or_default();
    let part = if place.is_in_body() { "body" } else { "head" };
    match place.kind() {
        SourceKind::Meta if name.is_empty() => format!("page, line {line}"),
        SourceKind::Meta => format!("page, line {line}: <meta name={name}> in the {part}"),
        SourceKind::DataNoSnippet => format!("page, line {line}: <{name}>"),
        _ => format!("{name} #{}, byte {}", place.number(), place.offset()),
    }
}
