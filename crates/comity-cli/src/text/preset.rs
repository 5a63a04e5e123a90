//! Renders a preset and its table of treatments.

use std::io::Write;

use comity_answers::presets::{PresetAnswer, PresetRow};

use super::{Layout, Render};
use crate::exit::Failure;
use crate::output::Output;
use crate::render;

impl Render for PresetRow {
    /// True if the table of treatments is shown.
    type View<'v> = bool;

    const LAYOUT: Layout = Layout::Block;

    fn text(&self, with_table: &mut bool, output: &mut Output) -> Result<(), Failure> {
        print_head(self, output)?;
        if *with_table {
            print_answers(self, output)?;
            print_outage(self, output)?;
        }
        Ok(())
    }
}

/// Formats a treatment as `unavailable; allow all: allowed_implicit, recommended`.
fn outcome(answer: &PresetAnswer) -> String {
    let decided = match (answer.verdict, answer.recommendation) {
        (Some(verdict), Some(recommendation)) => format!("{verdict}, {recommendation}"),
        _ => "the rules decide".to_owned(),
    };
    format!("{}; {}: {decided}", answer.availability, answer.summary)
}

fn print_head(row: &PresetRow, output: &mut Output) -> Result<(), Failure> {
    let palette = output.palette;
    let (strong, faint, warning) = (palette.strong, palette.faint, palette.warning);
    let default = if row.default { "  (default)" } else { "" };
    let opens = if row.fails_open { "  can fail open" } else { "" };
    writeln!(output, "{strong}{}{strong:#}{faint}{default}{faint:#}{warning}{opens}{warning:#}", row.name)?;
    writeln!(output, "  defined by {}", row.defined_by)?;
    writeln!(output, "  dialect {}, mode {}", row.dialect, row.mode)?;
    let width = output.width;
    for note in row.notes {
        writeln!(output, "  - {}", render::wrap(note, width, 4))?;
    }
    Ok(())
}

/// Prints the kinds of answers, grouped by their treatment.
fn print_answers(row: &PresetRow, output: &mut Output) -> Result<(), Failure> {
    let (strong, faint) = (output.palette.strong, output.palette.faint);
    let width = output.width;
    let same = |a: &PresetAnswer, b: &PresetAnswer| outcome(a) == outcome(b) && a.kept == b.kept;
    for (index, line) in row.answers.iter().enumerate() {
        if row.answers[..index].iter().any(|earlier| same(earlier, line)) {
            continue;
        }
        let labels: Vec<_> =
            row.answers.iter().filter(|other| same(other, line)).map(|other| other.label).collect();
        writeln!(output, "\n  {strong}{}{strong:#}", render::wrap(&labels.join("; "), width, 2))?;
        writeln!(output, "    {}", render::wrap(&outcome(line), width, 4))?;
        writeln!(output, "    {faint}kept for: {}{faint:#}", line.kept)?;
    }
    Ok(())
}

fn print_outage(row: &PresetRow, output: &mut Output) -> Result<(), Failure> {
    if row.outage.is_empty() {
        return Ok(());
    }
    let strong = output.palette.strong;
    let copy = match row.stale_seconds {
        Some(age) => format!("a copy can be used until it is {} old", span(age)),
        None => "a copy of any age can be used".to_owned(),
    };
    writeln!(output, "\n  {strong}While robots.txt is unreachable{strong:#} ({copy})")?;
    let mut since = 0;
    for step in &row.outage {
        let period = match (since, step.until_seconds) {
            (0, None) => "from the first failure on".to_owned(),
            (0, Some(end)) => format!("first {}", span(end)),
            (_, Some(end)) => format!("until {}", span(end)),
            (start, None) => format!("after {}", span(start)),
        };
        let outcome = if step.with_copy == step.without_copy {
            step.with_copy.label().to_owned()
        } else {
            format!("{}; without one {}", step.with_copy.label(), step.without_copy.label())
        };
        let open =
            if step.opens_if_site_is_reachable { "fail open if the site is reachable, else " } else { "" };
        writeln!(output, "    {period}: {open}{outcome}")?;
        since = step.until_seconds.unwrap_or_default();
    }
    Ok(())
}

/// Formats seconds as hours or days.
fn span(seconds: u64) -> String {
    match seconds / 3_600 {
        hours if hours >= 48 => render::count(usize::try_from(hours / 24).unwrap_or(usize::MAX), "day"),
        hours => render::count(usize::try_from(hours).unwrap_or(usize::MAX), "hour"),
    }
}
