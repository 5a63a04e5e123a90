//! `comity check`: one row per URL and crawler.
//!
//! URLs with a scheme are decided by what their site serves, the rest by a file; with `--robots` one robots.txt decides all.
//! The network is not touched before the first URL that asks for it.

mod args;
mod printer;
#[cfg(feature = "live")]
mod site;

use std::collections::HashSet;

use comity::robots::{Agent, Rules, UrlError};
use comity_answers::provenance::Provenance;

pub(crate) use self::args::CheckArgs;
use self::printer::Printer;
use crate::args::QuestionArgs;
use crate::decisions::{Urls, exit_of, warn_of_near_misses};
use crate::exit::{Exit, Failure};
use crate::location::{self, Location};
use crate::output::Output;
use crate::render;
#[cfg(not(feature = "live"))]
use crate::sites::offline as site;
use crate::sites::reader::Reader;

/// Decides every URL for every crawler.
pub(crate) fn run(args: &CheckArgs, output: &mut Output) -> Result<Exit, Failure> {
    let question = &args.question;
    let location = question.location();
    let mut urls = Urls::new(&question.urls, Some(&location))?;
    let agents = question.agents.agents();
    let mut file = FileRules { args, location, agents: &agents, read: None, hosts: Hosts::default() };
    let printer = Printer::new(args, &agents, output)?;
    if question.robots.is_some() {
        file.read(output)?;
    }
    let is_for_file = |url: &[u8]| question.robots.is_some() || !location::has_scheme(url);
    let (exit, has_more) = urls.answer_while(
        is_for_file,
        output,
        |url, output| file.answer(url, &printer, output),
        |url, error, output| printer.error(url, &agents, Provenance::default(), error, output),
    )?;
    file.hosts.say(question, output);
    if !has_more {
        return Ok(exit);
    }
    let by_sites = site::run((args, &agents, urls, &mut file, &printer), output)?;
    Ok(exit.max(by_sites))
}

impl QuestionArgs {
    /// The robots.txt that decides what no site decides.
    pub(crate) fn location(&self) -> Location {
        self.robots.as_ref().map_or_else(|| Location::File("robots.txt".into()), Location::of)
    }
}

/// The rules of one robots.txt for each crawler, read when the first URL asks for them.
struct FileRules<'a> {
    args: &'a CheckArgs,
    location: Location,
    agents: &'a [Agent],
    read: Option<Read>,
    hosts: Hosts,
}

/// What was read.
struct Read {
    rules: Vec<Rules>,
    provenance: Provenance,
}

impl FileRules<'_> {
    fn read(&mut self, output: &mut Output) -> Result<&Read, Failure> {
        if self.read.is_none() {
            let mut reader = Reader::new(&self.args.network);
            let file = reader.read(&self.location, output).map_err(|unread| unread.failure())?;
            reader.finish();
            let file = file.without_page(output);
            let robots = self.args.question.reading.read(&file.body, file.charset.as_deref());
            if !self.args.quiet {
                warn_of_near_misses(self.agents, Some(&robots), output);
            }
            let rules = self.agents.iter().map(|agent| robots.rules_for(agent)).collect();
            self.read = Some(Read { rules, provenance: file.provenance });
        }
        self.read.as_ref().ok_or_else(|| Failure::new("no robots.txt was read"))
    }

    fn answer(
        &mut self,
        url: &[u8],
        printer: &Printer,
        output: &mut Output,
    ) -> Result<Result<Exit, UrlError>, Failure> {
        self.hosts.see(url);
        let agents = self.agents;
        let mut exit = Exit::Success;
        let read = self.read(output)?;
        for (agent, rules) in agents.iter().zip(&read.rules) {
            match rules.decide(url) {
                Ok(decision) => {
                    exit = exit.max(exit_of(decision.is_allowed()));
                    printer.print(url, agent, &decision, &read.provenance, output)?;
                }
                Err(error) => return Ok(Err(error)),
            }
        }
        Ok(Ok(exit))
    }

    /// Returns true if the file was asked for and read.
    #[cfg(feature = "live")]
    fn is_read(&self) -> bool {
        self.read.is_some()
    }
}

/// The sites of the URLs that one robots.txt decided.
#[derive(Default)]
pub(crate) struct Hosts {
    seen: HashSet<String>,
    /// There are more than are remembered.
    is_more: bool,
}

impl Hosts {
    /// So many are told apart.
    const REMEMBERED: usize = 10_000;

    /// Notes the site of a URL.
    pub(crate) fn see(&mut self, url: &[u8]) {
        if !location::has_scheme(url) {
            return;
        }
        let after = url.iter().position(|&byte| byte == b':').map_or(url, |at| &url[at + 3..]);
        let end = after.iter().position(|byte| matches!(byte, b'/' | b'?' | b'#')).unwrap_or(after.len());
        let scheme = &url[..url.len() - after.len()];
        let name = [scheme, &after[..end]].concat();
        if self.seen.len() < Hosts::REMEMBERED {
            self.seen.insert(String::from_utf8_lossy(&name).to_ascii_lowercase());
        } else {
            self.is_more = true;
        }
    }

    /// Says once that one robots.txt decided for several sites, and for how many.
    pub(crate) fn say(&self, question: &QuestionArgs, output: &mut Output) {
        let Some(robots) = question.robots.as_ref().filter(|_| self.seen.len() > 1) else { return };
        let more = if self.is_more { "more than " } else { "" };
        output.warning(&format!(
            "`{}` decided for the URLs of {more}{}; each site has a robots.txt of its own, which is asked without --robots",
            render::text(robots.as_encoded_bytes()),
            render::count(self.seen.len(), "site"),
        ));
    }
}
