//! URLs that are decided by what their sites serve.

use std::time::SystemTime;

use comity::policy;
use comity::robots::Agent;

use super::printer::Printer;
use super::{CheckArgs, FileRules};
use crate::args::QuestionArgs;
use crate::decisions::{NearMiss, Urls, exit_of_policy, recommends};
use crate::exit::{Exit, Failure};
use crate::output::Output;
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
    if file.rules.is_none() && !args.quiet {
        NearMiss::warn(agents, None, output);
    }
    let live = Network::new(&args.network, Vec::new(), output)?;
    let client = live.client()?;
    let exit = live.wait(stream::answer_each(&client, agents, false, urls, output, |asked, output| {
        let Some((_, standing)) = asked.site else {
            return Ok(file.answer(asked.url, printer, output)?.map_err(|error| error.to_string()));
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
    exit
}

/// Refuses `--dialect` and `--charset` where no file is given: the preset chooses how a site's robots.txt is read.
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

impl Printer {
    /// A decision by what a site serves.
    pub(super) fn print_live(
        &self,
        url: &[u8],
        agent: &Agent,
        decision: &policy::Decision<'_>,
        now: SystemTime,
        output: &mut Output,
    ) -> Result<(), Failure> {
        let basis = || {
            let source = words::source(decision, now);
            // Where it was not looked at, the basis says so.
            let name = match decision.evidence().is_some() || decision.outage().is_some() {
                true => "robots.txt: ",
                false => "",
            };
            format!("{}  ({name}{source})", words::basis(decision, agent))
        };
        self.row((url, agent), decision, recommends(decision), basis, output)
    }
}
