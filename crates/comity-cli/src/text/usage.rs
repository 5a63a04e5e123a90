//! Renders the permitted uses of content: a table of uses and signals, and the lines of the documents that state them.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::io::Write;

use comity::finding::{Channel, Finding};
use comity::usage::{
    Citation, Consumption, Interpretation, Preference, Report, Signal, SignalReport, Stance, Use,
};
use comity_answers::usage::UsageRow;
use url::Url;

use super::{Layout, Render};
use crate::exit::Failure;
use crate::findings;
use crate::output::Output;
use crate::render::{self, Palette};

/// Maximum number of cited lines that are shown for one use.
const EVIDENCE_SHOWN: usize = 5;

/// State of the output for several URLs: the names of documents, and the findings that are printed at the end.
pub(crate) struct UsageView {
    /// The name of the robots.txt in messages; `None` if each URL has the robots.txt of its site.
    robots: Option<String>,
    /// True if licenses are read.
    reads_licenses: bool,
    /// The findings and their places.
    findings: Vec<(String, Finding)>,
    /// Keys of the collected findings, each of which is printed once for all URLs.
    seen: HashSet<String>,
}

impl Render for UsageRow<'_> {
    type View<'v> = UsageView;

    const LAYOUT: Layout = Layout::Block;

    fn text(&self, view: &mut UsageView, output: &mut Output) -> Result<(), Failure> {
        self.report().map_or(Ok(()), |report| view.print(report, output))
    }
}

/// A line of the table.
struct Row<'r> {
    name: String,
    /// True if the line shows the default for other crawlers, set by the signal in the line above.
    is_default: bool,
    preferences: &'r [Preference],
}

impl UsageView {
    pub(crate) fn new(robots: Option<String>, reads_licenses: bool) -> Self {
        UsageView { robots, reads_licenses, findings: Vec::new(), seen: HashSet::new() }
    }

    fn print(&mut self, report: &Report, output: &mut Output) -> Result<(), Failure> {
        for finding in report.findings() {
            let place = self.place_of_finding(finding, report.url());
            if self.seen.insert(format!("{place} {finding:?}")) {
                self.findings.push((place, finding.clone()));
            }
        }
        heading(report, output)?;
        let is_silent = |signal: &&SignalReport| signal.is_silent() && signal.disallowed_by().is_none();
        let (silent, mut stated): (Vec<_>, Vec<_>) = report.signals().iter().partition(is_silent);
        let is_undisputed = stated.iter().any(|signal| group_equals_file(signal, report));
        if is_undisputed {
            stated.retain(|signal| signal.interpretation() != Some(Interpretation::WholeFile));
        }
        let names: Vec<String> = stated.iter().map(|signal| name(signal, is_undisputed)).collect();
        if !stated.is_empty() {
            table(&rows(&stated, &names), output)?;
        }
        for (signal, name) in stated.iter().zip(&names) {
            self.print_evidence(signal, name, output)?;
        }
        print_silent_signals(&silent, output)
    }

    /// Prints the lines of the documents that state one signal.
    fn print_evidence(&self, signal: &SignalReport, name: &str, output: &mut Output) -> Result<(), Failure> {
        let Palette { strong, faint, .. } = output.palette;
        writeln!(output, "\n{strong}{name}{strong:#}  {faint}{}{faint:#}", signal.specification())?;
        for place in signal.not_in_force() {
            writeln!(output, "  {faint}not in force at {} ({}){faint:#}", place.at(), place.checked())?;
        }
        if let Some(rule) = signal.disallowed_by() {
            let place = self.place(rule);
            writeln!(
                output,
                "  disallowed for this crawler, so its usage preferences in robots.txt do not apply"
            )?;
            writeln!(output, "    {faint}{place}{faint:#}  {}", render::text(rule.text().as_bytes()))?;
        }
        self.print_stances("", signal.preferences(), output)?;
        if let Some(consumption) = signal.consumption() {
            writeln!(output, "  use: {}", consumption_words(consumption))?;
        }
        if let Some(preferences) = signal.site_default() {
            self.print_stances("by default: ", preferences, output)?;
        }
        for (title, licenses) in
            [("license", signal.licenses()), ("license by default", signal.site_default_licenses())]
        {
            for license in licenses {
                let (url, evidence) = (render::text(license.url().as_bytes()), license.evidence());
                writeln!(output, "  {title}: {url}  {faint}{}{faint:#}", self.place(evidence))?;
            }
        }
        if !self.reads_licenses && !signal.licenses().is_empty() {
            writeln!(output, "  {faint}not read; save the licenses and name them with --rsl{faint:#}")?;
        }
        Ok(())
    }

    /// Prints each use with its stance and evidence. Uses with equal evidence are printed together.
    fn print_stances(
        &self,
        prefix: &str,
        preferences: &[Preference],
        output: &mut Output,
    ) -> Result<(), Failure> {
        let faint = output.palette.faint;
        let is_stated = |preference: &&Preference| {
            !preference.evidence().is_empty() || !preference.conditions().is_empty()
        };
        let stated: Vec<&Preference> = preferences.iter().filter(is_stated).collect();
        let has_equal_evidence = |a: &&Preference, b: &&Preference| {
            a.evidence() == b.evidence() && a.conditions() == b.conditions()
        };
        for together in stated.chunk_by(has_equal_evidence) {
            for (index, preference) in together.iter().enumerate() {
                let stance = preference.stance();
                let style = style(&output.palette, stance);
                write!(output, "{}", if index == 0 { format!("  {prefix}") } else { ", ".to_owned() })?;
                write!(output, "{} ({}): ", column(preference.usage()), preference.term())?;
                write!(output, "{style}{stance}{style:#}")?;
            }
            writeln!(output)?;
            let Some(preference) = together.first() else { continue };
            for condition in preference.conditions() {
                writeln!(output, "    {}", render::text(condition.as_bytes()))?;
            }
            let evidence = preference.evidence();
            for found in evidence.iter().take(EVIDENCE_SHOWN) {
                let (place, text) = (self.place(found), render::text(found.text().as_bytes()));
                writeln!(output, "    {faint}{place}{faint:#}  {text}")?;
            }
            if evidence.len() > EVIDENCE_SHOWN {
                writeln!(output, "    {faint}... and more like these{faint:#}")?;
            }
        }
        Ok(())
    }

    /// Formats the place of evidence.
    fn place(&self, evidence: &Citation) -> String {
        self.place_of(evidence.channel(), evidence.line_number(), evidence.index_in_list())
    }

    fn place_of(&self, channel: Channel, line: Option<u32>, index: Option<usize>) -> String {
        let name = match channel {
            Channel::RobotsTxt => self.robots.as_deref().unwrap_or("robots.txt"),
            Channel::HttpHeader => return "header".to_owned(),
            Channel::Html => "page",
            Channel::TdmrepJson => "tdmrep.json",
            Channel::RslDocument => "license",
            _ => channel.as_str(),
        };
        match (line, index) {
            (Some(line), _) => format!("{name}:{line}"),
            (None, Some(index)) => format!("{name} rule {}", index + 1),
            (None, None) => name.to_owned(),
        }
    }

    /// Prints the findings, once for all URLs.
    pub(crate) fn findings(&self, output: &mut Output) -> Result<(), Failure> {
        if !self.findings.is_empty() {
            writeln!(output)?;
        }
        let mut printer = findings::Printer::default();
        for (place, finding) in &self.findings {
            printer.print(place, finding, output)?;
        }
        Ok(())
    }

    /// Formats the place of a finding about a URL. If the documents are those of sites, the place contains the site or
    /// the URL, because the findings about all URLs are printed together.
    fn place_of_finding(&self, finding: &Finding, url: &str) -> String {
        let place = finding.place();
        match (place.channel, place.line, &self.robots) {
            (Channel::RobotsTxt, Some(line), Some(robots)) => format!("{robots}:{line}"),
            (Channel::RobotsTxt, Some(line), None) => {
                let site = Url::parse(url).map_or(String::new(), |url| url.origin().ascii_serialization());
                format!("{site}/robots.txt:{line}")
            }
            (_, _, Some(_)) => place.to_string(),
            (_, _, None) => format!("{} {place}", render::text(url.as_bytes())),
        }
    }
}

fn heading(report: &Report, output: &mut Output) -> Result<(), Failure> {
    let Palette { strong, faint, .. } = output.palette;
    let (url, agent) = (render::text(report.url().as_bytes()), render::short(report.agent().as_bytes(), 60));
    let group = match report.group() {
        Some(group) => format!(", by the group {} of robots.txt", render::short(group.as_bytes(), 60)),
        None => String::new(),
    };
    Ok(writeln!(output, "{strong}{url}{strong:#}  {faint}for {agent}{group}{faint:#}")?)
}

/// Returns true if a signal for the crawler's group equals that of the whole file, so that one line shows both.
fn group_equals_file(signal: &SignalReport, report: &Report) -> bool {
    let is_whole_file = |other: &&SignalReport| other.interpretation() == Some(Interpretation::WholeFile);
    signal.interpretation() == Some(Interpretation::Group)
        && report.signals().iter().find(is_whole_file).is_some_and(|file| {
            file.preferences() == signal.preferences() && file.consumption() == signal.consumption()
        })
}

/// Returns the name of a signal.
fn plain_name(signal: &SignalReport) -> &'static str {
    match signal.signal() {
        Signal::ContentUsage => "Content-Usage",
        Signal::ContentSignal => "Content-Signal",
        Signal::Rsl => "RSL",
        Signal::Tdmrep => "TDMRep",
        Signal::ControlToken => "Rules for this token",
        Signal::PageDirectives => "noai, noimageai",
        other => other.as_str(),
    }
}

/// Returns the name of a signal, with the interpretation if there are several.
fn name(signal: &SignalReport, is_undisputed: bool) -> String {
    let name = plain_name(signal);
    match signal.interpretation() {
        Some(Interpretation::Group) if is_undisputed => name.to_owned(),
        Some(Interpretation::Group) => format!("{name}, its group"),
        Some(Interpretation::WholeFile) => format!("{name}, whole file"),
        Some(Interpretation::Header) => format!("{name}, header"),
        _ => name.to_owned(),
    }
}

/// Returns the name of a use.
fn column(usage: Use) -> &'static str {
    match usage {
        Use::Train => "training",
        Use::Search => "search",
        Use::AiInput => "AI input",
        Use::AiIndex => "AI index",
        Use::TextAndDataMining => "text and data mining",
        other => other.as_str(),
    }
}

fn consumption_words(consumption: Consumption) -> String {
    format!("content may be consumed as `{consumption}`")
}

fn style(palette: &Palette, stance: Stance) -> anstyle::Style {
    match stance {
        Stance::Allow => palette.good,
        Stance::Disallow => palette.bad,
        _ => palette.faint,
    }
}

fn rows<'r>(signals: &[&'r SignalReport], names: &[String]) -> Vec<Row<'r>> {
    let mut rows = Vec::new();
    for (signal, name) in signals.iter().zip(names) {
        rows.push(Row { name: name.clone(), is_default: false, preferences: signal.preferences() });
        let is_known = |preference: &Preference| preference.stance() != Stance::Unknown;
        if let Some(preferences) =
            signal.site_default().filter(|preferences| preferences.iter().any(is_known))
        {
            rows.push(Row { name: "  to others, by default".to_owned(), is_default: true, preferences });
        }
    }
    rows
}

/// Prints a table of uses and signals.
fn table(rows: &[Row<'_>], output: &mut Output) -> Result<(), Failure> {
    let find = |row: &Row<'_>, usage: Use| {
        row.preferences.iter().find(|preference| preference.usage() == usage).map(Preference::stance)
    };
    let uses: Vec<Use> =
        Use::ALL.into_iter().filter(|&usage| rows.iter().any(|row| find(row, usage).is_some())).collect();
    let first = rows.iter().map(|row| render::width(&row.name)).max().unwrap_or_default();
    let Palette { strong, faint, .. } = output.palette;
    let headings = uses.iter().fold(String::new(), |mut line, &usage| {
        let _ = write!(line, "  {:<8}", column(usage));
        line
    });
    writeln!(output, "\n{:first$}{strong}{}{strong:#}", "", headings.trim_end())?;
    for row in rows {
        let name_style = if row.is_default { faint } else { strong };
        write!(output, "{name_style}{:<first$}{name_style:#}", row.name)?;
        for (index, &usage) in uses.iter().enumerate() {
            let stance = find(row, usage);
            let (style, text) =
                stance.map_or((faint, "-"), |stance| (style(&output.palette, stance), stance.as_str()));
            // The last column needs no padding.
            let columns = if index + 1 == uses.len() { 0 } else { column(usage).len().max(8) };
            write!(output, "  {style}{text}{style:#}{:1$}", "", columns.saturating_sub(text.len()))?;
        }
        writeln!(output)?;
    }
    Ok(())
}

/// Prints the signals without a statement.
fn print_silent_signals(silent: &[&SignalReport], output: &mut Output) -> Result<(), Failure> {
    let mut names: Vec<&str> = silent.iter().map(|signal| plain_name(signal)).collect();
    names.dedup();
    if names.is_empty() {
        return Ok(());
    }
    let faint = output.palette.faint;
    let text =
        format!("No statement by {}. A missing statement does not permit any use.", render::list(&names));
    let text = render::wrap(&text, output.width, 0);
    Ok(writeln!(output, "\n{faint}{text}{faint:#}")?)
}
