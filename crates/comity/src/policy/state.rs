//! The state of one origin for one crawler, and the rules that apply at a given time.
//!
//! The state is the latest answer with its rules. While robots.txt is unreachable, it also contains the outage: its
//! start, its cause, and the last good copy. [`Policy::decide`] selects the treatment and the rules that apply at a
//! given time, and does not change the state.

use std::time::SystemTime;

use super::evidence::Evidence;
use super::freshness;
use super::kind::{AnswerKind, Availability};
use super::mode::Mode;
use super::overrides::{OnUnreachable, Overrides};
use super::preset::{OutageStep, Preset};
use super::reading::Reading;
use super::treatment::Treatment;
use crate::robots::{Agent, Rules};

/// The state of one origin's robots.txt for one crawler, under a preset and a mode. It decides which URLs the crawler
/// may fetch.
///
/// A client stores one policy per origin. It requests robots.txt again when [`is_fresh`](Policy::is_fresh) returns
/// false, and passes every answer to [`update`](Policy::update). To restore the state from a store, replay the last
/// good answer, the first failure after it, and the latest failure.
///
/// ```
/// use std::time::{Duration, SystemTime};
///
/// use comity::policy::{Answer, Failure, Policy, Preset, Treatment};
/// use comity::robots::Agent;
///
/// let agent = Agent::unchecked_token("examplebot");
/// let (preset, hour) = (Preset::Google, Duration::from_secs(3600));
/// let start = SystemTime::UNIX_EPOCH;
/// let mut policy = Policy::new(&preset.read(&Answer::status(200, start).with_body(b"")), &agent);
/// policy.update(&preset.read(&Answer::failure(Failure::Timeout, start + 24 * hour)), &agent);
///
/// // Google stops for 12 hours, then uses the last good copy.
/// assert_eq!(policy.treatment(start + 25 * hour), Treatment::Stop);
/// assert_eq!(policy.treatment(start + 37 * hour), Treatment::LastGood);
/// ```
///
/// Two policies are equal if they have the same state, so that they make the same decisions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    preset: Preset,
    mode: Mode,
    // The two fields of `Overrides`, stored separately: this saves eight bytes.
    on_unreachable: Option<OnUnreachable>,
    max_age: u32,
    /// The site's latest answer; `None` before the first one.
    evidence: Option<Evidence>,
    /// The rules of the latest answer, or empty rules.
    rules: Rules,
    outage: Option<Box<OutageState>>,
    /// The local failure of the latest request for robots.txt. The site's earlier answer remains in `evidence`.
    local: Option<Box<Evidence>>,
}

/// The stored data of an [`Outage`].
#[derive(Clone, Debug, PartialEq, Eq)]
struct OutageState {
    since: SystemTime,
    site_is_reachable: Option<bool>,
    copy: Option<GoodCopy>,
}

/// A robots.txt that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
struct GoodCopy {
    evidence: Evidence,
    rules: Rules,
}

impl OutageState {
    fn copy_at(&self, now: SystemTime) -> Option<&GoodCopy> {
        self.copy.as_ref().filter(|copy| copy.evidence.may_serve(now))
    }

    /// Returns the treatment at `now` by the steps of an outage.
    fn treatment(&self, steps: &[OutageStep], now: SystemTime) -> Treatment {
        let age = freshness::seconds_from(self.since, now);
        match steps.iter().find(|step| age < step.until) {
            Some(step) if step.opens_if_site_is_reachable && self.site_is_reachable == Some(true) => {
                Treatment::FailOpen
            }
            Some(step) if self.copy_at(now).is_some() => step.with_copy,
            Some(step) => step.without_copy,
            None => Treatment::Stop,
        }
    }
}

/// A period in which robots.txt is unreachable.
#[derive(Clone, Copy, Debug)]
pub struct Outage<'p> {
    ongoing: &'p OutageState,
    latest: &'p Evidence,
}

impl<'p> Outage<'p> {
    /// Returns the time of the first of the consecutive failures.
    pub fn since(&self) -> SystemTime {
        self.ongoing.since
    }

    /// Returns the latest failure. [`Evidence::fresh_until`] is the time of the next request.
    pub fn latest(&self) -> &'p Evidence {
        self.latest
    }

    /// Returns true if there is a last good copy of any age. Even an expired copy is useful, because a 304 makes it
    /// fresh again.
    pub fn has_copy(&self) -> bool {
        self.ongoing.copy.is_some()
    }

    /// Returns whether the rest of the site is reachable, as set by [`Policy::set_site_is_reachable`]. Returns
    /// `None` if that is unknown.
    pub fn site_is_reachable(&self) -> Option<bool> {
        self.ongoing.site_is_reachable
    }
}

/// The treatment, evidence and rules that apply at a time.
pub(super) struct AppliedState<'p> {
    pub treatment: Treatment,
    /// The evidence for the treatment.
    pub evidence: Option<&'p Evidence>,
    pub rules: &'p Rules,
}

impl AppliedState<'_> {
    /// Returns true if the evidence has expired.
    pub(super) fn is_stale(&self, now: SystemTime) -> bool {
        self.evidence.is_some_and(|evidence| !evidence.is_fresh(now))
    }
}

impl Policy {
    /// Makes a policy from a first answer, in mode [`Respect`](Mode::Respect).
    pub fn new(reading: &Reading<'_>, agent: &Agent) -> Self {
        let mut policy = Policy::without_answer(reading.preset());
        policy.update(reading, agent);
        policy
    }

    /// Makes the policy that applies before the first request for robots.txt, in mode [`Respect`](Mode::Respect):
    /// robots.txt is unknown, so no URL is fetched. In mode [`Ignore`](Mode::Ignore) robots.txt is never requested and
    /// every URL is fetched.
    ///
    /// ```
    /// use std::time::SystemTime;
    ///
    /// use comity::policy::{Mode, Policy, Preset, Verdict};
    ///
    /// let policy = Policy::without_answer(Preset::Rfc9309);
    /// assert!(policy.decide("/page", SystemTime::UNIX_EPOCH)?.blocks());
    ///
    /// let policy = policy.with_mode(Mode::Ignore);
    /// let decision = policy.decide("/page", SystemTime::UNIX_EPOCH)?;
    /// assert_eq!(decision.verdict(), Verdict::SkippedByUserPolicy);
    /// assert!(!decision.blocks());
    /// # Ok::<(), comity::robots::UrlError>(())
    /// ```
    pub fn without_answer(preset: Preset) -> Self {
        Policy {
            preset,
            mode: Mode::Respect,
            on_unreachable: None,
            max_age: freshness::FOREVER,
            evidence: None,
            rules: no_rules(preset),
            outage: None,
            local: None,
        }
    }

    /// Sets the mode.
    #[must_use]
    pub fn with_mode(self, mode: Mode) -> Self {
        Policy { mode, ..self }
    }

    /// Sets the overrides. The lifetimes of earlier answers do not change.
    #[must_use]
    pub fn with_overrides(self, overrides: Overrides) -> Self {
        let Overrides { on_unreachable, max_age } = overrides;
        Policy { on_unreachable, max_age, ..self }
    }

    /// Updates the state with the next answer.
    ///
    /// If robots.txt is available or unavailable, the answer replaces the earlier state. If robots.txt is unreachable,
    /// the last good copy is retained, and a 304 makes it fresh again. A local failure
    /// ([`Failure::Local`](super::Failure::Local)) replaces nothing: it does not begin an outage of the site and does
    /// not discard a copy. An answer under another preset resets the state.
    pub fn update(&mut self, reading: &Reading<'_>, agent: &Agent) {
        if reading.preset() != self.preset {
            let overrides = self.overrides();
            *self = Policy::without_answer(reading.preset()).with_mode(self.mode).with_overrides(overrides);
        }
        let next = reading.evidence();
        if next.kind == AnswerKind::Local {
            self.local = Some(Box::new(next.clone()));
            return;
        }
        self.local = None;
        if next.kind == AnswerKind::NotModified && self.renew(reading) {
            return;
        }
        self.outage = match next.availability {
            Availability::Unreachable => Some(self.outage_from(next)),
            _ => None,
        };
        self.rules = reading.robots().map_or_else(|| no_rules(self.preset), |robots| robots.rules_for(agent));
        self.evidence = Some(Evidence { fresh_for: reading.fresh().within(self.max_age), ..next.clone() });
    }

    /// Makes the stored copy fresh again. Returns false if there is no copy.
    fn renew(&mut self, confirmed: &Reading<'_>) -> bool {
        if let Some(copy) = self.outage.as_mut().and_then(|outage| outage.copy.take()) {
            self.evidence = Some(copy.evidence);
            self.rules = copy.rules;
        }
        let Some(evidence) = self.evidence.as_mut().filter(|copy| copy.treatment == Treatment::ReadRules)
        else {
            return false;
        };
        evidence.fetched_at = confirmed.evidence().fetched_at;
        evidence.fresh_for = confirmed.renewed().within(self.max_age);
        self.outage = None;
        true
    }

    /// Returns the outage that a failure continues or begins.
    fn outage_from(&mut self, failure: &Evidence) -> Box<OutageState> {
        if let Some(outage) = self.outage.take() {
            return outage;
        }
        let copy = match self.evidence.take() {
            Some(evidence) if evidence.treatment == Treatment::ReadRules => {
                Some(GoodCopy { evidence, rules: self.rules.clone() })
            }
            _ => None,
        };
        Box::new(OutageState { since: failure.fetched_at, site_is_reachable: None, copy })
    }

    /// Sets whether the rest of the site is reachable, which some presets consider in a long outage. The value applies
    /// until the outage ends.
    pub fn set_site_is_reachable(&mut self, reachable: bool) {
        if let Some(outage) = &mut self.outage {
            outage.site_is_reachable = Some(reachable);
        }
    }

    /// Returns the preset.
    pub fn preset(&self) -> Preset {
        self.preset
    }

    /// Returns the mode.
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// Returns the choices of the preset that were overridden.
    pub fn overrides(&self) -> Overrides {
        Overrides { on_unreachable: self.on_unreachable, max_age: self.max_age }
    }

    /// Returns the evidence of the latest answer, even if it is a local failure. Returns `None` if robots.txt was never
    /// requested.
    pub fn evidence(&self) -> Option<&Evidence> {
        self.local.as_deref().or(self.evidence.as_ref())
    }

    /// Returns the evidence of the latest request for robots.txt if that request failed locally
    /// ([`Failure::Local`](super::Failure::Local)).
    pub fn local_fault(&self) -> Option<&Evidence> {
        self.local.as_deref()
    }

    /// Returns the outage, if the site's latest answer began or continued one.
    pub fn outage(&self) -> Option<Outage<'_>> {
        Some(Outage { ongoing: self.outage.as_deref()?, latest: self.evidence.as_ref()? })
    }

    /// Returns the number of bytes on the heap, for caches with a memory limit ([`Rules::heap_bytes`]).
    pub fn heap_bytes(&self) -> usize {
        let evidence = |evidence: &Evidence| evidence.heap_bytes();
        let outage = self.outage.as_ref().map_or(0, |outage| {
            let copy = outage.copy.as_ref();
            size_of::<OutageState>()
                + copy.map_or(0, |copy| evidence(&copy.evidence) + copy.rules.heap_bytes())
        });
        let local = self.local.as_deref().map_or(0, |local| size_of::<Evidence>() + evidence(local));
        self.rules.heap_bytes() + self.evidence.as_ref().map_or(0, evidence) + outage + local
    }

    /// Returns true if robots.txt need not be requested at `now`.
    pub fn is_fresh(&self, now: SystemTime) -> bool {
        self.mode == Mode::Ignore || self.evidence.as_ref().is_some_and(|evidence| evidence.is_fresh(now))
    }

    /// Returns the treatment at `now`.
    pub fn treatment(&self, now: SystemTime) -> Treatment {
        self.applied(now).treatment
    }

    /// Returns the rules that decide at `now`, if rules decide. They also contain the delays ([`Rules::crawl_delay`])
    /// and rates.
    pub fn rules(&self, now: SystemTime) -> Option<&Rules> {
        let applied = self.applied(now);
        matches!(applied.treatment, Treatment::ReadRules | Treatment::LastGood).then_some(applied.rules)
    }

    /// Returns true if the answer that applies at `now` has expired, so that robots.txt should have been requested
    /// again.
    pub fn is_stale(&self, now: SystemTime) -> bool {
        self.mode != Mode::Ignore && self.applied(now).is_stale(now)
    }

    /// Returns the state that applies at `now`.
    pub(super) fn applied(&self, now: SystemTime) -> AppliedState<'_> {
        let applied = self.applied_by_site(now);
        let Some(local) = &self.local else { return applied };
        if self.evidence.as_ref().is_some_and(|evidence| evidence.is_fresh(now)) {
            return applied;
        }
        // An override never allows a URL that a copy forbids.
        match (applied.treatment, applied.evidence) {
            (Treatment::ReadRules | Treatment::LastGood, Some(copy)) if copy.may_serve(now) => {
                AppliedState { treatment: Treatment::LastGood, ..applied }
            }
            _ => AppliedState { treatment: Treatment::Stop, evidence: Some(local), rules: &self.rules },
        }
    }

    /// Returns the state that follows from the site's latest answer.
    fn applied_by_site(&self, now: SystemTime) -> AppliedState<'_> {
        let applied = self.applied_by_preset(now);
        let (Some(choice), Some(latest)) = (self.on_unreachable, &self.evidence) else { return applied };
        // A refusal by the guard is not an outage.
        let is_outage = latest.availability == Availability::Unreachable && latest.kind != AnswerKind::Guard;
        if !is_outage || applied.treatment == Treatment::LastGood {
            return applied;
        }
        match self.outage.as_ref().and_then(|outage| outage.copy_at(now)) {
            Some(copy) if choice.treatment().opens() => AppliedState {
                treatment: Treatment::LastGood,
                evidence: Some(&copy.evidence),
                rules: &copy.rules,
            },
            _ => AppliedState { treatment: choice.treatment(), ..applied },
        }
    }

    /// Returns the state that follows from the site's latest answer if overrides are ignored.
    fn applied_by_preset(&self, now: SystemTime) -> AppliedState<'_> {
        let latest =
            |treatment| AppliedState { treatment, evidence: self.evidence.as_ref(), rules: &self.rules };
        let Some(evidence) = &self.evidence else { return latest(Treatment::Stop) };
        let (Treatment::LastGood, Some(outage)) = (evidence.treatment, &self.outage) else {
            return latest(evidence.treatment);
        };
        match (outage.treatment(self.preset.outage_steps(), now), outage.copy_at(now)) {
            (Treatment::LastGood, Some(copy)) => AppliedState {
                treatment: Treatment::LastGood,
                evidence: Some(&copy.evidence),
                rules: &copy.rules,
            },
            // Only an incorrect row has `LastGood` as its treatment without a copy. Stopping is safe.
            (Treatment::LastGood, None) => latest(Treatment::Stop),
            (treatment, _) => latest(treatment),
        }
    }
}

/// Returns empty rules, for answers without rules. They still validate URLs as the dialect does.
fn no_rules(preset: Preset) -> Rules {
    Rules::none(preset.dialect())
}
