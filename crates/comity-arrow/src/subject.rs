//! The state that follows from an answer for one crawler: a policy with the rules that decide.

use std::time::SystemTime;

use comity::decision::DecisionRecord;
use comity::policy::{Policy, Preset, Treatment};
use comity::robots::{Agent, Decision, Dialect, RobotsTxt, Rules};

use crate::answer::{BodyForm, RowAnswer};
use crate::options::AuditorOptions;

/// One answer, or a history of answers, as it applies to one crawler.
#[derive(Debug)]
pub(crate) struct Subject {
    policy: Policy,
    /// The rules that decide, if they were parsed in another dialect than the preset's.
    own: Option<Rules>,
    /// The number of the crawler.
    pub agent: u32,
    /// The text number of the word for the latest answer.
    pub answer_word: u32,
    /// The default time to decide for.
    usual: SystemTime,
    /// The state at that time.
    pub standing: Standing,
    /// The location of the body from which usage signals are read.
    pub source: BodyPlace,
    /// The usage statements of the site, in the order in which rows needed them.
    pub usages: Vec<Usages>,
    /// True if the statements differ between URLs; `None` until a row needs them.
    pub usage_varies: Option<bool>,
}

/// The location of a subject's body.
#[derive(Clone, Copy, Debug)]
pub(crate) enum BodyPlace {
    /// There is no body.
    Nowhere,
    /// A body in the cache, with its form and the number of its `Content-Type`.
    Kept(u32, BodyForm, u32),
    /// The body of an answer in the table.
    Table(u32),
}

/// The statements of the signals: the answers in the order of [`UsageColumn::ALL`](crate::UsageColumn::ALL), and
/// licenses.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Usages {
    pub answers: Vec<u8>,
    pub licenses: Vec<String>,
}

/// The state of a site at a time, for every URL.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Standing {
    /// True if one decision applies to every URL; false if rules decide.
    pub is_fixed: bool,
    pub treatment: Treatment,
    pub stale: bool,
}

/// Parses answers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reader {
    pub preset: Preset,
    pub dialect: Dialect,
    /// True if rows may be decided by a glance. This requires one crawler, the dialect of the preset, and only outputs of the
    /// decision without a delay.
    pub glances: bool,
    /// True if crawlers that a file treats identically may share a subject, because all outputs belong to the decision.
    pub shares: bool,
}

impl Reader {
    pub(crate) fn of(options: &AuditorOptions) -> Reader {
        let shares = !options.wants_usage();
        let needs_rules = options.outputs.iter().any(|output| output.needs_rules());
        let is_usual = options.agents.len() <= 1 && options.dialect == options.preset.dialect();
        let glances = shares && is_usual && !needs_rules;
        Reader { preset: options.preset, dialect: options.dialect, glances, shares }
    }

    /// Parses the answers in order, and returns their state for each crawler. `now` is the default time to decide for.
    pub(crate) fn subjects(
        self,
        (answer_word, answers): (u32, &[(RowAnswer<'_>, BodyPlace)]),
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
        let own = (self.dialect != self.preset.dialect()).then(|| {
            let robots = read.map(|(answer, _)| self.robots(answer));
            robots.unwrap_or_else(|| RobotsTxt::parse_as(b"", self.dialect))
        });
        let source = read.map_or(BodyPlace::Nowhere, |(_, source)| source);
        let subject = |(policy, (number, agent)): (Policy, &(u32, &Agent))| Subject {
            standing: Standing::of(&policy, now),
            policy,
            own: own.as_ref().map(|robots| robots.rules_for(agent)),
            agent: *number,
            answer_word,
            usual: now,
            source,
            usages: Vec::new(),
            usage_varies: None,
        };
        policies.into_iter().zip(agents).map(subject).collect()
    }

    /// Parses the body as a robots.txt, in the requested dialect.
    pub(crate) fn robots<'a>(self, answer: &RowAnswer<'a>) -> RobotsTxt<'a> {
        let read = &answer.body[..answer.body.len().min(self.body_limit())];
        let body = RowAnswer { body: read, ..*answer }.body().unwrap_or_default();
        RobotsTxt::parse_with_charset(body, self.dialect, answer.charset().as_deref())
    }

    pub(crate) fn body_limit(self) -> usize {
        self.preset.body_limit().unwrap_or(usize::MAX)
    }
}

impl Standing {
    fn of(policy: &Policy, now: SystemTime) -> Standing {
        Standing {
            is_fixed: policy.rules(now).is_none(),
            treatment: policy.treatment(now),
            stale: policy.is_stale(now),
        }
    }
}

impl Subject {
    /// Returns the state at a time.
    pub(crate) fn standing_at(&self, now: SystemTime) -> Standing {
        Standing::of(&self.policy, now)
    }

    /// Returns the rules that decide at a time or the default one. If no rules decide, returns rules that can still parse URLs.
    #[inline]
    pub(crate) fn rules<'s>(
        &'s self,
        standing: &Standing,
        no_rules: &'s Rules,
        time: Option<SystemTime>,
    ) -> &'s Rules {
        match (standing.is_fixed, &self.own) {
            (true, _) => no_rules,
            (false, Some(rules)) => rules,
            (false, None) => self.policy.rules(time.unwrap_or(self.usual)).unwrap_or(no_rules),
        }
    }

    /// Returns the decision at a time or the default one, given the result of the [`rules`](Subject::rules). Without a time, it
    /// is not known whether the decision is stale.
    pub(crate) fn record<'s>(&'s self, by_rules: Decision<'s>, time: Option<SystemTime>) -> DecisionRecord {
        let mut record = self.policy.decide_by(by_rules, time.unwrap_or(self.usual)).to_record();
        record.stale = record.stale.filter(|_| time.is_some());
        record
    }

    /// Returns whether another subject of the same answers decides identically. Usage statements may differ.
    pub(crate) fn is_alike(&self, other: &Subject) -> bool {
        self.policy == other.policy && self.own == other.own
    }

    /// Returns the size on the heap, in bytes.
    pub(crate) fn heap_bytes(&self) -> usize {
        self.policy.heap_bytes() + self.own.as_ref().map_or(0, Rules::heap_bytes) + size_of::<Subject>()
    }
}
