//! `comity check`: one line per URL and crawler.
//!
//! URLs with a scheme are decided by what their site serves, the rest by a file; `--robots` has the file decide all.
//! The network is not touched before the first URL that asks for it.

mod args;
mod printer;
#[cfg(feature = "live")]
mod site;

use std::path::Path;

use comity::robots::{Agent, Rules, UrlError};

pub(crate) use self::args::CheckArgs;
use self::printer::Printer;
use crate::args::QuestionArgs;
use crate::decisions::{NearMiss, Urls, exit_of};
use crate::exit::{Exit, Failure};
use crate::input::Source;
use crate::output::Output;
use crate::sites;
#[cfg(not(feature = "live"))]
use crate::sites::offline as site;

/// Decides every URL for every crawler.
pub(crate) fn run(args: &CheckArgs, output: &mut Output) -> Result<Exit, Failure> {
    let question = &args.question;
    let source = question.file();
    let mut urls = Urls::new(&question.urls, &source)?;
    let agents = question.agents.agents();
    let mut file = FileRules { question, is_quiet: args.quiet, source, agents: &agents, rules: None };
    let printer = Printer::new(args, &agents);
    if question.robots.is_some() {
        file.rules(output)?;
    }
    let is_for_file = |url: &[u8]| question.robots.is_some() || !sites::has_scheme(url);
    let (exit, has_more) =
        urls.answer_while(is_for_file, output, |url, output| file.answer(url, &printer, output))?;
    if !has_more {
        return Ok(exit);
    }
    let by_sites = site::run((args, &agents, urls, &mut file, &printer), output)?;
    Ok(exit.max(by_sites))
}

impl QuestionArgs {
    /// The file that decides what no site decides.
    pub(crate) fn file(&self) -> Source {
        Source::new(self.robots.as_deref().unwrap_or(Path::new("robots.txt")))
    }
}

/// The rules of the file for each crawler, read when the first URL asks for them.
struct FileRules<'a> {
    question: &'a QuestionArgs,
    is_quiet: bool,
    source: Source,
    agents: &'a [Agent],
    rules: Option<Vec<Rules>>,
}

impl FileRules<'_> {
    fn rules(&mut self, output: &mut Output) -> Result<&[Rules], Failure> {
        if self.rules.is_none() {
            let body = self.source.read()?;
            let robots = self.question.reading.read(&body, None);
            if !self.is_quiet {
                NearMiss::warn(self.agents, Some(&robots), output);
            }
            self.rules = Some(self.agents.iter().map(|agent| robots.rules_for(agent)).collect());
        }
        Ok(self.rules.as_deref().unwrap_or_default())
    }

    fn answer(
        &mut self,
        url: &[u8],
        printer: &Printer,
        output: &mut Output,
    ) -> Result<Result<Exit, UrlError>, Failure> {
        let agents = self.agents;
        let mut exit = Exit::Success;
        for (agent, rules) in agents.iter().zip(self.rules(output)?) {
            match rules.decide(url) {
                Ok(decision) => {
                    exit = exit.max(exit_of(decision.is_allowed()));
                    printer.print(url, agent, &decision, output)?;
                }
                Err(error) => return Ok(Err(error)),
            }
        }
        Ok(Ok(exit))
    }
}
