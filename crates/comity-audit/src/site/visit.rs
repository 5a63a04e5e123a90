//! The requests to a site, in order: robots.txt, tdmrep.json, sitemaps, pages.

use std::time::SystemTime;

use comity::robots::RobotsTxt;
use comity::site::{ReadPage, SiteReview};
use comity::usage::Tdmrep;
use comity_answers::site::SiteFile;
use comity_answers::sources;
use comity_client::retrieval::Page;
use comity_client::{Cause, Client, FetchError};
use comity_formats::CaptureRows;

use super::pages::{self, PageResult};
use super::rows::ListedPage;
use super::subject::{Rules, Visit};
use super::walk::{self, SitemapContent};
use crate::context::{JobContext, Stage};
use crate::error::AuditError;
use crate::live::in_words;
use crate::live::store::capture;
use crate::manifest::ManifestInput;
use crate::manifest_site::ManifestSite;

/// The path of the file that TDMRep defines.
const TDMREP: &str = "/.well-known/tdmrep.json";

/// The answers and pages of a visited site.
pub(super) struct VisitResult {
    pub(super) pages: Vec<ListedPage>,
    pub(super) robots: ManifestInput,
    /// The answers for robots.txt.
    pub(super) captures: CaptureRows,
    pub(super) tdmrep: Option<Vec<u8>>,
    pub(super) sitemaps: Vec<ManifestInput>,
    pub(super) site: ManifestSite,
}

impl Visit<'_> {
    pub(super) async fn run(&self, context: &mut JobContext<'_>) -> Result<VisitResult, AuditError> {
        let Visit { request, client, origin, agents } = *self;
        context.progress(Stage::Site, 0, None);
        let failed = |cause| self.failed(cause);
        let policies = sources::policies(client, origin, agents).await.map_err(failed)?;
        let own = client.robots().policy(origin).await.map_err(Cause::Store).map_err(failed)?;
        let (robots, captures) = self.answers().await?;
        let rules = Rules { policies, now: SystemTime::now() };
        let Some(policy) = rules.policies.first() else { return Err(AuditError::NoAgent) };
        let body = SiteFile::of(client, origin, policy, rules.now).await.map_err(failed)?;
        let text = body.body.as_deref().map(|text| {
            RobotsTxt::parse_with_charset(text, client.preset().dialect(), body.charset.as_deref())
        });
        let root = origin.join("/").map(String::from).unwrap_or_default();
        let is_shut = own.decide(&root, rules.now).is_ok_and(|decision| {
            // If rules decide, they may still allow a part of the site.
            decision.blocks() && decision.rules().is_none()
        });
        let tdmrep = if is_shut { None } else { self.tdmrep(context).await };
        let mut review = SiteReview::new(agents, text.as_ref());
        if let Some(file) = tdmrep.as_deref().and_then(|body| Tdmrep::parse(body).ok()) {
            review = review.tdmrep(file);
        }
        review.site(&root, &rules.of(&root));
        let named = text.as_ref().map_or(0, |robots| robots.sitemaps().count());
        let walked = match is_shut {
            true => SitemapContent::default(),
            false => walk::walk(self, named, &rules, &mut review, context).await?,
        };
        let SitemapContent { mut pages, sitemaps, foreign, stopped, limit, unread } = walked;
        for message in &unread {
            context.warning(message);
        }
        if sitemaps.is_empty() && !is_shut {
            review.no_sitemap(&root);
        }
        if let Some(why) = &stopped {
            let message = format!("the sitemaps are not read to their end: {why}");
            match limit {
                Some(limit) => context.warning_about(&message, limit),
                None => context.warning(&message),
            }
        }

        let chosen = pages::choose(&pages, &own, rules.now, request.limit as usize);
        let outcomes = pages::fetch(client, &mut pages, &chosen.pages, context).await?;
        let mut site = ManifestSite {
            origin: origin.to_string(),
            agent: client.agent().to_string(),
            sitemaps: sitemaps.len() as u64,
            listed: pages.len() as u64,
            foreign,
            forbidden: chosen.forbidden,
            beyond_limit: chosen.beyond_limit,
            limit: request.limit.into(),
            stopped,
            ..ManifestSite::default()
        };
        let mut unasked: Option<String> = None;
        let mut outcomes = outcomes.into_iter().peekable();
        for (number, page) in pages.iter_mut().enumerate() {
            let decisions = rules.of(&page.url);
            let mut found = review.listed(&page.url, &decisions);
            match outcomes.next_if(|(of, _)| *of == number).map(|(_, outcome)| outcome) {
                Some(PageResult::Answer { at, is_redirected }) => {
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
                Some(PageResult::Failed(why)) => {
                    site.failed += 1;
                    found.extend(review.page_failed(&page.url, &why));
                }
                // A local failure is not evidence about the site.
                Some(PageResult::NotSent(why)) => {
                    site.failed += 1;
                    unasked.get_or_insert(why);
                }
                None => {}
            }
            page.findings = found.into_iter().map(|kind| kind.code()).collect();
        }
        if let Some(why) = unasked {
            context.warning(&format!("pages could not be requested, and are not examined: {why}"));
        }
        site.findings = review.finish();
        Ok(VisitResult { pages, robots, captures, tdmrep, sitemaps, site })
    }

    /// Returns the answers for robots.txt that decide, in the form of archived captures.
    async fn answers(&self) -> Result<(ManifestInput, CaptureRows), AuditError> {
        let Visit { client, origin, .. } = *self;
        let robots_txt = origin.robots_txt();
        let stored = client.robots().stored(origin).await;
        let stored = stored.map_err(|error| self.failed(Cause::Store(error)))?;
        let stored = stored.ok_or_else(|| AuditError::NoAnswerKept(robots_txt.to_string()))?;
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

    /// Returns the tdmrep.json of the site, which is optional.
    async fn tdmrep(&self, context: &mut JobContext<'_>) -> Option<Vec<u8>> {
        const MOST: usize = comity::usage::MAX_TDMREP_BYTES;
        let url = self.origin.join(TDMREP)?;
        match fetch(self.client, url.as_str(), MOST).await {
            // An HTML body is a "not found" page with status 200.
            Ok(page) if !page.status().is_success() || page.is_html() => None,
            Ok(page) => match Tdmrep::parse(page.body()) {
                Ok(_) => Some(page.body().to_vec()),
                Err(error) => {
                    context.warning(&format!("`{url}`: {error}"));
                    None
                }
            },
            Err(error) => {
                let cause = in_words(error.cause());
                context.warning(&comity::shown::bytes(
                    format!("`{}`: {cause}", error.record().final_url).as_bytes(),
                ));
                None
            }
        }
    }
}

/// Fetches a page with any status code, up to a size.
async fn fetch(client: &Client, url: &str, max_bytes: usize) -> Result<Page, FetchError> {
    let mut options = client.fetch_options().clone();
    options.max_bytes = max_bytes;
    options.content_types = Vec::new();
    options.reads_use = false;
    client.fetch_with(url, &options).await
}
