//! `comity explain`: a decision for a person, with everything that led to it.
//!
//! `evidence` gathers what the library knows about one decision; this file prints it. `side_by_side` does both for
//! `--all-dialects`.

mod args;
mod evidence;
mod side_by_side;
#[cfg(feature = "live")]
mod site;

use std::cell::OnceCell;
use std::io::Write;

use comity::policy;
use comity::robots::{Agent, Dialect, RobotsTxt, Rules, UrlError};
use comity_answers::explanation::Others;
use comity_answers::provenance::Provenance;
use comity_answers::row::ErrorRow;

pub(crate) use self::args::ExplainArgs;
use self::evidence::Evidence;
use super::check::Hosts;
use crate::decisions::{Urls, exit_of};
use crate::exit::{Exit, Failure};
use crate::location;
use crate::output::Output;
use crate::render::{self, Palette};
use crate::robots_txt::RobotsFile;
#[cfg(not(feature = "live"))]
use crate::sites::offline as site;
use crate::sites::reader::Reader;

/// A robots.txt with the name by which the user knows it.
struct File<'a> {
    name: String,
    body: &'a [u8],
    /// The one that was given, or that of the answer it came with.
    charset: Option<&'a str>,
    robots: RobotsTxt<'a>,
    provenance: &'a Provenance,
    /// The file as each dialect reads it, in the order of [`Dialect::ALL`], if dialects are compared.
    sides: Vec<RobotsTxt<'a>>,
}

impl<'a> File<'a> {
    fn new(
        name: String,
        body: &'a [u8],
        dialect: Dialect,
        charset: Option<&'a str>,
        provenance: &'a Provenance,
    ) -> Self {
        let robots = RobotsTxt::parse_with_charset(body, dialect, charset);
        File { name, body, charset, robots, provenance, sides: Vec::new() }
    }

    /// Reads the file in every dialect, too, if `is_wanted`.
    fn with_sides(mut self, is_wanted: bool) -> Self {
        if is_wanted {
            let read = |dialect| RobotsTxt::parse_with_charset(self.body, dialect, self.charset);
            self.sides = Dialect::ALL.into_iter().map(read).collect();
        }
        self
    }
}

/// Explains every URL for every crawler.
pub(crate) fn run(args: &ExplainArgs, output: &mut Output) -> Result<Exit, Failure> {
    let (question, reading) = (&args.question, &args.question.reading);
    let location = question.location();
    let mut urls = Urls::new(&question.urls, Some(&location))?;
    let agents = question.agents.agents();
    let (loaded, read) = (OnceCell::new(), OnceCell::new());
    let file = |output: &mut Output| {
        if read.get().is_none() {
            let mut reader = Reader::new(&args.network);
            let file = reader.read(&location, output).map_err(|unread| unread.failure())?;
            reader.finish();
            let file: &RobotsFile = loaded.get_or_init(|| file.without_page(output));
            let charset = reading.charset.as_deref().or(file.charset.as_deref());
            let file = File::new(file.name.clone(), &file.body, reading.dialect(), charset, &file.provenance);
            let file = file.with_sides(args.all_dialects);
            let rules: Vec<Rules> = agents.iter().map(|agent| file.robots.rules_for(agent)).collect();
            let _ = read.set((file, rules));
        }
        Ok::<_, Failure>(read.get())
    };
    if question.robots.is_some() {
        file(output)?;
    }
    let mut explainer = Explainer { args, agents: &agents, is_first: true, hosts: Hosts::default() };
    let by_file = |explainer: &mut Explainer<'_>, url: &[u8], output: &mut Output| {
        explainer.hosts.see(url);
        match file(output)? {
            Some((file, rules)) => explainer.by_file(file, rules, url, output),
            None => Ok(Ok(Exit::Success)),
        }
    };
    let is_for_file = |url: &[u8]| question.robots.is_some() || !location::has_scheme(url);
    let (exit, has_more) = urls.answer_while(
        is_for_file,
        output,
        |url, output| by_file(&mut explainer, url, output),
        |url, error, output| error_rows(args, &agents, url, (Provenance::default(), error), output),
    )?;
    explainer.hosts.say(question, output);
    if !has_more {
        return Ok(exit);
    }
    let by_sites = site::run((&mut explainer, urls, &by_file), output)?;
    Ok(exit.max(by_sites))
}

/// Prints the rows of a URL that cannot be explained. For people, the error itself was printed.
fn error_rows(
    args: &ExplainArgs,
    agents: &[Agent],
    url: &[u8],
    (robots_txt, error): (Provenance, &str),
    output: &mut Output,
) -> Result<(), Failure> {
    // A comparison says in the row of each dialect what it makes of the URL.
    if !args.format.is_json() || args.all_dialects {
        return Ok(());
    }
    agents.iter().try_for_each(|agent| {
        output.json_line(&ErrorRow { url, agent, robots_txt: robots_txt.clone(), error })
    })
}

/// Explains one URL after the other.
struct Explainer<'a> {
    args: &'a ExplainArgs,
    agents: &'a [Agent],
    is_first: bool,
    hosts: Hosts,
}

impl Explainer<'_> {
    /// Explains by the rules of a file.
    fn by_file(
        &mut self,
        file: &File<'_>,
        rules: &[Rules],
        url: &[u8],
        output: &mut Output,
    ) -> Result<Result<Exit, UrlError>, Failure> {
        let mut answer = Ok(Exit::Success);
        for (agent, rules) in self.agents.iter().zip(rules) {
            answer = match (answer, rules.decide(url)) {
                (Ok(exit), Ok(decision)) => Ok(exit.max(exit_of(decision.is_allowed()))),
                (Err(error), _) | (_, Err(error)) => Err(error),
            };
            if answer.is_err() && !self.args.all_dialects {
                break;
            }
            self.separate(output)?;
            Case { args: self.args, file, agent, rules, url, policy: None }.show(output)?;
        }
        Ok(answer)
    }

    fn separate(&mut self, output: &mut Output) -> Result<(), Failure> {
        if !std::mem::take(&mut self.is_first) && !self.args.format.is_json() {
            writeln!(output)?;
        }
        Ok(())
    }
}

/// The verdict, the URL and who asks.
fn print_question(url: &[u8], agent: &Agent, allowed: bool, output: &mut Output) -> Result<(), Failure> {
    let (style, strong) = (output.palette.verdict(allowed), output.palette.strong);
    let (verdict, url) = (render::verdict(allowed), render::text(url));
    let agent = render::text(agent.as_str().as_bytes());
    Ok(writeln!(output, "{style}{verdict}{style:#}  {strong}{url}{strong:#}  for {strong}{agent}{strong:#}")?)
}

/// One question.
struct Case<'a> {
    args: &'a ExplainArgs,
    file: &'a File<'a>,
    agent: &'a Agent,
    rules: &'a Rules,
    url: &'a [u8],
    /// The decision of the preset, if a site's own robots.txt was asked for.
    policy: Option<&'a policy::Decision<'a>>,
}

impl Case<'_> {
    fn show(&self, output: &mut Output) -> Result<(), Failure> {
        if self.args.all_dialects {
            return side_by_side::show(self, output);
        }
        let Ok(explanation) = self.file.robots.explain(self.agent, self.url) else { return Ok(()) };
        let evidence = Evidence::new(self, &explanation);
        if self.args.format.is_json() {
            return output.json_line(&evidence.json(self));
        }
        self.print(&evidence, output)
    }

    fn print(&self, evidence: &Evidence<'_>, output: &mut Output) -> Result<(), Failure> {
        let palette = output.palette;
        let decision = &evidence.explanation.decision;
        let dialect = decision.dialect;
        print_question(self.url, self.agent, !decision.blocked, output)?;
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
        if let Some(near_miss) = &evidence.near_miss {
            fact("note", &near_miss.to_string())?;
        }
        let Others { listed, rest, .. } = &evidence.others;
        for (index, other) in listed.iter().enumerate() {
            fact(if index == 0 { "others" } else { "" }, &evidence::other_text(other))?;
        }
        if *rest > 0 {
            fact(if listed.is_empty() { "others" } else { "" }, &evidence::rest_text(&evidence.others))?;
        }
        Ok(())
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
