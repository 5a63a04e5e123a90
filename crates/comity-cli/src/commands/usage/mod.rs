//! `comity usage`: what content may be used for, signal by signal.
//!
//! The library makes the report; `--json` prints it as it is, the text is a view of it: a table of uses against signals,
//! and below it the lines that the table rests on.

mod args;
#[cfg(feature = "live")]
mod site;
mod text;

use std::path::Path;

use comity::html::{Facts, FactsOptions};
use comity::http::Headers;
use comity::robots::{Agent, RobotsTxt};
use comity::usage::{LicenseDocument, Preference, Report, SignalReport, Stance, Tdmrep, Usage};
use comity_answers::usage::{UsageErrorRow, UsageRow};

pub(crate) use self::args::UsageArgs;
use crate::decisions::Urls;
use crate::exit::{Exit, Failure};
use crate::input::Source;
use crate::output::Output;
#[cfg(not(feature = "live"))]
use crate::sites::offline as site;

/// Reports on every URL for every crawler.
pub(crate) fn run(args: &UsageArgs, output: &mut Output) -> Result<Exit, Failure> {
    if !args.names_files() {
        return site::run(args, output);
    }
    check_stdin(args)?;
    let urls = Urls::new(&args.urls, None)?;
    let files = Files::read(args)?;
    let mut said = Said::new(args, &files)?;
    if !args.license.is_empty() {
        site::add_licenses(args, &mut said, output)?;
    }
    let agents = args.agents.agents();
    let questions: Vec<Usage<'_>> = agents.iter().map(|agent| said.question(args, agent)).collect();
    let name = args.robots.as_deref().map_or_else(String::new, |path| Source::new(path).name());
    let mut printer = text::Printer::new(name, !args.rsl.is_empty() || !args.license.is_empty());
    let answer = |url: &[u8], output: &mut Output| {
        let mut exit = Exit::Success;
        for question in &questions {
            match question.report(url) {
                Ok(report) => {
                    exit = exit.max(exit_of(&report));
                    if args.format.is_json() {
                        output.json_line(&UsageRow { report: &report, error: None })?
                    } else {
                        printer.print(&report, output)?
                    }
                }
                Err(error) => return Ok(Err(error)),
            }
        }
        Ok(Ok(exit))
    };
    let json = args.format.is_json();
    let exit =
        urls.answer_each(output, answer, |url, error, output| error_rows(json, &agents, url, error, output))?;
    if !args.format.is_json() {
        printer.findings(output)?;
    }
    Ok(exit)
}

/// Prints the rows of a URL about which nothing can be said. For people, the error itself was printed.
fn error_rows(
    json: bool,
    agents: &[Agent],
    url: &[u8],
    error: &str,
    output: &mut Output,
) -> Result<(), Failure> {
    if !json {
        return Ok(());
    }
    let url = String::from_utf8_lossy(url);
    agents.iter().try_for_each(|agent| output.json_line(&UsageErrorRow::new(&url, agent.as_str(), error)))
}

/// The exit code that one report asks for.
fn exit_of(report: &Report) -> Exit {
    let preferences = report.signals().iter().flat_map(SignalReport::preferences);
    let is_disallowed = preferences.map(Preference::stance).any(|stance| stance == Stance::Disallow);
    if is_disallowed { Exit::Objection } else { Exit::Success }
}

/// The files named, in the order of the options.
fn paths(args: &UsageArgs) -> impl Iterator<Item = &Path> {
    let one = [&args.robots, &args.headers, &args.body, &args.tdmrep].into_iter().flatten();
    one.chain(&args.rsl).map(|path| path.as_path())
}

/// Refuses to read several things from standard input.
fn check_stdin(args: &UsageArgs) -> Result<(), Failure> {
    let files = paths(args).map(Source::new).filter(|source| *source == Source::Stdin).count();
    if files > 1 {
        return Err(Failure::new("standard input cannot be several files at once")
            .hint("save all but one of them to files"));
    }
    if files == 1 && args.urls.reads_stdin() {
        return Err(Failure::new("standard input cannot be both a file and the list of URLs")
            .hint("save one of them to a file, or give the URLs as arguments"));
    }
    Ok(())
}

/// The contents of the files named.
struct Files {
    robots: Option<Vec<u8>>,
    headers: Option<Vec<u8>>,
    html: Option<Vec<u8>>,
    tdmrep: Option<Vec<u8>>,
    rsl: Vec<Vec<u8>>,
}

impl Files {
    fn read(args: &UsageArgs) -> Result<Self, Failure> {
        let read = |path: &Option<std::path::PathBuf>| {
            path.as_deref().map(|path| Source::new(path).read()).transpose()
        };
        Ok(Files {
            robots: read(&args.robots)?,
            headers: read(&args.headers)?,
            html: read(&args.body)?,
            tdmrep: read(&args.tdmrep)?,
            rsl: args.rsl.iter().map(|path| Source::new(path).read()).collect::<Result<_, _>>()?,
        })
    }
}

/// The statements of a site.
struct Said<'f> {
    robots: Option<RobotsTxt<'f>>,
    headers: Option<Headers<'f>>,
    html: Option<Facts>,
    tdmrep: Option<Tdmrep>,
    /// What the site names as its licence.
    rsl: Vec<LicenseDocument>,
    /// What the page names as its licence.
    rsl_of_page: Vec<LicenseDocument>,
    /// Addresses of licences that could not be had or read.
    unavailable: Vec<String>,
}

impl<'f> Said<'f> {
    fn new(args: &UsageArgs, files: &'f Files) -> Result<Self, Failure> {
        let headers = files.headers.as_deref().map(Headers::parse).transpose();
        let headers = headers.map_err(|error| refused_one(&args.headers, &error))?;
        let charset = headers.as_ref().and_then(Headers::charset);
        let tdmrep = files.tdmrep.as_deref().map(Tdmrep::parse).transpose();
        let rsl = files
            .rsl
            .iter()
            .zip(&args.rsl)
            .map(|(text, path)| LicenseDocument::parse(text).map_err(|error| refused(path, &error)));
        Ok(Said {
            robots: files.robots.as_ref().map(|body| args.reading.read(body, None)),
            headers,
            html: files
                .html
                .as_deref()
                .map(|page| FactsOptions::new().charset(charset.as_deref()).read(page)),
            tdmrep: tdmrep.map_err(|error| refused_one(&args.tdmrep, &error))?,
            rsl: rsl.collect::<Result<_, _>>()?,
            rsl_of_page: Vec::new(),
            unavailable: Vec::new(),
        })
    }

    fn question<'s>(&'s self, args: &UsageArgs, agent: &'s Agent) -> Usage<'s> {
        let mut usage = Usage::with_vocabulary(agent, args.vocabulary.unwrap_or_default());
        usage = self.robots.iter().fold(usage, |usage, robots| usage.robots(robots));
        usage = self.headers.iter().fold(usage, |usage, headers| usage.headers(headers));
        usage = self.html.iter().fold(usage, |usage, facts| usage.html(facts));
        usage = self.tdmrep.iter().fold(usage, |usage, tdmrep| usage.tdmrep(tdmrep));
        usage = self.rsl.iter().fold(usage, |usage, document| usage.rsl(document));
        usage = self.rsl_of_page.iter().fold(usage, |usage, document| usage.rsl_of_page(document));
        usage = self.unavailable.iter().fold(usage, |usage, url| usage.rsl_unavailable(url.as_str()));
        usage = args.user.iter().fold(usage, |usage, kind| usage.user(kind));
        args.place.iter().fold(usage, |usage, code| usage.place(code))
    }
}

fn refused(path: &Path, error: &dyn std::error::Error) -> Failure {
    Failure::new(format!("`{}`: {error}", Source::new(path).name()))
}

fn refused_one(path: &Option<std::path::PathBuf>, error: &dyn std::error::Error) -> Failure {
    refused(path.as_deref().unwrap_or_else(|| Path::new("-")), error)
}
