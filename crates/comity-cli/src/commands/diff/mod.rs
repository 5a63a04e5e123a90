//! `comity diff`: what a change of a robots.txt changes in meaning.
//!
//! `comity_answers` compares; `change` and `verdicts` show.

mod args;
mod change;
mod verdicts;

use std::io::Write;

use comity::robots::Agent;
use comity_answers::diff::{AgentsChange, DiffDocument, Lists, Pair, Report, TooLarge};

pub(crate) use self::args::DiffArgs;
use self::verdicts::Verdicts;
use crate::args::UrlArgs;
use crate::decisions::{Notices, Urls, print_notices};
use crate::exit::{Exit, Failure};
use crate::location::Location;
use crate::output::Output;
use crate::render;
use crate::robots_txt::without_page;
use crate::sites::reader::{Reader, Unread};

/// Compares two files.
pub(crate) fn run(args: &DiffArgs, output: &mut Output) -> Result<Exit, Failure> {
    let (old, new) = (Location::of(&args.old), Location::of(&args.new));
    let mut urls = urls(args, &old, &new)?;
    let mut reader = Reader::new(&args.network);
    let mut read = |location, output: &mut Output| match reader.read(location, output) {
        Ok(file) => Ok(without_page(file, output)),
        Err(Unread::Again) => Err(Failure::new("standard input cannot be both OLD and NEW")),
        Err(unread) => Err(unread.failure()),
    };
    let (old, new) = (read(&old, output)?, read(&new, output)?);
    reader.finish();
    let reading = &args.reading;
    let pair = Pair { old: reading.read(&old), new: reading.read(&new) };
    let agents = agents(args, &pair);
    if !args.agent.is_empty() {
        Notices::new(&args.network.files).print(pair.notices(&agents), output);
    }
    let mut progress = output.progress(Some(agents.len() as u64), "crawlers");
    let report = Report::new(&pair, &agents, || progress.step());
    drop(progress);
    let report = report.map_err(|error| match error {
        TooLarge::Crawlers { .. } | TooLarge::Changes { .. } => Failure::new(format!("{error} with --agent")),
        error => Failure::new(error.to_string()),
    })?;
    let mut verdicts = Verdicts::new(&pair, if urls.is_some() { &agents } else { &[] });
    let is_same = report.is_empty();
    if args.format.is_json() {
        let urls = verdicts.collect(&mut urls, output)?;
        let (old, new) = (old.provenance.clone(), new.provenance.clone());
        output.json_pretty(&DiffDocument { old, new, report, urls })?;
    } else {
        print_report(&report, output)?;
        verdicts.print(&mut urls, output)?;
        print_summary(&report, &verdicts, output)?;
    }
    print_notices(verdicts.log.into_notices(Some(&new.name)), output);
    let changed = !is_same || verdicts.changed_urls > 0;
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

/// The crawlers to compare for: those asked for, or `*` and everyone that either file names.
fn agents(args: &DiffArgs, pair: &Pair<'_>) -> Vec<Agent> {
    let headers = args.user_agent.iter().map(Agent::header);
    let asked: Vec<Agent> = args.agent.iter().map(Agent::token).chain(headers).collect();
    if asked.is_empty() { pair.named() } else { asked }
}

fn print_report(report: &Report, output: &mut Output) -> Result<(), Failure> {
    let strong = output.palette.strong;
    for AgentsChange { agents, change } in &report.agents {
        let names: Vec<_> = agents.iter().map(|name| render::short(name.as_bytes(), 60)).collect();
        let names = render::wrap(&render::list(&names), output.width, 0);
        writeln!(output, "{strong}{names}{strong:#}")?;
        change::print(change, output)?;
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
