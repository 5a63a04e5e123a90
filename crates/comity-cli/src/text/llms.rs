//! Renders an llms.txt: outline, findings, candidates.

use std::fmt::Write as _;
use std::io::Write;

use comity::finding::Finding;
use comity::llms::{Link, LlmsTxt, Passage, Section};
use comity_answers::llms::{LinkCheck, LlmsRow, Resolved};

use super::{Layout, Render};
use crate::exit::Failure;
use crate::output::Output;
use crate::render;

/// Maximum number of links of a section that are shown without `--all`.
const LINKS_SHOWN: usize = 20;

/// Maximum number of lines of a kind of finding that are shown without `--all`.
const LINES_SHOWN: usize = 6;

/// The column at which text starts after the line number.
const INDENT: usize = 7;

impl Render for LlmsRow<'_> {
    /// True if `--all` is given.
    type View<'v> = bool;

    const LAYOUT: Layout = Layout::Document;

    fn text(&self, all: &mut bool, output: &mut Output) -> Result<(), Failure> {
        if !self.resolved.is_empty() {
            return self.resolved.iter().try_for_each(|resolved| print_resolved(resolved, output));
        }
        print_head(self, output)?;
        print_lead(self.llms, *all, output)?;
        for section in self.llms.sections() {
            print_section(section, *all, output)?;
        }
        print_findings(self.llms, *all, output)?;
        if let Some(check) = &self.link_check {
            print_link_check(check, *all, output)?;
        }
        print_strict(self, output)
    }
}

fn print_head(report: &LlmsRow<'_>, output: &mut Output) -> Result<(), Failure> {
    let (strong, faint) = (output.palette.strong, output.palette.faint);
    let llms = report.llms;
    let (level, grade) = (llms.grade().level(), llms.grade());
    writeln!(output, "{strong}{}{strong:#}  {faint}grade {level} ({grade}){faint:#}", report.file)?;
    let kind = llms.kind().as_str().replace('_', " ");
    let counts = [
        render::count(report.bytes, "byte"),
        render::count(llms.lines() as usize, "line"),
        render::count(llms.sections().len(), "section"),
        render::count(llms.links().count(), "link"),
    ];
    Ok(writeln!(output, "{kind}: {}", counts.join(", "))?)
}

fn print_lead(llms: &LlmsTxt, all: bool, output: &mut Output) -> Result<(), Failure> {
    let strong = output.palette.strong;
    let mut passages =
        [("", llms.preamble()), ("# ", llms.title()), ("> ", llms.summary()), ("", llms.details())];
    passages.sort_by_key(|(_, passage)| passage.map(Passage::line));
    let is_empty = passages.iter().all(|(_, passage)| passage.is_none()) && llms.lead_links().is_empty();
    if !is_empty {
        writeln!(output)?;
    }
    for (mark, passage) in passages {
        let Some(passage) = passage else { continue };
        let style = if mark == "# " { strong } else { Default::default() };
        let text = excerpt(passage, mark, all, output.width);
        print_line(passage.line(), &format!("{style}{text}{style:#}"), output)?;
    }
    print_links(llms.lead_links(), all, output)
}

fn print_section(section: &Section, all: bool, output: &mut Output) -> Result<(), Failure> {
    let (strong, faint) = (output.palette.strong, output.palette.faint);
    let marks = "#".repeat(usize::from(section.level()));
    let name = render::short(section.name().as_bytes(), 100);
    let optional = if section.is_optional() { "optional, " } else { "" };
    let links = render::count(section.links().len(), "link");
    writeln!(output)?;
    let line = format!("{strong}{marks} {name}{strong:#}  {faint}({optional}{links}){faint:#}");
    print_line(section.line(), &line, output)?;
    if let Some(text) = section.text() {
        let text = excerpt(text, "", all, output.width);
        writeln!(output, "{:INDENT$}{faint}{text}{faint:#}", "")?;
    }
    print_links(section.links(), all, output)
}

fn print_links(links: &[Link], all: bool, output: &mut Output) -> Result<(), Failure> {
    let faint = output.palette.faint;
    let shown = if all { links.len() } else { LINKS_SHOWN };
    for link in links.iter().take(shown) {
        let target = link.url().map_or(link.target(), |url| url.as_str());
        let name = if link.name().is_empty() { "(no name)" } else { link.name() };
        let external = if link.is_external() == Some(true) { "  external" } else { "" };
        let (name, target) = (render::short(name.as_bytes(), 80), render::short(target.as_bytes(), 200));
        print_line(link.line(), &format!("{name}  {faint}{target}{external}{faint:#}"), output)?;
        if let Some(note) = link.note() {
            let limit = if all { usize::MAX } else { output.width.saturating_sub(INDENT + 5) };
            let note = render::short(note.as_bytes(), limit);
            let note = render::wrap(&note, output.width, INDENT + 2);
            writeln!(output, "{:1$}{note}", "", INDENT + 2)?;
        }
    }
    print_more(links.len().saturating_sub(shown), "link", output)
}

/// Prints the number of items that only `--all` shows, unless it is 0.
fn print_more(number: usize, item: &str, output: &mut Output) -> Result<(), Failure> {
    if number == 0 {
        return Ok(());
    }
    let (faint, more) = (output.palette.faint, render::count(number, &format!("more {item}")));
    Ok(writeln!(output, "{:INDENT$}{faint}... and {more} (--all shows them){faint:#}", "")?)
}

fn print_line(line: u32, text: &str, output: &mut Output) -> Result<(), Failure> {
    let gutter = output.palette.gutter;
    Ok(writeln!(output, "{gutter}{line:>5}{gutter:#}  {text}")?)
}

/// Returns a passage in one line, shortened to the width; with `--all`, the whole passage, wrapped.
fn excerpt(passage: &Passage, mark: &str, all: bool, width: usize) -> String {
    let words: Vec<&str> = passage.text().split_whitespace().collect();
    let text = format!("{mark}{}", words.join(" "));
    let limit = if all { usize::MAX } else { width.saturating_sub(INDENT + 3).max(20) };
    let text = render::short(text.as_bytes(), limit);
    render::wrap(&text, width, INDENT)
}

/// Prints findings by kind, the most severe first.
fn print_findings(llms: &LlmsTxt, all: bool, output: &mut Output) -> Result<(), Failure> {
    if llms.findings().is_empty() {
        return Ok(());
    }
    let strong = output.palette.strong;
    writeln!(output, "\n{strong}Findings{strong:#}")?;
    let mut findings: Vec<&Finding> = llms.findings().iter().collect();
    findings.sort_by_key(|finding| (std::cmp::Reverse(finding.severity()), finding.code()));
    for places in findings.chunk_by(|a, b| a.kind() == b.kind()) {
        print_kind(places, all, output)?;
    }
    Ok(())
}

fn print_kind(places: &[&Finding], all: bool, output: &mut Output) -> Result<(), Failure> {
    let (Some(first), faint) = (places.first(), output.palette.faint) else { return Ok(()) };
    let (style, severity, code) = (output.palette.severity(first.severity()), first.severity(), first.code());
    let count: u64 = places.iter().map(|finding| finding.count()).sum();
    let shown = if all { places.len() } else { LINES_SHOWN };
    let shown = places.iter().filter(|finding| finding.repeats() == 0).take(shown);
    let shown: Vec<String> =
        shown.filter_map(|finding| finding.place().line).map(|line| line.to_string()).collect();
    let mut lines = format!("{} {}", if count == 1 { "line" } else { "lines" }, shown.join(", "));
    if count > shown.len() as u64 {
        let _ = write!(lines, " and {} more", count - shown.len() as u64);
    }
    writeln!(output, "{style}{severity}[{code}]{style:#}  {faint}{lines}{faint:#}")?;
    let message = render::text(first.message().as_bytes());
    writeln!(output, "    {}", render::wrap(&message, output.width, 4))?;
    let help = format!("help: {}", render::text(first.help().as_bytes()));
    Ok(writeln!(output, "    {faint}{}{faint:#}", render::wrap(&help, output.width, 4))?)
}

/// Prints the findings about linked documents by line, because each is about another URL.
fn print_link_check(check: &LinkCheck, all: bool, output: &mut Output) -> Result<(), Failure> {
    let (strong, good, faint) = (output.palette.strong, output.palette.good, output.palette.faint);
    let documents = render::count(check.documents, "linked document");
    if check.findings.is_empty() {
        return Ok(writeln!(output, "\n{good}links{good:#}: {documents} requested, no problem found")?);
    }
    writeln!(output, "\n{strong}Links{strong:#}  {faint}({documents} requested){faint:#}")?;
    let shown = if all { check.findings.len() } else { LINKS_SHOWN };
    for finding in check.findings.iter().take(shown) {
        let style = output.palette.severity(finding.severity());
        let message = render::text(finding.message().as_bytes()).into_owned();
        let text = format!(
            "{style}{}[{}]{style:#}\n{:INDENT$}{}",
            finding.severity(),
            finding.code(),
            "",
            render::wrap(&message, output.width, INDENT)
        );
        let line = finding.place().line.and_then(|line| u32::try_from(line).ok()).unwrap_or_default();
        print_line(line, &text, output)?;
    }
    print_more(check.findings.len().saturating_sub(shown), "finding", output)
}

fn print_strict(report: &LlmsRow<'_>, output: &mut Output) -> Result<(), Failure> {
    let (good, bad) = (output.palette.good, output.palette.bad);
    match &report.strict {
        None => Ok(()),
        Some(strict) => match &strict.violation {
            None => Ok(writeln!(output, "\n{good}strict{good:#}: every line follows the grammar")?),
            Some(violation) => Ok(writeln!(output, "\n{bad}strict{bad:#}: {violation}")?),
        },
    }
}

fn print_resolved(resolved: &Resolved, output: &mut Output) -> Result<(), Failure> {
    let (strong, faint) = (output.palette.strong, output.palette.faint);
    let page = render::text(resolved.page.as_bytes()).into_owned();
    writeln!(output, "{strong}{page}{strong:#}  {faint}strategy {}{faint:#}", resolved.strategy)?;
    for (index, candidate) in resolved.candidates.iter().enumerate() {
        let mut remarks = candidate.reason().to_string();
        if let Some(line) = candidate.line() {
            let _ = write!(remarks, ", line {line}");
        }
        if candidate.is_external() {
            let _ = write!(remarks, ", external");
        }
        writeln!(output, "  {}  {}  {faint}{remarks}{faint:#}", index + 1, candidate.url())?;
    }
    if resolved.candidates.is_empty() {
        writeln!(output, "  no candidate")?;
    }
    let mut origins: Vec<&str> = resolved.candidates.iter().map(|candidate| candidate.origin()).collect();
    origins.sort_unstable();
    origins.dedup();
    for origin in origins {
        writeln!(output, "  {faint}check first: {origin}/robots.txt{faint:#}")?;
    }
    Ok(())
}
