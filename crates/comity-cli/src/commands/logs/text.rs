//! Report for people: a table of crawlers, each with the rules that disallowed its requests.

use std::io::Write;

use comity_logs::{LogRow, LogSignatures, LogTable, LogsSummary};
use indicatif::HumanCount;

use crate::exit::Failure;
use crate::output::Output;
use crate::render::{self, Palette};

/// Maximum number of rules shown per crawler.
const RULES: usize = 3;

/// Maximum number of crawlers with a chart.
const CRAWLERS: usize = 8;

/// Maximum number of pages shown.
const PAGES: usize = 5;

/// Maximum number of crawlers shown that are not in the catalogue.
const UNKNOWN: usize = 10;

/// Width of the column of crawler names.
const NAME: usize = 24;

/// Style of the printed text.
#[derive(Clone, Copy)]
pub(super) struct Look {
    pub(super) palette: Palette,
    pub(super) width: usize,
}

impl Look {
    /// Returns the style for standard output.
    pub(super) fn of(output: &Output) -> Look {
        Look { palette: output.palette, width: output.width }
    }

    /// Returns the style for files.
    pub(super) fn plain() -> Look {
        Look { palette: Palette::default(), width: 100 }
    }
}

/// Prints the report.
pub(super) fn print(
    summary: &LogsSummary,
    all: bool,
    look: Look,
    out: &mut impl Write,
) -> Result<(), Failure> {
    let faint = look.palette.faint;
    let (lines, period) = (&summary.lines, summary.period());
    writeln!(out, "{faint}{}{faint:#}", render::wrap(&summary.subject(), look.width, 0))?;
    writeln!(
        out,
        "{faint}{} of {} requests name a known crawler{period}{faint:#}",
        HumanCount(lines.of_crawlers),
        HumanCount(lines.requests)
    )?;
    for table in summary.tables() {
        section(&table, all, look, out)?;
    }
    by_day(summary, look, out)?;
    pages(summary, look, out)
}

/// Prints a chart of the requests of each crawler, if there are several days.
fn by_day(summary: &LogsSummary, look: Look, out: &mut impl Write) -> Result<(), Failure> {
    const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let (strong, faint) = (look.palette.strong, look.palette.faint);
    let Some(span) = summary.span().filter(|(first, last)| first < last) else { return Ok(()) };
    writeln!(out, "\n{strong}Requests by day{strong:#}{faint}, with a scale for each crawler{faint:#}")?;
    for crawler in summary.crawler_days.iter().take(CRAWLERS) {
        let bars = crawler.bars(span, look.width.saturating_sub(NAME + 16).clamp(7, 60));
        let most = bars.iter().copied().max().unwrap_or(1).max(1);
        let bar = |count: &u64| match count {
            0 => ' ',
            count => BARS[usize::try_from((count * 8).div_ceil(most) - 1).unwrap_or(7).min(7)],
        };
        let bars: String = bars.iter().map(bar).collect();
        let (name, requests) =
            (render::middle(&crawler.agent, NAME - 1), HumanCount(crawler.requests).to_string());
        writeln!(out, "  {name:<NAME$}{requests:>9}  {faint}{bars}{faint:#}")?;
    }
    Ok(())
}

/// Prints the pages with the most requests.
fn pages(summary: &LogsSummary, look: Look, out: &mut impl Write) -> Result<(), Failure> {
    let (strong, faint) = (look.palette.strong, look.palette.faint);
    if summary.pages.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n{strong}Pages that crawlers requested most{strong:#}")?;
    writeln!(out, "  {faint}{:>9}  {:>10}{faint:#}", "requests", "disallowed")?;
    for page in summary.pages.iter().take(PAGES) {
        let path = render::short(page.path.as_bytes(), look.width.saturating_sub(26).max(16));
        let (requests, disallowed) =
            (HumanCount(page.requests).to_string(), HumanCount(page.disallowed).to_string());
        writeln!(out, "  {requests:>9}  {disallowed:>10}  {path}")?;
    }
    Ok(())
}

fn section(table: &LogTable<'_>, all: bool, look: Look, out: &mut impl Write) -> Result<(), Failure> {
    let (strong, faint) = (look.palette.strong, look.palette.faint);
    if table.rows.is_empty() {
        return Ok(());
    }
    let about = format!("{}: {}", table.title, table.about);
    let about = render::wrap(&about, look.width, 0);
    let about = about.strip_prefix(table.title).unwrap_or(&about);
    writeln!(out, "\n{strong}{}{strong:#}{faint}{about}{faint:#}", table.title)?;
    // A crawler that is not in the catalogue is shown even if it sent no disallowed request.
    let examples = table.rows.iter().take_while(|row| !row.is_known).count().min(UNKNOWN);
    let (examples, others) = table.rows.split_at(examples);
    let (shown, quiet): (Vec<&&LogRow>, Vec<&&LogRow>) =
        others.iter().partition(|row| all || row.is_known && row.disallowed > 0);
    let shown: Vec<&&LogRow> = examples.iter().chain(shown).collect();
    if !shown.is_empty() {
        writeln!(
            out,
            "  {faint}{:<NAME$}{:>9}  {:>17}  {:>10}  identity{faint:#}",
            "", "requests", "disallowed", "robots.txt"
        )?;
    }
    for row in &shown {
        line(row, look, out)?;
    }
    if !quiet.is_empty() {
        let requests: u64 = quiet.iter().map(|row| row.requests).sum();
        let names: Vec<&str> = quiet.iter().map(|row| row.agent.as_str()).collect();
        let text = format!(
            "{}{}, in {}: {}",
            render::count(quiet.len(), if examples.is_empty() { "crawler" } else { "more crawler" }),
            if examples.is_empty() { " without a disallowed request" } else { "" },
            render::count(usize::try_from(requests).unwrap_or(usize::MAX), "request"),
            names.join(", ")
        );
        writeln!(out, "  {faint}{}{faint:#}", render::wrap(&text, look.width, 2))?;
    }
    Ok(())
}

fn line(row: &LogRow, look: Look, out: &mut impl Write) -> Result<(), Failure> {
    let (faint, bad, good) = (look.palette.faint, look.palette.bad, look.palette.good);
    let style = if row.disallowed > 0 { bad } else { good };
    let share = format!("{:.1} %", row.disallowed_share * 100.0);
    let disallowed = format!("{:>9} {share:>7}", HumanCount(row.disallowed).to_string());
    let fetches = match row.robots_txt.fetches {
        0 => "never".to_owned(),
        times => format!("{} ×", HumanCount(times)),
    };
    writeln!(
        out,
        "  {:<NAME$}{:>9}  {style}{disallowed}{style:#}  {fetches:>10}  {}",
        render::middle(&row.agent, NAME - 1),
        HumanCount(row.requests).to_string(),
        row.identity.as_str(),
    )?;
    for rule in row.rules.iter().take(RULES) {
        let pattern = render::short(rule.pattern.as_bytes(), 40);
        let examples = rule.examples.join("  ");
        let text = format!("{} by line {}: Disallow: {pattern}", HumanCount(rule.requests), rule.line);
        let room = look.width.saturating_sub(render::width(&text) + 8);
        let examples = render::short(examples.as_bytes(), room.max(16)).into_owned();
        writeln!(out, "      {text}  {faint}{examples}{faint:#}")?;
    }
    let more = row.rules.len().saturating_sub(RULES);
    if more > 0 {
        writeln!(out, "      {faint}and by {}{faint:#}", render::count(more, "more rule"))?;
    }
    remarks(row, look, out)
}

/// Prints further facts about a crawler, one per line.
fn remarks(row: &LogRow, look: Look, out: &mut impl Write) -> Result<(), Failure> {
    let faint = look.palette.faint;
    let mut remarks = Vec::new();
    remarks.extend(signatures(&row.signatures));
    if row.in_grace > 0 {
        remarks.push(format!(
            "{} allowed only by an older version, which the crawler may have cached",
            render::count_of(row.in_grace, "more request")
        ));
    }
    if row.robots_txt.pages_before > 0 && row.robots_txt.fetches > 0 {
        remarks.push(format!(
            "{} before its first request for robots.txt",
            render::count_of(row.robots_txt.pages_before, "request")
        ));
    }
    if let Some(gaps) = &row.gaps
        && let Some(asked) = gaps.asked_seconds
        && gaps.below > 0
    {
        remarks.push(format!(
            "{} of {} intervals are shorter than the {asked} s in robots.txt; at most {} requests in a minute",
            HumanCount(gaps.below),
            HumanCount(gaps.count),
            HumanCount(row.burst.requests_per_minute)
        ));
    }
    remarks.extend(row.user_agent.as_ref().map(|header| format!("User-Agent: {header}")));
    remarks.extend(row.doubt());
    remarks.extend(row.account().map(str::to_owned));
    remarks.extend(row.origin());
    for remark in remarks {
        writeln!(out, "      {faint}{}{faint:#}", render::wrap(&remark, look.width, 6))?;
    }
    Ok(())
}

/// Returns the counts of signatures. Returns `None` if no request is signed.
fn signatures(counts: &LogSignatures) -> Option<String> {
    let LogSignatures { signed, verified, invalid, refused_signed, refused_unsigned } = *counts;
    (signed > 0).then(|| {
        format!(
            "{} signed: {} verified, {} invalid; refused (401, 403, 429): {} signed, {} not signed",
            HumanCount(signed),
            HumanCount(verified),
            HumanCount(invalid),
            HumanCount(refused_signed),
            HumanCount(refused_unsigned)
        )
    })
}
