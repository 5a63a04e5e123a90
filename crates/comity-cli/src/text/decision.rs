//! Renders the decision about a URL for a crawler: `disallowed  /x  line 2: Disallow: /x`.

use std::io::Write;

use comity::decision::DecisionRecord;
use comity::robots::{Agent, DelaySource};
use comity_answers::check::CheckRow;

use super::Render;
use crate::args::UrlArgs;
use crate::exit::Failure;
use crate::output::Output;
use crate::render;
use crate::spreadsheet::Table;

/// Maximum number of columns to which URLs are padded.
const STREAM_COLUMNS: usize = 40;

/// Number of columns for the basis of a decision.
const BASIS_COLUMNS: usize = 28;

/// The widths of columns.
#[derive(Clone, Copy)]
pub(crate) struct Columns {
    /// Width of the crawler's name; 0 if it is not shown.
    agent: usize,
    url: usize,
}

impl Columns {
    /// Returns the widths for these crawlers and URLs.
    pub(crate) fn new(agents: &[Agent], urls: &UrlArgs, output: &Output) -> Columns {
        let names = agents.iter().map(|agent| render::width(&render::short(agent.as_str().as_bytes(), 40)));
        let agent = if agents.len() > 1 { names.max().unwrap_or(0) } else { 0 };
        let taken = "disallowed".len() + 2 + if agent > 0 { agent + 2 } else { 0 } + 2 + BASIS_COLUMNS;
        let room = output.width.saturating_sub(taken).clamp(16, STREAM_COLUMNS);
        let widths = urls.given.iter().map(|url| render::width(&render::text(url.as_encoded_bytes())));
        let url = if urls.is_stream() { room } else { widths.max().unwrap_or(0).min(room) };
        Columns { agent, url }
    }
}

impl Render for CheckRow<'_> {
    /// The widths of columns, and the URL as in the argument.
    type View<'v> = (Columns, &'v [u8]);

    fn table() -> Table {
        Table::of::<CheckRow<'static>>()
    }

    fn text(&self, view: &mut (Columns, &[u8]), output: &mut Output) -> Result<(), Failure> {
        let (Columns { agent: agent_columns, url: url_columns }, url) = *view;
        let palette = output.palette;
        let (style, word, basis) = match &self.decision {
            None => (palette.warning, "error", "no decision; see the error above".to_owned()),
            Some(_) => (palette.verdict(self.allowed), render::verdict(self.allowed), basis(self)),
        };
        write!(output, "{style}{word:<10}{style:#}  ")?;
        if agent_columns > 0 {
            write!(output, "{:<agent_columns$}  ", render::short(self.agent.as_bytes(), 40))?;
        }
        let url = render::text(url);
        let room =
            output.width.saturating_sub(12 + agent_columns + 2 + 2 + render::width(&basis)).max(url_columns);
        let url = if output.is_terminal { render::middle(&url, room) } else { url };
        Ok(writeln!(output, "{url:<url_columns$}  {0}{basis}{0:#}", palette.faint)?)
    }
}

/// Returns the delay, such as `10 s`, and the record that requests it.
pub(crate) fn delay(decision: &DecisionRecord) -> Option<(String, &'static str)> {
    let (delay, source) = decision.crawl_delay_seconds.zip(decision.crawl_delay_source)?;
    let record = if source == DelaySource::RequestRate { "Request-rate" } else { "Crawl-delay" };
    Some((format!("{} s", delay.as_secs_f64()), record))
}

/// Returns the basis of a decision, the delay, and the source of a site's robots.txt.
fn basis(row: &CheckRow<'_>) -> String {
    let Some(decision) = &row.decision else { return String::new() };
    let delay = delay(decision).map(|(delay, _)| format!("; crawl delay {delay}")).unwrap_or_default();
    #[cfg(feature = "live")]
    if decision.preset.is_some() {
        use crate::sites::phrases;

        let source = phrases::source(decision, std::time::SystemTime::now());
        // Without an answer to the request for robots.txt, `source` is only the policy.
        let has_answer = decision.evidence.is_some() || decision.outage.is_some();
        let name = if has_answer { "robots.txt: " } else { "" };
        return format!("{}{delay}  ({name}{source})", phrases::basis(decision, &row.agent));
    }
    render::basis(decision, &row.agent) + &delay
}
