//! The URLs that are not finished, by site, and the time that they will take.

use std::collections::HashMap;
use std::time::Duration;

use comity_client::Origin;
use comity_client::retrieval::FetchRecord;
use url::Url;

/// The URLs that are not finished.
#[derive(Debug, Default)]
pub(super) struct Backlog {
    sites: HashMap<Origin, Site>,
    /// Number of URLs so far.
    given: u64,
    /// Number of finished URLs.
    finished: u64,
    /// True if no further URL follows.
    is_complete: bool,
}

#[derive(Debug, Default)]
struct Site {
    left: u64,
    /// Time from one URL of the site to the next.
    pace: Duration,
}

/// The site that will be finished last.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct SlowestSite<'b> {
    pub(super) origin: &'b Origin,
    /// Number of its URLs that are not finished.
    pub(super) left: u64,
    /// The time that they will take.
    pub(super) time: Duration,
}

impl Backlog {
    /// Adds a URL. `pace` is the time from one URL of its site to the next; zero if it is unknown.
    pub(super) fn add(&mut self, url: &str, pace: Duration) {
        self.given += 1;
        if let Some(origin) = origin(url) {
            let site = self.sites.entry(origin).or_default();
            site.left += 1;
            site.pace = site.pace.max(pace);
        }
    }

    /// Adds a URL that needs no request.
    pub(super) fn add_finished(&mut self) {
        self.given += 1;
        self.finished += 1;
    }

    /// Records that no further URL follows.
    pub(super) fn complete(&mut self) {
        self.is_complete = true;
    }

    /// Removes a URL that is finished. `pace` is the time from one URL of its site to the next, if it is known.
    pub(super) fn finish(&mut self, url: &str, pace: Option<Duration>) {
        self.finished += 1;
        let Some(origin) = origin(url) else { return };
        let Some(site) = self.sites.get_mut(&origin) else { return };
        site.left = site.left.saturating_sub(1);
        site.pace = pace.unwrap_or(site.pace);
        if site.left == 0 {
            self.sites.remove(&origin);
        }
    }

    /// Returns the number of finished URLs.
    pub(super) fn finished(&self) -> u64 {
        self.finished
    }

    /// Returns the number of all URLs, or `None` if more may follow.
    pub(super) fn total(&self) -> Option<u64> {
        self.is_complete.then_some(self.given)
    }

    /// Returns the site whose URLs will take the longest time.
    pub(super) fn slowest(&self) -> Option<SlowestSite<'_>> {
        let time = |site: &Site| site.pace.saturating_mul(u32::try_from(site.left).unwrap_or(u32::MAX));
        let slowest = self.sites.iter().max_by_key(|(_, site)| (time(site), site.left))?;
        let (origin, site) = slowest;
        Some(SlowestSite { origin, left: site.left, time: time(site) })
    }

    /// Returns the time until all URLs are finished: that of the slowest site, or that at the present rate if this is
    /// longer. Returns `None` while the rate is unknown.
    pub(super) fn time_left(&self, elapsed: Duration) -> Option<Duration> {
        let left = self.given.saturating_sub(self.finished);
        if self.finished == 0 {
            return None;
        }
        let at_rate = elapsed.as_secs_f64() / self.finished as f64 * left as f64;
        let at_rate = Duration::try_from_secs_f64(at_rate).unwrap_or(Duration::MAX);
        Some(self.slowest().map_or(at_rate, |slowest| slowest.time.max(at_rate)))
    }
}

fn origin(url: &str) -> Option<Origin> {
    Origin::of(&url.parse::<Url>().ok()?)
}

/// Returns the time from one URL of a site to the next: the interval that the pace requires, or the time of the requests
/// if that is longer.
pub(super) fn pace_of(record: &FetchRecord) -> Option<Duration> {
    let hop = record.hops.first()?;
    let interval = hop.waits.iter().map(|wait| wait.interval.duration).max()?;
    Some(interval.max(hop.attempts.iter().map(|attempt| attempt.took).sum()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn slowest_site_has_the_longest_remaining_time() {
        let mut backlog = Backlog::default();
        for _ in 0..10 {
            backlog.add("https://many.example/", Duration::ZERO);
        }
        for path in ["a", "b", "c"] {
            backlog.add(&format!("https://slow.example/{path}"), Duration::ZERO);
        }
        assert_eq!(backlog.time_left(SECOND), None, "no URL is finished");
        backlog.finish("https://many.example/", Some(SECOND));
        let slowest = backlog.slowest().unwrap();
        assert_eq!((slowest.origin.as_str(), slowest.left), ("https://many.example", 9));
        backlog.finish("https://slow.example/a", Some(SECOND * 60));
        let slowest = backlog.slowest().unwrap();
        assert_eq!((slowest.origin.as_str(), slowest.time), ("https://slow.example", SECOND * 120));
        assert_eq!(backlog.time_left(SECOND), Some(SECOND * 120));
        // At a rate of two URLs in 100 seconds, the other eleven take longer than the slowest site.
        assert_eq!(backlog.time_left(SECOND * 100), Some(SECOND * 550));
    }

    #[test]
    fn total_is_known_when_all_urls_were_read() {
        let mut backlog = Backlog::default();
        backlog.add("https://a.example/", Duration::ZERO);
        backlog.add("no URL", Duration::ZERO);
        backlog.add_finished();
        assert_eq!((backlog.total(), backlog.finished()), (None, 1));
        backlog.complete();
        assert_eq!(backlog.total(), Some(3));
        backlog.finish("https://a.example/", None);
        backlog.finish("no URL", None);
        assert_eq!((backlog.finished(), backlog.slowest()), (3, None));
    }
}
