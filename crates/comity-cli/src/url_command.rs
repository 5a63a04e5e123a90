//! The loop of the commands that answer for each URL and crawler: `check` and `explain`.
//!
//! URLs with a scheme are decided by the robots.txt of their sites, and paths by `./robots.txt`. With `--robots`, the
//! named file decides all URLs. The operation computes rows, and a [`RowPrinter`] prints them.

use comity::decision::DecisionRecord;
use comity::policy::AnswerKind;
use comity_answers::notice::NoticeLog;
use comity_answers::operation::{UrlOperation, UrlRow};
use comity_answers::provenance::Provenance;
use comity_answers::robots_file::RobotsFile;
use comity_answers::site::Site;
use comity_answers::url::{UrlKind, has_web_scheme, parse};

use crate::args::{NetworkArgs, QuestionArgs};
use crate::decisions::{Notices, Urls, print_notices};
use crate::exit::{Exit, Failure};
use crate::location::Location;
use crate::output::Output;
use crate::robots_txt::without_page;
use crate::sites::reader::Reader;

/// Printer of the rows of an operation.
pub(crate) trait RowPrinter<O: UrlOperation> {
    /// Prints the rows of a URL, one for each crawler.
    fn print(
        &mut self,
        url: &[u8],
        rows: &[O::Row<'_>],
        by: Decider<'_>,
        output: &mut Output,
    ) -> Result<(), Failure>;

    /// Returns true for comparisons of dialects. For text that is not a URL, these print the result of each dialect.
    fn compares_dialects(&self) -> bool {
        false
    }
}

/// The source of a decision.
#[derive(Clone, Copy)]
pub(crate) enum Decider<'a> {
    /// A robots.txt.
    File(&'a RobotsFile),
    /// The robots.txt of the URL's site.
    #[cfg_attr(
        not(feature = "live"),
        expect(dead_code, reason = "only a build with the network contacts sites")
    )]
    Site(&'a Site),
    /// No source, because of an error that was already printed.
    Nothing,
}

/// An operation about URLs, and its arguments.
pub(crate) struct Run<'a, O: UrlOperation, P> {
    operation: &'a O,
    question: &'a QuestionArgs,
    #[cfg_attr(
        not(feature = "live"),
        expect(dead_code, reason = "only a build with the network contacts sites")
    )]
    network: &'a NetworkArgs,
    /// Maximum number of sites that are requested at the same time.
    #[cfg_attr(
        not(feature = "live"),
        expect(dead_code, reason = "only a build with the network contacts sites")
    )]
    jobs: usize,
    is_quiet: bool,
    /// Hint of the error that rejects `--dialect` and `--charset` for sites; `None` if the options apply to sites, too.
    #[cfg_attr(
        not(feature = "live"),
        expect(dead_code, reason = "only a build with the network contacts sites")
    )]
    preset_hint: Option<&'static str>,
    printer: P,
    file: LazyFile<'a, O>,
    log: NoticeLog,
}

/// Default maximum number of sites that are requested at the same time.
pub(crate) const JOBS: usize = 16;

/// The robots.txt of a command, which is read when it is first needed.
struct LazyFile<'a, O: UrlOperation> {
    location: Location,
    network: &'a NetworkArgs,
    read: Option<(RobotsFile, O::File)>,
}

impl<O: UrlOperation> LazyFile<'_, O> {
    fn get(
        &mut self,
        operation: &O,
        is_quiet: bool,
        output: &mut Output,
    ) -> Result<&(RobotsFile, O::File), Failure> {
        if self.read.is_none() {
            let mut reader = Reader::new(self.network);
            let file = reader.read(&self.location, output).map_err(|unread| unread.failure())?;
            reader.finish();
            let file = without_page(file, output);
            let (prepared, notices) =
                operation.read(&file).map_err(|error| Failure::new(error.to_string()))?;
            if !is_quiet {
                Notices::new(&self.network.files).print(notices, output);
            }
            self.read = Some((file, prepared));
        }
        self.read.as_ref().ok_or_else(|| Failure::new("no robots.txt was read"))
    }
}

impl<'a, O: UrlOperation, P: RowPrinter<O>> Run<'a, O, P> {
    pub(crate) fn new(
        operation: &'a O,
        (question, network): (&'a QuestionArgs, &'a NetworkArgs),
        jobs: usize,
        printer: P,
    ) -> Self {
        let file = LazyFile { location: question.location(), network, read: None };
        let log = NoticeLog::default();
        Run { operation, question, network, jobs, is_quiet: false, preset_hint: None, printer, file, log }
    }

    /// Suppresses notices.
    pub(crate) fn quiet(self, is_quiet: bool) -> Self {
        Run { is_quiet, ..self }
    }

    /// Rejects `--dialect` and `--charset` for sites, because the preset sets the dialect of their robots.txt.
    pub(crate) fn for_presets(self, hint: &'static str) -> Self {
        Run { preset_hint: Some(hint), ..self }
    }

    /// Answers every URL.
    pub(crate) fn answer(mut self, output: &mut Output) -> Result<Exit, Failure> {
        let mut urls = Urls::new(&self.question.urls, Some(&self.file.location))?;
        let has_file = self.question.robots.is_some();
        if has_file {
            self.file.get(self.operation, self.is_quiet, output)?;
        }
        let is_strict = !self.printer.compares_dialects();
        let is_for_file = |url: &[u8]| has_file || !has_web_scheme(url);
        let run = std::cell::RefCell::new(&mut self);
        let (mut exit, has_more) = urls.answer_while(
            is_strict,
            is_for_file,
            output,
            |url, output| run.borrow_mut().by_file(url, output),
            |url, error, output| run.borrow_mut().error(url, &Provenance::default(), error, output),
        )?;
        if has_more {
            exit = exit.max(self.by_sites(urls, output)?);
        }
        if !self.is_quiet {
            let file = self.question.robots.as_ref().map(|robots| robots.to_string_lossy());
            print_notices(self.log.into_notices(file.as_deref()), output);
        }
        Ok(exit)
    }

    /// Answers a URL by the file, or returns the error of the URL.
    fn by_file(&mut self, url: &[u8], output: &mut Output) -> Result<Result<Exit, String>, Failure> {
        if self.question.robots.is_none()
            && !self.printer.compares_dialects()
            && UrlKind::of(url) == Ok(UrlKind::OtherScheme)
            && let Err(problem) = parse(url)
        {
            return Ok(Err(format!("{problem}; --robots can name a robots.txt that decides it")));
        }
        let Run { operation, is_quiet, printer, file, log, .. } = self;
        let (file, prepared) = file.get(operation, *is_quiet, output)?;
        log.add_url(url);
        let rows = operation.by_file(url, prepared);
        print_rows::<O, P>((url, rows), Decider::File(file), printer, log, output)
    }

    /// Answers a URL by its site, or returns the error of the URL.
    #[cfg(feature = "live")]
    fn by_site(
        &mut self,
        url: &[u8],
        site: &Site,
        now: std::time::SystemTime,
        output: &mut Output,
    ) -> Result<Result<Exit, String>, Failure> {
        let rows = self.operation.by_site(url, site, now);
        print_rows::<O, P>((url, rows), Decider::Site(site), &mut self.printer, &mut self.log, output)
    }

    /// Prints the rows of a URL whose error was already printed.
    fn error(
        &mut self,
        url: &[u8],
        robots_txt: &Provenance,
        error: &str,
        output: &mut Output,
    ) -> Result<(), Failure> {
        let rows = self.operation.error_rows(url, robots_txt, error);
        self.printer.print(url, &rows, Decider::Nothing, output)
    }

    #[cfg(not(feature = "live"))]
    fn by_sites(&mut self, _: Urls, output: &mut Output) -> Result<Exit, Failure> {
        crate::sites::offline::run((), output)
    }

    /// Answers the remaining URLs in order. The file decides URLs without a scheme.
    #[cfg(feature = "live")]
    fn by_sites(&mut self, urls: Urls, output: &mut Output) -> Result<Exit, Failure> {
        use crate::sites::stream::{self, Answer};
        use crate::sites::{Network, failure::SiteFailure};
        use comity_answers::sources::{SiteError, Sources};

        let reading = &self.question.reading;
        let option = reading.dialect.map(|_| "--dialect").or(reading.charset.as_ref().map(|_| "--charset"));
        if let (Some(option), Some(hint)) = (option, self.preset_hint) {
            return Err(Failure::new(format!(
                "{option} applies to a file, but --robots is not given: the preset sets the dialect for a site"
            ))
            .hint(hint));
        }
        if self.file.read.is_none() && !self.is_quiet {
            Notices::new(&self.network.files).warn(self.operation.agents(), None, output);
        }
        let network = Network::new(self.network, Vec::new(), output)?;
        let client = network.client()?;
        let sites = Sources::live(client).sites(self.operation.agents().into(), O::NEEDS_FILE);
        let sites = sites.map_err(|error| Failure::new(error.to_string()))?;
        let sites = sites.for_stream().at_once(self.jobs);
        let is_strict = !self.printer.compares_dialects();
        let exit =
            network.wait(stream::answer_each(
                &sites,
                urls,
                is_strict,
                output,
                |answer, output| match answer {
                    Answer::File(url) => self.by_file(url, output),
                    Answer::Site(url, site, now) => self.by_site(url, site, now, output),
                    Answer::Bad(url, message) => {
                        output.error(message);
                        self.error(url, &Provenance::default(), message, output)?;
                        Ok(Ok(Exit::Error))
                    }
                    Answer::Failed(url, place, error) => {
                        let (message, exit) = match error {
                            SiteError::Client { robots_txt, cause } => {
                                let error = SiteFailure::new(robots_txt, cause);
                                (format!("{place}: {}", error.line()), error.exit)
                            }
                            error => return Ok(Err(error.to_string())),
                        };
                        output.error(&message);
                        self.error(url, &error.provenance(), &message, output)?;
                        Ok(Ok(exit))
                    }
                },
            ));
        network.finish();
        exit
    }
}

/// Prints the rows of a URL and returns the exit code. If a row has an error, returns the error; only comparisons of
/// dialects print rows with errors.
fn print_rows<O: UrlOperation, P: RowPrinter<O>>(
    (url, rows): (&[u8], Vec<O::Row<'_>>),
    by: Decider<'_>,
    printer: &mut P,
    log: &mut NoticeLog,
    output: &mut Output,
) -> Result<Result<Exit, String>, Failure> {
    if let Some(error) = rows.iter().find_map(UrlRow::error) {
        if printer.compares_dialects() {
            printer.print(url, &rows, by, output)?;
        }
        return Ok(Err(error.to_owned()));
    }
    let mut exit = Exit::Success;
    for decision in rows.iter().filter_map(UrlRow::decision) {
        exit = exit.max(exit_of_decision(decision));
        log.add_decision(decision);
    }
    printer.print(url, &rows, by, output)?;
    Ok(Ok(exit))
}

/// Returns the exit code of a decision. A local failure is an error, because the site did not disallow the URL.
fn exit_of_decision(decision: &DecisionRecord) -> Exit {
    let kind = decision.evidence.as_ref().map(|evidence| evidence.kind());
    match (decision.blocked, kind) {
        (false, _) => Exit::Success,
        (true, Some(AnswerKind::Local)) => Exit::Error,
        (true, _) => Exit::Objection,
    }
}
