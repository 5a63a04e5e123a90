//! What applies to an origin: asked for once, kept, shared, revalidated.
//!
//! ```text
//! URL ─▶ origin ─▶ memory: compiled rules, fresh? ──────────────────────────────▶ Policy
//!                     │ no
//!                     ▼  one task per origin goes on, the others wait for it
//!                  store: an entry, fresh? ──────────▶ replayed ────────────────▶ Policy
//!                     │ no
//!                     ▼  one process per origin goes on, the others poll the store
//!                  ask the origin (conditionally), put what follows ────────────▶ Policy
//! ```
//!
//! Memory holds the rules of the client's own token, bounded by bytes; the store holds answers, which serve every token
//! and preset. A robots.txt that was reached by redirects is the initial origin's alone (RFC 9309 §2.3.1.2): nothing is
//! ever written under another key than the origin that was asked about.

mod answer;
mod fetch;
mod record;
mod stored;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use comity::policy::{AnswerKind, Mode, Policy, Preset, Treatment};
use comity::robots::Agent;
use http::HeaderValue;
use quick_cache::Equivalent;
use tracing::{Instrument, debug, debug_span, warn};

pub(crate) use answer::digest;
pub use fetch::RobotsOptions;
pub(crate) use fetch::location;
use fetch::{Asking, Validators, is_not_modified};
use record::Record;
pub use stored::Stored;

use crate::Origin;
use crate::clock::Clock;
use crate::guard::Guard;
use crate::observe::{Event, Observers};
use crate::store::{Acquired, Entry, Lease, Store, StoreError};
use crate::transport::Transport;

/// The state of every origin that was asked about, for one crawler under one preset and mode.
///
/// A clone shares everything.
#[derive(Clone, Debug)]
pub struct RobotsCache {
    shared: Arc<Shared>,
}

/// What a cache is made of.
#[derive(Debug)]
pub(crate) struct Parts {
    pub agent: Agent,
    pub user_agent: HeaderValue,
    pub preset: Preset,
    pub mode: Mode,
    pub options: RobotsOptions,
    pub store: Arc<dyn Store>,
    pub transport: Arc<dyn Transport>,
    pub guard: Guard,
    pub clock: Arc<dyn Clock>,
    pub observers: Observers,
}

#[derive(Debug)]
struct Shared {
    parts: Parts,
    known: quick_cache::sync::Cache<Origin, Known, ByBytes>,
    gates: Mutex<HashMap<Origin, Arc<tokio::sync::Mutex<()>>>>,
    /// What applies where robots.txt is not looked at.
    unasked: Arc<Policy>,
}

/// What memory holds about an origin.
#[derive(Clone, Debug)]
struct Known {
    policy: Arc<Policy>,
    /// For a store that has lost the answer.
    validators: Option<Arc<Validators>>,
}

#[derive(Clone, Debug)]
struct ByBytes;

impl quick_cache::Weighter<Origin, Known> for ByBytes {
    fn weight(&self, origin: &Origin, known: &Known) -> u64 {
        let validators = known.validators.as_ref().map_or(0, |validators| validators.heap_bytes());
        let bytes = origin.as_str().len()
            + size_of::<Origin>()
            + size_of::<Known>()
            + size_of::<Policy>()
            + known.policy.heap_bytes()
            + validators;
        u64::try_from(bytes).unwrap_or(u64::MAX)
    }
}

/// A look-up by the text of an origin, without making one.
#[derive(Hash)]
struct OriginText<'a>(&'a str);

impl Equivalent<Origin> for OriginText<'_> {
    fn equivalent(&self, key: &Origin) -> bool {
        self.0 == key.as_str()
    }
}

/// How long a held lease is waited for before looking again: from the first to the last.
const POLL: (Duration, Duration) = (Duration::from_millis(10), Duration::from_millis(250));

/// A lease outlives its request by this much.
const LEASE_SLACK: Duration = Duration::from_secs(5);

impl RobotsCache {
    pub(crate) fn new(parts: Parts) -> Self {
        // A guess of how many origins fit; it only sizes tables.
        let origins =
            usize::try_from(parts.options.memory_bytes / 512).unwrap_or(usize::MAX).clamp(64, 1 << 20);
        let known = quick_cache::sync::Cache::with_weighter(origins, parts.options.memory_bytes, ByBytes);
        let unasked = Arc::new(Policy::unasked(parts.preset).with_mode(parts.mode));
        RobotsCache { shared: Arc::new(Shared { parts, known, gates: Mutex::default(), unasked }) }
    }

    /// What applies to the origin of a URL, if it is in memory and fresh: no waiting, no store, no network.
    ///
    /// This is the fast path of a crawler that decides millions of URLs. `None` says nothing about the URL; ask
    /// [`policy`](RobotsCache::policy).
    pub fn known(&self, url: &str, now: SystemTime) -> Option<Arc<Policy>> {
        let shared = &*self.shared;
        if shared.parts.mode == Mode::Ignore {
            return Some(shared.unasked.clone());
        }
        let known = match comity::plain_origin(url.as_bytes()) {
            Some(prefix) => shared.known.get(&OriginText(prefix))?,
            None => shared.known.get(&Origin::of(&url.parse().ok()?)?)?,
        };
        known.policy.is_fresh(now).then_some(known.policy)
    }

    /// What applies to an origin, asking it if need be.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the store cannot be used and is configured not to be done without.
    pub async fn policy(&self, origin: &Origin) -> Result<Arc<Policy>, StoreError> {
        let shared = &self.shared;
        if shared.parts.mode == Mode::Ignore {
            return Ok(shared.unasked.clone());
        }
        if let Some(policy) = shared.fresh(origin) {
            shared.parts.observers.on(&Event::RobotsHit { origin });
            return Ok(policy);
        }
        let gate = Gate::of(shared, origin);
        let _turn = gate.lock.lock().await;
        if let Some(policy) = shared.fresh(origin) {
            shared.parts.observers.on(&Event::RobotsHit { origin });
            return Ok(policy);
        }
        // A task of its own: whoever asked first may be cancelled, the request goes on for the others.
        let (flight, origin) = (shared.clone(), origin.clone());
        let span = debug_span!("robots", %origin);
        let flight = tokio::spawn(async move { flight.find(&origin).await }.instrument(span));
        flight.await.unwrap_or_else(|_| Err(StoreError::new("the runtime is shutting down")))
    }

    /// What applies to an origin for another crawler than the client's own: the same answers, read for it. Asks the origin
    /// as [`policy`](RobotsCache::policy) does, under the client's own name; what follows is not kept in memory.
    ///
    /// # Errors
    ///
    /// [`StoreError`] as for [`policy`](RobotsCache::policy), and if the store did not keep the answer.
    pub async fn policy_for(&self, origin: &Origin, agent: &Agent) -> Result<Policy, StoreError> {
        let Parts { preset, mode, .. } = self.shared.parts;
        if mode == Mode::Ignore {
            return Ok(Policy::clone(&self.shared.unasked));
        }
        self.policy(origin).await?;
        let mut record = self.shared.stored(origin).await?;
        if record.is_none() {
            // Memory knew the rules of the client's own crawler, and the store has lost what they follow from.
            self.forget(origin);
            self.policy(origin).await?;
            record = self.shared.stored(origin).await?;
        }
        match record {
            Some(record) => Ok(record.policy(preset, mode, agent)),
            None => Err(StoreError::new(format!("the store did not keep the robots.txt of {origin}"))),
        }
    }

    /// The body of an origin's robots.txt as it was last read, if the store has it: for its sitemaps and for what it
    /// says about use. Nothing is asked for.
    ///
    /// # Errors
    ///
    /// [`StoreError`] as for [`policy`](RobotsCache::policy).
    pub async fn body(&self, origin: &Origin) -> Result<Option<Bytes>, StoreError> {
        let record = self.shared.stored(origin).await?;
        Ok(record.and_then(|record| Some(record.copy(self.shared.parts.preset)?.body.clone())))
    }

    /// The charset that an origin's robots.txt came with, if the store has it and its `Content-Type` names one. Some
    /// dialects read characters, not octets.
    ///
    /// # Errors
    ///
    /// [`StoreError`] as for [`policy`](RobotsCache::policy).
    pub async fn charset(&self, origin: &Origin) -> Result<Option<String>, StoreError> {
        let record = self.shared.stored(origin).await?;
        Ok(record.and_then(|record| record.copy(self.shared.parts.preset)?.charset()))
    }

    /// Says whether pages of an origin can be reached, which some presets want to know while its robots.txt cannot be.
    pub fn set_site_is_reachable(&self, origin: &Origin, reachable: bool) {
        let Some(known) = self.shared.known.peek(origin) else { return };
        if known.policy.outage().is_some_and(|outage| outage.site_is_reachable() != Some(reachable)) {
            let mut policy = Policy::clone(&known.policy);
            policy.set_site_is_reachable(reachable);
            self.shared.known.insert(origin.clone(), Known { policy: Arc::new(policy), ..known });
        }
    }

    /// Forgets what memory holds about an origin. The store keeps what it has.
    pub fn forget(&self, origin: &Origin) {
        self.shared.known.remove(origin);
    }

    /// How many origins memory holds, and in how many octets.
    pub fn held(&self) -> (usize, u64) {
        (self.shared.known.len(), self.shared.known.weight())
    }
}

/// Where the tasks of a process wait that want to know about the same origin.
struct Gate<'s> {
    shared: &'s Shared,
    origin: &'s Origin,
    lock: Arc<tokio::sync::Mutex<()>>,
}

impl<'s> Gate<'s> {
    fn of(shared: &'s Shared, origin: &'s Origin) -> Self {
        let mut gates = shared.gates.lock().unwrap_or_else(PoisonError::into_inner);
        Gate { shared, origin, lock: gates.entry(origin.clone()).or_default().clone() }
    }
}

/// The last to leave, cancelled or served, takes the gate away.
impl Drop for Gate<'_> {
    fn drop(&mut self) {
        let mut gates = self.shared.gates.lock().unwrap_or_else(PoisonError::into_inner);
        // Ours and the map's.
        if Arc::strong_count(&self.lock) <= 2 {
            gates.remove(self.origin);
        }
    }
}

impl Shared {
    fn fresh(&self, origin: &Origin) -> Option<Arc<Policy>> {
        let known = self.known.get(origin)?;
        known.policy.is_fresh(self.parts.clock.now()).then_some(known.policy)
    }

    /// The state from the store, or from the origin itself.
    async fn find(&self, origin: &Origin) -> Result<Arc<Policy>, StoreError> {
        let mut pause = POLL.0;
        loop {
            let record = self.stored(origin).await?;
            if let Some(policy) = record.as_ref().and_then(|record| self.take_fresh(origin, record)) {
                self.parts.observers.on(&Event::RobotsStoreHit { origin });
                return Ok(policy);
            }
            let ttl = self.parts.options.timeout + LEASE_SLACK;
            match self.parts.store.acquire(origin, ttl, self.parts.clock.moment()).await? {
                Acquired::Granted { lease, entry } => return self.ask(origin, lease, entry).await,
                Acquired::Held(longest) => {
                    // Eight processes that look again at the same moment would all find the store busy.
                    let jitter = 0.5 + fastrand::f64();
                    self.parts.clock.sleep(pause.mul_f64(jitter).min(longest)).await;
                    pause = (pause * 3 / 2).min(POLL.1);
                }
            }
        }
    }

    /// Asks the origin, holding the lease that came with an entry.
    async fn ask(
        &self,
        origin: &Origin,
        lease: Lease,
        entry: Option<Entry>,
    ) -> Result<Arc<Policy>, StoreError> {
        // Whoever held the lease before may have written since we looked.
        let before = Self::read(origin, entry);
        if let Some(policy) = before.as_ref().and_then(|record| self.take_fresh(origin, record)) {
            self.parts.store.release(lease).await?;
            self.parts.observers.on(&Event::RobotsStoreHit { origin });
            return Ok(policy);
        }
        let parts = &self.parts;
        let known = self.known.peek(origin);
        let validators = match &before {
            Some(record) => record.copy(parts.preset).and_then(Validators::of).map(Arc::from),
            None => known.as_ref().and_then(|known| known.validators.clone()),
        };
        let begun = parts.clock.now();
        let asking = Asking {
            transport: &*parts.transport,
            guard: &parts.guard,
            clock: &*parts.clock,
            user_agent: &parts.user_agent,
            options: &parts.options,
            body_limit: parts.preset.body_limit().unwrap_or(usize::MAX),
        };
        let answer = asking.ask(origin, validators.as_deref()).await;
        let is_confirmed = is_not_modified(&answer);
        let policy = match (before, known) {
            // The store lost what memory still knows.
            (None, Some(known)) => {
                let mut policy = Policy::clone(&known.policy);
                answer.read(|answer| policy.update(&parts.preset.read(answer), &parts.agent));
                // What is written must not know less than memory does: no failure without the copy before it.
                let validators = if is_confirmed || policy.outage().is_some() {
                    parts.store.release(lease).await?;
                    known.validators
                } else {
                    let validators = Validators::of(&answer).map(Arc::from);
                    self.put(origin, &Record::after(None, answer, parts.preset), lease).await?;
                    validators
                };
                self.take(origin, policy, validators)
            }
            (before, _) => {
                let record = Record::after(before, answer, parts.preset);
                self.put(origin, &record, lease).await?;
                self.take_record(origin, &record)
            }
        };
        self.report(origin, &policy, is_confirmed, begun);
        Ok(policy)
    }

    /// Writes a record, which gives the lease back.
    async fn put(&self, origin: &Origin, record: &Record, lease: Lease) -> Result<(), StoreError> {
        let entry = record.to_entry();
        let written = self.parts.store.put(origin, &entry, Some(&lease), self.parts.clock.now()).await?;
        if !written {
            debug!(%origin, "the lease ran out before robots.txt came; what was written since stands");
        }
        Ok(())
    }

    /// The record of an origin in the store. One of another layout counts as absent.
    async fn stored(&self, origin: &Origin) -> Result<Option<Record>, StoreError> {
        Ok(Self::read(origin, self.parts.store.get(origin).await?))
    }

    fn read(origin: &Origin, entry: Option<Entry>) -> Option<Record> {
        let record = entry.as_ref().and_then(Record::of_entry);
        if entry.is_some() && record.is_none() {
            warn!(%origin, "the store's entry cannot be read and is asked for anew");
        }
        record
    }

    /// What follows from a record, into memory, if it is fresh.
    fn take_fresh(&self, origin: &Origin, record: &Record) -> Option<Arc<Policy>> {
        let policy = self.policy_of(record);
        let validators = Self::validators_of(record, &policy);
        policy.is_fresh(self.parts.clock.now()).then(|| self.take(origin, policy, validators))
    }

    fn take_record(&self, origin: &Origin, record: &Record) -> Arc<Policy> {
        let policy = self.policy_of(record);
        let validators = Self::validators_of(record, &policy);
        self.take(origin, policy, validators)
    }

    fn policy_of(&self, record: &Record) -> Policy {
        record.policy(self.parts.preset, self.parts.mode, &self.parts.agent)
    }

    /// How to ask whether the copy is still good from which a policy follows.
    fn validators_of(record: &Record, policy: &Policy) -> Option<Arc<Validators>> {
        let is_read = policy.evidence().is_some_and(|latest| latest.treatment() == Treatment::ReadRules);
        let copy = match &record.outage {
            Some(outage) => outage.copy.as_ref(),
            None => Some(&record.latest).filter(|_| is_read),
        };
        copy.and_then(Validators::of).map(Arc::from)
    }

    fn take(&self, origin: &Origin, policy: Policy, validators: Option<Arc<Validators>>) -> Arc<Policy> {
        let policy = Arc::new(policy);
        self.known.insert(origin.clone(), Known { policy: policy.clone(), validators });
        policy
    }

    fn report(&self, origin: &Origin, policy: &Policy, is_confirmed: bool, begun: SystemTime) {
        let Some(latest) = policy.evidence() else { return };
        let took = self.parts.clock.now().duration_since(begun).unwrap_or_default();
        let kind = if is_confirmed { AnswerKind::NotModified } else { latest.kind() };
        debug!(%origin, answer = kind.as_str(), ?took, "asked for robots.txt");
        let availability = latest.availability();
        self.parts.observers.on(&Event::RobotsFetched { origin, kind, availability, took });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Client;

    #[tokio::test]
    async fn no_gate_is_left_by_those_who_leave() {
        let client = Client::builder("ExampleBot").build().unwrap();
        let shared = &client.robots().shared;
        let origin = Origin::of(&"https://example.com/".parse().unwrap()).unwrap();
        let first = Gate::of(shared, &origin);
        let turn = first.lock.lock().await;
        let second = Gate::of(shared, &origin);
        assert!(second.lock.try_lock().is_err());
        drop(second);
        assert_eq!(shared.gates.lock().unwrap().len(), 1);
        drop(turn);
        drop(first);
        assert_eq!(shared.gates.lock().unwrap().len(), 0);
    }
}
