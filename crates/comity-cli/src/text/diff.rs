//! Renders the effect of a change of a robots.txt.

use std::io::Write;

use comity::robots::{Decision, VisitTime};
use comity_answers::diff::{
    AgentsChange, Change, DiffDocument, Lists, Pace, Pacing, Report, RuleLine, VerdictChange,
};

use super::{Layout, Render};
use crate::exit::Failure;
use crate::output::Output;
use crate::render;

/// Number of decided URLs, and of URLs with a different verdict for some crawler.
#[derive(Clone, Copy, Default)]
pub(crate) struct UrlTotals {
    pub(crate) decided: usize,
    pub(crate) changed: usize,
}

impl Render for DiffDocument {
    /// A function that prints URLs as they are decided.
    type View<'v> = &'v mut dyn FnMut(&mut Output) -> Result<UrlTotals, Failure>;

    const LAYOUT: Layout = Layout::Document;

    fn text(&self, print_urls: &mut Self::View<'_>, output: &mut Output) -> Result<(), Failure> {
        print_report(&self.report, output)?;
        let urls = print_urls(output)?;
        if urls.changed > 0 {
            writeln!(output)?;
        }
        print_summary(&self.report, &urls, output)
    }
}

/// Prints the changes for crawlers, sitemaps and other lines.
pub(super) fn print_report(report: &Report, output: &mut Output) -> Result<(), Failure> {
    let strong = output.palette.strong;
    for AgentsChange { agents, change } in &report.agents {
        let names: Vec<_> = agents.iter().map(|name| render::short(name.as_bytes(), 60)).collect();
        let names = render::wrap(&render::list(&names), output.width, 0);
        writeln!(output, "{strong}{names}{strong:#}")?;
        print_change(change, output)?;
        writeln!(output)?;
    }
    print_lists(&report.sitemaps, "Sitemaps", output)?;
    print_lists(&report.other, "Other lines", output)
}

fn print_lists(lists: &Lists, heading: &str, output: &mut Output) -> Result<(), Failure> {
    if lists.is_empty() {
        return Ok(());
    }
    let palette = output.palette;
    writeln!(output, "{0}{heading}{0:#}", palette.strong)?;
    for (mark, style, lines) in [("-", palette.bad, &lists.lost), ("+", palette.good, &lists.gained)] {
        for line in lines {
            writeln!(output, "  {style}{mark}{style:#} {}", render::short(line.as_bytes(), 200))?;
        }
    }
    Ok(writeln!(output)?)
}

fn print_summary(report: &Report, urls: &UrlTotals, output: &mut Output) -> Result<(), Failure> {
    let agents: usize = report.agents.iter().map(|change| change.agents.len()).sum();
    let mut parts = Vec::new();
    if agents > 0 {
        parts.push(format!("different rules or delays for {}", render::count(agents, "crawler")));
    }
    let lines = |lists: &Lists| lists.lost.len() + lists.gained.len();
    if !report.sitemaps.is_empty() {
        parts.push(render::count(lines(&report.sitemaps), "sitemap change"));
    }
    if !report.other.is_empty() {
        parts.push(render::count(lines(&report.other), "other change"));
    }
    if urls.decided > 0 {
        let changed = urls.changed;
        parts.push(format!("{changed} of {} with a different verdict", render::count(urls.decided, "URL")));
    }
    if report.is_empty() && urls.decided == 0 {
        parts.push("no change in meaning".to_owned());
    }
    let mut text = parts.join("; ");
    if let Some(first) = text.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    Ok(writeln!(output, "{text}.")?)
}

/// Prints the change of the rules of a crawler.
fn print_change(change: &Change, output: &mut Output) -> Result<(), Failure> {
    let palette = output.palette;
    let faint = palette.faint;
    if let Some(text) = group_text(change) {
        writeln!(output, "  {faint}{text}{faint:#}")?;
    }
    let widths = change.lost.iter().chain(&change.gained).map(|line| render::width(&text_of(line)));
    let columns = widths.max().unwrap_or(0).min(60);
    for (mark, style, lines) in [("-", palette.bad, &change.lost), ("+", palette.good, &change.gained)] {
        for line in lines {
            let file = if mark == "-" { "old" } else { "new" };
            let (text, number) = (text_of(line), line.line);
            writeln!(
                output,
                "  {style}{mark}{style:#} {text:<columns$}  {faint}{file} line {number}{faint:#}"
            )?;
        }
    }
    if change.reordered {
        writeln!(output, "  the same rules in another order, and the first matching rule decides")?;
    }
    for Pacing { kind, old, new } in &change.pacing {
        let text = |value: &Option<Pace>| value.as_ref().map_or_else(|| "none".to_owned(), pace);
        writeln!(output, "  {}: {} -> {}", kind.label(), text(old), text(new))?;
    }
    Ok(())
}

/// Returns a phrase about the change of the crawler's group.
fn group_text(change: &Change) -> Option<&'static str> {
    let group = |name: &Option<String>| name.as_deref().map(|name| name == "*");
    match (group(&change.old_group), group(&change.new_group)) {
        (Some(true), Some(false)) => Some("has its own group now, and the rules of `*` no longer apply"),
        (Some(false), Some(true)) => Some("no longer has its own group, and the rules of `*` apply"),
        (Some(false), None) => Some("no longer has a group"),
        (Some(true), None) => Some("the group `*` was removed"),
        (None, Some(true)) => Some("there was no group `*` before"),
        (None, Some(false)) => Some("had no group before"),
        _ => None,
    }
}

fn text_of(line: &RuleLine) -> String {
    format!("{}: {}", line.kind.label(), render::short(line.pattern.as_bytes(), 120))
}

/// Formats a pace.
fn pace(pace: &Pace) -> String {
    match pace {
        Pace::Seconds(seconds) => format!("{seconds} s"),
        Pace::Rate(rate) => {
            let window = rate.window.as_ref().map(|window| format!(", {}", hours(window)));
            format!("{} in {} s{}", rate.documents, rate.seconds, window.unwrap_or_default())
        }
        Pace::Time(window) => hours(window),
    }
}

fn hours(window: &VisitTime) -> String {
    let clock = |minute: u16| format!("{:02}:{:02}", minute / 60, minute % 60);
    format!("{}-{} UTC", clock(window.from_minute), clock(window.to_minute))
}

/// Prints a URL with its changes; crawlers with equal changes are grouped.
pub(crate) fn print_url(
    url: &[u8],
    verdict_changes: &[VerdictChange<'_>],
    output: &mut Output,
) -> Result<(), Failure> {
    let palette = output.palette;
    let mut same: Vec<(Vec<String>, &VerdictChange<'_>)> = Vec::new();
    let line = |decision: &Decision<'_>| decision.rule().map(|rule| rule.line());
    for change in verdict_changes {
        let name = render::short(change.0.as_str().as_bytes(), 60).into_owned();
        match same
            .iter_mut()
            .find(|(_, other)| (line(&other.1), line(&other.2)) == (line(&change.1), line(&change.2)))
        {
            Some((names, _)) => names.push(name),
            None => same.push((vec![name], change)),
        }
    }
    writeln!(output, "{0}{1}{0:#}", palette.strong, render::text(url))?;
    for (names, (agent, old, new)) in same {
        writeln!(output, "  {}", render::wrap(&render::list(&names), output.width, 2))?;
        for (mark, decision) in [("-", old), ("+", new)] {
            let style = palette.verdict(decision.is_allowed());
            let verdict = render::verdict(decision.is_allowed());
            let basis = render::basis(&decision.to_record(), agent.as_str());
            writeln!(output, "    {mark} {style}{verdict:<10}{style:#}  {0}{basis}{0:#}", palette.faint)?;
        }
    }
    Ok(())
}
