//! Renders a known crawler, and the list that contains an IP address.

use std::io::Write;
use std::net::IpAddr;

use comity::agents::{Compliance, KnownAgent, ProofKind, Purpose, RangeList, Ranges, Status};
use comity_answers::agents::{AddressRow, AgentRow};
use serde::Serialize;

use super::{Layout, Render};
use crate::exit::Failure;
use crate::output::Output;
use crate::render::{self, Palette};

/// Width of the column of names, and the purpose in the last heading.
pub(crate) struct AgentColumns {
    width: usize,
    purpose: Option<Purpose>,
}

impl AgentColumns {
    pub(crate) fn new(rows: &[AgentRow<'_>]) -> AgentColumns {
        let width = rows.iter().map(|row| render::width(row.agent.token())).max().unwrap_or(0).min(32);
        AgentColumns { width, purpose: None }
    }
}

/// Prints one line per crawler, below a heading with its purpose.
impl Render for AgentRow<'_> {
    type View<'v> = AgentColumns;

    fn text(&self, view: &mut AgentColumns, output: &mut Output) -> Result<(), Failure> {
        let Palette { strong, faint, .. } = output.palette;
        let (agent, purpose, width) = (self.agent, self.agent.purpose(), view.width);
        let before = view.purpose.replace(purpose);
        if before != Some(purpose) {
            let gap = if before.is_none() { "" } else { "\n" };
            let (title, summary) = (purpose.title(), purpose.summary());
            writeln!(output, "{gap}{strong}{title}{strong:#}  {faint}{summary}{faint:#}")?;
        }
        let mut remarks = vec![agent.sourcing().to_string()];
        remarks.extend((agent.status() == Status::Retired).then(|| "retired".to_owned()));
        remarks.extend((!agent.proofs().is_empty()).then(|| "verifiable".to_owned()));
        let (token, operator, remarks) = (agent.token(), agent.operator(), remarks.join(", "));
        Ok(writeln!(output, "  {token:<width$}  {operator}  {faint}{remarks}{faint:#}")?)
    }
}

/// Prints the days between which the listed entries and the address ranges were last compared with their sources.
pub(crate) fn print_age(rows: &[AgentRow<'_>], ranges: &Ranges, output: &mut Output) -> Result<(), Failure> {
    let entries = span(rows.iter().map(|row| row.agent.checked()));
    let lists = span(ranges.lists().iter().map(RangeList::date));
    let (Some(entries), Some(lists)) = (entries, lists) else { return Ok(()) };
    let faint = output.palette.faint;
    let text = format!("Last compared with the sources: {entries}; address ranges: {lists}.");
    Ok(writeln!(output, "\n{faint}{}{faint:#}", render::wrap(&text, output.width, 0))?)
}

/// Returns the first and the last of some days.
fn span<'d>(days: impl Iterator<Item = &'d str> + Clone) -> Option<String> {
    let (first, last) = (days.clone().min()?, days.max()?);
    Some(if first == last { first.to_owned() } else { format!("{first} to {last}") })
}

/// A crawler, with a line per fact.
#[derive(Serialize)]
#[serde(transparent)]
pub(crate) struct AgentPage<'r>(pub(crate) AgentRow<'r>);

impl Render for AgentPage<'_> {
    type View<'v> = &'v Ranges;

    const LAYOUT: Layout = Layout::Block;

    fn text(&self, ranges: &mut &Ranges, output: &mut Output) -> Result<(), Failure> {
        print_agent(self.0.agent, ranges, output)
    }
}

impl Render for AddressRow<'_> {
    type View<'v> = &'v RangeList;

    fn text(&self, list: &mut &RangeList, output: &mut Output) -> Result<(), Failure> {
        let Palette { good, faint, .. } = output.palette;
        let (address, prefix, operator) = (self.address, &self.prefix, list.operator());
        let text =
            format!("{address} is in {prefix}, which {operator} publishes for {}", render::list(self.tokens));
        writeln!(output, "{good}{}{good:#}", render::wrap(&text, output.width, 2))?;
        let from = format!("list {} of {}, {}", list.name(), list.date(), origin(list));
        Ok(writeln!(output, "  {faint}{}{faint:#}", render::wrap(&from, output.width, 2))?)
    }
}

/// Prints all facts about one crawler.
fn print_agent(agent: &KnownAgent, ranges: &Ranges, output: &mut Output) -> Result<(), Failure> {
    let Palette { strong, faint, .. } = output.palette;
    writeln!(output, "{strong}{}{strong:#}  {faint}{}{faint:#}", agent.token(), agent.operator())?;
    let mut line = |name: &str, value: &str| -> Result<(), Failure> {
        let value = render::wrap(value, output.width, 15);
        Ok(writeln!(output, "  {name:<11}  {value}")?)
    };
    line("purpose", &format!("{}: {}", agent.purpose().title(), agent.purpose().summary()))?;
    line("robots.txt", compliance(agent.robots_txt()))?;
    line("Crawl-delay", compliance(agent.crawl_delay()))?;
    if !agent.fallbacks().is_empty() {
        line(
            "groups",
            &format!("its own, else the group of {}, else the group of *", render::list(agent.fallbacks())),
        )?;
    }
    if agent.ignores_star() {
        line("groups", "the group of * does not apply to it")?;
    }
    let since = agent.retired_since().map(|since| format!(" since {since}")).unwrap_or_default();
    let followed = match agent.successors() {
        [] => String::new(),
        tokens => format!("; replaced by {}", render::list(tokens)),
    };
    line("status", &format!("{}{since}{followed}", agent.status()))?;
    if let Some(note) = agent.note() {
        line("note", note)?;
    }
    let from = agent.source().map(|source| format!(", {source}")).unwrap_or_default();
    line("known", &format!("{} {}{from}", agent.sourcing(), agent.checked()))?;
    for proof in agent.proofs() {
        let what = match proof.kind() {
            ProofKind::ReverseDns => format!("host names of its addresses end in .{}", proof.value()),
            ProofKind::AddressRanges => format!("its addresses are published at {}", proof.value()),
            _ => format!("it signs requests with the keys at {}", proof.value()),
        };
        line("proof", &format!("{what} ({} {}, {})", proof.sourcing(), proof.checked(), proof.source()))?;
    }
    if agent.proofs().is_empty() {
        line("proof", "none known: any client can use its name")?;
    }
    for list in ranges.lists_of(agent.token()) {
        let count = render::count(list.prefixes().len(), "range");
        line(
            "ranges",
            &format!("{count} in the list {} of {} ({})", list.name(), list.date(), origin(list)),
        )?;
    }
    Ok(())
}

/// Returns the kind of source of a list, and the document from which the list was taken.
fn origin(list: &RangeList) -> String {
    match list.via() {
        Some(via) => format!("{} by {via} from {}", list.sourcing(), list.from()),
        None => format!("{}, {}", list.sourcing(), list.from()),
    }
}

fn compliance(compliance: Compliance) -> &'static str {
    match compliance {
        Compliance::Honours => "honoured, according to its operator",
        Compliance::MayIgnore => "may be ignored in some cases, according to its operator",
        Compliance::Ignores => "ignored, according to its operator",
        _ => "unknown: no statement of its operator was found",
    }
}

/// Prints that no list contains an address.
pub(crate) fn print_no_match(
    address: IpAddr,
    named: &[&KnownAgent],
    ranges: &Ranges,
    output: &mut Output,
) -> Result<(), Failure> {
    let Palette { bad, faint, .. } = output.palette;
    if named.is_empty() {
        let text = format!("{address} is in none of the {} lists", ranges.lists().len());
        writeln!(output, "{bad}{text}{bad:#}")?;
    }
    for agent in named {
        let lists: Vec<String> = ranges
            .lists_of(agent.token())
            .map(|list| format!("{} of {}", list.name(), list.date()))
            .collect();
        let token = agent.token();
        if lists.is_empty() {
            writeln!(
                output,
                "no list of the addresses of {token} is known, so the address cannot be verified"
            )?;
        } else {
            writeln!(output, "{bad}{address} is not in the list of {token}: {}{bad:#}", lists.join(", "))?;
        }
    }
    let remark = "Lists change every day: a new address is missing from an older list.";
    Ok(writeln!(output, "  {faint}{}{faint:#}", render::wrap(remark, output.width, 2))?)
}

/// Prints the effect of an update on a list.
pub(crate) fn update(old: Option<&RangeList>, new: &RangeList, output: &mut Output) -> Result<(), Failure> {
    let count = render::count(new.prefixes().len(), "range");
    let (name, date) = (new.name(), new.date());
    match old {
        Some(old) if old.date() > date => {
            writeln!(output, "{name}: kept the list of {}, because that of {date} is older", old.date())?;
        }
        Some(old) => {
            let (before, day) = (old.prefixes().len(), old.date());
            writeln!(output, "{name}: {count} of {date} instead of {before} of {day}")?;
        }
        None => writeln!(output, "{name}: {count} of {date}, a new list")?,
    }
    Ok(())
}
