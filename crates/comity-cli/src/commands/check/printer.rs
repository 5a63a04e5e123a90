//! How decisions are printed: in columns, as JSON, as CSV, or not at all.

use std::io::Write;

use comity::decision::DecisionRecord;
use comity::robots::{Agent, Decision};
use comity_answers::provenance::Provenance;
use comity_answers::row::{Answer, DecisionRow, ErrorRow};
use serde::Serialize;

use super::CheckArgs;
use crate::args::Format;
use crate::exit::Failure;
use crate::output::Output;
use crate::render;
use crate::spreadsheet;

/// Prints decisions.
pub(super) enum Printer {
    Nothing,
    Json,
    Csv,
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

const COLUMNS: [&str; 9] =
    ["url", "agent", "allowed", "verdict", "recommendation", "line", "rule", "group", "error"];

impl Printer {
    pub(super) fn new(args: &CheckArgs, agents: &[Agent], output: &mut Output) -> Result<Self, Failure> {
        if args.quiet {
            return Ok(Printer::Nothing);
        }
        match args.format.get() {
            Format::Json => return Ok(Printer::Json),
            Format::Csv => {
                spreadsheet::row(COLUMNS, output)?;
                return Ok(Printer::Csv);
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

    /// Prints a decision by a file.
    pub(super) fn print(
        &self,
        url: &[u8],
        agent: &Agent,
        decision: &Decision<'_>,
        robots_txt: &Provenance,
        output: &mut Output,
    ) -> Result<(), Failure> {
        let basis = || render::basis(&decision.to_record(), agent);
        self.row((url, agent, robots_txt), decision, || decision.to_record(), basis, output)
    }

    /// Prints a decision of either kind. `basis` is only asked where text is printed.
    pub(super) fn row<D: Answer>(
        &self,
        (url, agent, robots_txt): (&[u8], &Agent, &Provenance),
        decision: &D,
        record: impl FnOnce() -> DecisionRecord,
        basis: impl FnOnce() -> String,
        output: &mut Output,
    ) -> Result<(), Failure>
    where
        D::Fields: Serialize,
    {
        match self {
            Printer::Nothing => Ok(()),
            Printer::Json => output.json_line(&DecisionRow::new(url, agent, decision, robots_txt)),
            Printer::Csv => {
                let record = record();
                let rule = record.rule.as_ref();
                let cells = [
                    String::from_utf8_lossy(url).into_owned(),
                    agent.as_str().to_owned(),
                    record.recommendation.allows().to_string(),
                    record.verdict.to_string(),
                    record.recommendation.to_string(),
                    rule.map(|rule| rule.line.to_string()).unwrap_or_default(),
                    rule.map(ToString::to_string).unwrap_or_default(),
                    record.group.unwrap_or_default(),
                    String::new(),
                ];
                spreadsheet::row(cells, output)
            }
            Printer::Text { .. } => {
                let allowed = record().recommendation.allows();
                let style = output.palette.verdict(allowed);
                self.line((url, agent), (style, render::verdict(allowed)), &basis(), output)
            }
        }
    }

    /// Prints the rows of a URL that cannot be decided. For people, the error itself was printed.
    pub(super) fn error(
        &self,
        url: &[u8],
        agents: &[Agent],
        robots_txt: Provenance,
        error: &str,
        output: &mut Output,
    ) -> Result<(), Failure> {
        for agent in agents {
            match self {
                Printer::Nothing => {}
                Printer::Json => {
                    output.json_line(&ErrorRow { url, agent, robots_txt: robots_txt.clone(), error })?;
                }
                Printer::Csv => {
                    let url = String::from_utf8_lossy(url);
                    spreadsheet::row([&*url, agent.as_str(), "false", "", "", "", "", "", error], output)?;
                }
                Printer::Text { .. } => {
                    let style = output.palette.warning;
                    self.line((url, agent), (style, "error"), "it cannot be decided; see above", output)?;
                }
            }
        }
        Ok(())
    }

    /// `disallowed  /x  line 2: Disallow: /x`.
    fn line(
        &self,
        (url, agent): (&[u8], &Agent),
        (style, word): (anstyle::Style, &str),
        basis: &str,
        output: &mut Output,
    ) -> Result<(), Failure> {
        let Printer::Text { agent: agent_columns, url: url_columns } = *self else { return Ok(()) };
        let faint = output.palette.faint;
        write!(output, "{style}{word:<10}{style:#}  ")?;
        if agent_columns > 0 {
            write!(output, "{:<agent_columns$}  ", render::short(agent.as_str().as_bytes(), 40))?;
        }
        let url = render::text(url);
        let room =
            output.width.saturating_sub(12 + agent_columns + 2 + 2 + render::width(basis)).max(url_columns);
        let url = if output.is_terminal { render::middle(&url, room) } else { url };
        Ok(writeln!(output, "{url:<url_columns$}  {faint}{basis}{faint:#}")?)
    }
}
