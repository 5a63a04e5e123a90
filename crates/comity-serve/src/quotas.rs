//! Quotas of each caller: new origins per minute, and open slots.
//!
//! The memory of a quota and the number of quotas are bounded. Callers beyond the maximum number share one quota.

use std::collections::{HashMap, HashSet, VecDeque};
use std::hash::{BuildHasher, RandomState};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use comity_client::Origin;
use tokio::time::Instant;

use crate::access_control::{AccessControl, Caller};

/// The period in which new origins are counted.
const MINUTE: Duration = Duration::from_secs(60);

/// Maximum number of callers with a separate quota.
const MAX_CALLERS: usize = 4_096;

/// The quotas of all callers.
#[derive(Debug)]
pub(crate) struct Quotas {
    new_origins: usize,
    open_slots: usize,
    /// Keyed hash function for origins and agents.
    hasher: RandomState,
    /// Quota use by caller. The key `None` is the quota that callers beyond the maximum number share.
    callers: Mutex<HashMap<Option<Caller>, QuotaUse>>,
}

/// Quota use of one caller.
#[derive(Debug, Default)]
struct QuotaUse {
    /// Hashes of the new origins in the current minute.
    origins: HashSet<u64>,
    /// Start of the current minute.
    since: Option<Instant>,
    /// End times of the open slots.
    slots: VecDeque<Instant>,
    /// Number of reservations in progress.
    asking: usize,
}

impl QuotaUse {
    /// Removes expired entries.
    fn sweep(&mut self, now: Instant) {
        if self.since.is_none_or(|since| now.duration_since(since) >= MINUTE) {
            self.origins = HashSet::new();
            self.since = None;
        }
        self.slots.retain(|end| *end > now);
    }

    fn is_idle(&self) -> bool {
        self.origins.is_empty() && self.slots.is_empty() && self.asking == 0
    }
}

impl Quotas {
    pub(crate) fn new(new_origins: usize, open_slots: usize) -> Arc<Quotas> {
        Arc::new(Quotas {
            new_origins,
            open_slots,
            hasher: RandomState::new(),
            callers: Mutex::new(HashMap::new()),
        })
    }

    /// Returns the caller for an agent behind a gateway. Agents with different product tokens or addresses are
    /// different callers, so one agent cannot use up the quota of another.
    pub(crate) fn agent(&self, gateway: Caller, token: &str, address: Option<IpAddr>) -> Caller {
        Caller::Agent(self.hasher.hash_one((gateway, token, address.map(AccessControl::network))))
    }

    /// Counts a new origin. Returns the time to wait as the error if the caller has reached its limit.
    pub(crate) fn origin(&self, caller: Caller, origin: &Origin) -> Result<(), Duration> {
        let number = self.hasher.hash_one(origin);
        self.with(caller, |_, used, now| {
            if used.origins.contains(&number) {
                return Ok(());
            }
            let since = *used.since.get_or_insert(now);
            if used.origins.len() >= self.new_origins {
                return Err(MINUTE.saturating_sub(now.duration_since(since)));
            }
            used.origins.insert(number);
            Ok(())
        })
    }

    /// Counts a slot. Returns the time to wait as the error if the caller has reached its limit.
    pub(crate) fn slot(self: &Arc<Self>, caller: Caller) -> Result<SlotPlace, Duration> {
        let key = self.with(caller, |key, used, now| {
            if used.slots.len() + used.asking >= self.open_slots {
                let first = used.slots.iter().min().map(|end| end.duration_since(now));
                return Err(first.unwrap_or(Duration::from_secs(1)));
            }
            used.asking += 1;
            Ok(key)
        })?;
        Ok(SlotPlace { quotas: Arc::clone(self), key, end: None })
    }

    /// Calls `work` with the use of a caller, and with its key: if there are too many callers, new ones share the key `None`.
    fn with<T>(&self, caller: Caller, work: impl FnOnce(Option<Caller>, &mut QuotaUse, Instant) -> T) -> T {
        let now = Instant::now();
        let mut callers = self.lock();
        let mut key = Some(caller);
        if !callers.contains_key(&key) && callers.len() >= MAX_CALLERS {
            callers.retain(|_, used| {
                used.sweep(now);
                !used.is_idle()
            });
            if callers.len() >= MAX_CALLERS {
                key = None;
            }
        }
        let used = callers.entry(key).or_default();
        used.sweep(now);
        work(key, used, now)
    }

    /// Locks the quotas. No code panics while it holds the lock.
    fn lock(&self) -> MutexGuard<'_, HashMap<Option<Caller>, QuotaUse>> {
        self.callers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A place for an open slot of a caller, which counts against the limit. Dropping it frees the place at once, unless
/// [`SlotPlace::until`] was called.
#[derive(Debug)]
pub(crate) struct SlotPlace {
    quotas: Arc<Quotas>,
    /// The key under which the place is counted.
    key: Option<Caller>,
    end: Option<Instant>,
}

impl SlotPlace {
    /// Keeps the place in use until the slot has ended, after the duration `end`.
    pub(crate) fn until(mut self, end: Duration) {
        self.end = Instant::now().checked_add(end);
    }
}

impl Drop for SlotPlace {
    fn drop(&mut self) {
        let mut callers = self.quotas.lock();
        if let Some(used) = callers.get_mut(&self.key) {
            used.asking = used.asking.saturating_sub(1);
            used.slots.extend(self.end);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn origin(number: usize) -> Origin {
        Origin::of(&format!("https://{number}.example/").parse().unwrap()).unwrap()
    }

    #[tokio::test(start_paused = true)]
    async fn caller_over_its_limit_of_new_origins_waits() {
        let quotas = Quotas::new(2, 1);
        let (one, other) = (Caller::Token(0), Caller::Token(1));
        for number in [0, 1, 0, 1] {
            assert_eq!(quotas.origin(one, &origin(number)), Ok(()));
        }
        tokio::time::advance(MINUTE / 4).await;
        assert_eq!(quotas.origin(one, &origin(2)), Err(MINUTE * 3 / 4));
        assert_eq!(quotas.origin(other, &origin(2)), Ok(()));
        tokio::time::advance(MINUTE * 3 / 4).await;
        assert_eq!(quotas.origin(one, &origin(2)), Ok(()));
    }

    #[tokio::test(start_paused = true)]
    async fn agents_behind_one_gateway_are_separate_callers() {
        let quotas = Quotas::new(1, 1);
        let gateway = Caller::Socket;
        let agent = |token: &str, address: Option<&str>| {
            quotas.agent(gateway, token, address.map(|address| address.parse().unwrap()))
        };
        let first = agent("a", Some("192.0.2.1"));
        assert_eq!(quotas.origin(first, &origin(0)), Ok(()));
        assert!(quotas.origin(agent("a", Some("::ffff:192.0.2.1")), &origin(1)).is_err());
        for other in [gateway, agent("b", Some("192.0.2.1")), agent("a", Some("192.0.2.2")), agent("a", None)]
        {
            assert_eq!(quotas.origin(other, &origin(1)), Ok(()), "{other}");
        }
        assert_eq!(agent("a", Some("2001:db8::1")), agent("a", Some("2001:db8::2")));
        assert_ne!(first, quotas.agent(Caller::Token(0), "a", "192.0.2.1".parse().ok()));
    }

    #[tokio::test(start_paused = true)]
    async fn slot_is_counted_until_it_has_ended() {
        let quotas = Quotas::new(1, 2);
        let caller = Caller::Socket;
        quotas.slot(caller).unwrap().until(Duration::from_secs(5));
        let place = quotas.slot(caller).unwrap();
        assert_eq!(quotas.slot(caller).unwrap_err(), Duration::from_secs(5));
        drop(place);
        quotas.slot(caller).unwrap().until(Duration::from_secs(9));
        assert_eq!(quotas.slot(caller).unwrap_err(), Duration::from_secs(5));
        tokio::time::advance(Duration::from_secs(5)).await;
        assert!(quotas.slot(caller).is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn callers_beyond_the_maximum_share_a_quota() {
        let quotas = Quotas::new(1, 1);
        let caller = |number: u32| Caller::Address(std::net::Ipv4Addr::from(number).into());
        for number in 0..MAX_CALLERS as u32 {
            assert_eq!(quotas.origin(caller(number), &origin(0)), Ok(()));
        }
        assert_eq!(quotas.origin(caller(1 << 20), &origin(0)), Ok(()));
        assert!(quotas.origin(caller(1 << 21), &origin(1)).is_err());
        assert_eq!(quotas.lock().len(), MAX_CALLERS + 1);
        tokio::time::advance(MINUTE).await;
        assert_eq!(quotas.origin(caller(1 << 21), &origin(1)), Ok(()));
        assert!(quotas.lock().len() <= 2);
    }
}
