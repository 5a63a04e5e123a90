//! `/v1/check`: may each crawler fetch each URL?

use std::sync::Arc;
use std::time::SystemTime;

use comity::robots::{Agent, Rules};
use comity_answers::provenance::Provenance;
use comity_answers::row::{DecisionRow, ErrorRow};

use crate::batch::{self, Asked, line};
use crate::context::{Context, has_scheme};
use crate::problem::{Kind, Problem};
use crate::questions::{self, UrlsQuestion};
use crate::sites::{Site, Sites};

/// Files and crowds of crawlers beyond this are decided beside the tasks that answer others.
const LIGHT_BYTES: usize = 16 << 10;
const LIGHT_AGENTS: usize = 8;

/// The question, ready to answer.
pub(crate) struct Check {
    context: Context,
    agents: Arc<[Agent]>,
    by: By,
}

/// What decides.
enum By {
    File {
        /// One for each crawler.
        rules: Arc<[Rules]>,
        provenance: Arc<Provenance>,
        is_heavy: bool,
    },
    Sites(Sites),
}

impl Asked for Check {
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
                let is_heavy = text.len() > LIGHT_BYTES || agents.len() > LIGHT_AGENTS;
                let readers = Arc::clone(&agents);
                let read = move || {
                    let robots = questions::read(&text, dialect, charset.as_deref());
                    let rules: Arc<[Rules]> = readers.iter().map(|agent| robots.rules_for(agent)).collect();
                    (rules, Provenance::of_body(text.as_bytes()))
                };
                let (rules, provenance) = if is_heavy { context.heavily(read).await? } else { read() };
                By::File { rules, provenance: Arc::new(provenance), is_heavy }
            }
            None => {
                refuse_dialect(dialect.is_some(), charset.is_some())?;
                By::Sites(Sites::new(context, Arc::clone(&agents), false, waits))
            }
        };
        Ok((Check { context: context.clone(), agents, by }, urls))
    }

    fn rows_each(&self) -> usize {
        self.agents.len()
    }

    fn add_rows(&self, url: &str, rows: &mut Vec<u8>) -> bool {
        match &self.by {
            By::File { rules, provenance, is_heavy: false } => {
                by_rules(url, &self.agents, rules, provenance, rows);
                true
            }
            By::File { .. } => false,
            By::Sites(sites) => match sites.at_hand(url).filter(|_| has_scheme(url)) {
                Some(site) => {
                    by_site(url, &self.agents, &site, rows);
                    true
                }
                None => false,
            },
        }
    }

    async fn rows(&self, url: &str) -> Result<Vec<u8>, Problem> {
        let mut rows = batch::room(self.agents.len());
        match &self.by {
            By::File { rules, provenance, .. } => {
                let (url, agents) = (url.to_owned(), Arc::clone(&self.agents));
                let (rules, provenance) = (Arc::clone(rules), Arc::clone(provenance));
                let decide = move || {
                    by_rules(&url, &agents, &rules, &provenance, &mut rows);
                    rows
                };
                return self.context.heavily(decide).await;
            }
            By::Sites(_) if !has_scheme(url) => return Ok(self.error_rows(url, NO_SITE)),
            By::Sites(sites) => match sites.of(url).await? {
                Err(none) => return Ok(error_rows(url, &self.agents, &none.robots_txt, &none.error)),
                Ok(site) => by_site(url, &self.agents, &site, &mut rows),
            },
        }
        Ok(rows)
    }

    fn error_rows(&self, url: &str, error: &str) -> Vec<u8> {
        error_rows(url, &self.agents, &Provenance::default(), error)
    }
}

/// Why a path alone is not decided.
pub(crate) const NO_SITE: &str =
    "nothing says on which site it is: write a URL with https://, or give `robots`";

/// Adds the rows of a URL by the rules of a file.
fn by_rules(url: &str, agents: &[Agent], rules: &[Rules], provenance: &Provenance, rows: &mut Vec<u8>) {
    let begin = rows.len();
    for (agent, rules) in agents.iter().zip(rules) {
        match rules.decide(url) {
            Ok(decision) => {
                line(rows, &DecisionRow::new(url.as_bytes(), agent, &decision, provenance));
            }
            Err(error) => {
                rows.truncate(begin);
                rows.extend(error_rows(url, agents, &Provenance::default(), &error.to_string()));
                return;
            }
        }
    }
}

/// Adds the rows of a URL by what its site says.
fn by_site(url: &str, agents: &[Agent], site: &Site, rows: &mut Vec<u8>) {
    let (begin, now) = (rows.len(), SystemTime::now());
    for (agent, policy) in agents.iter().zip(&site.policies) {
        match policy.decide(url, now) {
            Ok(decision) => {
                let from = Provenance::of_site(&site.origin, &decision, now);
                line(rows, &DecisionRow::new(url.as_bytes(), agent, &decision, &from));
            }
            Err(error) => {
                rows.truncate(begin);
                rows.extend(error_rows(url, agents, &Provenance::default(), &error.to_string()));
                return;
            }
        }
    }
}

/// Returns the rows of a URL that cannot be decided.
pub(crate) fn error_rows(url: &str, agents: &[Agent], robots_txt: &Provenance, error: &str) -> Vec<u8> {
    let mut rows = Vec::new();
    for agent in agents {
        let robots_txt = robots_txt.clone();
        line(&mut rows, &ErrorRow { url: url.as_bytes(), agent, robots_txt, error });
    }
    rows
}

/// Refuses what is about `robots` where there is none: the preset chooses how a site's robots.txt is read.
pub(crate) fn refuse_dialect(has_dialect: bool, has_charset: bool) -> Result<(), Problem> {
    let field = if has_dialect { "dialect" } else { "charset" };
    if !(has_dialect || has_charset) {
        return Ok(());
    }
    let detail =
        format!("`{field}` is about `robots`; what a site serves is read as the service's preset says");
    Err(Problem::new(Kind::BadQuestion, detail))
}
