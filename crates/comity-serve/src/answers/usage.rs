//! `/v1/usage`: what content may be used for, signal by signal.
//!
//! Of a site only robots.txt is asked for. A page, its header, licences and `tdmrep.json` are read if the question brings them.

use std::sync::Arc;

use comity::html::{Facts, FactsOptions};
use comity::http::Headers;
use comity::robots::Agent;
use comity::usage::{LicenseDocument, RobotsUsage, Tdmrep, Usage};
use comity_answers::usage::{UsageErrorRow, UsageRow};

use super::check::{NO_SITE, refuse_dialect};
use crate::batch::{Asked, line};
use crate::context::{Context, has_scheme};
use crate::problem::{Kind, Problem};
use crate::questions::{self, UsageQuestion};
use crate::sites::Sites;

/// The question, ready to answer.
pub(crate) struct Uses {
    context: Context,
    agents: Arc<[Agent]>,
    said: Arc<Said>,
    by: By,
}

/// Where the site's robots.txt comes from.
enum By {
    /// The question: what it says to each crawler.
    File(Arc<[Arc<RobotsUsage>]>),
    Sites(Sites),
    /// Nowhere: other signals are asked for.
    Nothing,
}

/// What the question says beside robots.txt.
struct Said {
    headers: Option<Vec<u8>>,
    html: Option<Facts>,
    tdmrep: Option<Tdmrep>,
    rsl: Vec<LicenseDocument>,
}

impl Said {
    fn read(
        headers: Option<String>,
        html: Option<&str>,
        tdmrep: Option<&str>,
        rsl: &[String],
    ) -> Result<Said, Problem> {
        let wrong = |field: &str, error: &dyn std::error::Error| {
            Problem::new(Kind::BadQuestion, format!("`{field}`: {error}"))
        };
        let headers = headers.map(String::into_bytes);
        if let Some(text) = &headers {
            Headers::parse(text).map_err(|error| wrong("headers", &error))?;
        }
        let tdmrep = tdmrep.map(|text| Tdmrep::parse(text.as_bytes())).transpose();
        let rsl = rsl.iter().map(|text| LicenseDocument::parse(text.as_bytes())).collect::<Result<_, _>>();
        Ok(Said {
            headers,
            // JSON is text: the page is not in the charset that it declares.
            html: html.map(|html| FactsOptions::new().charset("utf-8").read(html.as_bytes())),
            tdmrep: tdmrep.map_err(|error| wrong("tdmrep", &error))?,
            rsl: rsl.map_err(|error| wrong("rsl", &error))?,
        })
    }

    fn is_empty(&self) -> bool {
        self.headers.is_none() && self.html.is_none() && self.tdmrep.is_none() && self.rsl.is_empty()
    }

    /// Returns the row of one crawler.
    fn row(
        &self,
        url: &str,
        agent: &Agent,
        robots: Option<&Arc<RobotsUsage>>,
        rows: &mut Vec<u8>,
    ) -> Result<(), String> {
        // It could be read when the question came.
        let headers = self.headers.as_ref().and_then(|text| Headers::parse(text).ok());
        let mut usage = Usage::for_agent(agent);
        usage = robots.into_iter().fold(usage, |usage, said| usage.robots_usage(Arc::clone(said)));
        usage = headers.iter().fold(usage, |usage, headers| usage.headers(headers));
        usage = self.html.iter().fold(usage, |usage, facts| usage.html(facts));
        usage = self.tdmrep.iter().fold(usage, |usage, tdmrep| usage.tdmrep(tdmrep));
        usage = self.rsl.iter().fold(usage, |usage, document| usage.rsl(document));
        let report = usage.report(url).map_err(|error| error.to_string())?;
        line(rows, &UsageRow { report: &report, error: None });
        Ok(())
    }
}

impl Asked for Uses {
    type Question = UsageQuestion;

    async fn prepare(
        context: &Context,
        question: UsageQuestion,
        waits: bool,
    ) -> Result<(Self, Vec<String>), Problem> {
        let UsageQuestion { urls, agents, user_agents, fallbacks, robots, dialect, charset, .. } = question;
        let UsageQuestion { headers, html, tdmrep, rsl, .. } = question;
        let agents: Arc<[Agent]> = questions::some_agents(&agents, &user_agents, &fallbacks)?.into();
        let said = move || Said::read(headers, html.as_deref(), tdmrep.as_deref(), &rsl);
        let said = context.heavily(said).await??;
        let by = match robots {
            Some(text) => {
                let readers = Arc::clone(&agents);
                let read = move || {
                    let robots = questions::read(&text, dialect, charset.as_deref());
                    questions::check_readings(readers.len(), &robots)?;
                    Ok(readers.iter().map(|agent| Arc::new(RobotsUsage::new(&robots, agent))).collect())
                };
                By::File(context.heavily(read).await??)
            }
            None => {
                refuse_dialect(dialect.is_some(), charset.is_some())?;
                match said.is_empty() {
                    true => By::Sites(Sites::new(context, Arc::clone(&agents), true, waits)),
                    false => By::Nothing,
                }
            }
        };
        Ok((Uses { context: context.clone(), agents, said: Arc::new(said), by }, urls))
    }

    fn rows_each(&self) -> usize {
        self.agents.len()
    }

    async fn rows(&self, url: &str) -> Result<Vec<u8>, Problem> {
        let (text, agents, said) = (url.to_owned(), Arc::clone(&self.agents), Arc::clone(&self.said));
        let rows = match &self.by {
            By::Sites(_) if !has_scheme(url) => return Ok(self.error_rows(url, NO_SITE)),
            By::Sites(sites) => match sites.of(url).await? {
                Err(none) => return Ok(self.error_rows(url, &none.error)),
                Ok(site) => {
                    let work = move || {
                        let robots = site.file.as_ref().map(|(robots, _)| robots);
                        rows(&text, &agents, &said, |agent| {
                            robots.map(|robots| Arc::new(RobotsUsage::new(robots, agent)))
                        })
                    };
                    self.context.heavily(work).await?
                }
            },
            By::File(heard) => {
                let heard = Arc::clone(heard);
                let work = move || {
                    let mut heard = heard.iter();
                    rows(&text, &agents, &said, |_| heard.next().cloned())
                };
                self.context.heavily(work).await?
            }
            By::Nothing => rows(&text, &agents, &said, |_| None),
        };
        Ok(rows.unwrap_or_else(|error| self.error_rows(url, &error)))
    }

    fn error_rows(&self, url: &str, error: &str) -> Vec<u8> {
        let mut rows = Vec::new();
        for agent in &*self.agents {
            line(&mut rows, &UsageErrorRow::new(url, agent.as_str(), error));
        }
        rows
    }
}

/// The rows of a URL, `robots` telling what robots.txt says to each crawler in turn.
fn rows(
    url: &str,
    agents: &[Agent],
    said: &Said,
    mut robots: impl FnMut(&Agent) -> Option<Arc<RobotsUsage>>,
) -> Result<Vec<u8>, String> {
    let mut rows = Vec::new();
    for agent in agents {
        said.row(url, agent, robots(agent).as_ref(), &mut rows)?;
    }
    Ok(rows)
}
