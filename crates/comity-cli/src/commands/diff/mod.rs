//! `comity diff`: what a change of a robots.txt changes in meaning.
//!
//! Two files say the same to a crawler if it ends up with the same rules. So each crawler's rules are collected from both
//! files and compared as sets; how the files are laid out never enters. Crawlers to whom the same happens are shown
//! together.

mod args;
mod change;
mod verdicts;

use std::collections::BTreeMap;
use std::io::Write;

use comity::robots::{Agent, RecordKind, RobotsTxt};
use serde::Serialize;

pub(crate) use self::args::DiffArgs;
use self::change::Change;
use self::verdicts::{UrlChange, Verdicts};
use crate::args::UrlArgs;
use crate::decisions::Urls;
use crate::exit::{Exit, Failure};
use crate::location::Location;
use crate::output::Output;
use crate::render;
use crate::robots_txt::Provenance;
use crate::sites::reader::{Reader, Unread};

/// Compares two files.
pub(crate) fn run(args: &DiffArgs, output: &mut Output) -> Result<Exit, Failure> {
    let (old, new) = (Location::of(&args.old), Location::of(&args.new));
    let mut urls = urls(args, &old, &new)?;
    let mut reader = Reader::new(&args.network);
    let mut read = |location, output: &mut Output| match reader.read(location, output) {
        Ok(file) => Ok(file.without_page(output)),
        Err(Unread::Again) => Err(Failure::new("standard input cannot be both OLD and NEW")),
        Err(unread) => Err(unread.failure()),
    };
    let (old, new) = (read(&old, output)?, read(&new, output)?);
    reader.finish();
    let reading = &args.reading;
    let pair = Pair {
        old: reading.read(&old.body, old.charset.as_deref()),
        new: reading.read(&new.body, new.charset.as_deref()),
    };
    let agents = agents(args, &pair);
    let report = Report::new(&pair, &agents, output);
    let mut verdicts = Verdicts::new(&pair, &agents);
    if args.format.is_json() {
        let urls = verdicts.collect(&mut urls, output)?;
        let (old, new) = (&old.provenance, &new.provenance);
        output.json_pretty(&JsonReport { old, new, report: &report, urls })?;
    } else {
        report.print(output)?;
        verdicts.print(&mut urls, output)?;
        print_summary(&report, &verdicts, output)?;
    }
    let changed = !report.is_empty() || verdicts.changed_urls > 0;
    Ok(match (verdicts.has_errors, changed) {
        (true, _) => Exit::Trouble,
        (_, true) => Exit::Objection,
        _ => Exit::Success,
    })
}

/// The URLs to decide; none unless some are named.
fn urls(args: &DiffArgs, old: &Location, new: &Location) -> Result<Option<Urls>, Failure> {
    let urls = UrlArgs { given: args.given.clone(), lists: args.lists.clone() };
    if urls.is_empty() {
        return Ok(None);
    }
    let stdin = [old, new].into_iter().find(|location| **location == Location::Stdin);
    Urls::new(&urls, stdin).map(Some)
}

/// Both files.
struct Pair<'a> {
    old: RobotsTxt<'a>,
    new: RobotsTxt<'a>,
}

/// The crawlers to compare for: those asked for, or `*` and everyone that either file names.
fn agents(args: &DiffArgs, pair: &Pair<'_>) -> Vec<Agent> {
    let headers = args.user_agent.iter().map(Agent::header);
    let asked: Vec<Agent> = args.agent.iter().map(Agent::token).chain(headers).collect();
    if !asked.is_empty() {
        return asked;
    }
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    for robots in [&pair.old, &pair.new] {
        for record in robots.records().filter(|record| record.kind() == RecordKind::UserAgent) {
            let name = record.value_text();
            if !name.is_empty() && name != "*" {
                names.entry(name.to_lowercase()).or_insert_with(|| name.into_owned());
            }
        }
    }
    std::iter::once("*".to_owned()).chain(names.into_values()).map(Agent::token).collect()
}

/// The changes, apart from those of single URLs.
#[derive(Serialize)]
struct Report {
    agents: Vec<AgentsChange>,
    sitemaps: Lists,
    /// Lines that are neither rules nor delays nor sitemaps.
    other: Lists,
}

/// The same change for some crawlers.
#[derive(Serialize)]
struct AgentsChange {
    agents: Vec<String>,
    #[serde(flatten)]
    change: Change,
}

/// The things that were added and removed.
#[derive(Serialize)]
struct Lists {
    lost: Vec<String>,
    gained: Vec<String>,
}

impl Report {
    fn new(pair: &Pair<'_>, agents: &[Agent], output: &Output) -> Self {
        let mut found: Vec<AgentsChange> = Vec::new();
        let mut progress = output.progress(Some(agents.len() as u64), "crawlers");
        for agent in agents {
            progress.step();
            let Some(change) = Change::new(&pair.old.rules_for(agent), &pair.new.rules_for(agent)) else {
                continue;
            };
            let name = agent.as_str().to_owned();
            match found.iter_mut().find(|known| known.change.is_same(&change)) {
                Some(known) => known.agents.push(name),
                None => found.push(AgentsChange { agents: vec![name], change }),
            }
        }
        Report {
            agents: found,
            sitemaps: Lists::new(pair, |robots| robots.sitemaps().map(|url| url.into_owned()).collect()),
            other: Lists::new(pair, other_lines),
        }
    }

    fn is_empty(&self) -> bool {
        self.agents.is_empty() && self.sitemaps.is_empty() && self.other.is_empty()
    }

    fn print(&self, output: &mut Output) -> Result<(), Failure> {
        let strong = output.palette.strong;
        for AgentsChange { agents, change } in &self.agents {
            let names: Vec<_> = agents.iter().map(|name| render::short(name.as_bytes(), 60)).collect();
            let names = render::wrap(&render::list(&names), output.width, 0);
            writeln!(output, "{strong}{names}{strong:#}")?;
            change.print(output)?;
            writeln!(output)?;
        }
        self.sitemaps.print("Sitemaps", output)?;
        self.other.print("Other lines", output)
    }
}

impl Lists {
    fn new(pair: &Pair<'_>, list: impl Fn(&RobotsTxt<'_>) -> Vec<String>) -> Self {
        let (mut old, mut new) = (list(&pair.old), list(&pair.new));
        for lines in [&mut old, &mut new] {
            lines.sort();
            lines.dedup();
        }
        let without = |a: &[String], b: &[String]| {
            a.iter().filter(|line| b.binary_search(line).is_err()).cloned().collect::<Vec<_>>()
        };
        Lists { lost: without(&old, &new), gained: without(&new, &old) }
    }

    fn is_empty(&self) -> bool {
        self.lost.is_empty() && self.gained.is_empty()
    }

    fn print(&self, heading: &str, output: &mut Output) -> Result<(), Failure> {
        if self.is_empty() {
            return Ok(());
        }
        let palette = output.palette;
        writeln!(output, "{0}{heading}{0:#}", palette.strong)?;
        for (mark, style, lines) in [("-", palette.bad, &self.lost), ("+", palette.good, &self.gained)] {
            for line in lines {
                writeln!(output, "  {style}{mark}{style:#} {}", render::short(line.as_bytes(), 200))?;
            }
        }
        Ok(writeln!(output)?)
    }
}

/// Lines that matter to somebody but not to fetching: usage signals, hosts, parameters. With the names of their group.
fn other_lines(robots: &RobotsTxt<'_>) -> Vec<String> {
    let groups: Vec<_> = robots.groups().collect();
    let mut lines = Vec::new();
    for record in robots.records() {
        let (kind, value) = (record.kind(), record.value_text());
        let is_covered = kind.is_rule()
            || matches!(
                kind,
                RecordKind::UserAgent
                    | RecordKind::Sitemap
                    | RecordKind::CrawlDelay
                    | RecordKind::RequestRate
                    | RecordKind::VisitTime
            );
        if is_covered {
            continue;
        }
        let key = match kind {
            RecordKind::Unknown => render::text(record.key()).to_lowercase(),
            kind => kind.canonical_name().to_owned(),
        };
        match record.group().and_then(|group| groups.get(group)) {
            Some(group) => lines.extend(
                group
                    .agents()
                    .map(|agent| format!("{key}: {value}  (for {})", agent.value_text().to_lowercase())),
            ),
            None => lines.push(format!("{key}: {value}")),
        }
    }
    lines
}

fn print_summary(report: &Report, verdicts: &Verdicts<'_>, output: &mut Output) -> Result<(), Failure> {
    let agents: usize = report.agents.iter().map(|change| change.agents.len()).sum();
    let mut parts = Vec::new();
    if agents > 0 {
        parts.push(format!("other rules or delays for {}", render::count(agents, "crawler")));
    }
    let lines = |lists: &Lists| lists.lost.len() + lists.gained.len();
    if !report.sitemaps.is_empty() {
        parts.push(render::count(lines(&report.sitemaps), "sitemap change"));
    }
    if !report.other.is_empty() {
        parts.push(render::count(lines(&report.other), "other change"));
    }
    if verdicts.urls > 0 {
        let changed = verdicts.changed_urls;
        parts.push(format!("{changed} of {} with another verdict", render::count(verdicts.urls, "URL")));
    }
    if report.is_empty() && verdicts.urls == 0 {
        parts.push("no change in meaning".to_owned());
    }
    let mut text = parts.join("; ");
    if let Some(first) = text.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    Ok(writeln!(output, "{text}.")?)
}

/// The whole report as JSON.
#[derive(Serialize)]
struct JsonReport<'j> {
    old: &'j Provenance,
    new: &'j Provenance,
    #[serde(flatten)]
    report: &'j Report,
    urls: Vec<UrlChange>,
}
