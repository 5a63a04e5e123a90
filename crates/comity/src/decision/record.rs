//! Owned records of decisions, rules and outages.

use std::fmt;
use std::time::{Duration, SystemTime};

use super::fields::record;
use crate::policy::{self, AnswerKind, Evidence, Failure, Mode, Outage, Overrides, Preset, Treatment};
use crate::robots::{self, Basis, DelaySource, Dialect, RecordKind, Rule};
use crate::verdict::{Recommendation, Verdict};

record! {
    /// An owned record of a decision, made by [`robots::Decision::to_record`] or [`policy::Decision::to_record`].
    ///
    /// The JSON form (feature `serde`) has every field; a field without a value is null. A decision that was made by
    /// the rules of a file alone has no preset, mode, overrides, treatment, evidence or outage. The `Display` form is
    /// the verdict with the reason.
    ///
    /// ```
    /// use std::time::SystemTime;
    ///
    /// use comity::policy::{Answer, Policy, Preset};
    /// use comity::robots::Agent;
    ///
    /// let answer = Answer::status(503, SystemTime::UNIX_EPOCH);
    /// let policy = Policy::new(&Preset::Rfc9309.read(&answer), &Agent::token("examplebot")?);
    /// let record = policy.decide("https://example.com/a", SystemTime::UNIX_EPOCH)?.to_record();
    /// drop(policy);
    /// assert!(record.blocked && record.rule.is_none());
    /// assert!(record.to_string().starts_with("unknown_unreachable: robots.txt: 503"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub struct DecisionRecord as "Decision" {
        /// The verdict: the result of the rules for the URL.
        pub verdict: Verdict,
        /// The recommendation to a well-behaved program.
        pub recommendation: Recommendation,
        /// True if the URL must not be fetched: fetching is not recommended, and the mode is `respect` or null.
        pub blocked: bool,
        /// The rule that decided.
        pub rule: Option<RuleRecord>,
        /// The name by which the crawler's group was chosen, such as its own, a fallback's, or `*`.
        pub group: Option<String>,
        /// The basis of the rules' verdict; null if no rules were used.
        pub basis: Option<Basis>,
        /// The minimum time between two requests according to robots.txt, in seconds: the longer one of `Crawl-delay`
        /// and `Request-rate`. A rate that is limited to hours of the day is ignored. Null if robots.txt sets no such
        /// time, or no rules were used.
        #[serde(with = "super::seconds::option")]
        #[schemars(with = "Option<f64>")]
        pub crawl_delay_seconds: Option<Duration>,
        /// The kind of record that sets this time.
        pub crawl_delay_source: Option<DelaySource>,
        /// The dialect in which robots.txt is read.
        pub dialect: Dialect,
        /// The preset.
        pub preset: Option<Preset>,
        /// The mode.
        pub mode: Option<Mode>,
        /// The choices of the preset that were overridden.
        pub overrides: Option<Overrides>,
        /// The preset's treatment of the answer; null if robots.txt is not used.
        pub treatment: Option<Treatment>,
        /// True if fetching is allowed although the rules are unknown, because the preset or an override allows it.
        pub failed_open: bool,
        /// True if the evidence had expired when the decision was made, so that robots.txt should have been fetched
        /// again; null without evidence.
        pub stale: Option<bool>,
        /// The answer that the decision is based on.
        pub evidence: Option<Evidence>,
        /// The outage during which the decision was made.
        pub outage: Option<OutageRecord>,
    }
}

record! {
    /// An owned record of a rule. Its `Display` form is the rule as a line of robots.txt.
    pub struct RuleRecord as "Rule" {
        /// `allow` or `disallow`, as written.
        #[schemars(extend("enum" = [RecordKind::Allow, RecordKind::Disallow]))]
        pub kind: RecordKind,
        /// The path pattern as written in the file. If it is not UTF-8, it is decoded as ISO-8859-1. Invisible
        /// characters are replaced.
        pub pattern: String,
        /// The line of the rule, from 1.
        pub line: u32,
        /// True if the rule allows what it matches. It differs from the kind if the dialect interprets an empty
        /// `Disallow` as an `Allow`, or an empty `Allow` as a `Disallow`.
        pub allows: bool,
    }
}

record! {
    /// An owned record of an outage, which is a period in which robots.txt cannot be reached.
    pub struct OutageRecord as "Outage" {
        /// The time of the outage's first failure.
        #[serde(with = "super::time")]
        #[schemars(with = "crate::schema::DateTime")]
        pub since: SystemTime,
        /// The kind of the last failure.
        pub answer: AnswerKind,
        /// The status code of that failure, if there was one.
        pub status: Option<u16>,
        /// The reason why there was no answer.
        pub failure: Option<Failure>,
        /// The time of the next fetch of robots.txt; null if it is not fetched again while the program runs.
        #[serde(with = "super::time::option")]
        #[schemars(with = "Option<crate::schema::DateTime>")]
        pub retry_at: Option<SystemTime>,
        /// True if there is a last good copy, however old.
        pub has_copy: bool,
    }
}

impl robots::Decision<'_> {
    /// Returns an owned record of the decision.
    pub fn to_record(&self) -> DecisionRecord {
        let delay = self.rules().delay(None);
        DecisionRecord {
            verdict: self.verdict(),
            recommendation: self.recommendation(),
            blocked: !self.is_allowed(),
            rule: self.rule().map(|rule| rule.to_record()),
            group: self.group().map(str::to_owned),
            basis: Some(self.basis()),
            crawl_delay_seconds: delay.map(|(delay, _)| delay),
            crawl_delay_source: delay.map(|(_, source)| source),
            dialect: self.dialect(),
            preset: None,
            mode: None,
            overrides: None,
            treatment: None,
            failed_open: false,
            stale: None,
            evidence: None,
            outage: None,
        }
    }
}

impl policy::Decision<'_> {
    /// Returns an owned record of the decision.
    pub fn to_record(&self) -> DecisionRecord {
        let rules = self.rules();
        let delay = rules.and_then(|rules| rules.rules().delay(None));
        DecisionRecord {
            verdict: self.verdict(),
            recommendation: self.recommendation(),
            blocked: self.blocks(),
            rule: rules.and_then(|rules| rules.rule()).map(|rule| rule.to_record()),
            group: rules.and_then(|rules| rules.group()).map(str::to_owned),
            basis: rules.map(|rules| rules.basis()),
            crawl_delay_seconds: delay.map(|(delay, _)| delay),
            crawl_delay_source: delay.map(|(_, source)| source),
            dialect: self.dialect(),
            preset: Some(self.preset()),
            mode: Some(self.mode()),
            overrides: Some(self.overrides()).filter(|overrides| !overrides.is_empty()),
            treatment: self.treatment(),
            failed_open: self.failed_open(),
            stale: self.evidence().map(|_| self.is_stale()),
            evidence: self.evidence().cloned(),
            outage: self.outage().map(|outage| outage.to_record()),
        }
    }
}

impl DecisionRecord {
    /// Returns the reason for the verdict in a few words: the rule with its line, or the cause if no rule decided.
    pub fn reason(&self) -> String {
        if let Some(rule) = &self.rule {
            return format!("line {}: {rule}", rule.line);
        }
        match (self.basis, &self.group) {
            (Some(Basis::RobotsTxt), _) => "/robots.txt is always allowed".to_owned(),
            (Some(Basis::NoGroup), _) => "no group applies to the crawler".to_owned(),
            (Some(_), Some(group)) => format!("no rule of group {} matches", crate::shown::text(group)),
            (Some(_), None) => "no rule matches".to_owned(),
            (None, _) => self.reason_without_rules(),
        }
    }

    /// Returns the answer to the request for robots.txt in words: the status code or the failure. During an outage, its
    /// start and the time of the next request follow. If robots.txt could not be read, only that time follows. Times
    /// need the feature `dates` or `serde`.
    ///
    /// ```
    /// use std::time::SystemTime;
    ///
    /// use comity::policy::{Answer, Policy, Preset};
    /// use comity::robots::Agent;
    ///
    /// let answer = Answer::status(503, SystemTime::UNIX_EPOCH);
    /// let policy = Policy::new(&Preset::Rfc9309.read(&answer), &Agent::token("examplebot")?);
    /// let record = policy.decide("https://example.com/a", SystemTime::UNIX_EPOCH)?.to_record();
    /// # #[cfg(feature = "dates")]
    /// assert_eq!(record.answer(), "503 since 1970-01-01T00:00:00Z, next request at 1970-01-01T00:10:00Z");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn answer(&self) -> String {
        let evidence = self.evidence.as_ref();
        let unknown = || matches!(self.verdict, Verdict::UnknownUnreachable | Verdict::UnknownParseError);
        match (&self.outage, evidence) {
            (Some(outage), _) => {
                let error = evidence.filter(|evidence| evidence.kind() == outage.answer);
                let answer = match error.filter(|evidence| evidence.error().is_some()) {
                    Some(evidence) => evidence.summary(),
                    None => outage.answer.with_status(outage.status),
                };
                format!("{answer}{}{}", at(" since ", Some(outage.since)), next(outage.retry_at))
            }
            (None, Some(evidence)) if unknown() => {
                format!("{}{}", evidence.summary(), next(evidence.fresh_until()))
            }
            (None, Some(evidence)) => evidence.summary().into_owned(),
            (None, None) => "not requested yet".to_owned(),
        }
    }

    /// Returns the reason for the verdict if no rules were used.
    fn reason_without_rules(&self) -> String {
        let Some(treatment) = self.treatment else { return "robots.txt is not used".to_owned() };
        let answer = self.answer();
        let by = match (&self.overrides, self.preset) {
            (Some(overrides), _) if self.failed_open && overrides.on_unreachable().is_some() => {
                overrides.to_string()
            }
            (_, Some(preset)) => format!("the preset {preset}"),
            (_, None) => "the policy".to_owned(),
        };
        format!("robots.txt: {answer}; treatment by {by}: {}", treatment.label())
    }
}

/// Returns the time of the next request for robots.txt, for messages. `None` means never.
fn next(time: Option<SystemTime>) -> String {
    match time {
        Some(_) => at(", next request at ", time),
        None => ", not requested again".to_owned(),
    }
}

/// Returns a time after some words, or an empty text without a time.
fn at(words: &str, time: Option<SystemTime>) -> String {
    #[cfg(any(feature = "dates", feature = "serde"))]
    let shown = time.and_then(crate::rfc3339::seconds);
    #[cfg(not(any(feature = "dates", feature = "serde")))]
    let shown = time.and(None::<String>);
    shown.map(|shown| format!("{words}{shown}")).unwrap_or_default()
}

impl fmt::Display for DecisionRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.verdict, self.reason())
    }
}

/// Writes the verdict and the reason for it: `disallowed_explicit: line 2: Disallow: /private`.
impl fmt::Display for robots::Decision<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.to_record().fmt(f)
    }
}

/// Writes the verdict and the reason for it:
/// `unknown_unreachable: robots.txt: 503 since 2026-11-27T22:30:23Z, next request at 2026-11-27T22:40:23Z; treatment by
/// the preset rfc9309: stop`.
impl fmt::Display for policy::Decision<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.to_record().fmt(f)
    }
}

impl Rule<'_> {
    /// Returns an owned record of the rule.
    ///
    /// ```
    /// use comity::robots::{Agent, RobotsTxt};
    ///
    /// let rules = RobotsTxt::parse("User-agent: *\nDisallow: /private\n").rules_for(&Agent::unchecked_token("examplebot"));
    /// let rule = rules.iter().next().unwrap().to_record();
    /// drop(rules);
    /// assert_eq!((rule.pattern.as_str(), rule.line, rule.allows), ("/private", 2, false));
    /// assert_eq!(rule.to_string(), "Disallow: /private");
    /// ```
    pub fn to_record(&self) -> RuleRecord {
        RuleRecord {
            kind: self.kind(),
            pattern: self.pattern_text().into_owned(),
            line: self.line(),
            allows: self.allows(),
        }
    }
}

impl fmt::Display for RuleRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let space = if self.pattern.is_empty() { "" } else { " " };
        write!(f, "{}:{space}{}", self.kind.label(), self.pattern)
    }
}

/// Writes the rule as a line: `Disallow: /private`.
impl fmt::Display for Rule<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.to_record().fmt(f)
    }
}

impl Outage<'_> {
    /// Returns an owned record of the outage.
    pub fn to_record(&self) -> OutageRecord {
        let latest = self.latest();
        OutageRecord {
            since: self.since(),
            answer: latest.kind(),
            status: latest.status(),
            failure: latest.failure(),
            retry_at: latest.fresh_until(),
            has_copy: self.has_copy(),
        }
    }
}

/// Serializes views as their owned records.
macro_rules! written_as_records {
    ($($type:ty),*) => {$(
        #[cfg(feature = "serde")]
        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                self.to_record().serialize(serializer)
            }
        }
    )*};
}

written_as_records!(robots::Decision<'_>, policy::Decision<'_>, Rule<'_>, Outage<'_>);
