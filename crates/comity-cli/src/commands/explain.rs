//! `comity explain`: a decision for a person, with everything that led to it.
//!
//! `evidence` gathers what the library knows about one decision; this file prints it. `side_by_side` does both for
//! `--all-dialects`.

mod evidence;
mod side_by_side;

use std::io::Write;

use comity::robots::{Agent, RobotsTxt, Rules};

use self::evidence::{Evidence, Others};
use super::check::exit_of;
use super::urls::Urls;
use crate::args::ExplainArgs;
use crate::exit::{Exit, Failure};
use crate::input::Source;
use crate::output::Output;
use crate::render::{self, Palette};

/// A robots.txt with the name by which the user knows it.
struct File<'a> {
    name: String,
    body: &'a [u8],
    robots: RobotsTxt<'a>,
}

/// Explains every URL for every crawler.
pub(crate) fn run(args: &ExplainArgs, output: &mut Output) -> Result<Exit, Failure> {
    let source = Source::new(&args.question.robots);
    let urls = Urls::new(&args.question.urls, &source)?;
    let body = source.read()?;
    let reading = &args.question.reading;
    let robots = RobotsTxt::parse_with_charset(&body, reading.dialect, reading.charset.as_deref());
    let file = File { name: source.name(), body: &body, robots };
    let agents = args.question.agents.agents();
    let rules: Vec<Rules> = agents.iter().map(|agent| file.robots.rules_for(agent)).collect();
    let mut is_first = true;
    urls.answer_each(output, |url, output| {
        let mut answer = Ok(Exit::Success);
        for (agent, rules) in agents.iter().zip(&rules) {
            answer = match (answer, rules.decide(url)) {
                (Ok(exit), Ok(decision)) => Ok(exit.max(exit_of(decision.is_allowed()))),
                (Err(error), _) | (_, Err(error)) => Err(error),
            };
            if answer.is_err() && !args.all_dialects {
                break;
            }
            if !is_first && !args.json {
                writeln!(output)?;
            }
            is_first = false;
            Case { args, file: &file, agent, rules, url }.show(output)?;
        }
        Ok(answer)
    })
}

/// One question.
struct Case<'a> {
    args: &'a ExplainArgs,
    file: &'a File<'a>,
    agent: &'a Agent,
    rules: &'a Rules,
    url: &'a [u8],
}

impl Case<'_> {
    fn show(&self, output: &mut Output) -> Result<(), Failure> {
        if self.args.all_dialects {
            return side_by_side::show(self, output);
        }
        let Ok(explanation) = self.rules.explain(self.url) else { return Ok(()) };
        let evidence = Evidence::new(self, &explanation);
        if self.args.json {
            return output.json_line(&evidence.json(self));
        }
        self.print(&evidence, output)
    }

    fn print(&self, evidence: &Evidence<'_>, output: &mut Output) -> Result<(), Failure> {
        let palette = output.palette;
        let decision = evidence.explanation.decision();
        let dialect = decision.dialect();
        self.print_question(decision.is_allowed(), output)?;
        writeln!(output, "by {}, read as {dialect} ({})", self.file.name, dialect.defined_by())?;
        writeln!(output)?;
        print_lines(evidence, &palette, output)?;
        let width = output.width;
        let mut fact = |name: &str, text: &str| -> Result<(), Failure> {
            let strong = palette.strong;
            let text = render::wrap(text, width, 10);
            Ok(writeln!(output, "  {strong}{name:<7}{strong:#} {text}")?)
        };
        fact("why", &evidence.why(self))?;
        fact("group", &evidence.group(self))?;
        let Others { shown, rest, .. } = &evidence.others;
        for (index, other) in shown.iter().enumerate() {
            fact(if index == 0 { "others" } else { "" }, &other.to_string())?;
        }
        if *rest > 0 {
            fact(if shown.is_empty() { "others" } else { "" }, &evidence.others.rest_text())?;
        }
        Ok(())
    }

    /// The verdict, the URL and who asks.
    fn print_question(&self, allowed: bool, output: &mut Output) -> Result<(), Failure> {
        let (style, strong) = (output.palette.verdict(allowed), output.palette.strong);
        let (verdict, url) = (render::verdict(allowed), render::text(self.url));
        let agent = render::text(self.agent.as_str().as_bytes());
        Ok(writeln!(
            output,
            "{style}{verdict}{style:#}  {strong}{url}{strong:#}  for {strong}{agent}{strong:#}"
        )?)
    }
}

/// The lines of the file, the deciding one marked.
fn print_lines(evidence: &Evidence<'_>, palette: &Palette, output: &mut Output) -> Result<(), Failure> {
    const WIDEST: usize = 56;
    let Some(last) = evidence.lines.last() else { return Ok(()) };
    let digits = last.number.to_string().len().max(3);
    let columns = evidence.lines.iter().filter(|line| !line.remark.is_empty());
    let columns = columns.map(|line| render::width(&line.text).min(WIDEST)).max().unwrap_or(0);
    let (gutter, faint) = (palette.gutter, palette.faint);
    let mut before = None;
    for line in &evidence.lines {
        if before.is_some_and(|before| line.number > before + 1) {
            writeln!(output, "    {gutter}{:>digits$}{gutter:#}", "...")?;
        }
        before = Some(line.number);
        let style = match line.decides {
            Some(allowed) => palette.verdict(allowed),
            None => anstyle::Style::new(),
        };
        let mark = if line.decides.is_some() { ">" } else { " " };
        write!(output, "  {style}{mark}{style:#} {gutter}{:>digits$} |{gutter:#} ", line.number)?;
        if line.remark.is_empty() {
            writeln!(output, "{}", line.text)?;
        } else {
            let remark_style = if line.decides.is_some() { style } else { faint };
            write!(output, "{style}{:<columns$}{style:#}   ", line.text)?;
            writeln!(output, "{remark_style}{}{remark_style:#}", line.remark)?;
        }
    }
    if evidence.unshown > 0 {
        let more = render::count(evidence.unshown, "more rule");
        writeln!(output, "    {faint}... and {more} that matched and lost{faint:#}")?;
    }
    Ok(writeln!(output)?)
}
