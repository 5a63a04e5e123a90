//! The cache of robots.txt files. A file is requested once, stored, shared between processes, and revalidated.
//!
//! ```text
//! URL ─▶ origin ─▶ memory: compiled rules, fresh? ──────────────────────────────▶ Policy
//!                     │ no
//!                     ▼  one task per origin continues, the others wait for it
//!                  store: an entry, fresh? ──────────▶ replayed ────────────────▶ Policy
//!                     │ no
//!                     ▼  one process per origin continues, the others poll the store
//!                  request from the origin (conditionally), store ──────────────▶ Policy
//! ```
//!
//! Memory contains the compiled rules for the client's own token, and the requested rules for other crawlers. The size
//! of both is limited. The store contains the answers of servers, from which the rules for any token and preset can be
//! computed. A robots.txt that was reached by redirects applies only to the initial origin (RFC 9309 §2.3.1.2). So each
//! answer is stored under the origin that was requested first.

mod answer;
mod cached;
mod fetch;
mod file;
mod history;
mod hop;
mod lease_guard;
mod options;
mod others;
mod stored;
mod targets;
#[cfg_attr(not(feature = "page"), path = "without_page.rs")]
mod usage_cache;

use std::hash::Hash;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use comity::policy::{AnswerKind, Evidence, Mode, Policy, Preset, Treatment};
use comity::robots::Agent;
use futures_util::future::{Either, select};
use http::HeaderValue;
use tracing::{Instrument, debug, debug_span, info, warn};

use answer::KeptAnswer;
pub(crate) use answer::{BodyDigest, digest};
use cached::{ByBytes, CachedPolicy, OriginText, RecheckDelay};
pub(crate) use fetch::location;
use fetch::{AnswerOrDelay, RobotsRequest, Validators, is_not_modified};
pub use file::RobotsFile;
use history::{AnswerHistory, AnswersByRequester};
use lease_guard::LeaseGuard;
pub use options::RobotsOptions;
use others::OtherPolicies;
pub use stored::{StoredAnswer, StoredRobotsTxt};
use targets::Targets;
use usage_cache::UsageCache;

use crate::Origin;
use crate::clock::Clock;
use crate::draining::Draining;
use crate::gate::Gates;
use crate::guard::Guard;
use crate::job::Job;
use crate::observe::{Event, Observers};
use crate::pace::{FirstSlot, Interval, Pace, PaceError, PaceOptions, TooLong, WaitReason};
use crate::runtime;
use crate::signing::Signer;
use crate::store::{Entry, EntryOrLease, LeaseAnswer, Store, StoreError};
use crate::transport::Transport;

/// The robots.txt policies of origins under one preset and mode, for the client's crawler and for others.
///
/// Clones share all state.
#[derive(Clone, Debug)]
pub struct RobotsCache {
    shared: Arc<Shared>,
}

/// The environment and the options of a cache.
#[derive(Debug)]
pub(crate) struct Parts {
    pub agent: Agent,
    pub user_agent: HeaderValue,
    /// The signer of requests, if they are signed.
    pub signer: Option<Arc<Signer>>,
    pub preset: Preset,
    pub mode: Mode,
    pub options: RobotsOptions,
    /// Timeout for the requests of one robots.txt, including redirects.
    pub timeout: Duration,
    pub store: Arc<dyn Store>,
    pub transport: Arc<dyn Transport>,
    pub guard: Guard,
    pub clock: Arc<dyn Clock>,
    pub pace: Arc<Pace>,
    pub pace_options: PaceOptions,
    pub observers: Observers,
    pub draining: Draining,
}

#[derive(Debug)]
struct Shared {
    parts: Parts,
    /// Number that identifies this worker in stores.
    worker: u64,
    /// Name of the signing identity, under which answers are stored; `None` if requests are not signed.
    requester: Option<String>,
    known: quick_cache::sync::Cache<Origin, CachedPolicy, ByBytes>,
    usages: UsageCache,
    others: OtherPolicies,
    gates: Gates<Origin>,
    targets: Targets,
    /// True if the store could not write the last answer and this was logged.
    is_store_failing: AtomicBool,
    /// The policy before robots.txt is requested. All other policies are computed from it.
    unasked: Arc<Policy>,
}

/// Creates a cache with one shard, so that one item may be as large as the limit.
pub(crate) fn one_shard<K: Eq + Hash, V: Clone, W: quick_cache::Weighter<K, V> + Clone>(
    items: usize,
    weight: u64,
    weighter: W,
) -> quick_cache::sync::Cache<K, V, W> {
    let options = quick_cache::OptionsBuilder::new()
        .shards(1)
        .estimated_items_capacity(items)
        .weight_capacity(weight)
        .build();
    match options {
        Ok(options) => quick_cache::sync::Cache::with_options(
            options,
            weighter,
            quick_cache::DefaultHashBuilder::default(),
            quick_cache::sync::DefaultLifecycle::default(),
        ),
        // The builder fails only if a value is missing, and all values are set.
        Err(_) => quick_cache::sync::Cache::with_weighter(items, weight, weighter),
    }
}

/// Minimum and maximum time between two checks of a lease that another task holds, before jitter.
const POLL: (Duration, Duration) = (Duration::from_millis(10), Duration::from_millis(250));

/// Maximum wait for a slot while a task holds the lease. In that time, no other worker can request the file.
const MAX_SLOT_WAIT: Duration = Duration::from_secs(10);

/// Time by which a lease outlasts the wait for a slot and the timeout of the request.
const LEASE_SLACK: Duration = Duration::from_secs(5);

impl RobotsCache {
    pub(crate) fn new(parts: Parts) -> Self {
        // The estimated number of origins only determines the sizes of tables.
        let origins =
            usize::try_from(parts.options.memory_bytes / 512).unwrap_or(usize::MAX).clamp(64, 1 << 20);
        let known = quick_cache::sync::Cache::with_weighter(origins, parts.options.memory_bytes, ByBytes);
        let unasked = Policy::without_answer(parts.preset).with_mode(parts.mode);
        let unasked = Arc::new(unasked.with_overrides(parts.options.overrides()));
        let usages = UsageCache::new(parts.options.memory_bytes / 8);
        let others = OtherPolicies::new(parts.options.memory_bytes / 8);
        let shared = Shared {
            requester: parts.signer.as_deref().map(Signer::requester),
            parts,
            worker: fastrand::u64(1..),
            known,
            usages,
            others,
            gates: Gates::default(),
            targets: Targets::default(),
            is_store_failing: AtomicBool::new(false),
            unasked,
        };
        RobotsCache { shared: Arc::new(shared) }
    }

    /// Returns the policy for the origin of a URL if it is in memory and fresh. Uses neither the store nor the network.
    ///
    /// This method is the fast path for a crawler that checks millions of URLs. If it returns `None`, call
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
        known.is_fresh(now).then_some(known.policy)
    }

    /// Returns the policy for an origin. Requests its robots.txt if necessary.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the store fails, if the client is drained, or if no tokio runtime is running. A store with
    /// [`WhenDown::LocalOnly`](crate::store::WhenDown::LocalOnly) does not fail while its server is down.
    pub async fn policy(&self, origin: &Origin) -> Result<Arc<Policy>, StoreError> {
        self.policy_as(&Job::default(), origin).await
    }

    /// Returns the policy for an origin as part of a job. The job is paused while another task requests the robots.txt.
    pub(crate) async fn policy_as(&self, job: &Job, origin: &Origin) -> Result<Arc<Policy>, StoreError> {
        let shared = &self.shared;
        if shared.parts.mode == Mode::Ignore {
            return Ok(shared.unasked.clone());
        }
        if let Some(policy) = shared.fresh(origin) {
            shared.parts.observers.on(&Event::RobotsHit { origin });
            return Ok(policy);
        }
        let _passage = job.without_permit(shared.gates.enter(origin)).await;
        if let Some(policy) = shared.fresh(origin) {
            shared.parts.observers.on(&Event::RobotsHit { origin });
            return Ok(policy);
        }
        runtime::check().map_err(|error| StoreError::new(error.to_string()))?;
        // The request runs in a separate task: if the first caller is cancelled, it continues for the others.
        let (flight, origin, held) = (shared.clone(), origin.clone(), FlightGuard::default());
        let (job, in_flight) = (job.clone(), shared.parts.draining.begin_operation());
        let (span, guard) = (debug_span!("robots", %origin), held.clone());
        let find = async move {
            let _in_flight = in_flight;
            flight.find(&origin, &guard, &job).await
        };
        let flight = tokio::spawn(find.instrument(span));
        let found = flight
            .await
            .unwrap_or_else(|error| Err(StoreError::of_task("the request for robots.txt", error)));
        drop(held);
        found
    }

    /// Returns the policy for an origin as part of a job. Returns an error if this takes longer than `max_wait` plus
    /// the timeout of the request.
    pub(crate) async fn policy_within(
        &self,
        job: &Job,
        origin: &Origin,
        max_wait: Duration,
    ) -> Result<Arc<Policy>, PaceError> {
        let parts = &self.shared.parts;
        let most = max_wait.checked_add(self.timeout());
        let (Some(most), None) = (most, self.shared.fresh(origin)) else {
            return Ok(self.policy_as(job, origin).await?);
        };
        match select(pin!(self.policy_as(job, origin)), parts.clock.sleep(most)).await {
            Either::Left((policy, _)) => Ok(policy?),
            Either::Right(_) => {
                let (origin, reason) = (origin.clone(), WaitReason::RobotsTxt);
                Err(TooLong { origin, needed: None, allowed: max_wait, reason }.into())
            }
        }
    }

    /// Returns the policy for an origin and any crawler. It is computed from the stored answers of the origin. If
    /// necessary, robots.txt is requested with the client's own name.
    ///
    /// # Errors
    ///
    /// [`StoreError`] as for [`policy`](RobotsCache::policy), and if the store did not keep the answer.
    pub async fn policy_for(&self, origin: &Origin, agent: &Agent) -> Result<Arc<Policy>, StoreError> {
        let shared = &self.shared;
        let mut own = self.policy(origin).await?;
        if let Some(policy) = shared.cached_for(origin, agent, &own) {
            return Ok(policy);
        }
        let mut record = shared.stored(origin).await?;
        if record.is_none() {
            // Memory has the policy of the client's own crawler, but the store has lost the answers. So request them
            // again.
            self.forget(origin);
            own = self.policy(origin).await?;
            record = shared.stored(origin).await?;
        }
        match record {
            Some(record) => {
                let policy = Arc::new(record.policy(&shared.unasked, agent));
                shared.others.insert(origin, agent, &own, &policy);
                Ok(policy)
            }
            None => Err(StoreError::new(format!("the store did not keep the robots.txt of {origin}"))),
        }
    }

    /// Returns the result of [`policy_for`](RobotsCache::policy_for) if it is in memory and fresh. Uses neither the
    /// store nor the network.
    pub fn known_for(&self, origin: &Origin, agent: &Agent, now: SystemTime) -> Option<Arc<Policy>> {
        let shared = &*self.shared;
        if shared.parts.mode == Mode::Ignore {
            return Some(shared.unasked.clone());
        }
        let known = shared.known.get(origin).filter(|known| known.is_fresh(now))?;
        shared.cached_for(origin, agent, &known.policy)
    }

    /// Returns the last body of an origin's robots.txt, if the store has it. Callers read sitemaps and usage
    /// preferences from it. No request is sent. `None` does not mean that the site has no robots.txt:
    /// [`Client::robots_txt`](crate::Client::robots_txt) distinguishes the reasons.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the store fails.
    pub async fn body(&self, origin: &Origin) -> Result<Option<Bytes>, StoreError> {
        let record = self.shared.stored(origin).await?;
        Ok(record.and_then(|record| Some(record.copy(self.shared.parts.preset)?.body.clone())))
    }

    /// Returns the body of an origin's latest answer, if its status is 2xx, it is not empty, and the store has it. The
    /// body may also be an HTML page in place of robots.txt. No request is sent.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the store fails.
    pub async fn served(&self, origin: &Origin) -> Result<Option<Bytes>, StoreError> {
        let record = self.shared.stored(origin).await?;
        Ok(record.map(|record| record.latest.body).filter(|body| !body.is_empty()))
    }

    /// Returns the stored answers of an origin's robots.txt, with their times. No request is sent.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the store fails.
    pub async fn stored(&self, origin: &Origin) -> Result<Option<StoredRobotsTxt>, StoreError> {
        let record = self.shared.stored(origin).await?;
        let (requester, preset) = (self.shared.requester.as_deref(), self.shared.parts.preset);
        Ok(record.map(|record| StoredRobotsTxt::of_history(requester, &record, preset)))
    }

    /// Returns the charset in the `Content-Type` of an origin's robots.txt, if the store has the answer. Dialects that
    /// parse characters instead of octets need it.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the store fails.
    pub async fn charset(&self, origin: &Origin) -> Result<Option<String>, StoreError> {
        let record = self.shared.stored(origin).await?;
        Ok(record.and_then(|record| record.copy(self.shared.parts.preset)?.charset()))
    }

    /// Records whether pages of an origin can be reached. Some presets use this information while the robots.txt is
    /// unreachable.
    pub fn set_site_is_reachable(&self, origin: &Origin, reachable: bool) {
        let Some(known) = self.shared.known.peek(origin) else { return };
        if known.policy.outage().is_some_and(|outage| outage.site_is_reachable() != Some(reachable)) {
            let mut policy = Policy::clone(&known.policy);
            policy.set_site_is_reachable(reachable);
            self.shared.known.insert(origin.clone(), CachedPolicy { policy: Arc::new(policy), ..known });
        }
    }

    /// Removes an origin from memory. The store keeps its entry.
    pub fn forget(&self, origin: &Origin) {
        self.shared.known.remove(origin);
        self.shared.usages.forget(origin);
    }

    /// Returns the timeout of a request for robots.txt. If a request took longer, it spent the rest waiting.
    pub(crate) fn timeout(&self) -> Duration {
        self.shared.parts.timeout
    }

    /// Returns the number of origins in memory, and their size in bytes.
    pub fn held(&self) -> (usize, u64) {
        (self.shared.known.len(), self.shared.known.weight())
    }
}

/// A guard that the caller of a request for robots.txt holds while it waits. The running request checks whether the
/// caller still waits.
#[derive(Clone, Default)]
struct FlightGuard(Arc<()>);

impl FlightGuard {
    /// Returns true if the caller no longer waits.
    fn is_over(&self) -> bool {
        Arc::strong_count(&self.0) == 1
    }
}

/// The result of a request under a lease.
enum RequestOutcome {
    Policy(Arc<Policy>),
    /// The slot is too far off to hold the lease during the wait. Contains the wait.
    TooEarly(Duration),
}

/// Returns the error for a request of a drained client.
fn drained() -> StoreError {
    StoreError::new("the client is drained and sends no new requests")
}

impl Shared {
    /// Returns the policy for a crawler from memory, if it was computed from the same answers as the client's own
    /// policy.
    fn cached_for(&self, origin: &Origin, agent: &Agent, own: &Arc<Policy>) -> Option<Arc<Policy>> {
        if self.parts.mode == Mode::Ignore || *agent == self.parts.agent {
            return Some(own.clone());
        }
        self.others.get(origin, agent, own)
    }

    fn fresh(&self, origin: &Origin) -> Option<Arc<Policy>> {
        let known = self.known.get(origin)?;
        known.is_fresh(self.parts.clock.now()).then_some(known.policy)
    }

    /// Returns the policy from the store, or requests robots.txt from the origin.
    async fn find(&self, origin: &Origin, guard: &FlightGuard, job: &Job) -> Result<Arc<Policy>, StoreError> {
        let mut pause = POLL.0;
        loop {
            if guard.is_over() {
                return Err(StoreError::new("no task waits for this robots.txt any more"));
            }
            let (store, clock) = (&self.parts.store, &self.parts.clock);
            let ttl = self.parts.timeout.saturating_add(MAX_SLOT_WAIT + LEASE_SLACK);
            let spacing = Interval::new(&self.parts.pace_options, None, clock.now());
            let mut first = self.parts.pace.first(origin, &spacing, MAX_SLOT_WAIT);
            let request = first.as_ref().map(FirstSlot::request);
            let acquired = match store.get_or_acquire(origin, ttl, request, clock.moment()).await? {
                EntryOrLease::Lease(acquired, slot) => {
                    first = first.and_then(|first| first.answered(slot));
                    acquired
                }
                EntryOrLease::Entry(entry) => {
                    first = first.and_then(|first| first.answered(None));
                    let answers = Self::read(origin, Some(entry));
                    let record = answers.get(self.requester.as_deref());
                    if let Some(policy) = record.and_then(|record| self.take_fresh(origin, record)) {
                        self.parts.observers.on(&Event::RobotsStoreHit { origin });
                        return Ok(policy);
                    }
                    store.acquire(origin, ttl, clock.moment()).await?
                }
            };
            match acquired {
                LeaseAnswer::Granted { lease, entry } => {
                    let lease = LeaseGuard::new(store.clone(), lease);
                    match self.ask(origin, (lease, first), entry, job).await? {
                        RequestOutcome::Policy(policy) => return Ok(policy),
                        // Other workers may acquire the lease in the meantime.
                        RequestOutcome::TooEarly(wait) => self.pause(job, wait.min(MAX_SLOT_WAIT)).await?,
                    }
                }
                LeaseAnswer::Held(longest) => {
                    // Without jitter, several processes would poll the store at the same moment and find it busy.
                    let jitter = 0.5 + fastrand::f64();
                    self.pause(job, pause.mul_f64(jitter).min(longest)).await?;
                    pause = (pause * 3 / 2).min(POLL.1);
                }
            }
        }
    }

    /// Waits before the next check, unless the client is drained in the meantime.
    async fn pause(&self, job: &Job, pause: Duration) -> Result<(), StoreError> {
        let sleeping = job.without_permit(self.parts.clock.sleep(pause));
        self.parts.draining.unless_begun(pin!(sleeping)).await.ok_or_else(drained)
    }

    /// Requests the robots.txt of an origin under a lease. `entry` and `first` are the entry and the slot that the
    /// store returned with the lease.
    async fn ask(
        &self,
        origin: &Origin,
        (lease, first): (LeaseGuard, Option<FirstSlot>),
        entry: Option<Entry>,
        job: &Job,
    ) -> Result<RequestOutcome, StoreError> {
        // The previous holder of the lease may have written an entry since this task read the store.
        let answers = Self::read(origin, entry);
        let before = answers.get(self.requester.as_deref()).cloned();
        if let Some(policy) = before.as_ref().and_then(|record| self.take_fresh(origin, record)) {
            lease.release().await;
            self.parts.observers.on(&Event::RobotsStoreHit { origin });
            return Ok(RequestOutcome::Policy(policy));
        }
        let known = self.known.peek(origin);
        let validators = match &before {
            Some(record) => record.copy(self.parts.preset).and_then(Validators::of).map(Arc::from),
            None => known.as_ref().and_then(|known| known.validators.clone()),
        };
        let begun = self.parts.clock.now();
        let asking = RobotsRequest {
            parts: &self.parts,
            job,
            targets: &self.targets,
            unasked: &self.unasked,
            body_limit: self.body_limit(),
            spacing: Interval::new(&self.parts.pace_options, None, begun),
            max_slot_wait: MAX_SLOT_WAIT,
        };
        let answer = match asking.ask(origin, validators.as_deref(), first).await {
            Ok(AnswerOrDelay::Answer(answer)) => answer,
            Ok(AnswerOrDelay::TooEarly(wait)) => {
                lease.release().await;
                return Ok(RequestOutcome::TooEarly(wait));
            }
            Err(error) => {
                lease.release().await;
                return Err(error);
            }
        };
        let is_confirmed = is_not_modified(&answer);
        let policy = if answer.is_local() {
            lease.release().await;
            self.take_local_fault(origin, before.as_ref(), known, &answer)
        } else {
            self.take_answer(origin, (before, answers), known, answer, lease).await
        };
        self.report(origin, &policy, is_confirmed, begun);
        Ok(RequestOutcome::Policy(policy))
    }

    /// Records a local failure in memory. It is not an answer of the site, so it is not stored, and the request is
    /// repeated soon.
    fn take_local_fault(
        &self,
        origin: &Origin,
        before: Option<&AnswerHistory>,
        known: Option<CachedPolicy>,
        fault: &KeptAnswer,
    ) -> Arc<Policy> {
        let mut policy = match (before, &known) {
            (Some(record), _) => self.policy_of(record),
            (None, Some(known)) => Policy::clone(&known.policy),
            (None, None) => Policy::clone(&self.unasked),
        };
        fault.read(|fault| policy.update(&self.parts.preset.read(fault), &self.parts.agent));
        let (validators, doubt) = known.map_or((None, None), |known| (known.validators, known.doubt));
        let before = doubt.filter(|_| policy.local_fault().is_some()).map(|doubt| *doubt);
        let doubt = Some(Box::new(RecheckDelay::local(fault.at, before)));
        self.take(origin, CachedPolicy { policy: Arc::new(policy), validators, doubt })
    }

    /// Records an answer in memory and in the store. The answers to other identities are unchanged.
    async fn take_answer(
        &self,
        origin: &Origin,
        (before, stored): (Option<AnswerHistory>, AnswersByRequester),
        known: Option<CachedPolicy>,
        answer: KeptAnswer,
        lease: LeaseGuard,
    ) -> Arc<Policy> {
        let preset = self.parts.preset;
        match (before, known) {
            // The store has lost the answers from which the policy in memory was computed.
            (None, Some(known)) => {
                let mut policy = Policy::clone(&known.policy);
                answer.read(|answer| policy.update(&preset.read(answer), &self.parts.agent));
                // A failure must not be stored without the last valid robots.txt, which the store has lost.
                let validators = if is_not_modified(&answer) || policy.outage().is_some() {
                    lease.release().await;
                    known.validators
                } else {
                    let validators = Validators::of(&answer).map(Arc::from);
                    let record = AnswerHistory::after(None, answer, preset, self.worker);
                    self.put(origin, record, stored, lease).await;
                    validators
                };
                self.take(origin, CachedPolicy { policy: Arc::new(policy), validators, doubt: None })
            }
            (before, _) => {
                let record = AnswerHistory::after(before, answer, preset, self.worker);
                let known = self.known_of(&record);
                self.put(origin, record, stored, lease).await;
                self.take(origin, known)
            }
        }
    }

    /// Returns the maximum number of body bytes that are evaluated.
    fn body_limit(&self) -> usize {
        self.parts.preset.body_limit().unwrap_or(usize::MAX).min(self.parts.options.max_bytes)
    }

    /// Writes a record, which releases the lease. The answer is used even if it cannot be stored. If the store cannot
    /// write, for example on a full disk, a warning is logged once, not for every origin.
    async fn put(
        &self,
        origin: &Origin,
        record: AnswerHistory,
        mut stored: AnswersByRequester,
        lease: LeaseGuard,
    ) {
        stored.put(self.requester.as_deref(), record);
        let entry = stored.to_entry();
        let written = self.parts.store.put(origin, &entry, lease.lease(), self.parts.clock.now()).await;
        let was_failing = self.is_store_failing.swap(written.is_err(), Ordering::Relaxed);
        match written {
            Ok(true) => lease.forget(),
            Ok(false) => {
                debug!(%origin, "the lease expired before robots.txt arrived; the newer entry is kept");
            }
            Err(error) => {
                if was_failing {
                    debug!(%origin, %error, "robots.txt could not be stored");
                } else {
                    warn!(%origin, %error, "robots.txt could not be stored; its rules are used nevertheless");
                }
                // Release the lease, so that other tasks do not wait for it.
                lease.release().await;
            }
        }
    }

    /// Returns the answers of an origin in the store. An entry of another layout counts as absent.
    async fn stored(&self, origin: &Origin) -> Result<Option<AnswerHistory>, StoreError> {
        let answers = Self::read(origin, self.parts.store.get(origin).await?);
        Ok(answers.get(self.requester.as_deref()).cloned())
    }

    fn read(origin: &Origin, entry: Option<Entry>) -> AnswersByRequester {
        let answers = entry.as_ref().and_then(AnswersByRequester::of_entry);
        if entry.is_some() && answers.is_none() {
            warn!(%origin, "the store's entry cannot be read, and counts as absent");
        }
        answers.unwrap_or_default()
    }

    /// Adds the policy of a record to memory and returns it, if the record is fresh and valid for this worker.
    fn take_fresh(&self, origin: &Origin, record: &AnswerHistory) -> Option<Arc<Policy>> {
        if !record.counts_for(self.worker, self.body_limit()) {
            return None;
        }
        let known = self.known_of(record);
        // An answer without an expiry is valid only in the process that received it.
        let ends = known.policy.evidence().and_then(Evidence::fresh_until);
        let is_ours = record.latest.worker == self.worker;
        let is_fresh = known.is_fresh(self.parts.clock.now()) && (ends.is_some() || is_ours);
        is_fresh.then(|| self.take(origin, known))
    }

    fn known_of(&self, record: &AnswerHistory) -> CachedPolicy {
        let policy = self.policy_of(record);
        let validators = Self::validators_of(record, &policy);
        let doubt =
            record.latest.is_unconfirmed.then(|| Box::new(RecheckDelay::unconfirmed(record.latest.at)));
        CachedPolicy { policy: Arc::new(policy), validators, doubt }
    }

    fn policy_of(&self, record: &AnswerHistory) -> Policy {
        record.policy(&self.unasked, &self.parts.agent)
    }

    /// Returns the validators of the file from which a policy was computed.
    fn validators_of(record: &AnswerHistory, policy: &Policy) -> Option<Arc<Validators>> {
        let is_read = policy.evidence().is_some_and(|latest| latest.treatment() == Treatment::ReadRules);
        let copy = match &record.outage {
            Some(outage) => outage.copy.as_ref(),
            None => Some(&record.latest).filter(|_| is_read),
        };
        copy.and_then(Validators::of).map(Arc::from)
    }

    fn take(&self, origin: &Origin, known: CachedPolicy) -> Arc<Policy> {
        let policy = known.policy.clone();
        self.known.insert(origin.clone(), known);
        self.usages.forget(origin);
        policy
    }

    fn report(&self, origin: &Origin, policy: &Policy, is_confirmed: bool, begun: SystemTime) {
        let Some(latest) = policy.evidence() else { return };
        let took = self.parts.clock.now().duration_since(begun).unwrap_or_default();
        let kind = if is_confirmed { AnswerKind::NotModified } else { latest.kind() };
        debug!(%origin, answer = kind.as_str(), ?took, "requested robots.txt");
        let now = self.parts.clock.now();
        let interval = Interval::new(&self.parts.pace_options, policy.rules(now), now);
        if interval.asked.is_some() {
            info!(%origin, "{interval} by pace.max_interval_seconds");
        }
        let availability = latest.availability();
        self.parts.observers.on(&Event::RobotsFetched { origin, kind, availability, took });
    }
}
