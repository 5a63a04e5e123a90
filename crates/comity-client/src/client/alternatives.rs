//! Fetches the best permitted form of a page, if the options follow llms.txt.
//!
//! Candidates are URLs with the content of the page: those that llms.txt lists or its Markdown convention suggests,
//! and the page itself. llms.txt and the candidates are fetched like pages, under robots.txt. A disallowed candidate is
//! skipped.
//!
//! Without the feature `llms`, `without_llms.rs` replaces this file.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use comity::llms::{BodyKind, Candidate, CandidateReason, Link, LlmsTxt, Reader, Strategy, candidates};
use comity::shown::{hide_credentials, without_credentials};
use http::StatusCode;
use url::Url;

use crate::Origin;
use crate::client::{Cause, Client, FetchError};
use crate::job::Job;
use crate::options::FetchOptions;
use crate::retrieval::{FetchOutcome, FetchRecord, Manifest, Page, Selection, SkippedAlternative};
use crate::robots_cache::one_shard;

/// Time for which the llms.txt of a site, or its absence, is cached.
const LLMS_TTL: Duration = Duration::from_secs(3600);

/// Time for which a failed request for an llms.txt is not repeated.
const FAILURE_TTL: Duration = Duration::from_secs(60);

/// Maximum number of bytes read from an llms.txt.
const MAX_LLMS_BYTES: usize = 4 << 20;

/// Maximum size of all cached llms.txt files together, in bytes.
const MAX_CACHED_BYTES: u64 = 32 << 20;

/// Size of an entry without its file, in bytes.
const ENTRY_BYTES: usize = 512;

/// The cached llms.txt files, limited by size in bytes.
#[derive(Debug)]
pub(crate) struct LlmsCache(quick_cache::sync::Cache<Origin, CachedLlms, ByBytes>);

impl LlmsCache {
    pub(super) fn new() -> Self {
        let entries = usize::try_from(MAX_CACHED_BYTES).unwrap_or(usize::MAX) / ENTRY_BYTES;
        LlmsCache(one_shard(entries, MAX_CACHED_BYTES, ByBytes))
    }
}

#[derive(Clone, Debug)]
struct ByBytes;

impl quick_cache::Weighter<Origin, CachedLlms> for ByBytes {
    fn weight(&self, _: &Origin, known: &CachedLlms) -> u64 {
        u64::try_from(ENTRY_BYTES + known.file_bytes).unwrap_or(u64::MAX)
    }
}

/// The cached llms.txt of an origin.
#[derive(Clone, Debug)]
struct CachedLlms {
    at: SystemTime,
    file: Option<Arc<LlmsTxt>>,
    /// Estimated size of the file in memory, in bytes.
    file_bytes: usize,
    manifest: Manifest,
}

impl CachedLlms {
    /// Returns the time for which the result is cached, or `None` if it is not evidence about the llms.txt, such as a
    /// refusal by robots.txt.
    fn ttl(&self) -> Option<Duration> {
        match (self.manifest.outcome, self.manifest.status) {
            (FetchOutcome::Fetched, Some(200..=299 | 404 | 410)) => Some(LLMS_TTL),
            // Without this pause, each page of a site with a fault would cause another request.
            (
                FetchOutcome::Fetched
                // The answer arrived, but its `Retry-After` could not be stored.
                | FetchOutcome::StoreFailed
                | FetchOutcome::TransportFailed
                | FetchOutcome::RedirectsFailed
                | FetchOutcome::ContentRefused,
                _,
            ) => Some(FAILURE_TTL),
            _ => None,
        }
    }

    fn is_fresh(&self, now: SystemTime) -> bool {
        let age = now.duration_since(self.at).ok();
        self.ttl().zip(age).is_some_and(|(ttl, age)| age < ttl)
    }
}

/// Returns the estimated size of a file in memory. Its texts are copied from the body, and each link also has a URL.
fn bytes_in_memory(file: &LlmsTxt, body: usize) -> usize {
    let urls = file.links().filter_map(Link::url).map(|url| url.as_str().len()).sum::<usize>();
    size_of::<LlmsTxt>() + body + urls + file.links().count() * size_of::<Link>()
}

impl Client {
    /// Fetches a page as part of a job. If the options follow llms.txt, first tries the forms of the page that llms.txt
    /// lists or that its Markdown convention suggests, as far as robots.txt allows them.
    pub(crate) async fn select_and_fetch(
        &self,
        url: &str,
        fetch: &FetchOptions,
        job: &Job,
    ) -> Result<Page, FetchError> {
        let page = match fetch.llms {
            Strategy::Disabled => None,
            _ => Url::parse(url).ok().and_then(|page| Some((Origin::of(&page)?, page))),
        };
        let Some((origin, page)) = page else {
            return self.fetch_as(url, fetch, Selection::direct(), job).await;
        };
        let expiry = fetch.deadline.map(|deadline| self.inner.clock.moment() + deadline);
        let remembered = self.llms_of(&origin, fetch, job).await;
        let list = candidates(&page, remembered.file.as_deref(), fetch.llms);
        let (mut passed_over, mut itself) = (Vec::new(), None);
        let mut asked_for = page.clone();
        asked_for.set_fragment(None);
        for candidate in &list {
            let selection = Selection { reason: reason(candidate), passed_over: passed_over.clone() };
            let left = expiry.map(|expiry| expiry.since(self.inner.clock.moment()));
            let fetch = FetchOptions { deadline: left, ..fetch.clone() };
            let fetched = self.fetch_as(candidate.url().as_str(), &fetch, selection, job).await;
            match self.accept(candidate, fetched) {
                Ok(fetched) => return with_request(fetched, url, remembered.manifest),
                // If no other form is suitable, the result for the page itself is returned. The page is not always the
                // last candidate, since llms.txt may list it.
                Err(UnsuitableCandidate { fetched, .. })
                    if *candidate.url() == asked_for && fetch.llms != Strategy::Force =>
                {
                    itself = Some(fetched);
                }
                Err(UnsuitableCandidate { passed, .. }) => passed_over.push(passed),
            }
        }
        if let Some(mut fetched) = itself {
            record_mut(&mut fetched).selected.passed_over = passed_over;
            return with_request(*fetched, url, remembered.manifest);
        }
        Err(self.no_alternative(url, passed_over, remembered.manifest))
    }

    /// Returns the result of a candidate if it is suitable, or the reason why it is not.
    fn accept(
        &self,
        candidate: &Candidate,
        fetched: Result<Page, FetchError>,
    ) -> Result<Result<Page, FetchError>, UnsuitableCandidate> {
        let is_guess = candidate.reason() == CandidateReason::SameUrlMarkdownVariant;
        let because = match &fetched {
            Ok(page) if page.status() == StatusCode::NOT_MODIFIED => return Ok(fetched),
            Ok(page) if !page.status().is_success() => format!("the answer is {}", page.status().as_u16()),
            // An HTML page with status 200 is often a "not found" page.
            Ok(page) if is_guess && page.is_html() => "it is HTML, not Markdown".to_owned(),
            Ok(_) => return Ok(fetched),
            Err(error) => error.cause().to_string(),
        };
        let record = record_of(&fetched);
        let passed = SkippedAlternative {
            url: without_credentials(candidate.url()).to_string(),
            reason: reason(candidate),
            outcome: record.outcome,
            status: record.content.as_ref().map(|content| content.status),
            because,
        };
        Err(UnsuitableCandidate { passed, fetched: Box::new(fetched) })
    }

    /// Returns the llms.txt of a page's origin: from the cache, or from the site.
    async fn llms_of(&self, origin: &Origin, fetch: &FetchOptions, job: &Job) -> CachedLlms {
        let url = origin.llms_txt();
        let now = self.inner.clock.now();
        if let Some(known) = self.inner.llms.0.get(origin).filter(|known| known.is_fresh(now)) {
            return known;
        }
        let options = fetch.for_manifest(MAX_LLMS_BYTES);
        let fetched = self.fetch_as(url.as_str(), &options, Selection::direct(), job).await;
        let record = record_of(&fetched);
        let manifest = manifest_of(&url, record);
        let page = fetched.ok().filter(|page| page.status().is_success());
        // An HTML page with status 200 is often a "not found" page.
        let file = page.as_ref().map(|page| read(page, &url)).filter(|file| file.kind() != BodyKind::Html);
        let body = page.map_or(0, |page| page.body().len());
        let file_bytes = file.as_ref().map_or(0, |file| bytes_in_memory(file, body));
        let at = self.inner.clock.now();
        let remembered = CachedLlms { at, file: file.map(Arc::new), file_bytes, manifest };
        if remembered.ttl().is_some() {
            self.inner.llms.0.insert(origin.clone(), remembered.clone());
        }
        remembered
    }

    fn no_alternative(
        &self,
        url: &str,
        passed_over: Vec<SkippedAlternative>,
        manifest: Manifest,
    ) -> FetchError {
        let mut record = self.inner.empty_record(url);
        record.selected = Selection { reason: "none", passed_over };
        record.manifests.push(manifest);
        let cause = Cause::NoAlternative;
        record.outcome = cause.outcome();
        record.error = Some(cause.to_string());
        FetchError::new(cause, record)
    }
}

/// An unsuitable candidate, with its result.
struct UnsuitableCandidate {
    passed: SkippedAlternative,
    fetched: Box<Result<Page, FetchError>>,
}

/// Returns the record of an llms.txt, with the outcome of its fetch.
fn manifest_of(url: &Url, record: &FetchRecord) -> Manifest {
    let content = record.content.as_ref();
    Manifest {
        kind: "llms_txt",
        url: without_credentials(url).to_string(),
        outcome: record.outcome,
        status: content.map(|content| content.status),
        digest: content.map(|content| content.digest.clone()),
    }
}

fn reason(candidate: &Candidate) -> &'static str {
    match candidate.reason() {
        CandidateReason::OriginalHtml => "direct",
        other => other.as_str(),
    }
}

fn read(page: &Page, url: &Url) -> LlmsTxt {
    let reader = Reader::new().url(url.clone());
    match page.charset() {
        Some(charset) => reader.charset(charset).read(page.body()),
        None => reader.read(page.body()),
    }
}

/// Adds llms.txt and the requested URL to the record, since a different URL may have been fetched.
fn with_request(
    mut fetched: Result<Page, FetchError>,
    url: &str,
    manifest: Manifest,
) -> Result<Page, FetchError> {
    let record = record_mut(&mut fetched);
    record.requested_url = hide_credentials(url).into_owned();
    record.manifests.push(manifest);
    fetched
}

fn record_of(fetched: &Result<Page, FetchError>) -> &FetchRecord {
    match fetched {
        Ok(page) => page.record(),
        Err(error) => error.record(),
    }
}

fn record_mut(fetched: &mut Result<Page, FetchError>) -> &mut FetchRecord {
    match fetched {
        Ok(page) => page.record_mut(),
        Err(error) => error.record_mut(),
    }
}
