//! What is asked of a site, in order: robots.txt, tdmrep.json, sitemaps, pages.

use std::sync::Arc;
use std::time::SystemTime;

use comity::policy::{Decision, Policy};
use comity::robots::{Agent, RobotsTxt};
use comity::site::{ReadPage, SiteReview};
use comity::usage::Tdmrep;
use comity_answers::site::SiteFile;
use comity_answers::sources;
use comity_audit::{ListedPage, ManifestInput, ManifestSite};
use comity_client::{Cause, Client, Origin};
use comity_formats::CaptureRows;

use super::args::AuditSiteArgs;
use super::pages::{self, Came};
use super::walk::{self, Walked};
use crate::commands::audit::store::capture;
use crate::exit::Failure;
use crate::output::Output;
use crate::render;
use crate::sites::page;
use crate::sites::trouble::Trouble;

/// The path of the file that TDMRep defines.
const TDMREP: &str = "/.well-known/tdmrep.json";

/// A site that is looked at, on behalf of some crawlers.
pub(super) struct Visit<'a> {
    pub(super) args: &'a AuditSiteArgs,
    pub(super) client: &'a Client,
    pub(super) origin: &'a Origin,
    pub(super) agents: &'a [Agent],
}

/// What came of it.
pub(super) struct Visited {
    pub(super) pages: Vec<ListedPage>,
    pub(super) robots: ManifestInput,
    /// The answers for robots.txt.
    pub(super) captures: CaptureRows,
    pub(super) tdmrep: Option<Vec<u8>>,
    pub(super) sitemaps: Vec<ManifestInput>,
    pub(super) site: ManifestSite,
}

/// Who may fetch what.
pub(super) struct Rules {
    policies: Vec<Arc<Policy>>,
    now: SystemTime,
}

impl Rules {
    /// Returns what is decided of a URL for each crawler; nothing if it cannot be decided.
    pub(super) fn of(&self, url: &str) -> Vec<Decision<'_>> {
        self.policies.iter().filter_map(|policy| policy.decide(url, self.now).ok()).collect()
    }
}

impl Visit<'_> {
    pub(super) async fn run(&self, output: &mut Output) -> Result<Visited, Failure> {
        let Visit { args, client, origin, agents } = *self;
        let robots_txt = origin.robots_txt();
        let refused = |cause: Cause| Trouble::new(robots_txt.as_str(), &cause).failure();
        let waiting = output.waiting("robots.txt");
        let policies = sources::policies(client, origin, agents).await.map_err(refused)?;
        let own = client.robots().policy(origin).await.map_err(|error| refused(Cause::Store(error)))?;
        let (robots, captures) = self.answers().await?;
        drop(waiting);
        let rules = Rules { policies, now: SystemTime::now() };
        let body = match rules.policies.first() {
            Some(policy) => match SiteFile::of(client, origin, policy, rules.now).await {
                Ok(file) => file,
                Err(cause) => return Err(refused(cause)),
            },
            None => return Err(Failure::new("no crawler is named")),
        };
        let text = body.body.as_deref().map(|text| {
            RobotsTxt::parse_with_charset(text, client.preset().dialect(), body.charset.as_deref())
        });
        let root = origin.join("/").map(String::from).unwrap_or_default();
        let is_shut = own.decide(&root, rules.now).is_ok_and(|decision| {
            // Where rules decide, they may leave some of the site open.
            decision.blocks() && decision.rules().is_none()
        });
        let tdmrep = if is_shut { None } else { self.tdmrep(output).await };
        let mut review = SiteReview::new(agents, text.as_ref());
        if let Some(file) = tdmrep.as_deref().and_then(|body| Tdmrep::parse(body).ok()) {
            review = review.tdmrep(file);
        }
        review.site(&root, &rules.of(&root));
        let named = text.as_ref().map_or(0, |robots| robots.sitemaps().count());
        let walked = match is_shut {
            true => Walked::default(),
            false => walk::walk(self, named, &rules, &mut review, output).await?,
        };
        let Walked { mut pages, sitemaps, foreign, stopped, unread } = walked;
        for message in &unread {
            output.warning(message);
        }
        if sitemaps.is_empty() && !is_shut {
            review.no_sitemap(&root);
        }
        if let Some(why) = &stopped {
            output.warning(&format!("the sitemaps are not read to their end: {why}"));
        }

        let chosen = pages::choose(&pages, &own, rules.now, args.limit as usize);
        let came = pages::fetch(client, &mut pages, &chosen.pages, output).await?;
        let mut site = ManifestSite {
            origin: origin.to_string(),
            agent: client.agent().to_string(),
            sitemaps: sitemaps.len() as u64,
            listed: pages.len() as u64,
            foreign,
            forbidden: chosen.forbidden,
            beyond_limit: chosen.beyond_limit,
            limit: args.limit.into(),
            stopped,
            ..ManifestSite::default()
        };
        let mut unasked: Option<String> = None;
        let mut came = came.into_iter().peekable();
        for (number, page) in pages.iter_mut().enumerate() {
            let decisions = rules.of(&page.url);
            let mut found = review.listed(&page.url, &decisions);
            match came.next_if(|(of, _)| *of == number).map(|(_, came)| came) {
                Some(Came::Answer { at, is_redirected }) => {
                    site.looked_at += 1;
                    let statements = page.statements.clone().unwrap_or_default();
                    let headers = statements.headers();
                    let read = ReadPage {
                        status: page.status.unwrap_or_default(),
                        is_redirected,
                        headers: &headers,
                        facts: statements.facts(),
                        at,
                    };
                    found.extend(review.page(&page.url, &decisions, &read));
                }
                Some(Came::Nothing(why)) => {
                    site.failed += 1;
                    found.extend(review.page_failed(&page.url, &why));
                }
                // What failed here is not the site's.
                Some(Came::Unasked(why)) => {
                    site.failed += 1;
                    unasked.get_or_insert(why);
                }
                None => {}
            }
            page.findings = found.into_iter().map(|kind| kind.code()).collect();
        }
        if let Some(why) = unasked {
            output.warning(&format!("pages could not be asked for, and are not looked at: {why}"));
        }
        site.findings = review.finish();
        Ok(Visited { pages, robots, captures, tdmrep, sitemaps, site })
    }

    /// Returns the answers for robots.txt that decide, as archives hold them.
    async fn answers(&self) -> Result<(ManifestInput, CaptureRows), Failure> {
        let Visit { client, origin, .. } = *self;
        let robots_txt = origin.robots_txt();
        let failed = |cause: Cause| Trouble::new(robots_txt.as_str(), &cause).failure();
        let stored = client.robots().stored(origin).await.map_err(|error| failed(Cause::Store(error)))?;
        let Some(stored) = stored else {
            return Err(Failure::new(format!("`{robots_txt}`: this machine could not ask")));
        };
        let mut rows = CaptureRows::default();
        for answer in &stored.answers {
            rows.push(&capture(origin, answer, 0), robots_txt.as_str());
        }
        let read = ManifestInput {
            name: robots_txt.to_string(),
            format: "live".to_owned(),
            bytes: stored.body.as_ref().map_or(0, |body| body.len() as u64),
            rows: stored.answers.len() as u64,
            ..ManifestInput::default()
        };
        Ok((read, rows))
    }

    /// Returns the site's tdmrep.json, which need not be there.
    async fn tdmrep(&self, output: &mut Output) -> Option<Vec<u8>> {
        const MOST: usize = comity::usage::MAX_TDMREP_BYTES;
        let url = self.origin.join(TDMREP)?;
        let waiting = output.waiting("tdmrep.json");
        let fetched = page::fetch(self.client, url.as_str(), MOST).await;
        drop(waiting);
        match fetched {
            // A page that says "not found" with status 200.
            Ok(page) if !page.status().is_success() || page.is_html() => None,
            Ok(page) => match Tdmrep::parse(page.body()) {
                Ok(_) => Some(page.body().to_vec()),
                Err(error) => {
                    output.warning(&format!("`{url}`: {error}"));
                    None
                }
            },
            Err(trouble) => {
                output.warning(&render::text(trouble.line().as_bytes()));
                None
            }
        }
    }
}
