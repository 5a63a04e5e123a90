//! Groups, as lints look at them: one with its rules in the order of their forms, and all groups of a file.
//!
//! Everything is decided on forms (`forms.rs`). They are sorted once a group, so the cost stays near linear in the file.

use std::collections::HashSet;
use std::time::Duration;

use super::context::{Context, Group, LocatedRecord};
use super::forms::Rule;
use super::key::KeyedRecord;
use crate::robots::read::directive::RecordKind;
use crate::robots::read::pacing::seconds;

/// All groups of a file.
#[derive(Clone, Copy)]
pub(super) struct FileRules<'r, 'c, 'b> {
    pub context: &'c Context<'b>,
    /// The rules of each group that can match, by form, then by rank.
    pub groups: &'r [Vec<Rule<'c>>],
    /// The groups that share a crawler with another one: what it follows is more than the group then.
    pub is_shared: &'r HashSet<usize>,
}

/// One group.
pub(super) struct GroupRules<'r, 'c, 'b> {
    pub context: &'c Context<'b>,
    pub group: &'c Group,
    pub rules: &'r [Rule<'c>],
    pub deciding: Vec<Deciding<'r, 'c>>,
    /// The rules that another one of the same form makes idle, and that one, by line.
    pub idle: Vec<(&'r Rule<'c>, &'r Rule<'c>)>,
    pub is_shared: bool,
}

/// A rule that decides.
pub(super) struct Deciding<'r, 'c> {
    pub rule: &'r Rule<'c>,
    /// It outranks a rule of the other effect and the same form, which would decide in its stead.
    pub is_needed: bool,
}

impl<'r, 'c, 'b> GroupRules<'r, 'c, 'b> {
    pub(super) fn new(
        context: &'c Context<'b>,
        group: &'c Group,
        rules: &'r [Rule<'c>],
        is_shared: bool,
    ) -> Self {
        let mut deciding: Vec<Deciding<'r, 'c>> = Vec::new();
        let mut idle = Vec::new();
        for rule in rules {
            match deciding.last_mut() {
                Some(winner) if winner.rule.form == rule.form => {
                    winner.is_needed |= winner.rule.effect != rule.effect;
                    idle.push((rule, winner.rule));
                }
                _ => deciding.push(Deciding { rule, is_needed: false }),
            }
        }
        idle.sort_by_key(|(rule, _)| rule.record.line);
        GroupRules { context, group, rules, deciding, idle, is_shared }
    }
}

/// Finds user-agent lines that join a group which its author thought complete: tells of the line, of the group's first
/// name, and of what stands between them since the last name (a `Content-Usage` before anything else).
pub(super) fn joins<'c>(
    context: &'c Context<'_>,
    mut tell: impl FnMut(&'c LocatedRecord, &'c LocatedRecord, &'c LocatedRecord),
) {
    let mut agent: Option<&LocatedRecord> = None;
    let mut content: Option<&LocatedRecord> = None;
    for record in &context.records {
        match record.kind {
            RecordKind::UserAgent => {
                if let (Some(agent), Some(content)) = (agent, content) {
                    tell(record, agent, content);
                }
                agent = Some(record);
                content = None;
            }
            kind if kind.is_rule() => (agent, content) = (None, None),
            RecordKind::CrawlDelay
            | RecordKind::RequestRate
            | RecordKind::VisitTime
            | RecordKind::Noindex
            | RecordKind::ContentSignal
            | RecordKind::ContentUsage
                if agent.is_some() =>
            {
                let is_usage = |record: &&LocatedRecord| record.kind == RecordKind::ContentUsage;
                content = content.filter(is_usage).or(Some(record));
            }
            _ => {}
        }
    }
}

/// Tells of each delay of a group, of the first one for the same agents if it is another, and of the agents, which are
/// listed right above.
pub(super) fn each_delay<'c>(
    context: &'c Context<'_>,
    group: &'c Group,
    mut tell: impl FnMut(&'c LocatedRecord, Option<&'c LocatedRecord>, &[&'c LocatedRecord]),
) {
    let mut agents = group.agents.iter().copied().peekable();
    let mut asked: Vec<&LocatedRecord> = Vec::new();
    let mut first: Option<&LocatedRecord> = None;
    let is_delay = |record: &LocatedRecord| record.kind == RecordKind::CrawlDelay;
    for (index, delay) in context.records_at(&group.others).filter(|(_, record)| is_delay(record)) {
        if agents.peek().is_some_and(|agent| *agent < index) {
            asked.clear();
            first = None;
        }
        while let Some(agent) = agents.next_if(|agent| *agent < index) {
            asked.extend(context.records.get(agent));
        }
        tell(delay, first, &asked);
        first = first.or(Some(delay));
    }
}

/// Reads a crawl delay: how long it is, or the value if it is not a number of seconds. `None` for other records, and for one
/// that holds a second directive.
pub(super) fn crawl_delay<'b>(entry: &KeyedRecord<'_, 'b>) -> Option<Result<Duration, &'b [u8]>> {
    if entry.record.kind != RecordKind::CrawlDelay || entry.second.is_some() {
        return None;
    }
    let value = entry.context.value(entry.record);
    Some(std::str::from_utf8(value).ok().and_then(seconds).ok_or(value))
}
