//! The state of one origin for one crawler, and what applies at a given time.
//!
//! The state is the latest answer with its rules and, while robots.txt is unreachable, the outage: since when, why, and
//! the last good copy. Which of them applies is a pure function of the state and the time ([`Policy::decide`]), so
//! nothing has to be changed as an outage grows old.

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

/// Decides what one crawler may fetch from one origin, under a preset and a mode.
///
/// A client keeps one per origin. It asks for robots.txt again when [`is_fresh`](Policy::is_fresh) says no, and hands
/// every answer to [`update`](Policy::update). From a store, the same state comes back by replaying the last good
/// answer, the first failure after it, and the latest.
///
/// ```
/// use std::time::{Duration, SystemTime};
///
/// use comity::policy::{Answer, Failure, Policy, Preset, Treatment};
/// use comity::robots::Agent;
///
/// let agent = Agent::token("examplebot");
/// let (preset, hour) = (Preset::Google, Duration::from_secs(3600));
/// let start = SystemTime::UNIX_EPOCH;
/// let mut policy = Policy::new(&preset.read(&Answer::status(200, start).with_body(b"")), &agent);
/// policy.update(&preset.read(&Answer::failure(Failure::Timeout, start + 24 * hour)), &agent);
///
/// // Google stops for 12 hours, then goes by the last good copy.
/// assert_eq!(policy.treatment(start + 25 * hour), Treatment::Stop);
/// assert_eq!(policy.treatment(start + 37 * hour), Treatment::LastGood);
/// ```
///
/// Two are equal if they have the same state, so that they decide alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    preset: Preset,
    mode: Mode,
    // The two parts of `Overrides`, side by side: that is eight bytes less.
    on_unreachable: Option<OnUnreachable>,
    max_age: u32,
    /// The site's latest answer; `None` before the first one.
    evidence: Option<Evidence>,
    /// The rules of the latest answer, or no rules.
    rules: Rules,
    outage: Option<Box<Ongoing>>,
    /// The failure on our own side when robots.txt was last asked for. The site's earlier answer is kept beside it.
    local: Option<Box<Evidence>>,
}

/// A time in which robots.txt cannot be reached, as it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Ongoing {
    since: SystemTime,
    site_is_reachable: Option<bool>,
    copy: Option<Kept>,
}

/// A robots.txt that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Kept {
    evidence: Evidence,
    rules: Rules,
}

impl Ongoing {
    fn copy_at(&self, now: SystemTime) -> Option<&Kept> {
        self.copy.as_ref().filter(|copy| copy.evidence.may_serve(now))
    }

    /// Returns what the steps of an outage say at `now`.
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

/// A time in which robots.txt cannot be reached.
#[derive(Clone, Copy, Debug)]
pub struct Outage<'p> {
    ongoing: &'p Ongoing,
    latest: &'p Evidence,
}

impl<'p> Outage<'p> {
    /// Returns the time of the first failure in a row.
    pub fn since(&self) -> SystemTime {
        self.ongoing.since
    }

    /// Returns the failure that was met last. [`Evidence::fresh_until`] says when to ask again.
    pub fn latest(&self) -> &'p Evidence {
        self.latest
    }

    /// Returns whether there is a last good copy, however old: a 304 can renew it.
    pub fn has_copy(&self) -> bool {
        self.ongoing.copy.is_some()
    }

    /// Returns whether the rest of the site can be reached, if that is known ([`Policy::set_site_is_reachable`]).
    pub fn site_is_reachable(&self) -> Option<bool> {
        self.ongoing.site_is_reachable
    }
}

/// The state that applies at a time.
pub(super) struct Standing<'p> {
    pub treatment: Treatment,
    /// The evidence for the treatment.
    pub evidence: Option<&'p Evidence>,
    pub rules: &'p Rules,
}

impl Standing<'_> {
    /// Returns whether the evidence has expired.
    pub(super) fn is_stale(&self, now: SystemTime) -> bool {
        self.evidence.is_some_and(|evidence| !evidence.is_fresh(now))
    }
}

impl Policy {
    /// Makes a policy from a first answer, in mode [`Respect`](Mode::Respect).
    pub fn new(reading: &Reading<'_>, agent: &Agent) -> Self {
        let mut policy = Policy::unasked(reading.preset());
        policy.update(reading, agent);
        policy
    }

    /// Makes the policy that holds before robots.txt was asked for, in mode [`Respect`](Mode::Respect): nothing is
    /// known, so nothing is fetched. In mode [`Ignore`](Mode::Ignore) robots.txt stays unasked and everything is
    /// fetched.
    ///
    /// ```
    /// use std::time::SystemTime;
    ///
    /// use comity::policy::{Mode, Policy, Preset, Verdict};
    ///
    /// let policy = Policy::unasked(Preset::Rfc9309);
    /// assert!(policy.decide("/page", SystemTime::UNIX_EPOCH)?.blocks());
    ///
    /// let policy = policy.with_mode(Mode::Ignore);
    /// let decision = policy.decide("/page", SystemTime::UNIX_EPOCH)?;
    /// assert_eq!(decision.verdict(), Verdict::SkippedByUserPolicy);
    /// assert!(!decision.blocks());
    /// # Ok::<(), comity::robots::UrlError>(())
    /// ```
    pub fn unasked(preset: Preset) -> Self {
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

    /// Replaces choices of the preset. Answers that were taken in before keep their times.
    #[must_use]
    pub fn with_overrides(self, overrides: Overrides) -> Self {
        let Overrides { on_unreachable, max_age } = overrides;
        Policy { on_unreachable, max_age, ..self }
    }

    /// Takes in the next answer.
    ///
    /// An answer that settles the matter replaces what was known. While robots.txt is unreachable, the last body that
    /// was read stays at hand; 304 makes it fresh again. A failure of our own ([`Failure::Local`](super::Failure::Local))
    /// replaces nothing: it begins no outage of the site and ends no copy. An answer under another preset starts anew.
    pub fn update(&mut self, reading: &Reading<'_>, agent: &Agent) {
        if reading.preset() != self.preset {
            let overrides = self.overrides();
            *self = Policy::unasked(reading.preset()).with_mode(self.mode).with_overrides(overrides);
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

    /// Makes the copy at hand fresh again, if there is one.
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

    /// Returns the outage that goes on, or begins, with a failure.
    fn outage_from(&mut self, failure: &Evidence) -> Box<Ongoing> {
        if let Some(outage) = self.outage.take() {
            return outage;
        }
        let copy = match self.evidence.take() {
            Some(evidence) if evidence.treatment == Treatment::ReadRules => {
                Some(Kept { evidence, rules: self.rules.clone() })
            }
            _ => None,
        };
        Box::new(Ongoing { since: failure.fetched_at, site_is_reachable: None, copy })
    }

    /// Says whether the rest of the site can be reached, which some presets want to know in a long outage. It holds
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

    /// Returns the evidence of the latest answer, even if it is a failure on our own side; `None` if robots.txt was never
    /// asked for.
    pub fn evidence(&self) -> Option<&Evidence> {
        self.local.as_deref().or(self.evidence.as_ref())
    }

    /// Returns what failed on our own side when robots.txt was last asked for, if something did
    /// ([`Failure::Local`](super::Failure::Local)).
    pub fn local_fault(&self) -> Option<&Evidence> {
        self.local.as_deref()
    }

    /// Returns the outage, if robots.txt was unreachable when last asked for.
    pub fn outage(&self) -> Option<Outage<'_>> {
        Some(Outage { ongoing: self.outage.as_deref()?, latest: self.evidence.as_ref()? })
    }

    /// Returns the number of its bytes on the heap, for caches that are bounded by memory ([`Rules::heap_bytes`]).
    pub fn heap_bytes(&self) -> usize {
        let evidence = |evidence: &Evidence| evidence.heap_bytes();
        let outage = self.outage.as_ref().map_or(0, |outage| {
            let copy = outage.copy.as_ref();
            size_of::<Ongoing>() + copy.map_or(0, |copy| evidence(&copy.evidence) + copy.rules.heap_bytes())
        });
        let local = self.local.as_deref().map_or(0, |local| size_of::<Evidence>() + evidence(local));
        self.rules.heap_bytes() + self.evidence.as_ref().map_or(0, evidence) + outage + local
    }

    /// Returns whether robots.txt need not be asked for at `now`.
    pub fn is_fresh(&self, now: SystemTime) -> bool {
        self.mode == Mode::Ignore || self.evidence.as_ref().is_some_and(|evidence| evidence.is_fresh(now))
    }

    /// Returns what is done at `now`.
    pub fn treatment(&self, now: SystemTime) -> Treatment {
        self.standing(now).treatment
    }

    /// Returns the rules that decide at `now`, if rules do: for their delays ([`Rules::crawl_delay`]) and rates, too.
    pub fn rules(&self, now: SystemTime) -> Option<&Rules> {
        let standing = self.standing(now);
        matches!(standing.treatment, Treatment::ReadRules | Treatment::LastGood).then_some(standing.rules)
    }

    /// Returns whether the answer that counts at `now` has expired, so that robots.txt should have been asked for again.
    pub fn is_stale(&self, now: SystemTime) -> bool {
        self.mode != Mode::Ignore && self.standing(now).is_stale(now)
    }

    /// Returns what applies at `now`.
    pub(super) fn standing(&self, now: SystemTime) -> Standing<'_> {
        let standing = self.standing_by_site(now);
        let Some(local) = &self.local else { return standing };
        if self.evidence.as_ref().is_some_and(|evidence| evidence.is_fresh(now)) {
            return standing;
        }
        // An override never allows what a copy forbids.
        match (standing.treatment, standing.evidence) {
            (Treatment::ReadRules | Treatment::LastGood, Some(copy)) if copy.may_serve(now) => {
                Standing { treatment: Treatment::LastGood, ..standing }
            }
            _ => Standing { treatment: Treatment::Stop, evidence: Some(local), rules: &self.rules },
        }
    }

    /// Returns the state that follows from the site's own last answer.
    fn standing_by_site(&self, now: SystemTime) -> Standing<'_> {
        let standing = self.standing_by_preset(now);
        let (Some(choice), Some(latest)) = (self.on_unreachable, &self.evidence) else { return standing };
        // A refusal by the guard is not an outage.
        let is_outage = latest.availability == Availability::Unreachable && latest.kind != AnswerKind::Guard;
        if !is_outage || standing.treatment == Treatment::LastGood {
            return standing;
        }
        match self.outage.as_ref().and_then(|outage| outage.copy_at(now)) {
            Some(copy) if choice.treatment().opens() => Standing {
                treatment: Treatment::LastGood,
                evidence: Some(&copy.evidence),
                rules: &copy.rules,
            },
            _ => Standing { treatment: choice.treatment(), ..standing },
        }
    }

    /// Returns the state that the preset alone gives.
    fn standing_by_preset(&self, now: SystemTime) -> Standing<'_> {
        let latest = |treatment| Standing { treatment, evidence: self.evidence.as_ref(), rules: &self.rules };
        let Some(evidence) = &self.evidence else { return latest(Treatment::Stop) };
        let (Treatment::LastGood, Some(outage)) = (evidence.treatment, &self.outage) else {
            return latest(evidence.treatment);
        };
        match (outage.treatment(self.preset.outage_steps(), now), outage.copy_at(now)) {
            (Treatment::LastGood, Some(copy)) => Standing {
                treatment: Treatment::LastGood,
                evidence: Some(&copy.evidence),
                rules: &copy.rules,
            },
            // A row that asks for a copy where no copy exists would be a mistake; stopping is safe.
            (Treatment::LastGood, None) => latest(Treatment::Stop),
            (treatment, _) => latest(treatment),
        }
    }
}

/// Returns empty rules for the case that none were read. They still know which URLs the dialect can split.
fn no_rules(preset: Preset) -> Rules {
    Rules::none(preset.dialect())
}
