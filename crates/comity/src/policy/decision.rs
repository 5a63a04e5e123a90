//! Decisions: a verdict and a recommendation with the evidence for both.

use std::time::SystemTime;

use super::evidence::Evidence;
use super::kind::Availability;
use super::mode::Mode;
use super::overrides::Overrides;
use super::preset::Preset;
use super::state::{AppliedState, Outage, Policy};
use super::treatment::Treatment;
use crate::robots::{self, Basis, Dialect, UrlError};
use crate::verdict::{Recommendation, Verdict};

/// The decision of a [`Policy`] about one URL, with its reasons.
///
/// The decision borrows from the policy. [`to_record`](Decision::to_record) makes an owned record, which is also the
/// form in JSON.
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
    /// Returns [`UrlError`] in the cases of [`Rules::decide`](robots::Rules::decide), even if no rules are used.
    pub fn decide<U: AsRef<[u8]> + ?Sized>(
        &self,
        url: &U,
        now: SystemTime,
    ) -> Result<Decision<'_>, UrlError> {
        let applied = self.applied(now);
        let by_rules = applied.rules.decide(url)?;
        Ok(Decision::new(self, &applied, by_rules, now))
    }

    /// Decides at `now`, but uses `by_rules` in place of the policy's own rules. `by_rules` must come from the same
    /// file, read in another dialect. If the policy decides without rules, `by_rules` counts only for a `/robots.txt`
    /// that the dialect always allows.
    pub fn decide_by<'p>(&'p self, by_rules: robots::Decision<'p>, now: SystemTime) -> Decision<'p> {
        Decision::new(self, &self.applied(now), by_rules, now)
    }
}

impl<'p> Decision<'p> {
    fn new(
        policy: &'p Policy,
        applied: &AppliedState<'p>,
        by_rules: robots::Decision<'p>,
        now: SystemTime,
    ) -> Self {
        let (treatment, evidence) = (applied.treatment, applied.evidence);
        let decision = |verdict, recommendation, rules| Decision {
            policy,
            verdict,
            recommendation,
            treatment: Some(treatment),
            evidence,
            rules,
            stale: applied.is_stale(now),
        };
        if policy.mode() == Mode::Ignore {
            let skipped = decision(Verdict::SkippedByUserPolicy, Recommendation::Recommended, None);
            return Decision { treatment: None, evidence: None, stale: false, ..skipped };
        }
        let availability = evidence.map_or(Availability::Unreachable, |evidence| evidence.availability);
        let fixed = treatment
            .verdict(availability)
            .zip(treatment.recommendation())
            // `/robots.txt` itself may be fetched even if no other URL may (RFC 9309 §2.2.2).
            .filter(|_| by_rules.basis() != Basis::RobotsTxt);
        match fixed {
            Some((verdict, recommendation)) => decision(verdict, recommendation, None),
            None => decision(by_rules.verdict(), by_rules.recommendation(), Some(by_rules)),
        }
    }

    /// Returns the verdict: the result of the rules for the URL.
    pub fn verdict(&self) -> Verdict {
        self.verdict
    }

    /// Returns the recommendation: the action of a well-behaved program.
    pub fn recommendation(&self) -> Recommendation {
        self.recommendation
    }

    /// Returns true if the URL must not be fetched: the mode is [`Respect`](Mode::Respect), and fetching is not
    /// recommended.
    pub fn blocks(&self) -> bool {
        self.mode() == Mode::Respect && !self.recommendation.allows()
    }

    /// Returns true if the URL is allowed although robots.txt is unknown, because the preset or an override fails open.
    pub fn failed_open(&self) -> bool {
        self.treatment.is_some_and(Treatment::opens) && self.rules.is_none()
    }

    /// Returns the treatment that was applied; `None` if robots.txt is not examined ([`Mode::Ignore`]).
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

    /// Returns the dialect of the deciding rules, or the preset's dialect if no rules decided.
    pub fn dialect(&self) -> Dialect {
        self.rules.map_or_else(|| self.preset().dialect(), |rules| rules.dialect())
    }

    /// Returns the decision of the rules, if they decided: the rule, its line, the group.
    pub fn rules(&self) -> Option<&robots::Decision<'p>> {
        self.rules.as_ref()
    }

    /// Returns the evidence of the answer that the decision is based on. If the last good copy decided, this is the
    /// evidence of the copy.
    pub fn evidence(&self) -> Option<&'p Evidence> {
        self.evidence
    }

    /// Returns true if the answer in [`evidence`](Decision::evidence) had expired at the time of the decision, so that
    /// robots.txt should have been requested again.
    pub fn is_stale(&self) -> bool {
        self.stale
    }

    /// Returns the outage during which the decision was made.
    pub fn outage(&self) -> Option<Outage<'p>> {
        self.policy.outage().filter(|_| self.mode() != Mode::Ignore)
    }
}
