//! `comity explain`: a decision for a person, with everything that led to it.
//!
//! `evidence` gathers what the library knows about one decision; this file prints it. `side_by_side` does both for
//! `--all-dialects`.

mod args;
mod evidence;
mod side_by_side;

use std::io::Write;

use comity::robots::{Agent, RobotsTxt};
use comity_answers::explain::{Explain, ExplainRow};

pub(crate) use self::args::ExplainArgs;
use self::evidence::Evidence;
use crate::exit::{Exit, Failure};
use crate::output::Output;
use crate::render::{self, Palette};
use crate::url_command::{Decider, JOBS, RowPrinter, Run};

/// Explains every URL for every crawler.
pub(crate) fn run(args: &ExplainArgs, output: &mut Output) -> Result<Exit, Failure> {
    let question = &args.question;
    let agents = question.agents.agents();
    let explain = Explain::new(agents.as_slice(), question.reading.reading());
    let explain = if args.all_dialects { explain.lenient() } else { explain };
    let printer = Printer { args, agents: &agents, is_first: true };
    Run::new(&explain, (question, &args.network), JOBS, printer).answer(output)
}

/// Prints explanations one below the other, or as JSON.
struct Printer<'a> {
    args: &'a ExplainArgs,
    agents: &'a [Agent],
    is_first: bool,
}

/// A robots.txt with the name by which a person knows it.
struct File<'a> {
    name: String,
    body: &'a [u8],
    charset: Option<&'a str>,
    robots: RobotsTxt<'a>,
}

impl<'a> File<'a> {
    /// Returns the file that decided, or `None` if a site was asked.
    fn of(by: Decider<'a>, args: &'a ExplainArgs) -> Option<File<'a>> {
        let reading = &args.question.reading;
        match by {
            Decider::File(file) => {
                let charset = file.charset.as_deref();
                let robots = reading.read(file);
                Some(File { name: file.name.clone(), body: &file.body, charset, robots })
            }
            #[cfg(feature = "live")]
            Decider::Site(site) => {
                let file = site.file.as_ref()?;
                let (body, charset) = (file.body.as_deref()?, file.charset.as_deref());
                let came = crate::sites::words::source(&file.decision, std::time::SystemTime::now());
                let name = format!("{} ({came})", render::text(site.url.as_bytes()));
                let charset = reading.charset.as_deref().or(charset);
                let dialect = reading.dialect.unwrap_or(site.dialect);
                let robots = RobotsTxt::parse_with_charset(body, dialect, charset);
                Some(File { name, body, charset, robots })
            }
            #[cfg(not(feature = "live"))]
            Decider::Site(_) => None,
            Decider::Nothing => None,
        }
    }
}

impl RowPrinter<Explain> for Printer<'_> {
    fn print(
        &mut self,
        url: &[u8],
        rows: &[ExplainRow<'_>],
        by: Decider<'_>,
        output: &mut Output,
    ) -> Result<(), Failure> {
        let is_json = self.args.format.is_json();
        if is_json && !self.args.all_dialects {
            return rows.iter().try_for_each(|row| output.json_line(row));
        }
        let file = File::of(by, self.args);
        let sides = match &file {
            Some(file) if self.args.all_dialects => side_by_side::read(file),
            _ => Vec::new(),
        };
        for (row, agent) in rows.iter().zip(self.agents) {
            // The error was printed. A comparison shows what each dialect makes of the text.
            if row.error.is_some() && sides.is_empty() {
                continue;
            }
            if !std::mem::take(&mut self.is_first) && !is_json {
                writeln!(output)?;
            }
            match &file {
                Some(file) if self.args.all_dialects => {
                    side_by_side::show((url, row), (agent, file, &sides), is_json, output)?;
                }
                Some(file) => print(row, &Evidence::new(row, agent, file, self.args), file, output)?,
                None => without_file(row, output)?,
            }
        }
        Ok(())
    }

    fn compares_dialects(&self) -> bool {
        self.args.all_dialects
    }
}

/// Prints the verdict, the URL and the crawler.
fn print_question(row: &ExplainRow<'_>, output: &mut Output) -> Result<(), Failure> {
    let (style, strong) = (output.palette.verdict(row.allowed), output.palette.strong);
    let (verdict, url) = (render::verdict(row.allowed), render::text(row.url.as_bytes()));
    let agent = render::text(row.agent.as_bytes());
    Ok(writeln!(output, "{style}{verdict}{style:#}  {strong}{url}{strong:#}  for {strong}{agent}{strong:#}")?)
}

/// Prints an explanation by the rules of a file.
fn print(
    row: &ExplainRow<'_>,
    evidence: &Evidence,
    file: &File<'_>,
    output: &mut Output,
) -> Result<(), Failure> {
    let palette = output.palette;
    let dialect = file.robots.dialect();
    print_question(row, output)?;
    writeln!(output, "by {}, read as {dialect} ({})", file.name, dialect.defined_by())?;
    writeln!(output)?;
    print_lines(evidence, &palette, output)?;
    let width = output.width;
    let mut fact = |name: &str, text: &str| -> Result<(), Failure> {
        let strong = palette.strong;
        let text = render::wrap(text, width, 10);
        Ok(writeln!(output, "  {strong}{name:<7}{strong:#} {text}")?)
    };
    fact("why", &evidence.why)?;
    fact("group", &evidence.group)?;
    if let Some(near_miss) = &row.near_miss {
        fact("note", &near_miss.to_string())?;
    }
    for (index, other) in row.other_groups.iter().enumerate() {
        fact(if index == 0 { "others" } else { "" }, &evidence::other_text(other))?;
    }
    if row.unlisted_groups > 0 {
        fact(if row.other_groups.is_empty() { "others" } else { "" }, &evidence::unlisted_text(row))?;
    }
    Ok(())
}

/// Prints a decision that no rules led to.
#[cfg(feature = "live")]
fn without_file(row: &ExplainRow<'_>, output: &mut Output) -> Result<(), Failure> {
    use crate::sites::words;

    let Some(decision) = &row.decision else { return Ok(()) };
    print_question(row, output)?;
    let url = row.robots_txt.url.as_deref().unwrap_or_default();
    let source = words::source(decision, std::time::SystemTime::now());
    writeln!(output, "by {} ({source})\n", render::text(url.as_bytes()))?;
    let strong = output.palette.strong;
    writeln!(output, "  {strong}why{strong:#}     {}", words::basis(decision, &row.agent))?;
    if let Some(near_miss) = &row.near_miss {
        let text = render::wrap(&near_miss.to_string(), output.width, 10);
        writeln!(output, "  {strong}note{strong:#}    {text}")?;
    }
    if let Some(preset) = decision.preset {
        let text =
            format!("{preset} ({}); `comity presets {preset}` shows what it does when", preset.defined_by());
        writeln!(output, "  {strong}preset{strong:#}  {}", render::wrap(&text, output.width, 10))?;
    }
    Ok(writeln!(output, "  {strong}verdict{strong:#} {}, {}", decision.verdict, decision.recommendation)?)
}

#[cfg(not(feature = "live"))]
fn without_file(_: &ExplainRow<'_>, _: &mut Output) -> Result<(), Failure> {
    Ok(())
}

/// The lines of the file, the deciding one marked.
fn print_lines(evidence: &Evidence, palette: &Palette, output: &mut Output) -> Result<(), Failure> {
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
