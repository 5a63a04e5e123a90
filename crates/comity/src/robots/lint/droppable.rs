//! Ensures that all lines marked as droppable can be deleted together: at least one rule of each group remains.

use std::collections::HashMap;

use super::context::{Context, LocatedRecord};
use super::pattern::ONLY_RULE;
use crate::finding::Finding;
use crate::robots::read::directive::RecordKind;

/// If all rules of a group are droppable, marks one of them as not droppable. Only a rule ends a group's list of names
/// (RFC 9309 §2.2.4). Without a rule, the group would merge with the next group. If an empty `Disallow` remains, its
/// finding `empty-rule` is removed.
pub(super) fn keep_a_rule(context: &Context<'_>, findings: &mut Vec<Finding>) {
    let mut idle: HashMap<u64, Vec<usize>> = HashMap::new();
    for (index, finding) in findings.iter().enumerate().filter(|(_, found)| found.is_droppable()) {
        idle.entry(finding.place().line.unwrap_or_default()).or_default().push(index);
    }
    let number = |rule: &LocatedRecord| u64::from(Context::number(rule.line));
    let mut wrong = Vec::new();
    for group in &context.groups {
        let Some(last) = group.rules.last().and_then(|last| context.records.get(*last)) else { continue };
        if !context.records_at(&group.rules).all(|(_, rule)| idle.contains_key(&number(rule))) {
            continue;
        }
        // An empty `Disallow` is the preferred rule to remain.
        let is_empty_disallow =
            |rule: &&LocatedRecord| rule.kind == RecordKind::Disallow && rule.value.is_empty();
        let empty = context.records_at(&group.rules).map(|(_, rule)| rule).find(is_empty_disallow);
        let kept = empty.unwrap_or(last);
        for &index in idle.get(&number(kept)).into_iter().flatten() {
            let Some(finding) = findings.get_mut(index) else { continue };
            *finding = finding.clone().with_help(ONLY_RULE);
            finding.set_droppable(false);
            if empty.is_some() && finding.code() == "empty-rule" {
                wrong.push(index);
            }
        }
    }
    wrong.sort_unstable();
    for index in wrong.into_iter().rev() {
        drop(findings.remove(index));
    }
}
