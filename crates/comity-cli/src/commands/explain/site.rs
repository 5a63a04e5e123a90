//! URLs that are explained by what their sites serve.

use std::io::Write;

use comity::policy;
use comity::robots::{Agent, Dialect, UrlError};
use comity_answers::explanation::ExplanationRow;
use comity_answers::near_miss::NearMiss;
use comity_answers::provenance::Provenance;

use super::{Case, ExplainArgs, Explainer, File, print_question};
use crate::decisions::{Urls, exit_of, exit_of_policy, recommends};
use crate::exit::{Exit, Failure};
use crate::output::Output;
use crate::render;
use crate::sites::mode::LetThrough;
use crate::sites::standing::Standing;
use crate::sites::stream::{self, Question};
use crate::sites::{Network, words};

/// Explains the URLs that are left, in order; those without a scheme with `by_file`.
pub(super) fn run<'a, F>(
    (explainer, urls, by_file): (&mut Explainer<'a>, Urls, &F),
    output: &mut Output,
) -> Result<Exit, Failure>
where
    F: Fn(&mut Explainer<'a>, &[u8], &mut Output) -> Result<Result<Exit, UrlError>, Failure>,
{
    let live = Network::new(&explainer.args.network, Vec::new(), output)?;
    let client = live.client()?;
    let agents = explainer.agents;
    let options = stream::Options { wants_file: true, jobs: stream::Options::JOBS };
    let dialect = client.preset().dialect();
    let mut let_through = LetThrough::default();
    let exit = live.wait(stream::answer_each(&client, agents, options, urls, output, |asked, output| {
        let answered = match asked.site {
            Ok(Some((_, standing))) => {
                explainer.by_site(asked, standing, (dialect, &mut let_through), output)?
            }
            Ok(None) => by_file(explainer, asked.url, output)?,
            Err((robots_txt, error)) => {
                let reason = (robots_txt.clone(), error);
                super::error_rows(explainer.args, agents, asked.url, reason, output)?;
                Ok(Exit::Success)
            }
        };
        Ok(answered.map_err(|error| error.to_string()))
    }));
    live.finish();
    let_through.say(output);
    exit
}

impl Explainer<'_> {
    /// Explains by the site's own rules, or by the preset if the site has none.
    fn by_site(
        &mut self,
        asked: &Question<'_>,
        standing: &Standing,
        (dialect, let_through): (Dialect, &mut LetThrough),
        output: &mut Output,
    ) -> Result<Result<Exit, UrlError>, Failure> {
        let reading = &self.args.question.reading;
        let file = standing.file.as_ref().and_then(|file| file.as_ref().ok());
        let file = file.map(|(file, came)| {
            let charset = reading.charset.as_deref().or(file.charset.as_deref());
            let name = format!("{} ({came})", render::text(file.name.as_bytes()));
            let dialect = reading.dialect.unwrap_or(dialect);
            let file = File::new(name, &file.body, dialect, charset, &file.provenance);
            file.with_sides(self.args.all_dialects)
        });
        let mut exit = Exit::Success;
        for (agent, policy) in self.agents.iter().zip(&standing.policies) {
            let decision = match policy.decide(asked.url, asked.now) {
                Ok(decision) => decision,
                Err(error) => return Ok(Err(error)),
            };
            self.separate(output)?;
            let_through.see(&decision);
            let Some(file) = &file else {
                exit = exit.max(exit_of_policy(&decision));
                without_file(self.args, asked, agent, &decision, output)?;
                continue;
            };
            let rules = file.robots.rules_for(agent);
            exit = exit.max(match rules.decide(asked.url) {
                Ok(by_rules) if reading.dialect.is_some() => exit_of(by_rules.is_allowed()),
                _ => exit_of_policy(&decision),
            });
            let policy = Some(&decision);
            Case { args: self.args, file, agent, rules: &rules, url: asked.url, policy }.show(output)?;
        }
        Ok(Ok(exit))
    }
}

/// Explains a decision that was made without rules.
fn without_file(
    args: &ExplainArgs,
    asked: &Question<'_>,
    agent: &Agent,
    decision: &policy::Decision<'_>,
    output: &mut Output,
) -> Result<(), Failure> {
    if args.format.is_json() {
        let robots_txt = match asked.site {
            Ok(Some((origin, _))) => Provenance::of_site(origin, decision, asked.now),
            _ => Provenance::default(),
        };
        let near_miss = NearMiss::of(agent, None);
        let question = (asked.url, agent, &robots_txt);
        return output.json_line(&ExplanationRow::without_rules(question, decision, near_miss.as_ref()));
    }
    print_question(asked.url, agent, recommends(decision), output)?;
    let origin = match asked.site {
        Ok(Some((origin, _))) => origin.robots_txt().to_string(),
        _ => String::new(),
    };
    writeln!(output, "by {} ({})\n", render::text(origin.as_bytes()), words::source(decision, asked.now))?;
    let strong = output.palette.strong;
    writeln!(output, "  {strong}why{strong:#}     {}", words::basis(decision, agent))?;
    if let Some(near_miss) = NearMiss::of(agent, None) {
        writeln!(
            output,
            "  {strong}note{strong:#}    {}",
            render::wrap(&near_miss.to_string(), output.width, 10)
        )?;
    }
    let (preset, verdict) = (decision.preset(), decision.verdict());
    let text =
        format!("{preset} ({}); `comity presets {preset}` shows what it does when", preset.defined_by());
    writeln!(output, "  {strong}preset{strong:#}  {}", render::wrap(&text, output.width, 10))?;
    Ok(writeln!(output, "  {strong}verdict{strong:#} {verdict}, {}", decision.recommendation())?)
}
