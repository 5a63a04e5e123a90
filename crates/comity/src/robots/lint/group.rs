//! Input of the lints for groups: the rules of one group sorted by form, and all groups of a file.
//!
//! Rules are compared by their forms (`forms.rs`). They are sorted once per group, so the cost is nearly linear in the
//! file size.

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
    /// For each group, the rules that can match, sorted by form and then by rank.
    pub groups: &'r [Vec<Rule<'c>>],
    /// Indices of groups that share a crawler with another group. Such a crawler follows the rules of all these groups.
    pub is_shared: &'r HashSet<usize>,
}

/// One group with its rules.
pub(super) struct GroupRules<'r, 'c, 'b> {
    pub context: &'c Context<'b>,
    pub group: &'c Group,
    pub rules: &'r [Rule<'c>],
    pub deciding: Vec<DecidingRule<'r, 'c>>,
    /// Pairs of a rule without effect and the rule of equal form that overrides it, sorted by the line of the first.
    pub idle: Vec<(&'r Rule<'c>, &'r Rule<'c>)>,
    pub is_shared: bool,
}

/// The rule that outranks all others of equal form.
pub(super) struct DecidingRule<'r, 'c> {
    pub rule: &'r Rule<'c>,
    /// True if the rule outranks a rule with the same form and the opposite effect.
    pub is_needed: bool,
}

impl<'r, 'c, 'b> GroupRules<'r, 'c, 'b> {
    pub(super) fn new(
        context: &'c Context<'b>,
        group: &'c Group,
        rules: &'r [Rule<'c>],
        is_shared: bool,
    ) -> Self {
        let mut deciding: Vec<DecidingRule<'r, 'c>> = Vec::new();
        let mut idle = Vec::new();
        for rule in rules {
            match deciding.last_mut() {
                Some(winner) if winner.rule.form == rule.form => {
                    winner.is_needed |= winner.rule.effect != rule.effect;
                    idle.push((rule, winner.rule));
                }
                _ => deciding.push(DecidingRule { rule, is_needed: false }),
            }
        }
        idle.sort_by_key(|(rule, _)| rule.record.line);
        GroupRules { context, group, rules, deciding, idle, is_shared }
    }
}

/// Finds user-agent lines that unintentionally extend the preceding group. `visit` receives the line, the user-agent
/// line before it, and a record between the two: the first `Content-Usage` if there is one, otherwise the last record.
pub(super) fn joins<'c>(
    context: &'c Context<'_>,
    mut visit: impl FnMut(&'c LocatedRecord, &'c LocatedRecord, &'c LocatedRecord),
) {
    let mut agent: Option<&LocatedRecord> = None;
    let mut content: Option<&LocatedRecord> = None;
    for record in &context.records {
        match record.kind {
            RecordKind::UserAgent => {
                if let (Some(agent), Some(content)) = (agent, content) {
                    visit(record, agent, content);
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

/// Calls `visit` for each crawl delay of a group. The arguments are the delay, the first delay for its agents if that
/// is an earlier record, and the agents: the user-agent lines directly above the delay.
pub(super) fn each_delay<'c>(
    context: &'c Context<'_>,
    group: &'c Group,
    mut visit: impl FnMut(&'c LocatedRecord, Option<&'c LocatedRecord>, &[&'c LocatedRecord]),
) {
    let mut agents = group.agents.iter().copied().peekable();
    let mut agents_above: Vec<&LocatedRecord> = Vec::new();
    let mut first: Option<&LocatedRecord> = None;
    let is_delay = |record: &LocatedRecord| record.kind == RecordKind::CrawlDelay;
    for (index, delay) in context.records_at(&group.others).filter(|(_, record)| is_delay(record)) {
        if agents.peek().is_some_and(|agent| *agent < index) {
            agents_above.clear();
            first = None;
        }
        while let Some(agent) = agents.next_if(|agent| *agent < index) {
            agents_above.extend(context.records.get(agent));
        }
        visit(delay, first, &agents_above);
        first = first.or(Some(delay));
    }
}

/// Reads a crawl delay: the duration, or the value if it is not a number of seconds. Returns `None` for other records,
/// and for a record that contains a second directive.
pub(super) fn crawl_delay<'b>(entry: &KeyedRecord<'_, 'b>) -> Option<Result<Duration, &'b [u8]>> {
    if entry.record.kind != RecordKind::CrawlDelay || entry.second.is_some() {
        return None;
    }
    let value = entry.context.value(entry.record);
    Some(std::str::from_utf8(value).ok().and_then(seconds).ok_or(value))
}
