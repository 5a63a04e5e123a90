//! The report for people: a table of crawlers, the rules that disallowed below each.

use std::io::Write;

use indicatif::HumanCount;

use super::row::Row;
use super::tally::Lines;
use super::who::Identity;
use crate::exit::Failure;
use crate::output::Output;
use crate::render;

/// The largest number of rules that are shown of a crawler.
const RULES: usize = 3;

/// Columns of a crawler's name.
const NAME: usize = 24;

/// Prints the report.
pub(super) fn print(rows: &[Row<'_>], lines: &Lines, all: bool, output: &mut Output) -> Result<(), Failure> {
    let faint = output.palette.faint;
    let first = rows.iter().filter_map(|row| row.first_at.as_deref()).min();
    let last = rows.iter().filter_map(|row| row.last_at.as_deref()).max();
    let day = |time: &str| time.get(..10).unwrap_or(time).to_owned();
    let when = match (first.map(day), last.map(day)) {
        (Some(first), Some(last)) if first == last => format!(", on {first}"),
        (Some(first), Some(last)) => format!(", {first} to {last}"),
        _ => String::new(),
    };
    writeln!(
        output,
        "{faint}{} of {} requests name a known crawler{when}{faint:#}",
        HumanCount(lines.of_crawlers),
        HumanCount(lines.requests)
    )?;
    let is_outside = |row: &&Row<'_>| row.identity == Identity::Outside;
    let inside: Vec<&Row<'_>> = rows.iter().filter(|row| !is_outside(row)).collect();
    let (users, crawlers): (Vec<&Row<'_>>, Vec<&Row<'_>>) =
        inside.into_iter().partition(|row| row.is_user_triggered());
    section("Crawlers", &crawlers, all, output)?;
    section("Fetched for a user, who asked for the page", &users, all, output)?;
    let outside: Vec<&Row<'_>> = rows.iter().filter(is_outside).collect();
    section(
        "From outside the addresses that the operator publishes: somebody else, maybe",
        &outside,
        all,
        output,
    )
}

fn section(title: &str, rows: &[&Row<'_>], all: bool, output: &mut Output) -> Result<(), Failure> {
    let (strong, faint) = (output.palette.strong, output.palette.faint);
    if rows.is_empty() {
        return Ok(());
    }
    writeln!(output, "\n{strong}{title}{strong:#}")?;
    writeln!(
        output,
        "  {faint}{:<NAME$}{:>9}  {:>17}  {:>10}  identity{faint:#}",
        "", "requests", "disallowed", "robots.txt"
    )?;
    let (shown, quiet): (Vec<&&Row<'_>>, Vec<&&Row<'_>>) =
        rows.iter().partition(|row| all || row.disallowed > 0);
    for row in &shown {
        line(row, output)?;
    }
    if !quiet.is_empty() {
        let requests: u64 = quiet.iter().map(|row| row.requests).sum();
        let names: Vec<&str> = quiet.iter().map(|row| row.agent).collect();
        let text = format!(
            "{} without a disallowed request, in {}: {}",
            render::count(quiet.len(), "crawler"),
            render::count(usize::try_from(requests).unwrap_or(usize::MAX), "request"),
            names.join(", ")
        );
        writeln!(output, "  {faint}{}{faint:#}", render::wrap(&text, output.width, 2))?;
    }
    Ok(())
}

fn line(row: &Row<'_>, output: &mut Output) -> Result<(), Failure> {
    let (faint, bad, good) = (output.palette.faint, output.palette.bad, output.palette.good);
    let style = if row.disallowed > 0 { bad } else { good };
    let share = format!("{:.1} %", row.disallowed_share * 100.0);
    let disallowed = format!("{:>9} {share:>7}", HumanCount(row.disallowed).to_string());
    let fetches = match row.robots_txt.fetches {
        0 => "never".to_owned(),
        times => format!("{} ×", HumanCount(times)),
    };
    writeln!(
        output,
        "  {:<NAME$}{:>9}  {style}{disallowed}{style:#}  {fetches:>10}  {}",
        render::middle(row.agent, NAME - 1),
        HumanCount(row.requests).to_string(),
        row.identity.as_str(),
    )?;
    for rule in row.rules.iter().take(RULES) {
        let pattern = render::short(rule.pattern.as_bytes(), 40);
        let examples = rule.examples.join("  ");
        let text = format!("{} by line {}: Disallow: {pattern}", HumanCount(rule.requests), rule.line);
        let room = output.width.saturating_sub(render::width(&text) + 8);
        let examples = render::short(examples.as_bytes(), room.max(16)).into_owned();
        writeln!(output, "      {text}  {faint}{examples}{faint:#}")?;
    }
    let more = row.rules.len().saturating_sub(RULES);
    if more > 0 {
        writeln!(output, "      {faint}and by {}{faint:#}", render::count(more, "more rule"))?;
    }
    remarks(row, output)
}

/// What else there is to know of a crawler, a line each.
fn remarks(row: &Row<'_>, output: &mut Output) -> Result<(), Failure> {
    let faint = output.palette.faint;
    let mut remarks = Vec::new();
    if row.in_grace > 0 {
        remarks.push(format!(
            "{} more were allowed by a version that it may still have held",
            HumanCount(row.in_grace)
        ));
    }
    if row.robots_txt.pages_before > 0 && row.robots_txt.fetches > 0 {
        remarks.push(format!(
            "{} before it first asked for robots.txt here",
            HumanCount(row.robots_txt.pages_before)
        ));
    }
    if let Some(gaps) = &row.gaps
        && let Some(asked) = gaps.asked_seconds
        && gaps.below > 0
    {
        remarks.push(format!(
            "{} of {} gaps are below the {asked} s that robots.txt asks for; at most {} requests in a minute",
            HumanCount(gaps.below),
            HumanCount(gaps.count),
            HumanCount(row.burst.requests_per_minute)
        ));
    }
    if row.identity == Identity::Outside {
        let networks: Vec<&str> = row.networks.iter().map(|network| network.network).collect();
        let date = row.ranges_date.as_deref().unwrap_or("an unknown day");
        remarks.push(format!("from {}; published addresses as of {date}", networks.join(", ")));
    }
    for remark in remarks {
        writeln!(output, "      {faint}{}{faint:#}", render::wrap(&remark, output.width, 6))?;
    }
    Ok(())
}
