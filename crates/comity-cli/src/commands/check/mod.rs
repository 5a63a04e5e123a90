//! `comity check`: one line per URL and crawler.
//!
//! URLs with a scheme are decided by what their site serves, the rest by a file; `--robots` has the file decide all.
//! The network is not touched before the first URL that asks for it.

mod args;
mod printer;

use std::path::Path;

use comity::robots::{Agent, Rules, UrlError};

pub(crate) use self::args::CheckArgs;
use self::printer::Printer;
use crate::args::QuestionArgs;
use crate::decisions::{NearMiss, Urls, exit_of, exit_of_policy};
use crate::exit::{Exit, Failure};
use crate::input::Source;
use crate::output::Output;
use crate::sites::Network;
use crate::sites::{self, stream};

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
    refuse_dialect(
        question,
        "name a preset: --preset google; or explain: `comity explain --dialect google`",
    )?;
    if file.rules.is_none() && !args.quiet {
        NearMiss::warn(&agents, None, output);
    }
    let live = Network::new(&args.network, Vec::new(), output)?;
    let client = live.client()?;
    let live_exit = live.wait(stream::answer_each(&client, &agents, false, urls, output, |asked, output| {
        let Some((_, standing)) = asked.site else {
            return Ok(file.answer(asked.url, &printer, output)?.map_err(|error| error.to_string()));
        };
        let mut exit = Exit::Success;
        for (agent, policy) in agents.iter().zip(&standing.policies) {
            match policy.decide(asked.url, asked.now) {
                Ok(decision) => {
                    exit = exit.max(exit_of_policy(&decision));
                    printer.print_live(asked.url, agent, &decision, asked.now, output)?;
                }
                Err(error) => return Ok(Err(error.to_string())),
            }
        }
        Ok(Ok(exit))
    }));
    live.finish();
    Ok(exit.max(live_exit?))
}

/// What a site serves is read as the preset says.
fn refuse_dialect(question: &QuestionArgs, hint: &str) -> Result<(), Failure> {
    match question.reading.dialect.map(|_| "--dialect").or(question
        .reading
        .charset
        .as_ref()
        .map(|_| "--charset"))
    {
        None => Ok(()),
        Some(flag) => Err(Failure::new(format!(
            "{flag} is about a file, and no --robots is given: what a site serves is read as the preset says"
        ))
        .hint(hint)),
    }
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
