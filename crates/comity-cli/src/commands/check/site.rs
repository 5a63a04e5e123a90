//! URLs that are decided by what their sites serve.

use std::time::SystemTime;

use comity::policy;
use comity::robots::Agent;
use comity_answers::provenance::Provenance;

use super::printer::Printer;
use super::{CheckArgs, FileRules};
use crate::args::QuestionArgs;
use crate::decisions::{Urls, exit_of_policy, warn_of_near_misses};
use crate::exit::{Exit, Failure};
use crate::output::Output;
use crate::sites::mode::LetThrough;
use crate::sites::{Network, stream, words};

/// Decides the URLs that are left, in order; those without a scheme by the file.
pub(super) fn run(
    (args, agents, urls, file, printer): (&CheckArgs, &[Agent], Urls, &mut FileRules<'_>, &Printer),
    output: &mut Output,
) -> Result<Exit, Failure> {
    refuse_dialect(
        &args.question,
        "name a preset: --preset google; or explain: `comity explain --dialect google`",
    )?;
    if !file.is_read() && !args.quiet {
        warn_of_near_misses(agents, None, output);
    }
    let live = Network::new(&args.network, Vec::new(), output)?;
    let client = live.client()?;
    let mut let_through = LetThrough::default();
    let options = stream::Options { wants_file: false, jobs: args.jobs.into() };
    let exit = live.wait(stream::answer_each(&client, agents, options, urls, output, |asked, output| {
        let (origin, standing) = match asked.site {
            Ok(Some(site)) => site,
            Ok(None) => {
                return Ok(file.answer(asked.url, printer, output)?.map_err(|error| error.to_string()));
            }
            Err((robots_txt, error)) => {
                printer.error(asked.url, agents, robots_txt.clone(), error, output)?;
                return Ok(Ok(Exit::Success));
            }
        };
        let mut exit = Exit::Success;
        for (agent, policy) in agents.iter().zip(&standing.policies) {
            match policy.decide(asked.url, asked.now) {
                Ok(decision) => {
                    exit = exit.max(exit_of_policy(&decision));
                    let_through.see(&decision);
                    let robots_txt = Provenance::of_site(origin, &decision, asked.now);
                    printer.print_live((asked.url, agent, &robots_txt), &decision, asked.now, output)?;
                }
                Err(error) => return Ok(Err(error.to_string())),
            }
        }
        Ok(Ok(exit))
    }));
    live.finish();
    if !args.quiet {
        let_through.say(output);
    }
    exit
}

/// Refuses `--dialect` and `--charset` where no file is given: the preset chooses how a site's robots.txt is read.
fn refuse_dialect(question: &QuestionArgs, hint: &str) -> Result<(), Failure> {
    let dialect = question.reading.dialect.map(|_| "--dialect");
    match dialect.or(question.reading.charset.as_ref().map(|_| "--charset")) {
        None => Ok(()),
        Some(flag) => Err(Failure::new(format!(
            "{flag} is about a file, and no --robots is given: what a site serves is read as the preset says"
        ))
        .hint(hint)),
    }
}

impl Printer {
    /// A decision by what a site serves.
    pub(super) fn print_live(
        &self,
        question: (&[u8], &Agent, &Provenance),
        decision: &policy::Decision<'_>,
        now: SystemTime,
        output: &mut Output,
    ) -> Result<(), Failure> {
        let agent = question.1;
        let basis = || {
            let source = words::source(decision, now);
            // Where it was not looked at, the basis says so.
            let name = match decision.evidence().is_some() || decision.outage().is_some() {
                true => "robots.txt: ",
                false => "",
            };
            format!("{}  ({name}{source})", words::basis(decision, agent))
        };
        self.row(question, decision, || decision.to_record(), basis, output)
    }
}
