//! `comity usage`: the allowed uses of content, signal by signal.

mod args;
#[cfg(feature = "live")]
mod site;

use std::cell::RefCell;
use std::path::Path;
use std::sync::Arc;

use comity::html::FactsOptions;
use comity::http::Headers;
use comity::robots::Agent;
use comity::usage::{
    HeaderUsage, LicenseDocument, PageUsage, Preference, Report, SignalReport, Stance, Tdmrep,
};
use comity_answers::operation::{UrlOperation, UrlRow};
use comity_answers::usage::{UsageFile, UsageOperation, UsageRow, UsageSources};

pub(crate) use self::args::UsageArgs;
use crate::decisions::{Notices, Urls};
use crate::exit::{Exit, Failure};
use crate::input::Source;
use crate::output::Output;
use crate::robots_txt;
#[cfg(not(feature = "live"))]
use crate::sites::offline as site;
use crate::text::Printer;
use crate::text::usage::UsageView;

/// Reports on every URL for every crawler.
pub(crate) fn run(args: &UsageArgs, output: &mut Output) -> Result<Exit, Failure> {
    if !args.names_files() {
        return site::run(args, output);
    }
    check_stdin(args)?;
    let urls = Urls::new(&args.urls, None)?;
    let mut sources = sources(args)?;
    if !args.license.is_empty() {
        site::add_licenses(args, &mut sources, output)?;
    }
    let agents = args.agents.agents();
    let usage = UsageOperation::new(agents.as_slice(), args.reading.reading(), sources);
    let robots = args.robots.as_deref().map(|path| robots_txt::read(&Source::new(path))).transpose()?;
    let mut notices = Notices::new(&args.network.files);
    let file = match &robots {
        Some(file) => {
            let (file, found) = usage.read(file).map_err(|error| Failure::new(error.to_string()))?;
            notices.print(found, output);
            file
        }
        None => {
            notices.warn(&agents, None, output);
            UsageFile::default()
        }
    };
    let name = robots.map(|file| file.name).unwrap_or_default();
    let view = UsageView::new(Some(name), !args.rsl.is_empty() || !args.license.is_empty());
    let rows = RefCell::new(Rows::new(args, view, output)?);
    let answer = |url: &[u8], output: &mut Output| {
        let answers = usage.by_file(url, &file);
        if let Some(error) = answers.iter().find_map(UrlRow::error) {
            return Ok(Err(error.to_owned()));
        }
        let mut exit = Exit::Success;
        for row in &answers {
            exit = exit.max(rows.borrow_mut().print(row, output)?);
        }
        Ok(Ok(exit))
    };
    let exit = urls.answer_each(output, answer, |url, error, output| {
        rows.borrow_mut().errors(&agents, url, error, output)
    })?;
    rows.into_inner().finish(output)?;
    Ok(exit)
}

/// Printer of rows.
struct Rows {
    is_json: bool,
    printer: Printer,
    view: UsageView,
}

impl Rows {
    fn new(args: &UsageArgs, view: UsageView, output: &mut Output) -> Result<Rows, Failure> {
        let printer = Printer::new::<UsageRow<'_>>(args.format.get(), output)?;
        Ok(Rows { is_json: args.format.is_json(), printer, view })
    }

    /// Prints a row, and returns its exit code.
    fn print(&mut self, row: &UsageRow<'_>, output: &mut Output) -> Result<Exit, Failure> {
        let Some(report) = row.report() else { return Ok(Exit::Error) };
        self.printer.print(row, &mut self.view, output)?;
        Ok(exit_of(report))
    }

    /// Prints the rows of a URL that has no report. In text format, prints nothing, because the error was already
    /// printed.
    fn errors(
        &mut self,
        agents: &[Agent],
        url: &[u8],
        error: &str,
        output: &mut Output,
    ) -> Result<(), Failure> {
        if !self.is_json {
            return Ok(());
        }
        agents.iter().try_for_each(|agent| {
            let row = UsageRow::of_error(url, agent, error.to_owned());
            self.printer.print(&row, &mut self.view, output)
        })
    }

    /// Prints the findings, unless the format is JSON.
    fn finish(self, output: &mut Output) -> Result<(), Failure> {
        if self.is_json { Ok(()) } else { self.view.findings(output) }
    }
}

/// Returns the exit code of one report.
fn exit_of(report: &Report) -> Exit {
    let preferences = report.signals().iter().flat_map(SignalReport::preferences);
    let is_disallowed = preferences.map(Preference::stance).any(|stance| stance == Stance::Disallow);
    if is_disallowed { Exit::Objection } else { Exit::Success }
}

/// Returns the files that the arguments name, in the order of the options.
fn paths(args: &UsageArgs) -> impl Iterator<Item = &Path> {
    let one = [&args.robots, &args.headers, &args.body, &args.tdmrep].into_iter().flatten();
    one.chain(&args.rsl).map(|path| path.as_path())
}

/// Returns an error if several documents are read from standard input.
fn check_stdin(args: &UsageArgs) -> Result<(), Failure> {
    let files = paths(args).map(Source::new).filter(|source| *source == Source::Stdin).count();
    if files > 1 {
        return Err(Failure::new("standard input can be only one file").hint("save the others to files"));
    }
    if files == 1 && args.urls.reads_stdin() {
        return Err(Failure::new("standard input cannot be both a file and the list of URLs")
            .hint("save one of them to a file, or give the URLs as arguments"));
    }
    Ok(())
}

/// Reads the documents that the arguments name, except robots.txt.
fn sources(args: &UsageArgs) -> Result<UsageSources, Failure> {
    let read =
        |path: &Option<std::path::PathBuf>| path.as_deref().map(|path| Source::new(path).read()).transpose();
    let vocabulary = args.vocabulary.unwrap_or_default();
    let headers = read(&args.headers)?;
    let headers = headers.as_deref().map(Headers::parse).transpose();
    let headers = headers.map_err(|error| invalid_optional_file(&args.headers, &error))?;
    let charset = headers.as_ref().and_then(Headers::charset);
    let facts = read(&args.body)?.map(|page| FactsOptions::new().charset(charset.as_deref()).read(&page));
    let tdmrep = read(&args.tdmrep)?.map(|text| Tdmrep::parse(&text)).transpose();
    let tdmrep = tdmrep.map_err(|error| invalid_optional_file(&args.tdmrep, &error))?;
    let rsl = args.rsl.iter().map(|path| {
        LicenseDocument::parse(&Source::new(path).read()?).map_err(|error| invalid_file(path, &error))
    });
    Ok(UsageSources {
        header: headers.map(|headers| Arc::new(HeaderUsage::new(&headers, vocabulary))),
        page: facts.map(|facts| Arc::new(PageUsage::new(&facts))),
        tdmrep,
        rsl: rsl.collect::<Result<_, _>>()?,
        vocabulary,
        users: args.user.clone(),
        places: args.place.clone(),
        ..UsageSources::default()
    })
}

fn invalid_file(path: &Path, error: &dyn std::error::Error) -> Failure {
    Failure::new(format!("`{}`: {error}", Source::new(path).name()))
}

fn invalid_optional_file(path: &Option<std::path::PathBuf>, error: &dyn std::error::Error) -> Failure {
    invalid_file(path.as_deref().unwrap_or_else(|| Path::new("-")), error)
}
