//! `comity inspect`: what a robots.txt holds.
//!
//! The summary is made once, as data; `--json` prints it as it is, the text is a view of it.

mod args;
#[cfg(feature = "schema")]
use comity_answers::schema::RowSchema;
use std::io::Write;

use comity::robots::{Agent, Dialect, Group, Record, RecordKind, RobotsTxt, Rules};
use comity_answers::provenance::Provenance;
use comity_answers::robots_file::RobotsFile;
use serde::Serialize;

pub(crate) use self::args::InspectArgs;
use crate::exit::{Exit, Failure};
use crate::output::Output;
use crate::render;
use crate::sites::reader::{Reader, Unread};

/// The largest number of rules of a group that are shown without `--all`.
const RULES_SHOWN: usize = 20;

/// Summarises each file.
pub(crate) fn run(args: &InspectArgs, output: &mut Output) -> Result<Exit, Failure> {
    let mut reader = Reader::new(&args.document.network);
    let mut exit = Exit::Success;
    for (index, location) in args.files.locations(Some("robots.txt"))?.iter().enumerate() {
        let file = match reader.read(location, output) {
            Ok(file) => file,
            Err(Unread::Again) => continue,
            Err(unread) => {
                exit = Exit::Trouble;
                output.failure(&unread.failure());
                continue;
            }
        };
        let robots = args.reading.read(&file);
        let summary = Summary::new(&file, &robots);
        if args.document.format.is_json() {
            output.json_line(&summary)?;
            continue;
        }
        if index > 0 {
            writeln!(output)?;
        }
        let shown = if args.all { usize::MAX } else { RULES_SHOWN };
        summary.print(shown, output)?;
    }
    reader.finish();
    Ok(exit)
}

/// The content of a file.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Inspection"))]
struct Summary {
    /// The name of the file.
    file: String,
    /// The origin of the file.
    robots_txt: Provenance,
    /// The dialect that it was read in.
    dialect: Dialect,
    /// The number of bytes.
    bytes: usize,
    /// The number of lines.
    lines: usize,
    /// True if the dialect does not read all of it.
    truncated: bool,
    /// The groups.
    groups: Vec<GroupSummary>,
    /// The sitemaps that it names.
    sitemaps: Vec<Sitemap>,
    /// Lines about the whole site, sitemaps apart.
    site: Vec<Directive>,
    /// Rules and the like outside any group: they apply to nobody.
    outside: Vec<Directive>,
    /// Lines with a key that no crawler is known to read.
    unknown: Vec<Directive>,
}

#[cfg(feature = "schema")]
pub(crate) const SCHEMA: RowSchema = RowSchema::new::<Summary>("inspection", "a line of `comity inspect`");

/// One group.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Group"))]
struct GroupSummary {
    /// The line on which it begins, from 1.
    line: u32,
    /// The names on its user-agent lines.
    agents: Vec<String>,
    /// True if it applies to `*`.
    for_everyone: bool,
    /// True if the dialect drops it.
    dropped: bool,
    /// Its rules.
    rules: Vec<RuleSummary>,
    /// The delay that it asks for.
    crawl_delay_seconds: Option<f64>,
    /// The rate that it asks for.
    request_rate: Option<comity::robots::RequestRate>,
    /// The hours that it asks for.
    visit_time: Option<comity::robots::VisitTime>,
    /// Known lines of the group that are neither user-agents nor rules.
    extensions: Vec<Directive>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "RuleLine"))]
struct RuleSummary {
    /// `allow` or `disallow`.
    kind: RecordKind,
    /// The path pattern.
    pattern: String,
    /// The line, from 1.
    line: u32,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Sitemap {
    /// The URL, as written.
    url: String,
    /// The line, from 1.
    line: u32,
}

/// Any other line.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Directive {
    /// The kind of record.
    kind: RecordKind,
    /// The key, as written.
    key: String,
    /// The value, as written.
    value: String,
    /// The line, from 1.
    line: u32,
}

impl Directive {
    fn new(record: &Record<'_>) -> Self {
        Directive {
            kind: record.kind(),
            key: render::text(record.key()).into_owned(),
            value: record.value_text().into_owned(),
            line: record.line(),
        }
    }
}

impl Summary {
    fn new(file: &RobotsFile, robots: &RobotsTxt<'_>) -> Self {
        let body = file.body.as_slice();
        let collect = |keep: &dyn Fn(&Record<'_>) -> bool| {
            robots.records().filter(|record| keep(record)).map(|record| Directive::new(&record)).collect()
        };
        let is_unknown = |record: &Record<'_>| record.kind() == RecordKind::Unknown;
        // A licence outside any group is for whoever has none in a group of their own.
        let is_about_site = |record: &Record<'_>| {
            let is_license = record.kind() == RecordKind::License;
            record.kind().is_file_wide() || (is_license && record.group().is_none())
        };
        Summary {
            file: file.name.clone(),
            robots_txt: file.provenance.clone(),
            dialect: robots.dialect(),
            bytes: body.len(),
            lines: count_lines(body),
            truncated: robots.is_truncated(),
            groups: robots.groups().map(|group| GroupSummary::new(robots, &group)).collect(),
            sitemaps: robots
                .records()
                .filter(|record| record.kind() == RecordKind::Sitemap)
                .map(|record| Sitemap { url: record.value_text().into_owned(), line: record.line() })
                .collect(),
            site: collect(&|record| is_about_site(record) && record.kind() != RecordKind::Sitemap),
            outside: collect(&|r| r.group().is_none() && !is_about_site(r) && !is_unknown(r)),
            unknown: collect(&is_unknown),
        }
    }

    fn print(&self, rules_shown: usize, output: &mut Output) -> Result<(), Failure> {
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
            writeln!(output, "{style}what stands after the first 512,000 bytes does not count{style:#}")?;
        }
        for group in &self.groups {
            group.print(rules_shown, output)?;
        }
        let sitemaps = self.sitemaps.iter().map(|sitemap| (sitemap.line, sitemap.url.clone()));
        print_section("Sitemaps", sitemaps, output)?;
        print_section("About the whole site", self.site.iter().map(Directive::line), output)?;
        print_section(
            "Outside any group, so without effect",
            self.outside.iter().map(Directive::line),
            output,
        )?;
        print_section("Unknown keys", self.unknown.iter().map(Directive::line), output)
    }
}

impl Directive {
    fn line(&self) -> (u32, String) {
        (self.line, format!("{}: {}", self.key, self.value))
    }
}

/// A heading with lines of the file below it; nothing if there are none.
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

impl GroupSummary {
    fn new(robots: &RobotsTxt<'_>, group: &Group<'_>) -> Self {
        let pacing = pacing(robots, group);
        GroupSummary {
            line: group.records().next().map_or(0, |record| record.line()),
            agents: group.agents().map(|agent| agent.value_text().into_owned()).collect(),
            for_everyone: group.is_for_everyone(),
            dropped: group.is_dropped(),
            rules: group.rules().map(|record| RuleSummary::new(&record)).collect(),
            crawl_delay_seconds: pacing.crawl_delay().map(|delay| delay.as_secs_f64()),
            request_rate: pacing.request_rate(),
            visit_time: pacing.visit_time(),
            extensions: group
                .records()
                .filter(|record| {
                    !record.kind().is_rule()
                        && !matches!(record.kind(), RecordKind::UserAgent | RecordKind::Unknown)
                })
                .map(|record| Directive::new(&record))
                .collect(),
        }
    }

    fn print(&self, rules_shown: usize, output: &mut Output) -> Result<(), Failure> {
        let palette = output.palette;
        let (strong, faint, gutter) = (palette.strong, palette.faint, palette.gutter);
        let agents: Vec<_> = self.agents.iter().map(|agent| render::short(agent.as_bytes(), 60)).collect();
        let agents = if agents.is_empty() { "* (nobody named)".to_owned() } else { agents.join(", ") };
        let mut remarks = vec![render::count(self.rules.len(), "rule")];
        remarks.extend(self.crawl_delay_seconds.map(|delay| format!("crawl-delay {delay} s")));
        remarks.extend(self.dropped.then(|| "dropped by this dialect".to_owned()));
        let agents = render::wrap(&agents, output.width, 7);
        writeln!(
            output,
            "\n{gutter}{:>5}{gutter:#}  {strong}{agents}{strong:#}  {faint}({}){faint:#}",
            self.line,
            remarks.join(", ")
        )?;
        for rule in self.rules.iter().take(rules_shown) {
            let style = palette.verdict(rule.kind == RecordKind::Allow);
            let (kind, pattern) = (rule.kind.canonical_name(), render::short(rule.pattern.as_bytes(), 160));
            let gap = if pattern.is_empty() { "" } else { "  " };
            let columns = if pattern.is_empty() { 0 } else { 8 };
            writeln!(
                output,
                "  {gutter}{:>5}{gutter:#}  {style}{kind:<columns$}{style:#}{gap}{pattern}",
                rule.line
            )?;
        }
        if self.rules.len() > rules_shown {
            let more = render::count(self.rules.len() - rules_shown, "more rule");
            writeln!(output, "         {faint}... and {more} (--all shows them){faint:#}")?;
        }
        for extension in &self.extensions {
            let (line, text) = extension.line();
            writeln!(output, "  {gutter}{line:>5}{gutter:#}  {}", render::short(text.as_bytes(), 200))?;
        }
        Ok(())
    }
}

impl RuleSummary {
    fn new(record: &Record<'_>) -> Self {
        RuleSummary { kind: record.kind(), pattern: record.value_text().into_owned(), line: record.line() }
    }
}

/// Returns how fast the first crawler that the group names may go.
fn pacing(robots: &RobotsTxt<'_>, group: &Group<'_>) -> Rules {
    let is_paced = |record: Record<'_>| {
        matches!(record.kind(), RecordKind::CrawlDelay | RecordKind::RequestRate | RecordKind::VisitTime)
    };
    if !group.records().any(is_paced) {
        // Asking for rules costs a look at the whole file, and most groups have no delay.
        return RobotsTxt::parse(b"").rules_for(&Agent::token("*"));
    }
    let name = group.agents().next().map_or_else(|| "*".into(), |agent| agent.value_text());
    robots.rules_for(&Agent::token(&*name))
}

/// Lines ended by CR, LF or CRLF; a last one without an end counts.
fn count_lines(body: &[u8]) -> usize {
    let ends = body.iter().enumerate().filter(|(at, byte)| match byte {
        b'\n' => true,
        b'\r' => body.get(at + 1) != Some(&b'\n'),
        _ => false,
    });
    ends.count() + usize::from(body.last().is_some_and(|byte| !matches!(byte, b'\n' | b'\r')))
}
