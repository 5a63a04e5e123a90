//! `comity page`: what a page and its header ask of a crawler.
//!
//! `comity_answers` makes the row; `--json` prints it as it is, the text is a view of it.

mod args;
#[cfg(feature = "live")]
mod site;
use std::io::Write;
use std::time::SystemTime;

use comity::http::{Headers, MAX_HEADER_BYTES};
use comity::page::{PageDirectives, PageOutcome, Source as Place, SourceKind, Statement, UseWarning};
use comity::robots::Agent;
use comity_answers::notice::Notice;
use comity_answers::page::{self, PageNames, PageRow};

pub(crate) use self::args::PageArgs;
use crate::decisions::print_notices;
use crate::exit::{Exit, Failure};
use crate::findings;
use crate::input::Source;
use crate::output::Output;
use crate::render;
#[cfg(not(feature = "live"))]
use crate::sites::offline as site;

/// The largest number of causes of one warning that are shown, and how many statements of one reason.
const SHOWN: usize = 5;

/// Reads header and page, and shows what they ask.
pub(crate) fn run(args: &PageArgs, output: &mut Output) -> Result<Exit, Failure> {
    print_notices(Notice::of_agents([&Agent::token(&args.agent)], None), output);
    if args.url.is_some() {
        return site::run(args, output);
    }
    let sources = Sources::new(args)?;
    let header = sources.headers.as_ref().map(Source::read).transpose()?.unwrap_or_default();
    let body = sources.html.as_ref().map(Source::read).transpose()?.unwrap_or_default();
    let headers = sources.parse(&header)?;
    let directives = page::directives(&headers, &body, args.charset.as_deref());
    let names = PageNames {
        headers: sources.headers.as_ref().map(Source::name),
        html: sources.html.as_ref().map(Source::name),
        fetched: None,
    };
    show(args, names, &directives, output)
}

fn show(
    args: &PageArgs,
    names: PageNames,
    directives: &PageDirectives,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let now = args.now.map_or_else(SystemTime::now, SystemTime::from);
    let profiles = page::profiles(args.profile);
    let row = PageRow::new(names, directives, &args.agent, &profiles, now);
    if args.document.format.is_json() {
        output.json_pretty(&row)?;
    } else {
        print(&row, &args.agent, output)?;
    }
    let is_asked = row.outcomes.iter().any(|outcome| !outcome.warnings().is_empty());
    Ok(if is_asked { Exit::Objection } else { Exit::Success })
}

/// The inputs.
struct Sources {
    headers: Option<Source>,
    html: Option<Source>,
}

impl Sources {
    fn new(args: &PageArgs) -> Result<Self, Failure> {
        let source = |path: &Option<std::path::PathBuf>| path.as_deref().map(Source::new);
        let (headers, html) = (source(&args.headers), source(&args.body));
        if headers == Some(Source::Stdin) && html == Some(Source::Stdin) {
            return Err(Failure::new("header and page cannot both come from standard input")
                .hint("save one of them to a file; `curl -D header.txt -o page.html URL` saves both"));
        }
        Ok(Sources { headers, html })
    }

    fn parse<'h>(&self, header: &'h [u8]) -> Result<Headers<'h>, Failure> {
        let headers = Headers::parse(header).map_err(|error| {
            let name = self.headers.as_ref().map_or_else(|| "headers".to_owned(), Source::name);
            let limit = MAX_HEADER_BYTES / 1024;
            Failure::new(format!("`{name}`: {error}")).hint(format!(
                "no server sends a header of more than {limit} KiB; is this the page? name it with --body"
            ))
        })?;
        Ok(headers)
    }
}

fn print(row: &PageRow<'_>, agent: &str, output: &mut Output) -> Result<(), Failure> {
    let (strong, faint) = (output.palette.strong, output.palette.faint);
    let mut files: Vec<&str> = [&row.headers, &row.html].into_iter().flatten().map(String::as_str).collect();
    files.dedup();
    let agent = render::short(agent.as_bytes(), 60);
    let count = render::count(row.statements, "directive");
    writeln!(output, "{strong}{}{strong:#}  {faint}{count}, read for {agent}{faint:#}", files.join(", "))?;
    for outcome in &row.outcomes {
        print_outcome(outcome, output)?;
    }
    print_findings(row, output)
}

fn print_findings(row: &PageRow<'_>, output: &mut Output) -> Result<(), Failure> {
    if row.findings.is_empty() {
        return Ok(());
    }
    let strong = output.palette.strong;
    writeln!(output, "\n{strong}Findings{strong:#}")?;
    let mut printer = findings::Printer::default();
    row.findings.iter().try_for_each(|finding| printer.print(&finding.place().to_string(), finding, output))
}

fn print_outcome(outcome: &PageOutcome<'_>, output: &mut Output) -> Result<(), Failure> {
    let (strong, faint, good) = (output.palette.strong, output.palette.faint, output.palette.good);
    let profile = outcome.profile();
    writeln!(output, "\n{strong}By the rules of {}{strong:#}", profile.title())?;
    if outcome.warnings().is_empty() {
        writeln!(output, "  {good}nothing is asked{good:#}")?;
    }
    for warning in outcome.warnings() {
        print_warning(warning, output)?;
    }
    // Statements are set aside in the order of the page; people want to see them by reason.
    let mut aside: Vec<_> = outcome.set_aside().iter().collect();
    aside.sort_by_key(|aside| aside.reason());
    for same in aside.chunk_by(|one, other| one.reason() == other.reason()) {
        let Some(first) = same.first() else { continue };
        let texts: Vec<_> = same.iter().take(SHOWN).map(|aside| aside_text(aside.statement())).collect();
        let more = more(same.len());
        let text = format!("{}: {}{more}", first.reason().summary(), texts.join(", "));
        writeln!(output, "  {faint}{}{faint:#}", render::wrap(&text, output.width, 4))?;
    }
    Ok(())
}

fn print_warning(warning: &UseWarning<'_>, output: &mut Output) -> Result<(), Failure> {
    let (style, faint) = (output.palette.bad, output.palette.faint);
    let summary = match warning.value() {
        Some(value) => format!("{}: {value}", warning.restriction().summary()),
        None => warning.restriction().summary().to_owned(),
    };
    writeln!(output, "  {style}{}{style:#}  {summary}", warning.restriction())?;
    for cause in warning.causes().iter().take(SHOWN) {
        let text = render::short(cause.text().as_bytes(), 80);
        writeln!(output, "      {text}  {faint}{}{faint:#}", place(cause.source()))?;
    }
    if warning.causes().len() > SHOWN {
        writeln!(output, "      {faint}{}{faint:#}", more(warning.causes().len()).trim_start_matches(", "))?;
    }
    Ok(())
}

/// `, and 3 more`, or nothing.
fn more(total: usize) -> String {
    if total > SHOWN { format!(", and {} more", total - SHOWN) } else { String::new() }
}

/// `noindex (to osprey)`.
fn aside_text(statement: &Statement) -> String {
    let text = render::short(statement.text().as_bytes(), 40);
    match statement.agent() {
        Some(agent) => format!("{text} (to {})", render::short(agent.as_bytes(), 40)),
        None => text.into_owned(),
    }
}

/// Returns where something stands, for people.
fn place(place: &Place) -> String {
    let name = render::short(place.name().as_bytes(), 40);
    let line = place.line().unwrap_or_default();
    let part = if place.is_in_body() { "body" } else { "head" };
    match place.kind() {
        SourceKind::Meta if name.is_empty() => format!("page, line {line}"),
        SourceKind::Meta => format!("page, line {line}: <meta name={name}> in the {part}"),
        SourceKind::DataNoSnippet => format!("page, line {line}: <{name}>"),
        _ => format!("{name} #{}, byte {}", place.number(), place.offset()),
    }
}
