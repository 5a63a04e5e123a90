//! How decisions are printed: in columns, as JSON, as CSV, or not at all.

use std::io::Write;

use comity::decision::DecisionRecord;
use comity::robots::Agent;
use comity_answers::check::{Check, CheckRow};

use super::CheckArgs;
use crate::args::Format;
use crate::exit::Failure;
use crate::output::Output;
use crate::render;
use crate::spreadsheet::Table;
use crate::url_command::{Decider, RowPrinter};

/// Prints decisions.
pub(super) enum Printer {
    Nothing,
    Json,
    Csv(Table),
    /// Column widths of the crawler's name (0: not shown) and the URL.
    Text {
        agent: usize,
        url: usize,
    },
}

/// URLs that arrive one by one are padded to this many columns, and none to more than this.
const STREAM_COLUMNS: usize = 40;

/// The room that is left for the basis of a decision.
const BASIS_COLUMNS: usize = 28;

impl Printer {
    pub(super) fn new(args: &CheckArgs, agents: &[Agent], output: &mut Output) -> Result<Self, Failure> {
        if args.quiet {
            return Ok(Printer::Nothing);
        }
        match args.format.get() {
            Format::Json => return Ok(Printer::Json),
            Format::Csv => {
                let table = Table::of::<CheckRow<'static>>();
                table.header(output)?;
                return Ok(Printer::Csv(table));
            }
            _ => {}
        }
        let names = agents.iter().map(|agent| render::width(&render::short(agent.as_str().as_bytes(), 40)));
        let agent = if agents.len() > 1 { names.max().unwrap_or(0) } else { 0 };
        let urls = &args.question.urls;
        let taken = "disallowed".len() + 2 + if agent > 0 { agent + 2 } else { 0 } + 2 + BASIS_COLUMNS;
        let room = output.width.saturating_sub(taken).clamp(16, STREAM_COLUMNS);
        let widths = urls.given.iter().map(|url| render::width(&render::text(url.as_encoded_bytes())));
        let url = if urls.is_stream() { room } else { widths.max().unwrap_or(0).min(room) };
        Ok(Printer::Text { agent, url })
    }

    fn row(
        &self,
        url: &[u8],
        row: &CheckRow<'_>,
        by: Decider<'_>,
        output: &mut Output,
    ) -> Result<(), Failure> {
        match self {
            Printer::Nothing => Ok(()),
            Printer::Json => output.json_line(row),
            Printer::Csv(table) => table.row(row, output),
            Printer::Text { .. } => {
                let Some(decision) = &row.decision else {
                    let style = output.palette.warning;
                    return self.line(
                        (url, row),
                        (style, "error"),
                        "it cannot be decided; see above",
                        output,
                    );
                };
                let style = output.palette.verdict(row.allowed);
                self.line(
                    (url, row),
                    (style, render::verdict(row.allowed)),
                    &basis(row, decision, by),
                    output,
                )
            }
        }
    }

    /// `disallowed  /x  line 2: Disallow: /x`.
    fn line(
        &self,
        (url, row): (&[u8], &CheckRow<'_>),
        (style, word): (anstyle::Style, &str),
        basis: &str,
        output: &mut Output,
    ) -> Result<(), Failure> {
        let Printer::Text { agent: agent_columns, url: url_columns } = *self else { return Ok(()) };
        let faint = output.palette.faint;
        write!(output, "{style}{word:<10}{style:#}  ")?;
        if agent_columns > 0 {
            write!(output, "{:<agent_columns$}  ", render::short(row.agent.as_bytes(), 40))?;
        }
        let url = render::text(url);
        let room =
            output.width.saturating_sub(12 + agent_columns + 2 + 2 + render::width(basis)).max(url_columns);
        let url = if output.is_terminal { render::middle(&url, room) } else { url };
        Ok(writeln!(output, "{url:<url_columns$}  {faint}{basis}{faint:#}")?)
    }
}

impl RowPrinter<Check> for Printer {
    fn print(
        &mut self,
        url: &[u8],
        rows: &[CheckRow<'_>],
        by: Decider<'_>,
        output: &mut Output,
    ) -> Result<(), Failure> {
        rows.iter().try_for_each(|row| self.row(url, row, by, output))
    }
}

/// Returns the basis of a decision, and where the robots.txt of a site came from.
#[cfg(feature = "live")]
fn basis(row: &CheckRow<'_>, decision: &DecisionRecord, by: Decider<'_>) -> String {
    use crate::sites::words;

    let Decider::Site(_) = by else { return render::basis(decision, &row.agent) };
    let source = words::source(decision, std::time::SystemTime::now());
    // Where it was not looked at, the basis says so.
    let was_asked = decision.evidence.is_some() || decision.outage.is_some();
    let name = if was_asked { "robots.txt: " } else { "" };
    format!("{}  ({name}{source})", words::basis(decision, &row.agent))
}

#[cfg(not(feature = "live"))]
fn basis(row: &CheckRow<'_>, decision: &DecisionRecord, _: Decider<'_>) -> String {
    render::basis(decision, &row.agent)
}
