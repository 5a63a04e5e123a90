//! The matrix as one page to hand on: no script, nothing loaded, no `style` attribute.
//!
//! What stands in a robots.txt is written by strangers: every text goes through [`Escaped`], and the page forbids itself
//! everything but its own style sheet, so that a mistake here would still run nothing. Access is said by a word and a
//! sign, the colour only repeats it. Crawlers that fare alike share a row; what is known of each is behind a fold, which
//! needs no script. On a narrow screen each row becomes a card; `role`s keep it a table for those who hear it.

use std::fmt;
use std::io::Write;

use comity::agents::{KnownAgent, Purpose};
use comity::robots::Access;

use super::alike::{Alike, alike};
use super::words;
use super::words::shown;
use crate::exit::Failure;
use crate::html::{self, Escaped};
use crate::output::Output;
use crate::render;
use comity_answers::matrix::{Matrix, Row};
use comity_answers::matrix::{Probe, Word};

const STYLE: &str = include_str!("page.css");

/// URLs have a column each up to this many; then verdicts are counted.
const COLUMNS: usize = 40;

/// The site that the file is from; the file's own name if that is not known.
fn site(matrix: &Matrix) -> String {
    let host = matrix.robots_txt.url.as_deref().and_then(|url| url.parse::<url::Url>().ok());
    let file = || matrix.file.rsplit(['/', '\\']).next().unwrap_or(&matrix.file).to_owned();
    host.and_then(|url| url.host_str().map(str::to_owned)).unwrap_or_else(file)
}

/// Prints everything.
pub(super) fn print(matrix: &Matrix, output: &mut Output) -> Result<(), Failure> {
    let (file, site, today) = (Escaped(&matrix.file), site(matrix), today());
    let site = Escaped(&site);
    html::head(format_args!("{site}: which crawlers may come"), STYLE, output)?;
    write!(
        output,
        "<p class=\"faint\">By {file}, on {today}.</p>\n\
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
    matrix.probe.as_ref().map_or(Ok(()), |probe| print_probe(probe, output))?;
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
        writeln!(output, "<dt>{}</dt><dd>{meaning}</dd>", Sign::of(access))?;
    }
    writeln!(output, "</dl>")?;
    if !matrix.urls.is_empty() {
        writeln!(output, "<h2>Judged</h2>\n<ol class=\"urls\">")?;
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
struct Sign {
    access: Access,
    /// The word is there for those who hear it.
    is_alone: bool,
}

impl Sign {
    fn of(access: Access) -> Self {
        Sign { access, is_alone: false }
    }

    fn alone(access: Access) -> Self {
        Sign { is_alone: true, ..Sign::of(access) }
    }
}

impl fmt::Display for Sign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = match self.access {
            Access::Allowed => "\u{2713}",
            Access::Disallowed => "\u{2715}",
            _ => "\u{25D0}",
        };
        let access = self.access;
        let word = match self.is_alone {
            true => format!("<span class=\"heard\">{access}</span>"),
            false => access.to_string(),
        };
        write!(f, "<span class=\"{access}\"><span aria-hidden=\"true\">{sign}</span> {word}</span>")
    }
}

/// A table of crawlers: those that fare alike share a row. With several URLs it is a grid, a column for each.
fn print_section<'m>(
    matrix: &Matrix,
    title: &str,
    about: &str,
    rows: impl Iterator<Item = &'m Row>,
    output: &mut Output,
) -> Result<(), Failure> {
    let found = alike(matrix, rows);
    if found.is_empty() {
        return Ok(());
    }
    let urls = grid(matrix);
    write!(
        output,
        "<h2>{}</h2>\n<p class=\"faint\">{}</p>\n<div class=\"wide\"><table class=\"{}\" role=\"table\">\n\
         <thead role=\"rowgroup\"><tr role=\"row\">",
        Escaped(title),
        Escaped(about),
        if urls > 0 { "grid" } else { "crawlers" },
    )?;
    let head = |name: &str| format!("<th scope=\"col\" role=\"columnheader\">{name}</th>");
    let heads = match urls {
        0 => ["Access", "Crawlers", "What the rules say"].map(head).concat(),
        urls => {
            let number = |number: usize| head(&format!("<abbr title=\"URL {number}\">{number}</abbr>"));
            head("Crawlers") + &(1..=urls).map(number).collect::<String>()
        }
    };
    writeln!(output, "{heads}</tr></thead>\n<tbody role=\"rowgroup\">")?;
    for alike in &found {
        print_alike(matrix, alike, urls, output)?;
    }
    Ok(writeln!(output, "</tbody>\n</table></div>")?)
}

/// Returns how many URLs have a column; 0 if there is one or none, or there are too many.
fn grid(matrix: &Matrix) -> usize {
    Some(matrix.urls.len()).filter(|urls| (2..=COLUMNS).contains(urls)).unwrap_or(0)
}

fn print_alike(matrix: &Matrix, alike: &Alike<'_>, urls: usize, output: &mut Output) -> Result<(), Failure> {
    write!(output, "<tr role=\"row\">")?;
    if urls > 0 {
        write!(output, "<th scope=\"row\" role=\"rowheader\">")?;
        print_names(alike, output)?;
        write!(output, "</th>")?;
        for decided in &alike.first.decisions {
            let access = if decided.is_allowed() { Access::Allowed } else { Access::Disallowed };
            let rule = decided.decision.record.rule.as_ref().map_or_else(String::new, shown);
            write!(output, "<td role=\"cell\" title=\"{}\">{}</td>", Escaped(&rule), Sign::alone(access))?;
        }
        return Ok(writeln!(output, "</tr>")?);
    }
    let sign = Sign::of(alike.first.access);
    write!(output, "<td role=\"cell\">{sign}</td><th scope=\"row\" role=\"rowheader\">")?;
    print_names(alike, output)?;
    write!(output, "</th><td role=\"cell\">")?;
    match words::exceptions(matrix, alike.first) {
        Some((says, rules)) => {
            write!(output, "<small>{}</small><ul>", Escaped(&says))?;
            for rule in rules {
                write!(output, "<li><code>{}</code></li>", Escaped(&rule))?;
            }
            write!(output, "</ul>")?;
            if let Some(more) = words::beside_rules(alike.first) {
                write!(output, "<small>{}</small>", Escaped(&more))?;
            }
        }
        None if alike.first.decisions.len() > 1 => {
            write!(output, "{}", Escaped(&words::says(matrix, alike.first)))?;
        }
        None => write!(output, "{}", Escaped(&alike.says))?,
    }
    if let Some(other) = alike.elsewhere() {
        write!(output, "<small>{}</small>", Escaped(&other))?;
    }
    Ok(writeln!(output, "</td></tr>")?)
}

/// The names, and behind a fold what the catalogue says of each.
fn print_names(alike: &Alike<'_>, output: &mut Output) -> Result<(), Failure> {
    for (index, (name, remarks)) in alike.names().enumerate() {
        let gap = if index == 0 { "" } else { ", " };
        write!(output, "{gap}<code>{}</code>", Escaped(&name))?;
        if !remarks.is_empty() {
            write!(output, " <span class=\"faint\">({})</span>", Escaped(&remarks.join(", ")))?;
        }
    }
    let count = alike.rows.len();
    if count > 1 {
        write!(output, " <span class=\"count\">{count}</span>")?;
    }
    let known: Vec<&KnownAgent> = alike.rows.iter().filter_map(|row| row.known).collect();
    if known.is_empty() {
        return Ok(());
    }
    let whom = if count > 1 { "these crawlers" } else { "it" };
    write!(output, "<details><summary>About {whom}</summary><ul>")?;
    known.iter().try_for_each(|known| print_known(known, output))?;
    Ok(write!(output, "</ul></details>")?)
}

/// Prints what the catalogue says about a crawler, and its source.
fn print_known(known: &KnownAgent, output: &mut Output) -> Result<(), Failure> {
    let (token, sourcing) = (known.token(), known.sourcing());
    write!(output, "<li><code>{}</code> {}", Escaped(token), Escaped(known.operator()))?;
    if let Some(note) = known.note() {
        write!(output, ". {}", Escaped(note))?;
    }
    match known.source() {
        Some(source) => write!(
            output,
            " <small><a href=\"{}\" rel=\"noreferrer\" aria-label=\"{sourcing}: source for {}\">{sourcing}</a> {}</small>",
            Escaped(source),
            Escaped(token),
            known.checked()
        )?,
        None => write!(output, " <small>{sourcing}</small>")?,
    }
    Ok(write!(output, "</li>")?)
}

/// The answers of the site to this client.
fn print_probe(probe: &Probe, output: &mut Output) -> Result<(), Failure> {
    writeln!(
        output,
        "<h2>{}</h2>\n<p class=\"faint\">{}</p>\n<div class=\"wide\"><table class=\"probe\" role=\"table\">\n\
         <thead role=\"rowgroup\"><tr role=\"row\"><th scope=\"col\" role=\"columnheader\">Answer</th>\
         <th scope=\"col\" role=\"columnheader\">Page</th></tr></thead>\n<tbody role=\"rowgroup\">",
        words::PROBE,
        Escaped(&words::about_probe(probe)),
    )?;
    for page in &probe.pages {
        let word = page.word();
        let (class, sign) = match word {
            Word::Answered => ("allowed", "\u{2713}"),
            Word::Refused => ("partly", "\u{26A0}\u{FE0E}"),
            Word::NotAsked => ("none", "\u{2013}"),
            Word::Failed => ("disallowed", "\u{2715}"),
        };
        let status = page.status.map(|status| format!(" {status}")).unwrap_or_default();
        write!(
            output,
            "<tr role=\"row\"><td role=\"cell\"><span class=\"{class}\"><span aria-hidden=\"true\">{sign}</span> \
             {}</span>{status}</td><th scope=\"row\" role=\"rowheader\"><code>{}</code>",
            word.as_str(),
            Escaped(&render::short(page.url.as_bytes(), 200)),
        )?;
        for line in words::probed(page) {
            write!(output, "<small>{}</small>", Escaped(&line))?;
        }
        writeln!(output, "</th></tr>")?;
    }
    Ok(writeln!(output, "</tbody>\n</table></div>")?)
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
         crawler does so is another matter.{robots} <em>Verified</em> entries were read in the \
         operator's own words, <em>mirrored</em> ones in a copy of them, <em>listed</em> ones were taken from a public list.</p>\n\
         <p>Made by comity.</p>\n</footer>\n</main>\n</body>\n</html>\n"
    )?)
}
