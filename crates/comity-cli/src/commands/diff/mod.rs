//! `comity diff`: the effect of a change of a robots.txt.
//!
//! `comity_answers` compares the files; `verdicts` decides URLs by both files.

mod args;
mod verdicts;

use comity::robots::Agent;
use comity_answers::diff::{DiffDocument, Pair, Report, TooLarge};
use comity_answers::robots_file::RobotsFile;

pub(crate) use self::args::DiffArgs;
use self::verdicts::Verdicts;
use crate::args::UrlArgs;
use crate::decisions::{Notices, Urls, print_notices};
use crate::exit::{Exit, Failure};
use crate::location::Location;
use crate::output::Output;
use crate::robots_txt::without_page;
use crate::sites::reader::{Reader, RobotsReadError};
use crate::text;

/// Compares two files.
pub(crate) fn run(args: &DiffArgs, output: &mut Output) -> Result<Exit, Failure> {
    let (old, new) = (Location::of(&args.old), Location::of(&args.new));
    let mut urls = urls(args, &old, &new)?;
    let mut reader = Reader::new(&args.network);
    let mut read = |location, output: &mut Output| match reader.read(location, output) {
        Ok(file) => Ok(without_page(file, output)),
        Err(RobotsReadError::Again) => Err(Failure::new("standard input cannot be both OLD and NEW")),
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
    let changes = if args.format.is_json() { verdicts.collect(&mut urls, output)? } else { Vec::new() };
    let provenance = |file: &RobotsFile| file.provenance.clone();
    let document = DiffDocument { old: provenance(&old), new: provenance(&new), report, urls: changes };
    let mut print_urls = |output: &mut Output| verdicts.print(&mut urls, output);
    text::print(&[document], args.format.get(), &mut { &mut print_urls }, output)?;
    print_notices(verdicts.log.into_notices(Some(&new.name)), output);
    let changed = !is_same || verdicts.urls.changed > 0;
    Ok(match (verdicts.has_errors, changed) {
        (true, _) => Exit::Error,
        (_, true) => Exit::Objection,
        _ => Exit::Success,
    })
}

/// Returns the URLs to decide; `None` if none are named.
fn urls(args: &DiffArgs, old: &Location, new: &Location) -> Result<Option<Urls>, Failure> {
    let urls = UrlArgs { given: args.given.clone(), lists: args.lists.clone() };
    if urls.is_empty() {
        return Ok(None);
    }
    let stdin = [old, new].into_iter().find(|location| **location == Location::Stdin);
    Urls::new(&urls, stdin).map(Some)
}

/// Returns the crawlers to compare for: those in the arguments, or `*` and all crawlers that either file names.
fn agents(args: &DiffArgs, pair: &Pair<'_>) -> Vec<Agent> {
    let headers = args.user_agent.iter().map(Agent::header);
    let asked: Vec<Agent> = args.agent.iter().map(Agent::unchecked_token).chain(headers).collect();
    if asked.is_empty() { pair.named() } else { asked }
}
