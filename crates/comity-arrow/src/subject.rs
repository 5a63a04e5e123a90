//! Subjects: the effect of robots.txt answers on one crawler.

use std::time::SystemTime;

use comity::decision::DecisionRecord;
use comity::policy::{Policy, Preset, Treatment};
use comity::robots::{Agent, Decision, Dialect, RobotsTxt, Rules};

use crate::answer::{BodyForm, RowAnswer};
use crate::options::AuditorOptions;

/// The effect of an answer, or of a history of answers, on one crawler: a policy with the rules that decide.
#[derive(Debug)]
pub(crate) struct Subject {
    policy: Policy,
    /// The rules that decide, if the options set another dialect than the preset's.
    dialect_rules: Option<Rules>,
    /// The number of the crawler.
    pub agent: u32,
    /// The text number of the word for the state of the latest answer.
    pub answer_word: u32,
    /// The default decision time.
    default_time: SystemTime,
    /// The state at the default time.
    pub site_state: SiteState,
    /// The location of the body from which usage signals are read.
    pub source: BodyLocation,
    /// The distinct usage statements for the URLs so far.
    pub usages: Vec<Usages>,
    /// True if the statements differ between URLs; `None` before the first row that needs them.
    pub usage_varies: Option<bool>,
}

/// The location of a subject's body.
#[derive(Clone, Copy, Debug)]
pub(crate) enum BodyLocation {
    /// There is no body.
    None,
    /// A body in the cache, by number, with its form and the key number of its `Content-Type`.
    Cached(u32, BodyForm, u32),
    /// The body of an answer in the table, by the number of the answer.
    Table(u32),
}

/// The usage statements of a robots.txt for a URL.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Usages {
    /// The word numbers in the order of [`UsageColumn::ALL`](crate::UsageColumn::ALL).
    pub words: Vec<u8>,
    /// The URLs of RSL licenses.
    pub licenses: Vec<String>,
}

/// The state of a site at a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SiteState {
    /// True if one decision applies to every URL except `/robots.txt`; false if rules decide.
    pub is_fixed: bool,
    pub treatment: Treatment,
    pub stale: bool,
}

/// Settings for parsing answers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reader {
    pub preset: Preset,
    pub dialect: Dialect,
    /// True if quick scans may decide rows. This requires one crawler, the dialect of the preset, and outputs that need neither
    /// parsed rules nor usage statements.
    pub can_scan: bool,
    /// True if crawlers that a file treats identically may share a subject, because no output is about usage.
    pub shares: bool,
}

impl Reader {
    pub(crate) fn of(options: &AuditorOptions) -> Reader {
        let shares = !options.wants_usage();
        let needs_rules = options.outputs.iter().any(|output| output.needs_rules());
        let is_usual = options.agents.len() <= 1 && options.dialect == options.preset.dialect();
        let can_scan = shares && is_usual && !needs_rules;
        Reader { preset: options.preset, dialect: options.dialect, can_scan, shares }
    }

    /// Applies the answers in order, and returns a subject for each crawler. `now` is the default decision time.
    pub(crate) fn subjects(
        self,
        (answer_word, answers): (u32, &[(RowAnswer<'_>, BodyLocation)]),
        agents: &[(u32, &Agent)],
        now: SystemTime,
    ) -> Vec<Subject> {
        let mut policies: Vec<Policy> = agents.iter().map(|_| Policy::without_answer(self.preset)).collect();
        let mut read = None;
        for (answer, source) in answers {
            let is_read = answer.with_reading(self.preset, |reading| {
                policies
                    .iter_mut()
                    .zip(agents)
                    .for_each(|(policy, (_, agent))| policy.update(reading, agent));
                reading.robots().is_some()
            });
            if is_read == Some(true) {
                read = Some((answer, *source));
            }
        }
        let dialect_rules = (self.dialect != self.preset.dialect()).then(|| {
            let robots = read.map(|(answer, _)| self.robots(answer));
            robots.unwrap_or_else(|| RobotsTxt::parse_as(b"", self.dialect))
        });
        let source = read.map_or(BodyLocation::None, |(_, source)| source);
        let subject = |(policy, (number, agent)): (Policy, &(u32, &Agent))| Subject {
            site_state: SiteState::of(&policy, now),
            policy,
            dialect_rules: dialect_rules.as_ref().map(|robots| robots.rules_for(agent)),
            agent: *number,
            answer_word,
            default_time: now,
            source,
            usages: Vec::new(),
            usage_varies: None,
        };
        policies.into_iter().zip(agents).map(subject).collect()
    }

    /// Parses the body in the dialect of the options.
    pub(crate) fn robots<'a>(self, answer: &RowAnswer<'a>) -> RobotsTxt<'a> {
        let read = &answer.body[..answer.body.len().min(self.body_limit())];
        let body = RowAnswer { body: read, ..*answer }.body().unwrap_or_default();
        RobotsTxt::parse_with_charset(body, self.dialect, answer.charset().as_deref())
    }

    pub(crate) fn body_limit(self) -> usize {
        self.preset.body_limit().unwrap_or(usize::MAX)
    }
}

impl SiteState {
    fn of(policy: &Policy, now: SystemTime) -> SiteState {
        SiteState {
            is_fixed: policy.rules(now).is_none(),
            treatment: policy.treatment(now),
            stale: policy.is_stale(now),
        }
    }
}

impl Subject {
    /// Returns the state at a time.
    pub(crate) fn site_state_at(&self, now: SystemTime) -> SiteState {
        SiteState::of(&self.policy, now)
    }

    /// Returns the rules that decide at a time, or at the default time. Without deciding rules, returns `no_rules`, which can
    /// check the URL.
    #[inline]
    pub(crate) fn rules<'s>(
        &'s self,
        site_state: &SiteState,
        no_rules: &'s Rules,
        time: Option<SystemTime>,
    ) -> &'s Rules {
        match (site_state.is_fixed, &self.dialect_rules) {
            (true, _) => no_rules,
            (false, Some(rules)) => rules,
            (false, None) => self.policy.rules(time.unwrap_or(self.default_time)).unwrap_or(no_rules),
        }
    }

    /// Returns the decision at a time, or at the default time, given the result of the [`rules`](Subject::rules). Without a
    /// time, the staleness of the decision is unknown.
    pub(crate) fn record<'s>(&'s self, by_rules: Decision<'s>, time: Option<SystemTime>) -> DecisionRecord {
        let mut record = self.policy.decide_by(by_rules, time.unwrap_or(self.default_time)).to_record();
        record.stale = record.stale.filter(|_| time.is_some());
        record
    }

    /// Returns whether another subject of these answers makes identical decisions. Usage statements may differ.
    pub(crate) fn is_alike(&self, other: &Subject) -> bool {
        self.policy == other.policy && self.dialect_rules == other.dialect_rules
    }

    /// Returns the size on the heap, in bytes.
    pub(crate) fn heap_bytes(&self) -> usize {
        self.policy.heap_bytes()
            + self.dialect_rules.as_ref().map_or(0, Rules::heap_bytes)
            + size_of::<Subject>()
    }
}
