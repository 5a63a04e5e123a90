//! The report as one page to hand on: no script, nothing loaded. What strangers wrote goes through [`Escaped`], and the page
//! forbids itself everything but its own style sheet.

use std::collections::BTreeMap;
use std::io::Write;

use indicatif::HumanCount;

use super::row::{self, Row, Table, stamp};
use super::tally::{DAY, Day, Lines};
use crate::exit::Failure;
use crate::html::{self, Escaped};

const STYLE: &str = include_str!("page.css");

/// The largest number of days that are drawn; more are drawn by the week or month.
const BARS: usize = 120;

/// Height and width of a bar, in the picture's own units.
const HEIGHT: u64 = 120;
const WIDTH: usize = 8;

/// Prints the page.
pub(super) fn print(
    rows: &[Row<'_>],
    days: &BTreeMap<i64, Day>,
    lines: &Lines,
    out: &mut impl Write,
) -> Result<(), Failure> {
    html::head(format_args!("Crawlers{}", row::when(rows)), STYLE, out)?;
    writeln!(
        out,
        "<p>{} of {} requests name a known crawler. {} of {} lines are in no format that is known.</p>",
        HumanCount(lines.of_crawlers),
        HumanCount(lines.requests),
        HumanCount(lines.damaged),
        HumanCount(lines.lines),
    )?;
    picture(days, out)?;
    for table in row::tables(rows) {
        section(&table, out)?;
    }
    writeln!(
        out,
        "<p class=\"faint\">Disallowed means that every robots.txt which the crawler could hold at that time disallowed the \
         request. Anybody can send anybody's name: verified is who came from an address that the operator publishes.</p>\n\
         </main>\n</body>\n</html>"
    )?;
    Ok(())
}

/// Bars of requests by day, with those that were disallowed at their feet.
fn picture(days: &BTreeMap<i64, Day>, out: &mut impl Write) -> Result<(), Failure> {
    let (Some((first, _)), Some((last, _))) = (days.first_key_value(), days.last_key_value()) else {
        return Ok(());
    };
    let span = usize::try_from(last - first).unwrap_or(usize::MAX).saturating_add(1);
    let per_bar = span.div_ceil(BARS).max(1);
    let mut bars = vec![Day::default(); span.div_ceil(per_bar).min(BARS)];
    for (day, count) in days {
        let at = usize::try_from(day - first).unwrap_or_default() / per_bar;
        if let Some(bar) = bars.get_mut(at) {
            bar.requests += count.requests;
            bar.disallowed += count.disallowed;
        }
    }
    let most = bars.iter().map(|bar| bar.requests).max().unwrap_or(1).max(1);
    let name = if per_bar == 1 { "day".to_owned() } else { format!("{per_bar} days") };
    let width = bars.len() * WIDTH;
    let title = format!(
        "Requests of known crawlers by {name}, without those from outside; at most {}.",
        HumanCount(most)
    );
    writeln!(
        out,
        "<figure><svg viewBox=\"0 0 {width} {HEIGHT}\" role=\"img\" aria-label=\"{}\" preserveAspectRatio=\"none\">",
        Escaped(&title)
    )?;
    for (at, bar) in bars.iter().enumerate() {
        let height = |count: u64| count.saturating_mul(HEIGHT).div_ceil(most);
        let (all, bad) = (height(bar.requests), height(bar.disallowed));
        let since = i64::try_from(at * per_bar).unwrap_or_default().saturating_add(*first);
        let date = stamp(since.saturating_mul(DAY)).unwrap_or_default();
        let date = date.get(..10).unwrap_or_default().to_owned();
        let (x, bar_width) = (at * WIDTH, WIDTH - 1);
        writeln!(
            out,
            "<g><title>{date}: {} requests, {} disallowed</title>\
             <rect class=\"all\" x=\"{x}\" y=\"{}\" width=\"{bar_width}\" height=\"{all}\"/>\
             <rect class=\"bad\" x=\"{x}\" y=\"{}\" width=\"{bar_width}\" height=\"{bad}\"/></g>",
            HumanCount(bar.requests),
            HumanCount(bar.disallowed),
            HEIGHT - all,
            HEIGHT - bad,
        )?;
    }
    writeln!(
        out,
        "</svg>\n<figcaption>{} <span class=\"key all\"></span> requests <span class=\"key bad\"></span> disallowed</figcaption></figure>",
        Escaped(&title)
    )?;
    Ok(())
}

fn section(table: &Table<'_, '_>, out: &mut impl Write) -> Result<(), Failure> {
    let (title, about) = (table.title, table.about);
    if table.rows.is_empty() {
        return Ok(());
    }
    writeln!(
        out,
        "<h2>{title}</h2>\n<p class=\"faint about\">{about}.</p>\n<div class=\"scroll\"><table>\n<thead><tr><th scope=\"col\">Crawler</th>\
         <th scope=\"col\">Identity</th><th scope=\"col\">Requests</th><th scope=\"col\">Disallowed</th>\
         <th scope=\"col\">robots.txt</th><th scope=\"col\">Most in a minute</th><th scope=\"col\">By</th></tr></thead>\n<tbody>"
    )?;
    for row in &table.rows {
        let class = if row.disallowed > 0 { " class=\"bad\"" } else { "" };
        let fetches = match row.robots_txt.fetches {
            0 => "never".to_owned(),
            times => format!("{} ×", HumanCount(times)),
        };
        write!(
            out,
            "<tr><th scope=\"row\">{}<br><span class=\"faint\">{}, {}{}</span></th><td>{}</td><td>{}</td>\
             <td{class}>{} ({:.1} %)</td><td>{fetches}</td><td>{}</td><td>",
            Escaped(row.agent),
            Escaped(row.operator),
            Escaped(row.purpose.title()),
            row.account().map(|account| format!("; {account}")).unwrap_or_default(),
            row.identity.as_str(),
            HumanCount(row.requests),
            HumanCount(row.disallowed),
            row.disallowed_share * 100.0,
            HumanCount(row.burst.requests_per_minute),
        )?;
        for rule in row.rules.iter().take(3) {
            let examples: Vec<String> =
                rule.examples.iter().map(|example| format!("<code>{}</code>", Escaped(example))).collect();
            write!(
                out,
                "<p>{} by line {}: <code>Disallow: {}</code><br><span class=\"faint\">{}</span></p>",
                HumanCount(rule.requests),
                rule.line,
                Escaped(&crate::render::short(rule.pattern.as_bytes(), 80)),
                examples.join(" ")
            )?;
        }
        if let Some(origin) = row.origin() {
            write!(out, "<p class=\"faint\">{}</p>", Escaped(&origin))?;
        }
        writeln!(out, "</td></tr>")?;
    }
    writeln!(out, "</tbody>\n</table></div>")?;
    Ok(())
}
