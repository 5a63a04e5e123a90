//! The report as one page to hand on: no script, nothing loaded. What strangers wrote goes through [`Escaped`], and the page
//! forbids itself everything but its own style sheet.

use std::collections::BTreeMap;
use std::io::Write;

use indicatif::HumanCount;

use super::row::{Row, stamp};
use super::tally::{DAY, Day, Lines};
use super::who::Identity;
use crate::escaped::Escaped;
use crate::exit::Failure;
use crate::output::Output;

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
    output: &mut Output,
) -> Result<(), Failure> {
    let first = rows.iter().filter_map(|row| row.first_at.as_deref()).min().unwrap_or_default();
    let last = rows.iter().filter_map(|row| row.last_at.as_deref()).max().unwrap_or_default();
    let day = |time: &str| time.get(..10).unwrap_or(time).to_owned();
    write!(
        output,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" \
         content=\"default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\">\n\
         <title>Crawlers, {first} to {last}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n\
         <h1>Crawlers, {first} to {last}</h1>\n\
         <p>{} of {} requests name a known crawler. {} of {} lines are in no format that is known.</p>\n",
        HumanCount(lines.of_crawlers),
        HumanCount(lines.requests),
        HumanCount(lines.damaged),
        HumanCount(lines.lines),
        first = day(first),
        last = day(last),
    )?;
    picture(days, output)?;
    let is_outside = |row: &&Row<'_>| row.identity == Identity::Outside;
    let inside = |row: &&Row<'_>| !is_outside(row);
    let users: Vec<&Row<'_>> = rows.iter().filter(inside).filter(|row| row.is_user_triggered()).collect();
    let crawlers: Vec<&Row<'_>> = rows.iter().filter(inside).filter(|row| !row.is_user_triggered()).collect();
    let outside: Vec<&Row<'_>> = rows.iter().filter(is_outside).collect();
    section("Crawlers", "Requests that robots.txt disallowed, by crawler.", &crawlers, output)?;
    section("Fetched for a user", "Somebody asked for each of these pages.", &users, output)?;
    let about = "These use the name of a crawler, and come from addresses that its operator does not publish. They say nothing \
                 about the crawler.";
    section("From outside", about, &outside, output)?;
    writeln!(
        output,
        "<p class=\"faint\">Disallowed means that every robots.txt which the crawler could hold at that time disallowed the \
         request. Anybody can send anybody's name: verified is who came from an address that the operator publishes.</p>\n\
         </main>\n</body>\n</html>"
    )?;
    Ok(())
}

/// Bars of requests by day, with those that were disallowed at their feet.
fn picture(days: &BTreeMap<i64, Day>, output: &mut Output) -> Result<(), Failure> {
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
        output,
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
            output,
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
        output,
        "</svg>\n<figcaption>{} <span class=\"key all\"></span> requests <span class=\"key bad\"></span> disallowed</figcaption></figure>",
        Escaped(&title)
    )?;
    Ok(())
}

fn section(title: &str, about: &str, rows: &[&Row<'_>], output: &mut Output) -> Result<(), Failure> {
    if rows.is_empty() {
        return Ok(());
    }
    writeln!(
        output,
        "<h2>{title}</h2>\n<p class=\"faint\">{about}</p>\n<div class=\"scroll\"><table>\n<thead><tr><th scope=\"col\">Crawler</th>\
         <th scope=\"col\">Identity</th><th scope=\"col\">Requests</th><th scope=\"col\">Disallowed</th>\
         <th scope=\"col\">robots.txt</th><th scope=\"col\">Most in a minute</th><th scope=\"col\">By</th></tr></thead>\n<tbody>"
    )?;
    for row in rows {
        let class = if row.disallowed > 0 { " class=\"bad\"" } else { "" };
        let fetches = match row.robots_txt.fetches {
            0 => "never".to_owned(),
            times => format!("{} ×", HumanCount(times)),
        };
        write!(
            output,
            "<tr><th scope=\"row\">{}<br><span class=\"faint\">{}, {}</span></th><td>{}</td><td>{}</td>\
             <td{class}>{} ({:.1} %)</td><td>{fetches}</td><td>{}</td><td>",
            Escaped(row.agent),
            Escaped(row.operator),
            Escaped(row.purpose.title()),
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
                output,
                "<p>{} by line {}: <code>Disallow: {}</code><br><span class=\"faint\">{}</span></p>",
                HumanCount(rule.requests),
                rule.line,
                Escaped(&crate::render::short(rule.pattern.as_bytes(), 80)),
                examples.join(" ")
            )?;
        }
        writeln!(output, "</td></tr>")?;
    }
    writeln!(output, "</tbody>\n</table></div>")?;
    Ok(())
}
