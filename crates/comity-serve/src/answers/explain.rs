//! `/v1/explain`: the same with everything that led to it.

use std::sync::Arc;
use std::time::SystemTime;

use comity::robots::{Agent, RobotsTxt};
use comity_answers::explanation::{ExplanationRow, Others};
use comity_answers::near_miss::NearMiss;
use comity_answers::provenance::Provenance;
use comity_answers::row::DecisionJson;

use super::check::{NO_SITE, error_rows, refuse_dialect};
use crate::batch::{Asked, line};
use crate::context::{Context, has_scheme};
use crate::problem::Problem;
use crate::questions::{self, UrlsQuestion};
use crate::sites::{Site, Sites};

/// The explanations of one URL have so many bytes at most, for all crawlers together.
const LONGEST_ROWS: usize = 1 << 20;

/// The question, ready to answer.
pub(crate) struct Explain {
    context: Context,
    agents: Arc<[Agent]>,
    by: By,
}

/// What decides.
enum By {
    File(Arc<(RobotsTxt<'static>, Provenance)>),
    Sites(Sites),
}

impl Asked for Explain {
    type Question = UrlsQuestion;

    async fn prepare(
        context: &Context,
        question: UrlsQuestion,
        waits: bool,
    ) -> Result<(Self, Vec<String>), Problem> {
        let UrlsQuestion { urls, agents, user_agents, fallbacks, robots, dialect, charset } = question;
        let agents: Arc<[Agent]> = questions::some_agents(&agents, &user_agents, &fallbacks)?.into();
        let by = match robots {
            Some(text) => {
                let read = move || {
                    let robots = questions::read(&text, dialect, charset.as_deref()).into_owned();
                    (robots, Provenance::of_body(text.as_bytes()))
                };
                By::File(Arc::new(context.heavily(read).await?))
            }
            None => {
                refuse_dialect(dialect.is_some(), charset.is_some())?;
                By::Sites(Sites::new(context, Arc::clone(&agents), true, waits))
            }
        };
        Ok((Explain { context: context.clone(), agents, by }, urls))
    }

    fn rows_each(&self) -> usize {
        self.agents.len()
    }

    async fn rows(&self, url: &str) -> Result<Vec<u8>, Problem> {
        let (text, agents) = (url.to_owned(), Arc::clone(&self.agents));
        match &self.by {
            By::File(file) => {
                let file = Arc::clone(file);
                self.context.heavily(move || by_file(&text, &agents, &file.0, &file.1)).await
            }
            By::Sites(_) if !has_scheme(url) => Ok(self.error_rows(url, NO_SITE)),
            By::Sites(sites) => match sites.of(url).await? {
                Err(none) => Ok(error_rows(url, &self.agents, &none.robots_txt, &none.error)),
                Ok(site) => self.context.heavily(move || by_site(&text, &agents, &site)).await,
            },
        }
    }

    fn error_rows(&self, url: &str, error: &str) -> Vec<u8> {
        error_rows(url, &self.agents, &Provenance::default(), error)
    }
}

fn by_file(url: &str, agents: &[Agent], robots: &RobotsTxt<'_>, provenance: &Provenance) -> Vec<u8> {
    let mut rows = Vec::new();
    for agent in agents {
        if let Err(error) = explain(&mut rows, url, agent, robots, provenance, None) {
            return error_rows(url, agents, &Provenance::default(), &error);
        }
    }
    rows
}

/// Explains by the site's own rules, or by the preset if the site has none.
fn by_site(url: &str, agents: &[Agent], site: &Site) -> Vec<u8> {
    let (mut rows, now) = (Vec::new(), SystemTime::now());
    for (agent, policy) in agents.iter().zip(&site.policies) {
        let explained = policy.decide(url, now).map_err(|error| error.to_string()).and_then(|decision| {
            match &site.file {
                Some((robots, provenance)) => {
                    let decision = Some(decision.to_record().into());
                    explain(&mut rows, url, agent, robots, provenance, decision)
                }
                None => {
                    let from = Provenance::of_site(&site.origin, &decision, now);
                    let near_miss = NearMiss::of(agent, None);
                    let question = (url.as_bytes(), agent, &from);
                    let row = ExplanationRow::without_rules(question, &decision, near_miss.as_ref());
                    line(&mut rows, &row);
                    Ok(())
                }
            }
        });
        if let Err(error) = explained {
            return error_rows(url, agents, &Provenance::of_url(&site.origin), &error);
        }
    }
    rows
}

fn explain(
    rows: &mut Vec<u8>,
    url: &str,
    agent: &Agent,
    robots: &RobotsTxt<'_>,
    provenance: &Provenance,
    policy: Option<DecisionJson>,
) -> Result<(), String> {
    let explanation = robots.explain(agent, url).map_err(|error| error.to_string())?;
    let others = Others::ask(robots, url.as_bytes(), &explanation.groups);
    let near_miss = NearMiss::of(agent, Some(robots));
    let question = (url.as_bytes(), agent, provenance);
    line(rows, &ExplanationRow::new(question, &explanation, &others, near_miss.as_ref(), policy));
    if rows.len() > LONGEST_ROWS {
        let (matching, most) = (explanation.contenders.len(), LONGEST_ROWS >> 20);
        return Err(format!(
            "explanations of one URL have {most} MiB at most, and here {matching} rules match; name fewer crawlers, or ask /v1/check"
        ));
    }
    Ok(())
}
