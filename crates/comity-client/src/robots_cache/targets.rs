//! A cache of answers from redirect targets: URLs that were recently requested on behalf of other origins.
//!
//! A hosting provider may redirect a hundred thousand domains to one robots.txt. That file is requested once, and the
//! answer is reused for all these domains. Each origin still has its own copy in the store (RFC 9309 §2.3.1.2).

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use super::hop::RobotsHop;
use super::one_shard;
use crate::gate::{Gates, Passage};

/// Answers by the requested URL, limited by size in bytes.
#[derive(Debug)]
pub(super) struct Targets {
    hops: quick_cache::sync::Cache<Arc<str>, Arc<CachedHop>, ByBytes>,
    gates: Gates<Arc<str>>,
}

#[derive(Debug)]
struct CachedHop {
    hop: RobotsHop,
    /// Time until which a policy that is computed from the answer is fresh, if it is limited.
    fresh_until: Option<SystemTime>,
}

/// Maximum time for which an answer is reused for other origins.
const TTL: Duration = Duration::from_secs(600);

/// Maximum time for which a failure is reused.
const FAILURE_TTL: Duration = Duration::from_secs(60);

/// Maximum size of all cached answers together, in bytes.
const MAX_BYTES: u64 = 8 << 20;

/// Size of an answer without its body, in bytes.
const HOP_BYTES: usize = 512;

/// Size of a header field or redirect without its text, in bytes.
const FIELD_BYTES: usize = 48;

#[derive(Clone, Debug)]
struct ByBytes;

impl quick_cache::Weighter<Arc<str>, Arc<CachedHop>> for ByBytes {
    fn weight(&self, url: &Arc<str>, cached: &Arc<CachedHop>) -> u64 {
        let body = match &cached.hop {
            RobotsHop::Answer(answer) => {
                let fields = answer.fields.iter().map(|(name, value)| name.len() + value.len() + FIELD_BYTES);
                let redirects = answer.redirects.iter().map(|url| url.len() + FIELD_BYTES);
                let error = answer.error.as_ref().map_or(0, String::len);
                answer.body.len() + fields.chain(redirects).sum::<usize>() + error
            }
            RobotsHop::Redirect { to, .. } => to.as_str().len(),
        };
        u64::try_from(HOP_BYTES + url.len() + body).unwrap_or(u64::MAX)
    }
}

impl Default for Targets {
    fn default() -> Self {
        let hops = usize::try_from(MAX_BYTES).unwrap_or(usize::MAX) / HOP_BYTES;
        Targets { hops: one_shard(hops, MAX_BYTES, ByBytes), gates: Gates::default() }
    }
}

impl Targets {
    /// Waits until no other task is requesting the URL. Other tasks wait until the returned value is dropped.
    pub(super) async fn enter(&self, url: &Arc<str>) -> Passage<'_, Arc<str>> {
        self.gates.enter(url).await
    }

    /// Returns the cached answer of a URL, if it is recent. A policy that is computed from it keeps the time of the
    /// answer. So the answer is not returned if the policy would be stale at once.
    pub(super) fn get(&self, url: &Arc<str>, now: SystemTime) -> Option<RobotsHop> {
        let cached = self.hops.get(url)?;
        let CachedHop { hop, fresh_until } = &*cached;
        let lasts = if hop.is_failure() { FAILURE_TTL } else { TTL };
        // After the clock was set back, an answer may have a time in the future. Such an answer is ignored.
        let is_recent = now.duration_since(hop.at()).is_ok_and(|age| age < lasts);
        (is_recent && fresh_until.is_none_or(|until| now < until)).then(|| hop.clone())
    }

    /// Caches the answer to an unconditional request for a URL, unless the request failed locally. `fresh_until` is the
    /// time until which a policy that is computed from the answer is fresh.
    pub(super) fn insert(&self, url: &Arc<str>, hop: RobotsHop, fresh_until: Option<SystemTime>) {
        let is_local = matches!(&hop, RobotsHop::Answer(answer) if answer.is_local());
        if !is_local {
            self.hops.insert(url.clone(), Arc::new(CachedHop { hop, fresh_until }));
        }
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use comity::policy::Failure;
    use http::HeaderMap;
    use quick_cache::Weighter as _;

    use super::super::answer::KeptAnswer;
    use super::*;

    fn at(seconds: u64) -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000 + seconds)
    }

    #[test]
    fn answers_last_ten_minutes_and_failures_one() {
        let targets = Targets::default();
        let [good, short, bad, ours]: [Arc<str>; 4] = ["good", "short", "bad", "ours"].map(Arc::from);
        let answer = KeptAnswer::status(200, at(0), &HeaderMap::new(), Bytes::new(), Vec::new());
        targets.insert(&good, RobotsHop::Answer(answer.clone()), None);
        targets.insert(&short, RobotsHop::Answer(answer), Some(at(30)));
        let failure = |failure| RobotsHop::Answer(KeptAnswer::failure(failure, at(0), Vec::new()));
        targets.insert(&bad, failure(Failure::Connection), None);
        targets.insert(&ours, failure(Failure::Local), None);
        let has = |url: &Arc<str>, seconds| targets.get(url, at(seconds)).is_some();
        assert!(has(&good, 0) && has(&good, 599) && !has(&good, 600));
        assert!(has(&short, 29) && !has(&short, 30), "the policy would be stale");
        assert!(has(&bad, 59) && !has(&bad, 60));
        assert!(!has(&ours, 0), "a local failure is not cached");
        assert!(targets.get(&good, at(0) - Duration::from_secs(1)).is_none(), "the clock was set back");
    }

    #[test]
    fn large_answers_are_bounded_in_all() {
        let targets = Targets::default();
        for number in 0..100 {
            let body = Bytes::from(vec![b'x'; 500_000]);
            let answer = KeptAnswer::status(200, at(0), &HeaderMap::new(), body, Vec::new());
            targets.insert(&number.to_string().into(), RobotsHop::Answer(answer), None);
        }
        let weight = |answer| {
            let cached = CachedHop { hop: RobotsHop::Answer(answer), fresh_until: None };
            ByBytes.weight(&"a".into(), &Arc::new(cached))
        };
        let bare = KeptAnswer::status(404, at(0), &HeaderMap::new(), Bytes::new(), Vec::new());
        let fields = vec![("x".to_owned(), vec![b'x'; 1024]); 32];
        let full = KeptAnswer { fields, error: Some("x".repeat(1000)), ..bare.clone() };
        assert!(weight(full) >= weight(bare) + 33_000);
        assert!(targets.hops.weight() <= MAX_BYTES);
        assert!(targets.get(&"99".into(), at(0)).is_some());
    }
}
