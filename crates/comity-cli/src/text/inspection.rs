//! Renders the content of a robots.txt.

use std::io::Write;

use comity::robots::RecordKind;
use comity_answers::inspect::{Directive, GroupSummary, InspectRow};

use super::{Layout, Render};
use crate::exit::Failure;
use crate::output::Output;
use crate::render;

impl Render for InspectRow {
    /// Maximum number of rules of a group that are shown.
    type View<'v> = usize;

    const LAYOUT: Layout = Layout::Block;

    fn text(&self, rules_shown: &mut usize, output: &mut Output) -> Result<(), Failure> {
        let (strong, faint) = (output.palette.strong, output.palette.faint);
        let rules = self.groups.iter().map(|group| group.rules.len()).sum();
        writeln!(output, "{strong}{}{strong:#}  {faint}read as {}{faint:#}", self.file, self.dialect)?;
        let counts = [
            (self.lines, "line"),
            (self.groups.len(), "group"),
            (rules, "rule"),
            (self.sitemaps.len(), "sitemap"),
        ];
        let counts: Vec<String> = counts.iter().map(|(number, noun)| render::count(*number, noun)).collect();
        writeln!(output, "{}: {}", render::count(self.bytes, "byte"), counts.join(", "))?;
        if self.truncated {
            let style = output.palette.warning;
            writeln!(output, "{style}lines after the first 512,000 bytes are ignored{style:#}")?;
        }
        for group in &self.groups {
            print_group(group, *rules_shown, output)?;
        }
        let sitemaps = self.sitemaps.iter().map(|sitemap| (sitemap.line, sitemap.url.clone()));
        print_section("Sitemaps", sitemaps, output)?;
        print_section("About the whole site", self.site.iter().map(line), output)?;
        print_section("Outside any group, without effect", self.outside.iter().map(line), output)?;
        print_section("Unknown keys", self.unknown.iter().map(line), output)
    }
}

fn line(directive: &Directive) -> (u32, String) {
    (directive.line, format!("{}: {}", directive.key, directive.value))
}

/// Prints a heading with lines of the file below it. Without lines, nothing is printed.
fn print_section(
    heading: &str,
    lines: impl Iterator<Item = (u32, String)>,
    output: &mut Output,
) -> Result<(), Failure> {
    let (strong, gutter) = (output.palette.strong, output.palette.gutter);
    for (index, (line, text)) in lines.enumerate() {
        if index == 0 {
            writeln!(output, "\n{strong}{heading}{strong:#}")?;
        }
        writeln!(output, "  {gutter}{line:>5}{gutter:#}  {}", render::short(text.as_bytes(), 200))?;
    }
    Ok(())
}

fn print_group(group: &GroupSummary, rules_shown: usize, output: &mut Output) -> Result<(), Failure> {
    let palette = output.palette;
    let (strong, faint, gutter) = (palette.strong, palette.faint, palette.gutter);
    let agents: Vec<_> = group.agents.iter().map(|agent| render::short(agent.as_bytes(), 60)).collect();
    let agents = if agents.is_empty() { "* (no crawler named)".to_owned() } else { agents.join(", ") };
    let mut remarks = vec![render::count(group.rules.len(), "rule")];
    remarks.extend(group.crawl_delay_seconds.map(|delay| format!("crawl-delay {delay} s")));
    remarks.extend(group.dropped.then(|| "dropped by this dialect".to_owned()));
    let agents = render::wrap(&agents, output.width, 7);
    writeln!(
        output,
        "\n{gutter}{:>5}{gutter:#}  {strong}{agents}{strong:#}  {faint}({}){faint:#}",
        group.line,
        remarks.join(", ")
    )?;
    for rule in group.rules.iter().take(rules_shown) {
        let style = palette.verdict(rule.kind == RecordKind::Allow);
        let (kind, pattern) = (rule.kind.label(), render::short(rule.pattern.as_bytes(), 160));
        let gap = if pattern.is_empty() { "" } else { "  " };
        let columns = if pattern.is_empty() { 0 } else { 8 };
        writeln!(
            output,
            "  {gutter}{:>5}{gutter:#}  {style}{kind:<columns$}{style:#}{gap}{pattern}",
            rule.line
        )?;
    }
    if group.rules.len() > rules_shown {
        let more = render::count(group.rules.len() - rules_shown, "more rule");
        writeln!(output, "         {faint}... and {more} (--all shows them){faint:#}")?;
    }
    for extension in &group.extensions {
        let (line, text) = line(extension);
        writeln!(output, "  {gutter}{line:>5}{gutter:#}  {}", render::short(text.as_bytes(), 200))?;
    }
    Ok(())
}
