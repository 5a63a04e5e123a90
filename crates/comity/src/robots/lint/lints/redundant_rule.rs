//! The lint `redundant-rule`: a rule has no effect, because a shorter rule of its group already covers its URLs.

use crate::finding::{Findings, quoted};
use crate::robots::lint::context::{Context, shown_rule};
use crate::robots::lint::forms::Rule;
use crate::robots::lint::group::{DecidingRule, GroupRules};
use crate::robots::matching::pattern::Effect;

crate::robots::lint::row! {
    REDUNDANT_RULE "redundant-rule" Note, Group(check);
    "A rule has no effect: a shorter rule of its group already has the same effect on its URLs.",
    "Patterns match from the start of the path: `/a` matches `/a/b` too. The lint reports a rule only if no rule with \
    the opposite effect may rank between the two rules.",
    "drop it",
    bad(b"User-agent: *\nDisallow: /private/\nDisallow: /private/letters/\n"),
    good(b"User-agent: *\nDisallow: /private/\n");
}

/// Reports plain rules whose URLs a shorter rule with the same effect also matches, unless a rule with the opposite
/// effect may rank between the two.
fn check(checked: &GroupRules<'_, '_, '_>, findings: &mut Findings) {
    let GroupRules { context, deciding, is_shared, .. } = checked;
    if *is_shared {
        return;
    }
    let lengths = [Effect::Allow, Effect::Disallow].map(|effect| lengths_of_others(deciding, effect));
    let mut found = Vec::new();
    let mut above: Vec<&Rule<'_>> = Vec::new();
    // The rules are sorted. Plain rules that are prefixes of a form therefore precede it, the shortest first.
    for DecidingRule { rule, is_needed } in deciding.iter().filter(|deciding| deciding.rule.is_plain()) {
        while above.last().is_some_and(|top| !rule.form.starts_with(&top.form)) {
            above.pop();
        }
        if let Some(top) = above.last().filter(|top| top.effect == rule.effect && !is_needed) {
            let [allow, disallow] = &lengths;
            let opposite = if rule.effect == Effect::Allow { disallow } else { allow };
            let next = opposite.partition_point(|length| *length < top.length);
            if opposite.get(next).is_none_or(|length| *length > rule.length) {
                found.push((*rule, *top));
            }
        }
        above.push(rule);
    }
    found.sort_by_key(|(rule, _)| rule.record.line);
    for (rule, top) in found {
        let message = format!(
            "{} has no effect, because of {} on line {}",
            shown_rule(context, rule.record),
            quoted(context.value(top.record)),
            Context::number(top.record.line)
        );
        let record = rule.record;
        let finding = context.droppable(
            &REDUNDANT_RULE,
            record.line,
            record.whole(),
            message,
            REDUNDANT_RULE.kind.help,
        );
        let is_safe = context.is_one_sided && starts_alike(context.value(record), context.value(top.record));
        let fix = is_safe.then(|| context.deletion_of_repeat(record, top.record)).flatten();
        findings.push(finding.with_fix(fix).with_related(context.related(top.record, "the shorter rule")));
    }
}

/// Returns true if every parser treats `shorter` as a prefix of `pattern`. Some parsers have no wildcards, and some
/// decode escapes.
fn starts_alike(pattern: &[u8], shorter: &[u8]) -> bool {
    let is_literal = shorter.starts_with(b"/") && !shorter.iter().any(|byte| b"*$".contains(byte));
    // An escape that is complete only in the longer pattern is a literal percent sign in the shorter one.
    let ends_in_escape = shorter.iter().rev().take(2).any(|byte| *byte == b'%');
    is_literal && !ends_in_escape && pattern.starts_with(shorter)
}

/// Returns the sorted lengths of the rules with this effect that are not plain. Such rules may match anywhere.
fn lengths_of_others(deciding: &[DecidingRule<'_, '_>], effect: Effect) -> Vec<u32> {
    let others = deciding
        .iter()
        .map(|deciding| deciding.rule)
        .filter(|rule| rule.effect == effect && !rule.is_plain());
    let mut lengths: Vec<u32> = others.map(|rule| rule.length).collect();
    lengths.sort_unstable();
    lengths
}
