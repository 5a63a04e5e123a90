//! Fetches pages of a site: selection and results.

use std::time::{SystemTime, UNIX_EPOCH};

use comity::html;
use comity::llms::Strategy;
use comity::policy::Policy;
use comity_client::retrieval::Page;
use comity_client::{Cause, Client};
use comity_formats::PageStatements;

use super::rows::ListedPage;
use crate::context::{JobContext, Stage};
use crate::error::AuditError;
use crate::live::in_words;

/// The pages to fetch, and the number of pages that are not fetched for each reason.
pub(super) struct Chosen {
    /// Their indexes in the list of pages, in order.
    pub(super) pages: Vec<usize>,
    /// Number of pages that robots.txt disallows for this client.
    pub(super) forbidden: u64,
    /// Number of allowed pages beyond the limit.
    pub(super) beyond_limit: u64,
}

/// The result of a page fetch.
pub(super) enum PageResult {
    /// An answer, which was stored in the page.
    Answer { at: SystemTime, is_redirected: bool },
    /// There is no answer, and the site is the cause.
    Failed(String),
    /// There is no answer, because of a local failure.
    NotSent(String),
}

/// Selects pages that the client may fetch, spread evenly over all such pages.
pub(super) fn choose(pages: &[ListedPage], own: &Policy, now: SystemTime, limit: usize) -> Chosen {
    let is_allowed = |page: &ListedPage| own.decide(&page.url, now).is_ok_and(|decision| !decision.blocks());
    let allowed: Vec<usize> =
        (0..pages.len()).filter(|number| pages.get(*number).is_some_and(is_allowed)).collect();
    let forbidden = (pages.len() - allowed.len()) as u64;
    let chosen = spread(allowed.len(), limit).filter_map(|place| allowed.get(place).copied());
    let chosen: Vec<usize> = chosen.collect();
    Chosen { beyond_limit: (allowed.len() - chosen.len()) as u64, pages: chosen, forbidden }
}

/// Returns at most `limit` indexes below `count`, evenly spread, starting with 0.
fn spread(count: usize, limit: usize) -> impl Iterator<Item = usize> {
    let taken = limit.min(count);
    (0..taken).map(move |number| number * count / taken)
}

/// Fetches pages, at the pace of their site. Returns the results in order.
pub(super) async fn fetch(
    client: &Client,
    pages: &mut [ListedPage],
    chosen: &[usize],
    context: &mut JobContext<'_>,
) -> Result<Vec<(usize, PageResult)>, AuditError> {
    let mut fetch = client.fetch_options().clone();
    fetch.max_bytes = html::MAX_BYTES;
    fetch.content_types = Vec::new();
    fetch.llms = Strategy::Disabled;
    // Usage statements are evaluated later.
    fetch.reads_use = false;
    let mut options = client.crawl_options().clone();
    options.fetch = Some(fetch);
    let urls: Vec<String> = chosen.iter().filter_map(|place| Some(pages.get(*place)?.url.clone())).collect();
    let total = urls.len() as u64;
    let mut crawl = client.fetch_many(urls, options);
    let mut outcomes = Vec::with_capacity(chosen.len());
    while let Some(fetched) = crawl.next().await {
        context.progress(Stage::Fetching, outcomes.len() as u64 + 1, Some(total));
        let place = usize::try_from(fetched.index).ok().and_then(|index| chosen.get(index).copied());
        let Some((place, page)) = place.and_then(|place| Some((place, pages.get_mut(place)?))) else {
            continue;
        };
        let outcome = match fetched.result {
            Ok(answer) => take(page, &answer, SystemTime::now()),
            Err(error) => {
                let cause = error.cause();
                let is_of_site = matches!(
                    cause,
                    Cause::Transport(_) | Cause::Redirects(_) | Cause::Robots(_) | Cause::Unreachable(_)
                );
                match is_of_site && !cause.is_local() {
                    true => PageResult::Failed(cause.to_string()),
                    false => {
                        PageResult::NotSent(format!("{}: {}", error.record().final_url, in_words(cause)))
                    }
                }
            }
        };
        outcomes.push((place, outcome));
    }
    outcomes.sort_by_key(|(place, _)| *place);
    Ok(outcomes)
}

/// Stores an answer in its row.
fn take(page: &mut ListedPage, answer: &Page, at: SystemTime) -> PageResult {
    page.status = Some(answer.status().as_u16());
    page.seen_at = at.duration_since(UNIX_EPOCH).ok().and_then(|since| i64::try_from(since.as_micros()).ok());
    let record = answer.record();
    let is_redirected = record.final_url != record.requested_url;
    page.final_url = is_redirected.then(|| record.final_url.clone());
    if answer.status().is_success() {
        page.statements = Some(PageStatements::new(&answer.fields(), answer.facts()));
    }
    PageResult::Answer { at, is_redirected }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chosen_pages_are_spread_evenly_from_the_first_page() {
        let places = |count, limit| spread(count, limit).collect::<Vec<_>>();
        assert_eq!(places(10, 5), [0, 2, 4, 6, 8]);
        assert_eq!(places(10, 3), [0, 3, 6]);
        assert_eq!(places(3, 10), [0, 1, 2]);
        assert_eq!(places(7, 7), [0, 1, 2, 3, 4, 5, 6]);
        assert!(places(5, 0).is_empty() && places(0, 5).is_empty());
    }
}
