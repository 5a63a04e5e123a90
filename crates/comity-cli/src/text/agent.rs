//! A known crawler, and an address of one.

use std::io::Write;
use std::net::IpAddr;

use comity::agents::{Compliance, KnownAgent, ProofKind, Purpose, RangeList, Ranges, Status};
use comity_answers::agents::{AddressRow, AgentRow};
use serde::Serialize;

use super::{Layout, Render};
use crate::exit::Failure;
use crate::output::Output;
use crate::render::{self, Palette};

/// The column of the names, and the purpose whose heading was printed last.
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

/// A line for each crawler, below its purpose.
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
        remarks.extend((!agent.proofs().is_empty()).then(|| "can be proven".to_owned()));
        let (token, operator, remarks) = (agent.token(), agent.operator(), remarks.join(", "));
        Ok(writeln!(output, "  {token:<width$}  {operator}  {faint}{remarks}{faint:#}")?)
    }
}

/// A crawler with a line for each fact.
#[derive(Serialize)]
#[serde(transparent)]
pub(crate) struct AgentPage<'r>(pub(crate) AgentRow<'r>);

impl Render for AgentPage<'_> {
    type View<'v> = &'v Ranges;

    const LAYOUT: Layout = Layout::Block;

    fn text(&self, ranges: &mut &Ranges, output: &mut Output) -> Result<(), Failure> {
        one(self.0.agent, ranges, output)
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

/// Everything about one crawler.
fn one(agent: &KnownAgent, ranges: &Ranges, output: &mut Output) -> Result<(), Failure> {
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
            &format!("its own, else that of {}, else that of *", render::list(agent.fallbacks())),
        )?;
    }
    if agent.ignores_star() {
        line("groups", "the group of * does not speak to it")?;
    }
    let since = agent.retired_since().map(|since| format!(" since {since}")).unwrap_or_default();
    let followed = match agent.successors() {
        [] => String::new(),
        tokens => format!("; {} took its place", render::list(tokens)),
    };
    line("status", &format!("{}{since}{followed}", agent.status()))?;
    if let Some(note) = agent.note() {
        line("note", note)?;
    }
    let from = agent.source().map(|source| format!(", {source}")).unwrap_or_default();
    line("known", &format!("{} {}{from}", agent.sourcing(), agent.checked()))?;
    for proof in agent.proofs() {
        let what = match proof.kind() {
            ProofKind::ReverseDns => format!("names of its addresses end in .{}", proof.value()),
            ProofKind::AddressRanges => format!("its addresses are published at {}", proof.value()),
            _ => format!("it signs requests, by the keys at {}", proof.value()),
        };
        line("proof", &format!("{what} ({} {}, {})", proof.sourcing(), proof.checked(), proof.source()))?;
    }
    if agent.proofs().is_empty() {
        line("proof", "none is known: anybody can use its name")?;
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

/// Returns how a list was compiled, and from which document.
fn origin(list: &RangeList) -> String {
    match list.via() {
        Some(via) => format!("{} by {via} from {}", list.sourcing(), list.from()),
        None => format!("{}, {}", list.sourcing(), list.from()),
    }
}

fn compliance(compliance: Compliance) -> &'static str {
    match compliance {
        Compliance::Honours => "honours it, its operator says",
        Compliance::MayIgnore => "may ignore it, in cases that its operator names or leaves open",
        Compliance::Ignores => "ignores it, its operator says",
        _ => "unknown: its operator does not say, or nobody has looked it up",
    }
}

/// An address that is in no list.
pub(crate) fn miss(
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
            writeln!(output, "no list of the addresses of {token} is known, so nothing can be said")?;
        } else {
            writeln!(output, "{bad}{address} is not in the list of {token}: {}{bad:#}", lists.join(", "))?;
        }
    }
    let remark = "Lists change from day to day: an address that is newer than the list is not in it.";
    Ok(writeln!(output, "  {faint}{}{faint:#}", render::wrap(remark, output.width, 2))?)
}

/// The effect of an update on a list.
pub(crate) fn update(old: Option<&RangeList>, new: &RangeList, output: &mut Output) -> Result<(), Failure> {
    let count = render::count(new.prefixes().len(), "range");
    let (name, date) = (new.name(), new.date());
    match old {
        Some(old) if old.date() > date => {
            writeln!(output, "{name}: {date} is older than {}, which stays", old.date())?;
        }
        Some(old) => {
            let (before, day) = (old.prefixes().len(), old.date());
            writeln!(output, "{name}: {count} of {date} replace {before} of {day}")?;
        }
        None => writeln!(output, "{name}: {count} of {date} are new")?,
    }
    Ok(())
}
