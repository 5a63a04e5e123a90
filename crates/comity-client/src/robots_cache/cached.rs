//! The robots.txt policy of an origin in memory, and its size in bytes.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use comity::policy::Policy;
use quick_cache::Equivalent;

use super::fetch::Validators;
use crate::Origin;

/// The policy of an origin in memory.
#[derive(Clone, Debug)]
pub(super) struct CachedPolicy {
    pub(super) policy: Arc<Policy>,
    /// Validators of the file behind the policy, for a conditional request if the store has lost the file.
    pub(super) validators: Option<Arc<Validators>>,
    /// Set if the last request was inconclusive: a local failure, or a network failure that is not confirmed yet.
    pub(super) doubt: Option<Box<RecheckDelay>>,
}

impl CachedPolicy {
    /// Returns true if robots.txt need not be requested at `now`.
    pub(super) fn is_fresh(&self, now: SystemTime) -> bool {
        match &self.doubt {
            Some(doubt) => doubt.lasts(now),
            None => self.policy.is_fresh(now),
        }
    }
}

/// The time of an inconclusive request, and the delay before the next request.
#[derive(Clone, Copy, Debug)]
pub(super) struct RecheckDelay {
    since: SystemTime,
    span: Duration,
}

/// Delay before the next request after a network failure that is not confirmed.
pub(super) const UNCONFIRMED: Duration = Duration::from_secs(60);

/// Minimum and maximum delay before the next request after a local failure.
const LOCAL_RECHECK: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(60));

impl RecheckDelay {
    /// Creates the delay after a network failure that is not confirmed.
    pub(super) fn unconfirmed(since: SystemTime) -> RecheckDelay {
        RecheckDelay { since, span: UNCONFIRMED }
    }

    /// Creates the delay after a local failure: twice the previous delay, if there was one.
    pub(super) fn local(since: SystemTime, before: Option<RecheckDelay>) -> RecheckDelay {
        let span =
            before.map_or(LOCAL_RECHECK.0, |before| before.span.saturating_mul(2)).min(LOCAL_RECHECK.1);
        RecheckDelay { since, span }
    }

    /// Returns true if the delay has not passed yet. If the clock was set back, the delay ends at once.
    fn lasts(&self, now: SystemTime) -> bool {
        now.duration_since(self.since).is_ok_and(|age| age < self.span)
    }
}

/// The weight of a policy in the cache: its size in bytes.
#[derive(Clone, Debug)]
pub(super) struct ByBytes;

impl quick_cache::Weighter<Origin, CachedPolicy> for ByBytes {
    fn weight(&self, origin: &Origin, known: &CachedPolicy) -> u64 {
        let validators = known.validators.as_ref().map_or(0, |validators| validators.heap_bytes());
        let bytes = origin.as_str().len()
            + size_of::<Origin>()
            + size_of::<CachedPolicy>()
            + size_of::<Policy>()
            + known.policy.heap_bytes()
            + known.doubt.as_ref().map_or(0, |_| size_of::<RecheckDelay>())
            + validators;
        u64::try_from(bytes).unwrap_or(u64::MAX)
    }
}

/// The text of an origin, as a lookup key. It avoids the allocation of an [`Origin`].
#[derive(Hash)]
pub(super) struct OriginText<'a>(pub(super) &'a str);

impl Equivalent<Origin> for OriginText<'_> {
    fn equivalent(&self, key: &Origin) -> bool {
        self.0 == key.as_str()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: SystemTime = SystemTime::UNIX_EPOCH;

    #[test]
    fn recheck_delay_of_local_failures_doubles() {
        let mut doubt = None;
        let spans: Vec<u64> = (0..9)
            .map(|_| {
                let next = RecheckDelay::local(START, doubt);
                doubt = Some(next);
                next.span.as_secs()
            })
            .collect();
        assert_eq!(spans, [1, 2, 4, 8, 16, 32, 60, 60, 60]);
    }

    #[test]
    fn recheck_delay_ends_after_its_span_or_when_the_clock_is_set_back() {
        let start = START + Duration::from_secs(1_000_000);
        let doubt = RecheckDelay::unconfirmed(start);
        for (now, lasts) in [(start, true), (start + UNCONFIRMED, false), (start - UNCONFIRMED, false)] {
            assert_eq!(doubt.lasts(now), lasts);
        }
    }
}
