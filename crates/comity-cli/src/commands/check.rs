//! `comity check`: one line per URL and crawler.

use std::io::Write;

use comity::robots::{Agent, Decision, RobotsTxt, Rules};
use serde::Serialize;

use super::urls::Urls;
use crate::args::{CheckArgs, QuestionArgs};
use crate::exit::{Exit, Failure};
use crate::input::Source;
use crate::output::Output;
use crate::render;

/// Decides every URL for every crawler.
pub(crate) fn run(args: &CheckArgs, output: &mut Output) -> Result<Exit, Failure> {
    let robots = Source::new(&args.question.robots);
    let urls = Urls::new(&args.question.urls, &robots)?;
    let deciders = Decider::all(&args.question, &robots)?;
    let printer = Printer::new(args, &deciders);
    urls.answer_each(output, |url, output| {
        let mut exit = Exit::Success;
        for decider in &deciders {
            match decider.rules.decide(url) {
                Ok(decision) => {
                    exit = exit.max(exit_of(decision.is_allowed()));
                    printer.print(url, &decider.agent, &decision, output)?;
                }
                Err(error) => return Ok(Err(error)),
            }
        }
        Ok(Ok(exit))
    })
}

/// The exit code that one decision asks for.
pub(crate) fn exit_of(allowed: bool) -> Exit {
    if allowed { Exit::Success } else { Exit::Objection }
}

/// A crawler with the rules that speak to it.
struct Decider {
    agent: Agent,
    rules: Rules,
}

impl Decider {
    fn all(question: &QuestionArgs, robots: &Source) -> Result<Vec<Decider>, Failure> {
        let body = robots.read()?;
        let reading = &question.reading;
        let robots = RobotsTxt::parse_with_charset(&body, reading.dialect, reading.charset.as_deref());
        let decider = |agent: Agent| Decider { rules: robots.rules_for(&agent), agent };
        Ok(question.agents.agents().into_iter().map(decider).collect())
    }
}

/// How decisions are printed.
enum Printer {
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
    fn new(args: &CheckArgs, deciders: &[Decider]) -> Self {
        if args.quiet {
            return Printer::Nothing;
        }
        if args.json {
            return Printer::Json;
        }
        let names = deciders
            .iter()
            .map(|decider| render::width(&render::short(decider.agent.as_str().as_bytes(), 40)));
        let agent = if deciders.len() > 1 { names.max().unwrap_or(0) } else { 0 };
        let urls = &args.question.urls;
        let is_streaming = urls.is_empty() || urls.iter().any(|url| url == "-");
        let widths = urls.iter().map(|url| render::width(&render::text(url.as_encoded_bytes())));
        let url = if is_streaming { STREAM_COLUMNS } else { widths.max().unwrap_or(0).min(WIDEST_COLUMN) };
        Printer::Text { agent, url }
    }

    fn print(
        &self,
        url: &[u8],
        agent: &Agent,
        decision: &Decision<'_>,
        output: &mut Output,
    ) -> Result<(), Failure> {
        match *self {
            Printer::Nothing => Ok(()),
            Printer::Json => output.json_line(&Answer::new(url, agent, decision)),
            Printer::Text { agent: agent_columns, url: url_columns } => {
                let palette = output.palette;
                let (style, faint) = (palette.verdict(decision.is_allowed()), palette.faint);
                let verdict = render::verdict(decision.is_allowed());
                write!(output, "{style}{verdict:<10}{style:#}  ")?;
                if agent_columns > 0 {
                    write!(output, "{:<agent_columns$}  ", render::short(agent.as_str().as_bytes(), 40))?;
                }
                let (url, basis) = (render::text(url), render::basis(decision, agent));
                Ok(writeln!(output, "{url:<url_columns$}  {faint}{basis}{faint:#}")?)
            }
        }
    }
}

/// A decision as JSON.
#[derive(Serialize)]
pub(crate) struct Answer<'a> {
    url: String,
    agent: &'a str,
    #[serde(flatten)]
    decision: &'a Decision<'a>,
}

impl<'a> Answer<'a> {
    /// The decision with its question. Bytes of the URL that are not UTF-8 are replaced.
    pub(crate) fn new(url: &[u8], agent: &'a Agent, decision: &'a Decision<'a>) -> Self {
        Answer { url: String::from_utf8_lossy(url).into_owned(), agent: agent.as_str(), decision }
    }
}
