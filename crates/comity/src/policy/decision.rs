//! Decisions: a verdict and a recommendation with the evidence for both.

use std::time::SystemTime;

use super::evidence::Evidence;
use super::kind::Availability;
use super::mode::Mode;
use super::overrides::Overrides;
use super::preset::Preset;
use super::state::{Outage, Policy, Standing};
use super::treatment::Treatment;
use crate::robots::{self, Basis, Dialect, UrlError};
use crate::verdict::{Recommendation, Verdict};

/// The decision of a [`Policy`] about one URL, with its reasons.
///
/// It is a view into the policy. [`to_record`](Decision::to_record) makes an owned record, which is also its form in
/// JSON.
#[derive(Clone, Debug)]
pub struct Decision<'p> {
    policy: &'p Policy,
    verdict: Verdict,
    recommendation: Recommendation,
    treatment: Option<Treatment>,
    evidence: Option<&'p Evidence>,
    rules: Option<robots::Decision<'p>>,
    stale: bool,
}

impl Policy {
    /// Decides one URL at `now`.
    ///
    /// # Errors
    ///
    /// [`UrlError`] if `url` is neither an absolute URL nor a path, whether or not rules are looked at; see
    /// [`Rules::decide`](robots::Rules::decide).
    pub fn decide<U: AsRef<[u8]> + ?Sized>(
        &self,
        url: &U,
        now: SystemTime,
    ) -> Result<Decision<'_>, UrlError> {
        let standing = self.standing(now);
        let by_rules = standing.rules.decide(url)?;
        Ok(Decision::new(self, &standing, by_rules, now))
    }

    /// Decides at `now` by what other rules say, in place of the policy's own: those of the same file, read in another
    /// dialect than the preset's. Where no rules decide, they do not either.
    pub fn decide_by<'p>(&'p self, by_rules: robots::Decision<'p>, now: SystemTime) -> Decision<'p> {
        Decision::new(self, &self.standing(now), by_rules, now)
    }
}

impl<'p> Decision<'p> {
    fn new(
        policy: &'p Policy,
        standing: &Standing<'p>,
        by_rules: robots::Decision<'p>,
        now: SystemTime,
    ) -> Self {
        let (treatment, evidence) = (standing.treatment, standing.evidence);
        let decision = |verdict, recommendation, rules| Decision {
            policy,
            verdict,
            recommendation,
            treatment: Some(treatment),
            evidence,
            rules,
            stale: standing.is_stale(now),
        };
        if policy.mode() == Mode::Ignore {
            let skipped = decision(Verdict::SkippedByUserPolicy, Recommendation::Recommended, None);
            return Decision { treatment: None, evidence: None, stale: false, ..skipped };
        }
        let availability = evidence.map_or(Availability::Unreachable, |evidence| evidence.availability);
        let fixed = treatment
            .verdict(availability)
            .zip(treatment.recommendation())
            // `/robots.txt` itself may be asked for even when nothing else may (RFC 9309 §2.2.2).
            .filter(|_| by_rules.basis() != Basis::RobotsTxt);
        match fixed {
            Some((verdict, recommendation)) => decision(verdict, recommendation, None),
            None => decision(by_rules.verdict(), by_rules.recommendation(), Some(by_rules)),
        }
    }

    /// Returns the verdict: what is known about fetching the URL.
    pub fn verdict(&self) -> Verdict {
        self.verdict
    }

    /// Returns what a well-behaved program does about it.
    pub fn recommendation(&self) -> Recommendation {
        self.recommendation
    }

    /// Returns whether the mode forbids the fetch: [`Respect`](Mode::Respect) and not recommended.
    pub fn blocks(&self) -> bool {
        self.mode() == Mode::Respect && !self.recommendation.allows()
    }

    /// Returns whether it is allowed though nothing is known, because the preset or an override says so.
    pub fn failed_open(&self) -> bool {
        self.treatment.is_some_and(Treatment::opens) && self.rules.is_none()
    }

    /// Returns what the preset does; `None` if robots.txt is not looked at ([`Mode::Ignore`]).
    pub fn treatment(&self) -> Option<Treatment> {
        self.treatment
    }

    /// Returns the preset.
    pub fn preset(&self) -> Preset {
        self.policy.preset()
    }

    /// Returns the choices of the preset that were overridden.
    pub fn overrides(&self) -> Overrides {
        self.policy.overrides()
    }

    /// Returns the mode.
    pub fn mode(&self) -> Mode {
        self.policy.mode()
    }

    /// Returns the dialect of the rules that decided, or else the preset's.
    pub fn dialect(&self) -> Dialect {
        self.rules.map_or_else(|| self.preset().dialect(), |rules| rules.dialect())
    }

    /// Returns what the rules say, if they decided: the rule, its line, the group.
    pub fn rules(&self) -> Option<&robots::Decision<'p>> {
        self.rules.as_ref()
    }

    /// Returns the evidence of the answer that it rests on. Where the last good copy serves, that is the evidence of the
    /// copy.
    pub fn evidence(&self) -> Option<&'p Evidence> {
        self.evidence
    }

    /// Returns whether that answer had expired when the decision was made, so that robots.txt should have been asked for
    /// again.
    pub fn is_stale(&self) -> bool {
        self.stale
    }

    /// Returns the outage in which it was made.
    pub fn outage(&self) -> Option<Outage<'p>> {
        self.policy.outage().filter(|_| self.mode() != Mode::Ignore)
    }
}
