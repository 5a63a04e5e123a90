//! The matrix as one page to hand on: no script, nothing loaded, no `style` attribute.
//!
//! What stands in a robots.txt is written by strangers: every text goes through [`Escaped`], and the page forbids itself
//! everything but its own style sheet, so that a mistake here would still run nothing. Access is said by a word and a
//! sign, the colour only repeats it. On a narrow screen each row becomes a card; `role`s keep it a table for those who
//! hear it.

use std::fmt;
use std::io::Write;

use comity::agents::{KnownAgent, Purpose};
use comity::robots::Access;

use super::data::{Matrix, Row, shown};
use super::words;
use crate::escaped::Escaped;
use crate::exit::Failure;
use crate::output::Output;
use crate::render;

const STYLE: &str = include_str!("page.css");

/// Verdicts on single URLs are listed up to this many; then they are counted.
const URLS_LISTED: usize = 6;

/// Prints everything.
pub(super) fn print(matrix: &Matrix, output: &mut Output) -> Result<(), Failure> {
    let (file, site, today) = (Escaped(&matrix.file), matrix.site(), today());
    let site = Escaped(&site);
    write!(
        output,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" \
         content=\"default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\">\n\
         <title>{site}: which crawlers may come</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n\
         <h1>{site}: which crawlers may come</h1>\n\
         <p class=\"faint\">By {file}, on {today}.</p>\n\
         <p>{}; {}. <span class=\"faint\">Read as {}.</span></p>\n",
        Escaped(&words::totals(matrix)),
        Escaped(&words::judged(matrix)),
        Escaped(matrix.dialect.name()),
    )?;
    if matrix.truncated {
        writeln!(
            output,
            "<p><strong>What stands after the first 512,000 bytes does not count.</strong></p>"
        )?;
    }
    print_summary(matrix, output)?;
    if let Some(row) = matrix.everyone() {
        let about = "Every crawler that no group names.";
        print_section(matrix, "Everyone else", about, std::iter::once(row), output)?;
    }
    for purpose in Purpose::ALL {
        print_section(matrix, purpose.title(), purpose.summary(), matrix.rows(Some(purpose)), output)?;
    }
    let about = match matrix.names_left_out {
        0 => "Nothing is known of these but their names.".to_owned(),
        number => {
            let names = render::count(number, "more name");
            format!("Nothing is known of these but their names; the file has {names}.")
        }
    };
    print_section(matrix, words::STRANGERS, &about, matrix.rows(None), output)?;
    print_usage(matrix, output)?;
    print_foot(matrix, output)
}

/// `22 November 2026`, in UTC.
fn today() -> String {
    jiff::Timestamp::now().to_zoned(jiff::tz::TimeZone::UTC).strftime("%-d %B %Y").to_string()
}

fn print_summary(matrix: &Matrix, output: &mut Output) -> Result<(), Failure> {
    writeln!(output, "<h2>Summary</h2>\n<table class=\"summary\">")?;
    write!(output, "<thead><tr><th scope=\"col\">Purpose</th>")?;
    for access in Access::ALL {
        write!(output, "<th scope=\"col\">{access}</th>")?;
    }
    writeln!(output, "</tr></thead>\n<tbody>")?;
    for line in &matrix.summary {
        let title = line.purpose.map_or(words::STRANGERS, Purpose::title);
        write!(output, "<tr><th scope=\"row\">{}</th>", Escaped(title))?;
        for (access, number) in Access::ALL.iter().zip([line.allowed, line.partly, line.disallowed]) {
            let class = if number == 0 { "none" } else { access.as_str() };
            write!(output, "<td class=\"{class}\">{number}</td>")?;
        }
        writeln!(output, "</tr>")?;
    }
    writeln!(output, "</tbody>\n</table>\n<dl>")?;
    for access in Access::ALL {
        let meaning = words::meaning(access, !matrix.urls.is_empty());
        writeln!(output, "<dt>{}</dt><dd>{meaning}</dd>", Sign(access))?;
    }
    writeln!(output, "</dl>")?;
    if !matrix.urls.is_empty() {
        writeln!(output, "<h2>Judged</h2>\n<ol>")?;
        for url in matrix.urls.iter().take(100) {
            writeln!(output, "<li><code>{}</code></li>", Escaped(&render::short(url.as_bytes(), 200)))?;
        }
        writeln!(output, "</ol>")?;
        if let Some(more) = matrix.urls.len().checked_sub(100).filter(|more| *more > 0) {
            writeln!(output, "<p>... and {}</p>", render::count(more, "more URL"))?;
        }
    }
    Ok(())
}

/// The word for access with a sign, so that nothing is said by colour alone.
struct Sign(Access);

impl fmt::Display for Sign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = match self.0 {
            Access::Allowed => "\u{2713}",
            Access::Disallowed => "\u{2715}",
            _ => "\u{25D0}",
        };
        let word = self.0;
        write!(f, "<span class=\"{word}\"><span aria-hidden=\"true\">{sign}</span> {word}</span>")
    }
}

fn print_section<'m>(
    matrix: &Matrix,
    title: &str,
    about: &str,
    rows: impl Iterator<Item = &'m Row>,
    output: &mut Output,
) -> Result<(), Failure> {
    let mut rows = rows.peekable();
    if rows.peek().is_none() {
        return Ok(());
    }
    write!(
        output,
        "<h2>{}</h2>\n<p class=\"faint\">{}</p>\n<table class=\"crawlers\" role=\"table\">\n\
         <thead role=\"rowgroup\"><tr role=\"row\">",
        Escaped(title),
        Escaped(about)
    )?;
    for head in ["Crawler", "Access", "Group", "What the rules say", "About the crawler"] {
        write!(output, "<th scope=\"col\" role=\"columnheader\">{head}</th>")?;
    }
    writeln!(output, "</tr></thead>\n<tbody role=\"rowgroup\">")?;
    for row in rows {
        print_row(matrix, row, output)?;
    }
    Ok(writeln!(output, "</tbody>\n</table>")?)
}

fn print_row(matrix: &Matrix, row: &Row, output: &mut Output) -> Result<(), Failure> {
    let operator = row.known.map_or("", KnownAgent::operator);
    write!(
        output,
        "<tr role=\"row\"><th scope=\"row\" role=\"rowheader\"><code>{}</code>",
        Escaped(&row.name())
    )?;
    if !operator.is_empty() {
        write!(output, "<small>{}</small>", Escaped(operator))?;
    }
    let (sign, group) = (Sign(row.access), words::group(row));
    write!(
        output,
        "</th><td role=\"cell\">{sign}</td><td role=\"cell\">{}</td><td role=\"cell\">",
        Escaped(&render::short(group.as_bytes(), 60))
    )?;
    if (2..=URLS_LISTED).contains(&row.decisions.len()) {
        write!(output, "<ul>")?;
        for (index, decided) in row.decisions.iter().enumerate() {
            let rule = decided
                .decision
                .record
                .rule
                .as_ref()
                .map(|rule| format!(", {}", shown(rule)))
                .unwrap_or_default();
            let verdict = render::verdict(decided.is_allowed());
            write!(
                output,
                "<li>URL {}: <span class=\"{verdict}\">{verdict}</span>{}</li>",
                index + 1,
                Escaped(&rule)
            )?;
        }
        write!(output, "</ul>")?;
    } else {
        write!(output, "{}", Escaped(&words::says(matrix, row)))?;
    }
    let usage = if words::is_as_everyone(matrix, row) { Vec::new() } else { words::usage(row) };
    for line in words::delay(matrix, row).into_iter().chain(usage) {
        write!(output, "<small>{}</small>", Escaped(&line))?;
    }
    write!(output, "</td><td role=\"cell\">")?;
    print_known(row, output)?;
    Ok(writeln!(output, "</td></tr>")?)
}

/// Prints what the catalogue says about a crawler, and its source.
fn print_known(row: &Row, output: &mut Output) -> Result<(), Failure> {
    let Some(known) = row.known else { return Ok(()) };
    let remarks = words::remarks(row).join("; ");
    write!(output, "{}", Escaped(&remarks))?;
    if let Some(note) = known.note() {
        let gap = if remarks.is_empty() { "" } else { ". " };
        write!(output, "{gap}{}", Escaped(note))?;
    }
    let (sourcing, token) = (known.sourcing(), known.token());
    match known.source() {
        Some(source) => write!(
            output,
            "<small><a href=\"{}\" rel=\"noreferrer\" aria-label=\"{sourcing}: source for {}\">{sourcing}</a> {}</small>",
            Escaped(source),
            Escaped(token),
            known.checked()
        )?,
        None => write!(output, "<small>{sourcing}</small>")?,
    }
    Ok(())
}

fn print_usage(matrix: &Matrix, output: &mut Output) -> Result<(), Failure> {
    let groups = matrix.usage_by_group();
    let Some((_, first)) = groups.first() else { return Ok(()) };
    writeln!(
        output,
        "<h2>What may be done with the content</h2>\n\
         <p class=\"faint\">Preferences that the file states for the site's root. They are not rules on fetching, and what \
         is not said is not granted.</p>\n<dl class=\"usage\">"
    )?;
    let of_file = words::usage_in_full(first, true);
    let of_groups = groups.iter().map(|(name, uses)| (name.as_str(), words::usage_in_full(uses, false)));
    for (name, says) in of_groups.chain([("whole file", of_file)]) {
        if !says.is_empty() {
            writeln!(output, "<dt>{}</dt><dd>{}</dd>", Escaped(name), Escaped(&says.join("; ")))?;
        }
    }
    Ok(writeln!(output, "</dl>")?)
}

fn print_foot(matrix: &Matrix, output: &mut Output) -> Result<(), Failure> {
    let robots =
        if matrix.urls.is_empty() { " <code>/robots.txt</code> itself is always allowed." } else { "" };
    Ok(write!(
        output,
        "<footer class=\"faint\">\n<p>This is what the file says, and what operators say of their crawlers; whether a \
         crawler does so is another matter.{robots} <em>Group</em> is where the group stands that speaks to the crawler: \
         its own, one that it falls back to, or that of <code>*</code>. <em>Verified</em> entries were read in the \
         operator's own words, <em>listed</em> ones were taken from a public list.</p>\n\
         <p>Made by comity.</p>\n</footer>\n</main>\n</body>\n</html>\n"
    )?)
}
