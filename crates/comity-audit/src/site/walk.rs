//! Reads the sitemaps of a site, and finds the problems in them.

use std::collections::HashSet;
use std::sync::Arc;

use comity::finding::Severity;
use comity::site::SiteReview;
use comity::sitemap::{Item, ReaderOptions, Scope, SkipReason};
use comity_answers::shown::number;
use comity_client::{Cause, DiscoveryStep, Origin};
use url::Url;

use super::rows::ListedPage;
use super::subject::{Rules, Visit};
use crate::context::{JobContext, Stage};
use crate::error::AuditError;
use crate::manifest::ManifestInput;

/// The content of the sitemaps.
#[derive(Default)]
pub(super) struct SitemapContent {
    /// The pages of the site, each once, in the order of the lists.
    pub(super) pages: Vec<ListedPage>,
    /// The sitemaps that were requested.
    pub(super) sitemaps: Vec<ManifestInput>,
    /// Number of entries for other sites.
    pub(super) foreign: u64,
    /// The reason why the walk ended early; `None` if it did not.
    pub(super) stopped: Option<String>,
    /// The field of the request that stopped the walk.
    pub(super) limit: Option<&'static str>,
    /// Messages about sitemaps that were not read because of a local failure or a rule for this client.
    pub(super) unread: Vec<String>,
}

/// A walk in progress.
struct Walk<'a, 'r> {
    visit: &'a Visit<'a>,
    rules: &'a Rules,
    review: &'a mut SiteReview<'r>,
    walked: SitemapContent,
    /// Pages that were already seen.
    met: HashSet<String>,
    current: Arc<str>,
    /// Number of known sitemaps that were not requested yet.
    left: usize,
}

/// Walks the sitemaps of a site. `named` is the number of sitemaps in its robots.txt.
pub(super) async fn walk(
    visit: &Visit<'_>,
    named: usize,
    rules: &Rules,
    review: &mut SiteReview<'_>,
    context: &mut JobContext<'_>,
) -> Result<SitemapContent, AuditError> {
    let discovery =
        visit.client.discover(visit.origin).await.map_err(|error| visit.failed(Cause::Store(error)))?;
    let options = ReaderOptions::new().scope(Scope::Report).find_duplicates(true);
    let mut discovery = discovery.options(options);
    let mut steps = 0;
    let mut walk = Walk {
        visit,
        rules,
        review,
        walked: SitemapContent::default(),
        met: HashSet::new(),
        current: Arc::from(""),
        left: named,
    };
    while walk.walked.stopped.is_none()
        && let Some(step) = discovery.next().await
    {
        steps += 1;
        context.progress(Stage::Sitemaps, steps, None);
        walk.take(step);
    }
    Ok(walk.walked)
}

impl Walk<'_, '_> {
    fn take(&mut self, step: DiscoveryStep) {
        match step {
            DiscoveryStep::Opened { sitemap, .. } => {
                self.add_requested(&sitemap);
                self.current = Arc::from(sitemap);
            }
            DiscoveryStep::Item { item: Item::Url(entry), .. } => {
                let lastmod = entry.lastmod.map(|date| date.to_string());
                self.page(&entry.loc, lastmod);
            }
            DiscoveryStep::Item { item: Item::Sitemap(_), .. } => self.left += 1,
            DiscoveryStep::Item { item: Item::Finding(finding), .. } => {
                self.review.sitemap_finding(&self.current, &finding);
                if finding.severity() == Severity::Error {
                    self.damage(finding.place().line.unwrap_or_default(), finding.message());
                }
            }
            DiscoveryStep::Ended { summary, .. } => {
                if let Some(input) = self.walked.sitemaps.last_mut() {
                    input.bytes = summary.bytes();
                    input.format = summary.format().map_or("no sitemap", |format| format.as_str()).to_owned();
                }
                self.stop_at_limit();
            }
            DiscoveryStep::Refused { refusal, .. } if refusal != SkipReason::Seen => {
                self.walked.stopped = Some(refusal.to_string());
            }
            DiscoveryStep::Failed { sitemap, error, .. } => {
                self.add_requested(&sitemap);
                let why = error.cause().to_string();
                // Local failures, and rules that forbid this client, are not faults of the sitemap.
                match error.cause().decision().is_some() || error.cause().is_local() {
                    true => self.walked.unread.push(format!("`{sitemap}` is not read: {why}")),
                    false => self.review.sitemap_unreachable(&sitemap, &why),
                }
                self.damage(0, &why);
                self.stop_at_limit();
            }
            DiscoveryStep::Missing { sitemap, status, was_named: true, .. } => {
                self.add_requested(&sitemap);
                let why = format!("it answers {status}");
                self.review.sitemap_unreachable(&sitemap, &why);
                self.damage(0, &why);
                self.stop_at_limit();
            }
            _ => {}
        }
    }

    /// Records that a sitemap was requested.
    fn add_requested(&mut self, sitemap: &str) {
        self.left = self.left.saturating_sub(1);
        let name = comity::shown::bytes(sitemap.as_bytes()).into_owned();
        self.walked.sitemaps.push(ManifestInput {
            name,
            format: "sitemap".to_owned(),
            ..ManifestInput::default()
        });
        // The rules of this site do not apply to a sitemap on another site.
        if self.origin_of(sitemap).is_some() {
            self.review.sitemap(sitemap, &self.rules.of(sitemap));
        }
    }

    /// Returns the URL if it belongs to this site.
    fn origin_of(&self, url: &str) -> Option<Url> {
        let url = Url::parse(url).ok()?;
        (Origin::of(&url).as_ref() == Some(self.visit.origin)).then_some(url)
    }

    /// Counts a problem of the last sitemap, and stores the first one.
    fn damage(&mut self, line: u64, problem: &str) {
        if let Some(input) = self.walked.sitemaps.last_mut() {
            input.damaged += 1;
            if input.damage.is_empty() {
                input.damage.push((line, comity::shown::bytes(problem.as_bytes()).into_owned()));
            }
        }
    }

    fn page(&mut self, loc: &str, lastmod: Option<String>) {
        let Some(mut url) = self.origin_of(loc) else {
            self.walked.foreign += 1;
            return;
        };
        url.set_fragment(None);
        if let Some(input) = self.walked.sitemaps.last_mut() {
            input.rows += 1;
        }
        if self.met.contains(url.as_str()) {
            return;
        }
        let most = self.visit.request.max_urls as usize;
        if self.walked.pages.len() == most {
            self.walked.limit = Some("max_urls");
            self.walked.stopped = Some(format!("they list more than {} pages", number(most as u64)));
            return;
        }
        let url = String::from(url);
        self.met.insert(url.clone());
        let sitemap = Arc::clone(&self.current);
        self.walked.pages.push(ListedPage { url, sitemap, lastmod, ..ListedPage::default() });
    }

    /// Stops if there are more sitemaps than the limit.
    fn stop_at_limit(&mut self) {
        let most = self.visit.request.max_sitemaps as usize;
        if self.walked.sitemaps.len() >= most && self.left > 0 {
            self.walked.limit = Some("max_sitemaps");
            self.walked.stopped = Some(format!("there are more than {} of them", number(most as u64)));
        }
    }
}
