//! Decisions that outlive what they were made from: for logs, reports, other threads and other languages.

use std::time::SystemTime;

use super::answer::Failure;
use super::decision::Decision;
use super::evidence::Evidence;
use super::kind::AnswerKind;
use super::mode::Mode;
use super::overrides::Overrides;
use super::preset::Preset;
use super::state::Outage;
use super::treatment::Treatment;
use crate::robots::{Basis, Dialect, DirectiveKind, Rule};
use crate::verdict::{Recommendation, Verdict};

/// All that a [`Decision`] says, by itself ([`Decision::to_record`]).
///
/// As JSON (feature `serde`) it is the same as the decision.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct DecisionRecord {
    /// The verdict: what is known about fetching the URL.
    pub verdict: Verdict,
    /// The recommendation to a well-behaved program.
    pub recommendation: Recommendation,
    /// True if the mode forbids the fetch.
    pub blocked: bool,
    /// The preset's treatment of the answer; `None` if robots.txt is not looked at.
    pub treatment: Option<Treatment>,
    /// True if the fetch is allowed although nothing is known, because the preset or an override says so.
    pub failed_open: bool,
    /// True if the evidence had expired by then and should have been asked for again.
    pub stale: bool,
    /// The preset.
    pub preset: Preset,
    /// The choices of the preset that were overridden.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Overrides::is_empty"))]
    pub overrides: Overrides,
    /// The mode.
    pub mode: Mode,
    /// The preset's dialect.
    pub dialect: Dialect,
    /// The rule that decided, if one did.
    pub rule: Option<RuleRecord>,
    /// The crawler's group, as robots.txt names it.
    pub group: Option<String>,
    /// The basis of the rules' verdict, if rules decided.
    pub basis: Option<Basis>,
    /// The answer that it rests on.
    pub evidence: Option<Evidence>,
    /// The outage in which it was made.
    pub outage: Option<OutageRecord>,
}

/// A rule, by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct RuleRecord {
    /// `Allow` or `Disallow`.
    pub kind: DirectiveKind,
    /// The path pattern as it stands in the file; bytes that are not UTF-8 are replaced.
    pub pattern: String,
    /// The line that it stands on, from 1.
    pub line: u32,
}

/// A time in which robots.txt cannot be reached, by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct OutageRecord {
    /// When the first failure in a row was met.
    #[cfg_attr(feature = "serde", serde(serialize_with = "rfc3339"))]
    pub since: SystemTime,
    /// The kind of the failure that was met last.
    pub answer: AnswerKind,
    /// Its status code, if there was one.
    pub status: Option<u16>,
    /// The failure, if there was no answer.
    pub failure: Option<Failure>,
    /// When robots.txt is asked for again.
    #[cfg_attr(feature = "serde", serde(serialize_with = "rfc3339_or_none"))]
    pub retry_at: Option<SystemTime>,
    /// True if there is a last good copy, however old.
    pub has_copy: bool,
}

impl Decision<'_> {
    /// The same by itself.
    ///
    /// ```
    /// use std::time::SystemTime;
    ///
    /// use comity::policy::{Answer, Policy, Preset};
    /// use comity::robots::Agent;
    ///
    /// let answer = Answer::status(200, SystemTime::UNIX_EPOCH).with_body("User-agent: *\nDisallow: /private\n");
    /// let policy = Policy::new(&Preset::Rfc9309.read(&answer), &Agent::token("examplebot"));
    /// let record = policy.decide("https://example.com/private/a", SystemTime::UNIX_EPOCH)?.to_record();
    /// drop(policy);
    /// assert_eq!(record.rule.map(|rule| (rule.pattern, rule.line)), Some(("/private".to_owned(), 2)));
    /// # Ok::<(), comity::robots::UrlError>(())
    /// ```
    pub fn to_record(&self) -> DecisionRecord {
        let rules = self.rules();
        DecisionRecord {
            verdict: self.verdict(),
            recommendation: self.recommendation(),
            blocked: self.blocks(),
            treatment: self.treatment(),
            failed_open: self.failed_open(),
            stale: self.is_stale(),
            preset: self.preset(),
            overrides: self.overrides(),
            mode: self.mode(),
            dialect: self.dialect(),
            rule: rules.and_then(|rules| rules.rule()).map(|rule| RuleRecord::of(&rule)),
            group: rules.and_then(|rules| rules.group()).map(str::to_owned),
            basis: rules.map(|rules| rules.basis()),
            evidence: self.evidence().cloned(),
            outage: self.outage().map(|outage| OutageRecord::of(&outage)),
        }
    }
}

impl RuleRecord {
    fn of(rule: &Rule<'_>) -> Self {
        RuleRecord { kind: rule.kind(), pattern: rule.pattern_text().into_owned(), line: rule.line() }
    }
}

impl OutageRecord {
    pub(super) fn of(outage: &Outage<'_>) -> Self {
        let latest = outage.latest();
        OutageRecord {
            since: outage.since(),
            answer: latest.kind(),
            status: latest.status(),
            failure: latest.failure(),
            retry_at: latest.fresh_until(),
            has_copy: outage.has_copy(),
        }
    }
}

#[cfg(feature = "serde")]
fn rfc3339<S: serde::Serializer>(time: &SystemTime, serializer: S) -> Result<S::Ok, S::Error> {
    rfc3339_or_none(&Some(*time), serializer)
}

#[cfg(feature = "serde")]
#[allow(clippy::ref_option, reason = "serde hands over a reference to the field")]
fn rfc3339_or_none<S: serde::Serializer>(
    time: &Option<SystemTime>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serde::Serialize::serialize(&super::evidence::timestamp(*time), serializer)
}
