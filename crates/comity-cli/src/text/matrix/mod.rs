//! Renders the matrix. The text is a summary by purpose, then a table per purpose, in which crawlers with equal results
//! share a row.

mod crawler_group;
mod csv;
mod html;
mod phrases;

use std::io::Write;

use comity::agents::Purpose;
use comity::robots::Access;

use self::crawler_group::{CrawlerGroup, group_equal};
use super::{Layout, Render};
use crate::exit::Failure;
use crate::output::Output;
use crate::render::{self, Palette};
use crate::spreadsheet::Table;
use comity_answers::matrix::{Matrix, Row};
use comity_answers::matrix::{Probe, Word};

/// Width of the word for access.
const ACCESS: usize = 10;
/// Width of the word for a verdict on a URL.
const VERDICT: usize = 10;

/// Width of `yes` or `no`, which replace the words for verdicts on a narrow terminal.
const SIGN: usize = 3;
/// Minimum width of the column of names next to verdicts.
const NAMES: usize = 24;

impl Render for Matrix {
    type View<'v> = ();

    const LAYOUT: Layout = Layout::Block;

    fn text(&self, (): &mut (), output: &mut Output) -> Result<(), Failure> {
        print_head(self, output)?;
        print_summary(self, output)?;
        let grid = Grid::new(self, output.width);
        if let Some(row) = self.everyone() {
            let heading = ("Everyone else", "every crawler that no group names");
            print_section(self, heading, vec![row], &grid, output)?;
        }
        for purpose in Purpose::ALL {
            print_section(self, (purpose.title(), ""), self.rows(Some(purpose)).collect(), &grid, output)?;
        }
        print_section(self, (phrases::NOT_IN_CATALOGUE, ""), self.rows(None).collect(), &grid, output)?;
        if self.names_left_out > 0 {
            let faint = output.palette.faint;
            let names = render::count(self.names_left_out, "more name");
            writeln!(output, "  {faint}... and {names} in the file{faint:#}")?;
        }
        print_usage(self, output)?;
        self.probe.as_ref().map_or(Ok(()), |probe| print_probe(probe, output))
    }

    fn table() -> Table {
        csv::table()
    }

    fn csv(&self, table: &Table, output: &mut Output) -> Result<(), Failure> {
        csv::print(self, table, output)
    }

    fn html(&self, output: &mut Output) -> Result<(), Failure> {
        html::print(self, output)
    }
}

fn print_head(matrix: &Matrix, output: &mut Output) -> Result<(), Failure> {
    let (strong, faint) = (output.palette.strong, output.palette.faint);
    writeln!(output, "{strong}{}{strong:#}  {faint}read as {}{faint:#}", matrix.file, matrix.dialect)?;
    let width = output.width;
    let head = format!("{}; {}", phrases::totals(matrix), phrases::judged(matrix));
    writeln!(output, "{}", render::wrap(&head, width, 0))?;
    if matrix.truncated {
        let style = output.palette.warning;
        writeln!(output, "{style}lines after the first 512,000 bytes are ignored{style:#}")?;
    }
    Ok(())
}

fn print_summary(matrix: &Matrix, output: &mut Output) -> Result<(), Failure> {
    let Palette { strong, faint, .. } = output.palette;
    let title = |purpose: Option<Purpose>| purpose.map_or(phrases::NOT_IN_CATALOGUE, Purpose::title);
    let columns = matrix.summary.iter().map(|line| render::width(title(line.purpose))).max().unwrap_or(0);
    writeln!(output, "\n{:columns$}  {faint}   allowed    partly  disallowed{faint:#}", "")?;
    for line in &matrix.summary {
        write!(output, "{strong}{:columns$}{strong:#}", title(line.purpose))?;
        let counts = [
            (line.allowed, 12, Access::Allowed),
            (line.partly, 10, Access::Partly),
            (line.disallowed, 12, Access::Disallowed),
        ];
        for (number, columns, access) in counts {
            let style = if number == 0 { faint } else { style_of(access, &output.palette) };
            write!(output, "{style}{number:columns$}{style:#}")?;
        }
        writeln!(output)?;
    }
    for (index, url) in matrix.urls.iter().enumerate().take(matrix.urls.len().min(20)) {
        let gap = if index == 0 { "\n" } else { "" };
        let room = output.width.saturating_sub(8).max(20);
        let url = render::short(url.as_bytes(), 200);
        let url = if output.is_terminal { render::middle(&url, room) } else { url };
        writeln!(output, "{gap}{faint}URL {}{faint:#}  {url}", index + 1)?;
    }
    if matrix.urls.len() > 20 {
        writeln!(output, "{faint}... and {}{faint:#}", render::count(matrix.urls.len() - 20, "more URL"))?;
    }
    Ok(())
}

/// The columns of verdicts on single URLs.
struct Grid {
    /// Number of URLs with a column; 0 if verdicts are counted.
    urls: usize,
    /// The width of a column.
    columns: usize,
}

impl Grid {
    /// Selects verdicts as words, as `yes` and `no`, or as counts, by the available width.
    fn new(matrix: &Matrix, width: usize) -> Self {
        let room = width.saturating_sub(2 + NAMES);
        let urls = if matrix.urls.len() > 1 { matrix.urls.len() } else { 0 };
        match urls {
            _ if urls * (VERDICT + 2) <= room => Grid { urls, columns: VERDICT },
            _ if urls * (SIGN + 1) <= room => Grid { urls, columns: SIGN },
            _ => Grid { urls: 0, columns: 0 },
        }
    }

    fn gap(&self) -> usize {
        if self.columns == VERDICT { 2 } else { 1 }
    }

    /// Returns the column at which names start.
    fn indent(&self) -> usize {
        match self.urls {
            0 => 2 + ACCESS + 2,
            urls => 2 + urls * (self.columns + self.gap()),
        }
    }

    fn verdict(&self, allowed: bool) -> &'static str {
        match (self.columns, allowed) {
            (VERDICT, allowed) => render::verdict(allowed),
            (_, true) => "yes",
            (_, false) => "no",
        }
    }
}

fn print_section(
    matrix: &Matrix,
    (heading, remark): (&str, &str),
    rows: Vec<&Row>,
    grid: &Grid,
    output: &mut Output,
) -> Result<(), Failure> {
    if rows.is_empty() {
        return Ok(());
    }
    let Palette { strong, faint, .. } = output.palette;
    let gap = if remark.is_empty() { "" } else { "  " };
    writeln!(output, "\n{strong}{heading}{strong:#}{gap}{faint}{remark}{faint:#}")?;
    if grid.urls > 0 {
        write!(output, "  {faint}")?;
        for number in 1..=grid.urls {
            let head = if grid.columns == VERDICT { format!("URL {number}") } else { number.to_string() };
            let columns = if number == grid.urls { 0 } else { grid.columns + grid.gap() };
            write!(output, "{head:<columns$}")?;
        }
        writeln!(output, "{faint:#}")?;
    }
    group_equal(matrix, rows).iter().try_for_each(|group| print_crawler_group(group, grid, output))
}

fn print_crawler_group(group: &CrawlerGroup<'_>, grid: &Grid, output: &mut Output) -> Result<(), Failure> {
    let Palette { faint, .. } = output.palette;
    let first = group.first;
    write!(output, "  ")?;
    if grid.urls > 0 {
        for decided in first.decisions.iter().take(grid.urls) {
            let style = output.palette.verdict(decided.is_allowed());
            let (word, columns) = (grid.verdict(decided.is_allowed()), grid.columns);
            write!(output, "{style}{word:<columns$}{style:#}{:1$}", "", grid.gap())?;
        }
    } else {
        let style = style_of(first.access, &output.palette);
        write!(output, "{style}{:<ACCESS$}{style:#}  ", first.access)?;
    }
    let named = |(name, remarks): (String, Vec<String>)| match remarks.is_empty() {
        true => name,
        false => format!("{name} ({})", remarks.join(", ")),
    };
    let names: Vec<String> = group.names().map(named).collect();
    let count = if names.len() > 1 { format!("  [{}]", names.len()) } else { String::new() };
    let indent = grid.indent();
    let names = render::wrap(&format!("{}{count}", names.join(", ")), output.width, indent);
    writeln!(output, "{names}")?;
    if group.result.is_empty() {
        return Ok(());
    }
    let result = group
        .repeated_rules_remark()
        .map_or_else(|| group.result.clone(), |other| format!("{}; {other}", group.result));
    Ok(writeln!(output, "{:indent$}{faint}{}{faint:#}", "", render::wrap(&result, output.width, indent))?)
}

fn print_usage(matrix: &Matrix, output: &mut Output) -> Result<(), Failure> {
    let Palette { strong, faint, .. } = output.palette;
    let groups = matrix.usage_by_group();
    let width = output.width;
    if groups.is_empty() {
        return Ok(());
    }
    writeln!(
        output,
        "\n{strong}Permitted uses of the content{strong:#}  {faint}of the site's root{faint:#}"
    )?;
    let columns = groups.iter().map(|(name, _)| render::width(name)).max().unwrap_or(0).max(12);
    let whole = groups.first().map(|(_, uses)| phrases::usage_in_full(uses, true)).unwrap_or_default();
    let is_disputed = !whole.is_empty();
    let of_groups = groups.into_iter().map(|(name, uses)| (name, phrases::usage_in_full(uses, false)));
    for (name, result) in of_groups.chain([("whole file".to_owned(), whole)]) {
        for (index, line) in result.iter().enumerate() {
            let name = if index == 0 { name.as_str() } else { "" };
            writeln!(output, "  {name:<columns$}  {}", render::wrap(line, width, columns + 4))?;
        }
    }
    if is_disputed {
        let remark = "Programs disagree on whether Content-Signal applies to its group or to the whole file.";
        writeln!(output, "  {faint}{}{faint:#}", render::wrap(remark, width, 2))?;
    }
    Ok(())
}

/// Prints the answers of the site to this client.
fn print_probe(probe: &Probe, output: &mut Output) -> Result<(), Failure> {
    const WORD: usize = 9;
    let Palette { strong, faint, .. } = output.palette;
    writeln!(output, "\n{strong}{}{strong:#}", phrases::PROBE)?;
    writeln!(output, "{faint}{}{faint:#}", render::wrap(&phrases::about_probe(probe), output.width, 0))?;
    for page in &probe.pages {
        let word = page.word();
        let style = match word {
            Word::Answered => output.palette.good,
            Word::Refused => output.palette.warning,
            Word::NotAsked => faint,
            Word::Failed => output.palette.bad,
        };
        let status = page.status.map(|status| status.to_string()).unwrap_or_default();
        let url = render::short(page.url.as_bytes(), 200);
        writeln!(output, "  {style}{:<WORD$}{style:#}  {status:<3}  {url}", word.as_str())?;
        let indent = 2 + WORD + 2 + 3 + 2;
        for line in phrases::answer_lines(page) {
            writeln!(output, "{:indent$}{faint}{}{faint:#}", "", render::wrap(&line, output.width, indent))?;
        }
    }
    Ok(())
}

fn style_of(access: Access, palette: &Palette) -> anstyle::Style {
    match access {
        Access::Allowed => palette.good,
        Access::Disallowed => palette.bad,
        _ => palette.warning,
    }
}
