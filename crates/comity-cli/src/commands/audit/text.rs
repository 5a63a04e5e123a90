//! Prints the totals of an audit for people.

use std::io::Write;

use comity_audit::{
    AnswersSummary, AuditSummary, Manifest, ManifestInput, ManifestLive, Moment, ViewSummary,
};

use super::findings;
use crate::exit::Failure;
use crate::output::Output;
use crate::render;

/// Maximum number of sitemaps, reasons, sites and rules that are listed.
const LISTED: usize = 10;

/// Returns the counts of answers: `12,345 answers for robots.txt of 678 sites, 2024-01-02 to 2024-03-04`.
pub(super) fn answers(answers: &AnswersSummary) -> String {
    let mut text = format!(
        "{} for robots.txt of {}",
        render::count_of(answers.answers, "answer"),
        render::count_of(answers.sites, "site")
    );
    if let Some((first, last)) = answers.first.zip(answers.last) {
        let (first, last) = (day(first), day(last));
        text.push_str(&if first == last { format!(" of {first}") } else { format!(", {first} to {last}") });
    }
    text.push_str(&format!(
        "; {}, {}",
        render::count_of(answers.bodies, "distinct body"),
        render::bytes(answers.body_bytes)
    ));
    if answers.undated > 0 {
        text.push_str(&format!("; {} without a time", render::number(answers.undated)));
    }
    if answers.redirects_lost > 0 {
        text.push_str(&format!(
            "; {} ignored, because the sources lack the target",
            render::count_of(answers.redirects_lost, "redirect")
        ));
    }
    text
}

/// Returns the counts of requests: `12 sites requested as ExampleBot; 1 without an answer; 2 could not be
/// requested`.
fn live_requests(live: &ManifestLive) -> String {
    let agent = render::text(live.agent.as_bytes());
    let mut text = format!("{} requested as {agent}", render::count_of(live.sites - live.unasked, "site"));
    if live.failures > 0 {
        text.push_str(&format!("; {} without an answer", render::number(live.failures)));
    }
    if live.unasked > 0 {
        text.push_str(&format!("; {} could not be requested", render::number(live.unasked)));
    }
    if live.is_limited {
        text.push_str(&format!(
            "; other sites were not requested, because --live-limit is {}",
            render::number(live.limit)
        ));
    }
    text
}

fn day(micros: i64) -> String {
    jiff::Timestamp::from_microsecond(micros)
        .map_or_else(|_| "?".to_owned(), |time| time.strftime("%Y-%m-%d").to_string())
}

/// Prints the totals.
pub(super) fn print(manifest: &Manifest, is_whole: bool, output: &mut Output) -> Result<(), Failure> {
    let most = if is_whole || manifest.site.is_none() { usize::MAX } else { LISTED };
    for input in manifest.inputs.iter().take(most) {
        let columns = input.columns.as_ref().map(|columns| {
            let time =
                columns.seen_at.as_ref().map(|time| format!(", time in `{}`", render::text(time.as_bytes())));
            let agent = columns
                .agent
                .as_ref()
                .map(|agent| format!(", crawler in `{}`", render::text(agent.as_bytes())));
            let url = render::text(columns.url.as_bytes());
            let added = match columns.join_keys.is_empty() {
                true => String::new(),
                false => format!("; added {}", columns.join_keys.join(", ")),
            };
            format!("URL in `{url}`{}{}{added}", time.unwrap_or_default(), agent.unwrap_or_default())
        });
        let (rows, columns) =
            (render::count_of(input.rows, "row"), columns.map(|columns| format!("; {columns}")));
        writeln!(
            output,
            "{}: {}, {rows}{}{}",
            input.name,
            input.format,
            columns.unwrap_or_default(),
            lost(input)
        )?;
    }
    if manifest.inputs.len() > most {
        writeln!(output, "and {} more", render::count(manifest.inputs.len() - most, "sitemap"))?;
    }
    writeln!(output, "{}", answers(&manifest.answers))?;
    if let Some(live) = &manifest.live {
        writeln!(output, "{}", live_requests(live))?;
    }
    if let Some(site) = &manifest.site {
        writeln!(output, "{}\n", findings::looked_at(site))?;
        findings::print(site, is_whole, output)?;
    }
    writeln!(output)?;
    let summary = &manifest.summary;
    print_views(summary, output)?;
    if is_whole {
        for of_view in &summary.views {
            let bold = output.palette.strong;
            writeln!(output, "\n{bold}{}{bold:#}", render::text(of_view.title().as_bytes()))?;
            print_details(of_view, output)?;
        }
    }
    if summary.rows_written != summary.rows && manifest.output.is_some() {
        writeln!(output, "{} written", render::count_of(summary.rows_written, "row"))?;
    }
    Ok(())
}

/// Prints the table of all crawlers and moments, and the ages of the answers.
fn print_views(summary: &AuditSummary, output: &mut Output) -> Result<(), Failure> {
    /// Maximum width of a name, so that the table fits 80 columns.
    const NAME: usize = 22;
    let strong = output.palette.strong;
    let moments: Vec<Moment> = summary.views.iter().map(|view| view.moment).collect();
    let is_of_one = moments.windows(2).all(|pair| matches!(pair, [one, other] if one == other));
    if let Some(moment) = moments.first().filter(|_| is_of_one) {
        writeln!(output, "{}", capital(moment.in_words()))?;
    }
    writeln!(
        output,
        "{strong}{:<NAME$} {:>18} {:>18} {:>18}{strong:#}",
        "", "allowed", "disallowed", "unknown"
    )?;
    for view in &summary.views {
        let name = match is_of_one {
            true => view.agent_name().to_owned(),
            false => format!("{}, {}", view.agent_name(), view.moment.as_str()),
        };
        let name = render::text(name.as_bytes()).into_owned();
        if name.chars().count() > NAME {
            writeln!(output, "{name}")?;
        }
        let name = if name.chars().count() > NAME { String::new() } else { name };
        let mut line = format!("{name:<NAME$}");
        for count in [view.shares.allowed, view.shares.disallowed, view.shares.unknown] {
            line.push_str(&format!(" {:>10} {:>5.1} %", render::number(count), view.shares.percent(count)));
        }
        writeln!(output, "{line}")?;
    }
    let undecided = summary.views.iter().map(|view| view.shares.undecidable).max().unwrap_or_default();
    if undecided > 0 {
        writeln!(output, "not decided: {}", render::count_of(undecided, "row"))?;
    }
    for (view, differing) in summary.views.iter().step_by(2).zip(&summary.differing) {
        let name = render::text(view.agent_name().as_bytes()).into_owned();
        writeln!(output, "{name}: {} that differ between then and now", render::count_of(*differing, "row"))?;
    }
    let mut known = Vec::new();
    for view in summary.views.iter().filter(|view| view.ages.decided > 0) {
        // Crawlers that are decided by the same answers have the same ages.
        if !known.contains(&(view.moment, view.ages)) {
            known.push((view.moment, view.ages));
            let of_moment = if is_of_one { String::new() } else { format!("{}: ", view.moment.as_str()) };
            writeln!(output, "{of_moment}{}", view.ages.in_words())?;
        }
    }
    Ok(())
}

fn capital(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}

/// Returns the rows of an input without a readable time, and its damaged records: `; 2 rows without a readable time`.
fn lost(input: &ManifestInput) -> String {
    let untimed = input.times.as_ref().map_or(0, |times| times.missing + times.unreadable);
    let mut text = String::new();
    if untimed > 0 && input.columns.as_ref().is_some_and(|columns| columns.seen_at.is_some()) {
        text.push_str(&format!("; {} without a readable time", render::count_of(untimed, "row")));
    }
    if input.damaged > 0 {
        text.push_str(&format!("; {} damaged", render::number(input.damaged)));
    }
    text
}

fn print_details(view: &ViewSummary, output: &mut Output) -> Result<(), Failure> {
    let counted = |title: &str, rows: &[(String, u64)], output: &mut Output| -> Result<(), Failure> {
        if rows.is_empty() {
            return Ok(());
        }
        writeln!(output, "\n  {title}")?;
        for (word, count) in rows.iter().take(LISTED) {
            writeln!(output, "    {:<27} {:>6}", render::text(word.as_bytes()), render::number(*count))?;
        }
        Ok(())
    };
    counted("by verdict", &view.verdicts, output)?;
    counted("by the answer for robots.txt", &view.answers, output)?;
    if !view.usage.is_empty() {
        writeln!(output, "\n  usage preferences{:>32} {:>12} {:>12}", "allow", "disallow", "nothing")?;
        for usage in view.usage_said() {
            let [allow, disallow, unknown] = [usage.allow, usage.disallow, usage.unknown].map(render::number);
            writeln!(output, "    {:<38} {allow:>8} {disallow:>12} {unknown:>12}", usage.column)?;
        }
        if view.usage_said().is_empty() {
            writeln!(output, "    no signal has a preference")?;
        }
    }
    if view.months.len() > 1 {
        writeln!(output, "\n  by month{:>25} {:>12} {:>12}", "allowed", "disallowed", "unknown")?;
        for month in &view.months {
            let [allowed, disallowed, unknown] =
                [month.shares.allowed, month.shares.disallowed, month.shares.unknown].map(render::number);
            writeln!(output, "    {}{allowed:>22} {disallowed:>12} {unknown:>12}", month.month)?;
        }
    }
    if !view.hosts.is_empty() {
        writeln!(output, "\n  sites by rows that are not allowed{:>12} {:>12}", "disallowed", "unknown")?;
        for host in view.hosts.iter().take(LISTED) {
            let [disallowed, unknown] = [host.shares.disallowed, host.shares.unknown].map(render::number);
            let name = render::text(host.host.as_bytes()).into_owned();
            let name = if output.is_terminal { render::middle(&name, 32).into_owned() } else { name };
            writeln!(output, "    {name:<32} {disallowed:>11} {unknown:>12}")?;
        }
    }
    if !view.rules.is_empty() {
        writeln!(output, "\n  rules that disallow the most rows")?;
        for rule in view.rules.iter().take(LISTED) {
            let (host, pattern) = (render::text(rule.host.as_bytes()), render::text(rule.rule.as_bytes()));
            writeln!(
                output,
                "    {:>11}  {host}  Disallow: {pattern}  (line {})",
                render::number(rule.rows),
                rule.line
            )?;
        }
    }
    let undecidable = view.undecidable.iter().filter_map(|row| Some((&row.url, row.error.as_ref()?)));
    for (number, (url, error)) in undecidable.enumerate() {
        if number == 0 {
            writeln!(output, "\n  examples of rows that are not decided")?;
        }
        writeln!(output, "    {}: {}", render::short(url.as_bytes(), 60), render::text(error.as_bytes()))?;
    }
    Ok(())
}
