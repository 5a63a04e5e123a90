//! How decisions are printed: in columns, as JSON, or not at all.

use std::io::Write;

use comity::robots::{Agent, Decision};
use serde::Serialize;

use super::CheckArgs;
use crate::decisions::DecisionRow;
use crate::exit::Failure;
use crate::output::Output;
use crate::render;

/// Prints decisions.
pub(super) enum Printer {
    Nothing,
    Json,
    /// Column widths of the crawler's name (0: not shown) and the URL.
    Text {
        agent: usize,
        url: usize,
    },
}

/// URLs are padded to the longest, unless that is very long; those that arrive one by one to this many columns.
const STREAM_COLUMNS: usize = 48;
const WIDEST_COLUMN: usize = 80;

impl Printer {
    pub(super) fn new(args: &CheckArgs, agents: &[Agent]) -> Self {
        if args.quiet {
            return Printer::Nothing;
        }
        if args.json {
            return Printer::Json;
        }
        let names = agents.iter().map(|agent| render::width(&render::short(agent.as_str().as_bytes(), 40)));
        let agent = if agents.len() > 1 { names.max().unwrap_or(0) } else { 0 };
        let urls = &args.question.urls;
        let is_streaming = urls.is_empty() || urls.iter().any(|url| url == "-");
        let widths = urls.iter().map(|url| render::width(&render::text(url.as_encoded_bytes())));
        let url = if is_streaming { STREAM_COLUMNS } else { widths.max().unwrap_or(0).min(WIDEST_COLUMN) };
        Printer::Text { agent, url }
    }

    /// Prints a decision by a file.
    pub(super) fn print(
        &self,
        url: &[u8],
        agent: &Agent,
        decision: &Decision<'_>,
        output: &mut Output,
    ) -> Result<(), Failure> {
        let basis = || render::basis(&decision.to_record(), agent);
        self.row((url, agent), decision, decision.is_allowed(), basis, output)
    }

    /// Prints a decision of either kind. `basis` is only asked where text is printed.
    pub(super) fn row<D: Serialize>(
        &self,
        (url, agent): (&[u8], &Agent),
        decision: &D,
        allowed: bool,
        basis: impl FnOnce() -> String,
        output: &mut Output,
    ) -> Result<(), Failure> {
        match self {
            Printer::Nothing => Ok(()),
            Printer::Json => output.json_line(&DecisionRow::new(url, agent, decision)),
            Printer::Text { .. } => self.line(url, agent, allowed, &basis(), output),
        }
    }

    /// `disallowed  /x  line 2: Disallow: /x`.
    fn line(
        &self,
        url: &[u8],
        agent: &Agent,
        allowed: bool,
        basis: &str,
        output: &mut Output,
    ) -> Result<(), Failure> {
        let Printer::Text { agent: agent_columns, url: url_columns } = *self else { return Ok(()) };
        let (style, faint) = (output.palette.verdict(allowed), output.palette.faint);
        let verdict = render::verdict(allowed);
        write!(output, "{style}{verdict:<10}{style:#}  ")?;
        if agent_columns > 0 {
            write!(output, "{:<agent_columns$}  ", render::short(agent.as_str().as_bytes(), 40))?;
        }
        let url = render::text(url);
        Ok(writeln!(output, "{url:<url_columns$}  {faint}{basis}{faint:#}")?)
    }
}
