//! The matrix for a terminal: a summary by purpose, then a table per purpose.

use std::io::Write;

use comity::agents::Purpose;
use comity::robots::Access;

use super::data::{Matrix, Row};
use super::words;
use crate::exit::Failure;
use crate::output::Output;
use crate::render::{self, Palette};

/// Columns of the word for access, and of the longest names and groups that are given room.
const ACCESS: usize = 10;
const NAME: usize = 28;
const GROUP: usize = 20;
/// From this many columns on there is room for operators.
const WIDE: usize = 110;
const OPERATOR: usize = 16;
/// The width that is left for remarks beside verdicts on single URLs.
const REMARKS: usize = 14;

/// Prints everything.
pub(super) fn print(matrix: &Matrix, output: &mut Output) -> Result<(), Failure> {
    print_head(matrix, output)?;
    print_summary(matrix, output)?;
    let layout = Layout::new(matrix, output.width);
    if let Some(row) = matrix.everyone() {
        let heading = ("Everyone else", "every crawler that no group names");
        print_section(matrix, heading, std::iter::once(row), &layout, output)?;
    }
    for purpose in Purpose::ALL {
        let heading = (purpose.title(), "");
        print_section(matrix, heading, matrix.rows(Some(purpose)), &layout, output)?;
    }
    let strangers = matrix.rows(None);
    print_section(matrix, (words::STRANGERS, ""), strangers, &layout, output)?;
    if matrix.names_left_out > 0 {
        let faint = output.palette.faint;
        let names = render::count(matrix.names_left_out, "more name");
        writeln!(output, "  {faint}... and {names} in the file{faint:#}")?;
    }
    print_usage(matrix, output)
}

fn print_head(matrix: &Matrix, output: &mut Output) -> Result<(), Failure> {
    let (strong, faint) = (output.palette.strong, output.palette.faint);
    writeln!(output, "{strong}{}{strong:#}  {faint}read as {}{faint:#}", matrix.file, matrix.dialect)?;
    let width = output.width;
    let head = format!("{}; {}", words::totals(matrix), words::judged(matrix));
    writeln!(output, "{}", render::wrap(&head, width, 0))?;
    if matrix.truncated {
        let style = output.palette.warning;
        writeln!(output, "{style}what stands after the first 512,000 bytes does not count{style:#}")?;
    }
    Ok(())
}

fn print_summary(matrix: &Matrix, output: &mut Output) -> Result<(), Failure> {
    let Palette { strong, faint, .. } = output.palette;
    let title = |purpose: Option<Purpose>| purpose.map_or(words::STRANGERS, Purpose::title);
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
    for (index, url) in matrix.urls.iter().enumerate().take(matrix.urls.len().min(9)) {
        let gap = if index == 0 { "\n" } else { "" };
        writeln!(output, "{gap}{faint}URL {}{faint:#}  {}", index + 1, render::short(url.as_bytes(), 100))?;
    }
    if matrix.urls.len() > 9 {
        writeln!(output, "{faint}... and {} more URLs{faint:#}", matrix.urls.len() - 9)?;
    }
    Ok(())
}

/// The columns of every section; 0: not shown.
struct Layout {
    width: usize,
    access: usize,
    name: usize,
    operator: usize,
    group: usize,
    group_of: fn(&Row) -> String,
    /// The number of URLs that have a column of their own.
    urls: usize,
}

impl Layout {
    fn new(matrix: &Matrix, width: usize) -> Self {
        let longest = |columns: &dyn Fn(&Row) -> usize, limit: usize| {
            matrix.crawlers.iter().map(columns).max().unwrap_or(0).min(limit)
        };
        let name = longest(&|row| render::width(&row.name()), NAME);
        let operator = longest(&|row| row.known.map_or(0, |known| render::width(known.operator())), OPERATOR);
        let group = |group_of: fn(&Row) -> String| longest(&|row| render::width(&group_of(row)), GROUP);
        let is_wide = width >= WIDE;
        let narrow = group(words::group_in_short);
        let room = width.saturating_sub(2 + name + 2 + narrow + 2 + if is_wide { REMARKS } else { 0 });
        if matrix.urls.len() > 1 && matrix.urls.len() <= room / (ACCESS + 2) {
            // The verdicts speak for themselves.
            let (group_of, urls) = (words::group_in_short as fn(&Row) -> String, matrix.urls.len());
            return Layout { width, access: 0, name, operator: 0, group: narrow, group_of, urls };
        }
        let group_of = if is_wide { words::group } else { words::group_in_short };
        let operator = if is_wide { operator } else { 0 };
        Layout { width, access: ACCESS, name, operator, group: group(group_of), group_of, urls: 0 }
    }

    /// Returns where what the rules say starts.
    fn indent(&self) -> usize {
        let column = |columns: usize| if columns > 0 { columns + 2 } else { 0 };
        let columns = [self.access, self.name, self.operator, self.group].map(column);
        2 + columns.iter().sum::<usize>() + self.urls * (ACCESS + 2)
    }
}

fn print_section<'m>(
    matrix: &Matrix,
    (heading, remark): (&str, &str),
    rows: impl Iterator<Item = &'m Row>,
    layout: &Layout,
    output: &mut Output,
) -> Result<(), Failure> {
    let Palette { strong, faint, .. } = output.palette;
    for (index, row) in rows.enumerate() {
        if index == 0 {
            let gap = if remark.is_empty() { "" } else { "  " };
            writeln!(output, "\n{strong}{heading}{strong:#}{gap}{faint}{remark}{faint:#}")?;
            if layout.urls > 0 {
                print_url_heads(layout, output)?;
            }
        }
        print_row(matrix, row, layout, output)?;
    }
    Ok(())
}

fn print_url_heads(layout: &Layout, output: &mut Output) -> Result<(), Failure> {
    let faint = output.palette.faint;
    let before = layout.indent() - layout.urls * (ACCESS + 2);
    write!(output, "{:before$}{faint}", "")?;
    for number in 1..=layout.urls {
        let head = format!("URL {number}");
        let columns = if number == layout.urls { 0 } else { ACCESS + 2 };
        write!(output, "{head:<columns$}")?;
    }
    Ok(writeln!(output, "{faint:#}")?)
}

fn print_row(matrix: &Matrix, row: &Row, layout: &Layout, output: &mut Output) -> Result<(), Failure> {
    let Palette { faint, .. } = output.palette;
    let style = style_of(row.access, &output.palette);
    write!(output, "  ")?;
    if layout.access > 0 {
        write!(output, "{style}{:<columns$}{style:#}  ", row.access.as_str(), columns = layout.access)?;
    }
    write!(output, "{}  ", fit(&row.name(), layout.name))?;
    if layout.operator > 0 {
        let operator = row.known.map_or("", |known| known.operator());
        write!(output, "{faint}{}{faint:#}  ", fit(operator, layout.operator))?;
    }
    write!(output, "{faint}{}{faint:#}  ", fit(&(layout.group_of)(row), layout.group))?;
    let is_repeated = words::is_as_everyone(matrix, row);
    let mut says = Vec::new();
    says.extend((layout.urls == 0).then(|| words::says(matrix, row)));
    says.extend(words::delay(matrix, row));
    says.extend(words::remarks(row));
    for (index, decided) in row.decisions.iter().take(layout.urls).enumerate() {
        let style = output.palette.verdict(decided.is_allowed());
        let is_last = index + 1 == layout.urls && says.is_empty();
        let columns = if is_last { 0 } else { ACCESS };
        let gap = if is_last { "" } else { "  " };
        write!(output, "{style}{:<columns$}{style:#}{gap}", render::verdict(decided.is_allowed()))?;
    }
    let says = render::wrap(&says.join("; "), layout.width, layout.indent());
    let style = if is_repeated { faint } else { anstyle::Style::new() };
    Ok(writeln!(output, "{style}{says}{style:#}")?)
}

/// A text in so many columns: padded, or cut.
fn fit(text: &str, columns: usize) -> String {
    if render::width(text) <= columns {
        return format!("{text:<columns$}");
    }
    render::short(text.as_bytes(), columns.saturating_sub(3)).into_owned()
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
        "\n{strong}What may be done with the content{strong:#}  {faint}of the site's root{faint:#}"
    )?;
    let columns = groups.iter().map(|(name, _)| render::width(name)).max().unwrap_or(0).max(12);
    let whole = groups.first().map(|(_, uses)| words::usage_in_full(uses, true)).unwrap_or_default();
    let is_disputed = !whole.is_empty();
    let of_groups = groups.into_iter().map(|(name, uses)| (name, words::usage_in_full(uses, false)));
    for (name, says) in of_groups.chain([("whole file".to_owned(), whole)]) {
        for (index, line) in says.iter().enumerate() {
            let name = if index == 0 { name.as_str() } else { "" };
            writeln!(output, "  {name:<columns$}  {}", render::wrap(line, width, columns + 4))?;
        }
    }
    if is_disputed {
        let remark = "Programs disagree on whether Content-Signal speaks to its group or for the whole file.";
        writeln!(output, "  {faint}{}{faint:#}", render::wrap(remark, width, 2))?;
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
