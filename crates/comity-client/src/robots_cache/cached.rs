//! The state of an origin in memory, and its size in bytes.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use comity::policy::Policy;
use quick_cache::Equivalent;

use super::fetch::Validators;
use crate::Origin;

/// The state of an origin in memory.
#[derive(Clone, Debug)]
pub(super) struct CachedPolicy {
    pub(super) policy: Arc<Policy>,
    /// The validators of the copy, used if the store has lost it.
    pub(super) validators: Option<Arc<Validators>>,
    /// Set if the last attempt was inconclusive: a local failure, or a failure that no other worker has seen yet.
    pub(super) doubt: Option<Box<RecheckDelay>>,
}

impl CachedPolicy {
    /// Returns true if the state is still fresh at `now`, so that robots.txt is not requested.
    pub(super) fn is_fresh(&self, now: SystemTime) -> bool {
        match &self.doubt {
            Some(doubt) => doubt.lasts(now),
            None => self.policy.is_fresh(now),
        }
    }
}

/// An inconclusive attempt, and the time until the next one.
#[derive(Clone, Copy, Debug)]
pub(super) struct RecheckDelay {
    since: SystemTime,
    span: Duration,
}

/// Time after which a failure that only one worker has seen is checked again.
pub(super) const UNCONFIRMED: Duration = Duration::from_secs(60);

/// Shortest and longest time after which a local failure is checked again.
const LOCAL_RECHECK: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(60));

impl RecheckDelay {
    /// Creates the doubt for a network failure that no other worker has seen.
    pub(super) fn unconfirmed(since: SystemTime) -> RecheckDelay {
        RecheckDelay { since, span: UNCONFIRMED }
    }

    /// Creates the doubt for a local failure. The time doubles from that of the previous doubt, if any.
    pub(super) fn local(since: SystemTime, before: Option<RecheckDelay>) -> RecheckDelay {
        let span =
            before.map_or(LOCAL_RECHECK.0, |before| before.span.saturating_mul(2)).min(LOCAL_RECHECK.1);
        RecheckDelay { since, span }
    }

    /// Returns true if it is too early to try again. If the clock was set back, the wait ends.
    fn lasts(&self, now: SystemTime) -> bool {
        now.duration_since(self.since).is_ok_and(|age| age < self.span)
    }
}

/// Weighs the state of an origin in bytes.
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

/// The text of an origin, for a lookup without creating an [`Origin`].
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
