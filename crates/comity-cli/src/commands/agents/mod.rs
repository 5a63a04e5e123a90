//! `comity agents`: the catalogue of known crawlers, and the addresses that their operators publish.

mod args;
mod saved_ranges;

use std::io::Write;
use std::net::IpAddr;
use std::path::Path;

use comity::agents::{self, KnownAgent, Purpose, RangeList, Ranges};
use comity_answers::agents::{AddressRow, AgentRow};

pub(crate) use self::args::AgentsArgs;
use crate::args::Format;
use crate::exit::{Exit, Failure};
use crate::input::Source;
use crate::output::Output;
use crate::render;
use crate::text::agent::{self, AgentColumns, AgentPage};
use crate::text::{self, Printer};

/// Shows crawlers, searches the ranges for an address, or saves newer ranges.
pub(crate) fn run(args: &AgentsArgs, output: &mut Output) -> Result<Exit, Failure> {
    let mut ranges = Ranges::bundled();
    ranges.update(saved_ranges::read()?);
    if !args.update.is_empty() {
        return update(args, ranges, output);
    }
    if args.ranges {
        write!(output, "{ranges}")?;
        return Ok(Exit::Success);
    }
    let named = named(&args.names)?;
    if let Some(address) = args.address {
        return find(address, &named, &ranges, args.format.get(), output);
    }
    let is_wanted = |agent: &&KnownAgent| args.purpose.is_empty() || args.purpose.contains(&agent.purpose());
    let all = if named.is_empty() { agents::all().iter().collect() } else { named };
    let rows = all.into_iter().filter(is_wanted).map(|agent| AgentRow::new(agent, &ranges));
    let mut rows: Vec<AgentRow<'_>> = rows.collect();
    let format = args.format.get();
    if !args.names.is_empty() {
        let pages: Vec<AgentPage<'_>> = rows.into_iter().map(AgentPage).collect();
        text::print(&pages, format, &mut &ranges, output)?;
        return Ok(Exit::Success);
    }
    if format == Format::Text {
        let place = |purpose| Purpose::ALL.iter().position(|other| *other == purpose);
        rows.sort_by_key(|row| place(row.agent.purpose()));
    }
    text::print(&rows, format, &mut AgentColumns::new(&rows), output)?;
    if format == Format::Text {
        agent::print_age(&rows, &ranges, output)?;
    }
    Ok(Exit::Success)
}

/// Returns the crawlers with these names.
fn named(names: &[String]) -> Result<Vec<&'static KnownAgent>, Failure> {
    let find = |name: &String| {
        agents::known(name).ok_or_else(|| {
            let failure = Failure::new(format!("unknown crawler `{}`", render::text(name.as_bytes())));
            match agents::closest(name) {
                Some(closest) => failure.hint(format!("did you mean `{}`?", closest.token())),
                None => failure.hint("`comity agents` lists the known crawlers; other crawlers exist, too"),
            }
        })
    };
    names.iter().map(find).collect()
}

/// Returns the ranges that are part of the program, updated by newer ranges that `--update` saved.
#[cfg(feature = "jobs")]
pub(crate) fn ranges() -> Result<Ranges, Failure> {
    let mut ranges = Ranges::bundled();
    ranges.update(saved_ranges::read()?);
    Ok(ranges)
}

/// Prints the published ranges that contain an address.
fn find(
    address: IpAddr,
    named: &[&KnownAgent],
    ranges: &Ranges,
    format: Format,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let is_selected = |list: &RangeList| {
        let is_of =
            |agent: &&KnownAgent| ranges.lists_of(agent.token()).any(|other| other.name() == list.name());
        named.is_empty() || named.iter().any(is_of)
    };
    let hits: Vec<_> = ranges.containing(address).filter(|(list, _)| is_selected(list)).collect();
    let exit = if hits.is_empty() { Exit::Objection } else { Exit::Success };
    let mut printer = Printer::new::<AddressRow<'_>>(format, output)?;
    for &(list, ref prefix) in &hits {
        printer.print(&AddressRow::new(address, list, prefix), &mut { list }, output)?;
    }
    if hits.is_empty() && format == Format::Text {
        agent::print_no_match(address, named, ranges, output)?;
    }
    Ok(exit)
}

/// Reads newer lists from files, and saves them for later runs.
fn update(args: &AgentsArgs, mut ranges: Ranges, output: &mut Output) -> Result<Exit, Failure> {
    let today = jiff::Timestamp::now().strftime("%Y-%m-%d").to_string();
    let mut newer = saved_ranges::read()?;
    for update in &args.update {
        let lists = match update.split_once('=') {
            Some((name, file)) => {
                let Some(list) = ranges.list(name) else {
                    let known: Vec<&str> = ranges.lists().iter().map(RangeList::name).collect();
                    return Err(Failure::new(format!("unknown list `{}`", render::text(name.as_bytes())))
                        .hint(format!("the lists are {}", render::list(&known))));
                };
                let bytes = Source::new(Path::new(file)).read()?;
                let list = list.parse_published(&bytes, &today).map_err(|error| refused(file, &error))?;
                Ranges::from(list)
            }
            None => {
                let bytes = Source::new(Path::new(update)).read()?;
                Ranges::parse(&String::from_utf8_lossy(&bytes)).map_err(|error| refused(update, &error))?
            }
        };
        for list in lists.lists() {
            agent::update(ranges.list(list.name()), list, output)?;
        }
        ranges.update(lists.clone());
        newer.update(lists);
    }
    let path = saved_ranges::write(&newer)?;
    let faint = output.palette.faint;
    writeln!(output, "{faint}saved in {}{faint:#}", path.display())?;
    Ok(Exit::Success)
}

fn refused(file: &str, error: &dyn std::error::Error) -> Failure {
    Failure::new(format!("`{file}`: {error}"))
        .hint("the format is that of `comity agents --ranges`; for the JSON of an operator, write LIST=FILE")
}
