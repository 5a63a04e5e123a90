//! Lints for rules without effect.

use super::redundant_rule::REDUNDANT_RULE;
use crate::finding::{Decisions, Finding, Findings, Fix, Severity, quoted};
use crate::robots::dialects::Dialect;
use crate::robots::lint::context::{Context, shown_rule};
use crate::robots::lint::forms::Rule;
use crate::robots::lint::group::{FileRules, GroupRules};
use crate::robots::lint::pattern::{ONLY_RULE, Pattern, regex_mark};
use crate::robots::lint::steps::Steps;
use crate::robots::read::directive::RecordKind;
use memchr::memmem;
use std::collections::HashSet;

crate::robots::lint::table! {
    EMPTY_RULE "empty-rule" Warning, Group(empty_rule);
    "A rule has no pattern and no effect.",
    "An empty `Disallow` means that a group forbids nothing, but next to another `Disallow` it has no effect. Parsers \
    that stop at the first matching rule apply it, so it is reported as a note. An empty `Allow` has no effect; \
    robotexclusionrulesparser reads it as \"nothing is allowed\". If it is the only rule of its group, replace it with an \
    empty `Disallow`: without a rule, the group would share the rules of the next group (RFC 9309 \u{a7}2.2.4).",
    "drop it, unless it is the only rule of its group",
    bad(b"User-agent: *\nAllow:\nDisallow: /private/\n"),
    good(b"User-agent: *\nDisallow: /private/\n");

    SHADOWED_RULE "shadowed-rule" Warning, Group(shadowed_rule) Rules(shadowed_by_another_group);
    "A rule can never decide: another rule matches the same URLs and outranks it.",
    "The longest pattern wins, and `Allow` wins a tie (RFC 9309 \u{a7}2.2.2). A `*` at the end makes a pattern longer, but it \
    matches the same URLs. Groups that name the same crawler count as one group (RFC 9309 \u{a7}2.2.1), so a rule may be \
    outranked by a rule of another group.",
    "drop it, or make its pattern longer than that of the other rule",
    bad(b"User-agent: *\nDisallow: /private/\nAllow: /private/\n"),
    good(b"User-agent: *\nDisallow: /private/\nAllow: /private/open/\n");

    DUPLICATE_RULE "duplicate-rule" Note, Group(duplicate_rule);
    "A rule repeats another rule of its group.",
    "The rule can be deleted. Patterns are compared after percent-encoding (RFC 9309 \u{a7}2.2.2), without a `*` at \
    the end.",
    "drop it",
    bad(b"User-agent: *\nDisallow: /private/\nDisallow: /private/*\n"),
    good(b"User-agent: *\nDisallow: /private/\n");

    REDUNDANT_RULE;

    WILDCARD_NOOP "wildcard-noop" Note, Pattern(wildcard_noop);
    "A `*` does not change the URLs that the pattern matches.",
    "A pattern is open at its end: `/fish*` matches the URLs of `/fish`, and `**` those of `*`. But the `*` makes the \
    pattern longer, and the longest pattern wins. If another rule could win without the `*`, the finding names that \
    rule. Parsers without wildcards search for the character itself.",
    "write the pattern without the `*`",
    bad(b"User-agent: *\nDisallow: /fish*\n"),
    good(b"User-agent: *\nDisallow: /fish\n");

    DOLLAR_INSIDE "dollar-inside" Warning, Pattern(dollar_inside);
    "A `$` is inside a pattern, not at its end.",
    "A `$` means the end of the URL only at the end of a pattern (RFC 9309 \u{a7}2.2.3); elsewhere it is an ordinary \
    character. In a pattern, `%24` always means that character, but Google's parser does not match it with a `$` in a \
    URL. Before a letter, digit or bracket, the author probably means the character, and the lint reports a note.",
    "write it at the end for the end of the URL, otherwise write `%24`",
    bad(b"User-agent: *\nDisallow: /*.pdf$*\n"),
    good(b"User-agent: *\nDisallow: /*.pdf$\n");
}

/// Reports a rule without a pattern. The effect of such a rule depends on the other rules of its group.
fn empty_rule(checked: &GroupRules<'_, '_, '_>, findings: &mut Findings) {
    let (context, group) = (checked.context, checked.group);
    let rules = || context.records_at(&group.rules).map(|(_, rule)| rule);
    let has_pattern = rules().any(|rule| !rule.value.is_empty());
    let is_open = rules().any(|rule| rule.kind == RecordKind::Disallow && rule.value.is_empty());
    let forbids = rules().any(|rule| rule.kind == RecordKind::Disallow && !rule.value.is_empty());
    for (index, rule) in rules().enumerate().filter(|(_, rule)| rule.value.is_empty()) {
        let fix = context.deletion(Decisions::Settled, rule);
        let finding = match rule.kind {
            RecordKind::Allow => {
                let message =
                    "an empty `Allow` has no effect; one old parser reads it as \"nothing is allowed\"";
                if has_pattern || is_open || index > 0 {
                    context.droppable(&EMPTY_RULE, rule.line, rule.whole(), message, "drop it").with_fix(fix)
                } else {
                    context.finding(&EMPTY_RULE, rule.line, rule.whole(), message, ONLY_RULE)
                }
            }
            _ if forbids => {
                let message = "an empty `Disallow` has no effect next to other rules";
                let finding = context.droppable(&EMPTY_RULE, rule.line, rule.whole(), message, "drop it");
                finding.with_severity(Severity::Note).with_fix(fix)
            }
            _ => continue,
        };
        findings.push(finding);
    }
}

fn shadowed_rule(checked: &GroupRules<'_, '_, '_>, findings: &mut Findings) {
    let context = checked.context;
    for (rule, winner) in checked.idle.iter().filter(|(rule, winner)| rule.effect != winner.effect) {
        let line = Context::number(winner.record.line);
        let reason =
            if rule.length == winner.length { "`Allow` wins a tie" } else { "the longer pattern wins" };
        let message = format!(
            "{} never decides: {} on line {line} matches the same URLs, and {reason}",
            shown_rule(context, rule.record),
            shown_rule(context, winner.record)
        );
        let record = rule.record;
        let finding =
            context.droppable(&SHADOWED_RULE, record.line, record.whole(), message, SHADOWED_RULE.kind.help);
        findings.push(finding.with_related(context.related(winner.record, "the rule that wins")));
    }
}

/// Maximum number of bytes of rules that are compared per file, over all sets of groups.
const STEPS: usize = if cfg!(test) { 1_000_000 } else { 32_000_000 };

/// Reports rules that a rule in another group for the same crawler outranks. Such a rule may still decide for other
/// crawlers that its group names.
fn shadowed_by_another_group(checked: &FileRules<'_, '_, '_>, findings: &mut Findings) {
    let FileRules { context, groups, .. } = *checked;
    let mut shared: Vec<_> = context.groups_of.iter().filter(|(_, groups)| groups.len() > 1).collect();
    shared.sort_by(|(a, of_a), (b, of_b)| of_a.cmp(of_b).then(a.cmp(b)));
    shared.dedup_by(|(_, later), (_, first)| later == first);
    let mut steps = Steps::new(STEPS);
    let mut reported = HashSet::new();
    for (name, of) in shared {
        let mut rules: Vec<_> = of.iter().filter_map(|group| groups.get(*group)).flatten().collect();
        if !steps.take(rules.iter().map(|rule| rule.form.len()).sum()) {
            return;
        }
        rules.sort_by(|a, b| a.form.cmp(&b.form).then_with(|| a.rank().cmp(&b.rank())));
        for same in rules.chunk_by(|a, b| a.form == b.form) {
            // The first rule of each group is the one that decides within the group.
            let mut seen = HashSet::new();
            let deciding: Vec<_> = same.iter().filter(|rule| seen.insert(rule.record.group)).collect();
            let Some((winner, losers)) = deciding.split_first() else { continue };
            for rule in losers.iter().filter(|rule| rule.effect != winner.effect) {
                if reported.insert(rule.record.line) {
                    findings.push(shadowed_for(context, name, rule, winner));
                }
            }
        }
    }
}

/// Returns the finding for a rule that never decides for a crawler.
fn shadowed_for(context: &Context<'_>, name: &[u8], rule: &Rule<'_>, winner: &Rule<'_>) -> Finding {
    let reason = if rule.length == winner.length { "`Allow` wins a tie" } else { "the longer pattern wins" };
    let crawler = match name {
        b"*" => "crawlers that no group names".to_owned(),
        name => quoted(name),
    };
    let message = format!(
        "{} never decides for {crawler}: the groups for {} count as one, {} on line {} matches the same URLs, and {reason}",
        shown_rule(context, rule.record),
        quoted(name),
        shown_rule(context, winner.record),
        Context::number(winner.record.line),
    );
    let help = "write one group with all rules for the crawler, and only one of these two";
    let record = rule.record;
    let finding = context.finding(&SHADOWED_RULE, record.line, record.whole(), message, help);
    finding.with_related(context.related(winner.record, "the rule that wins"))
}

fn duplicate_rule(checked: &GroupRules<'_, '_, '_>, findings: &mut Findings) {
    let context = checked.context;
    for (rule, winner) in checked.idle.iter().filter(|(rule, winner)| rule.effect == winner.effect) {
        let (value, other) = (context.value(rule.record), context.value(winner.record));
        let line = Context::number(winner.record.line);
        let message = if value == other {
            format!("{} is already on line {line}", shown_rule(context, rule.record))
        } else {
            format!("{} matches the same URLs as {} on line {line}", quoted(value), quoted(other))
        };
        let record = rule.record;
        // Parsers without wildcards or escapes may treat a different spelling as a different pattern.
        let fix = (value == other).then(|| context.deletion_of_repeat(record, winner.record)).flatten();
        let finding = context.droppable(
            &DUPLICATE_RULE,
            record.line,
            record.whole(),
            message,
            DUPLICATE_RULE.kind.help,
        );
        let finding = finding.with_fix(fix);
        findings.push(finding.with_related(context.related(winner.record, "the rule that it repeats")));
    }
}

/// Reports a `*` next to another `*` or at the end of a pattern. In a regular expression, the `*` has another meaning.
fn wildcard_noop(pattern: &Pattern<'_, '_>, findings: &mut Findings) {
    let (value, context) = (pattern.value, pattern.context);
    if regex_mark(value).is_some() {
        return;
    }
    let body = value.strip_suffix(b"$").unwrap_or(value);
    let stars = body.iter().rev().take_while(|byte| **byte == b'*').count();
    let mut shorter = value.to_vec();
    shorter.dedup_by(|later, first| (*later, *first) == (b'*', b'*'));
    let (at, length, message) = if stars > 0 && body.len() > stars {
        let stem = body.len() - stars;
        shorter.truncate(shorter.strip_suffix(b"$").unwrap_or(&shorter).len() - 1);
        let message =
            format!("the `*` at the end of {} does not change the URLs that it matches", quoted(value));
        (stem, value.len() - stem, message)
    } else if let Some(at) = memmem::find(value, b"**") {
        (at, 2, "`**` is equivalent to `*`".to_owned())
    } else {
        return;
    };
    // After the change, a `$` inside the pattern would become its end anchor.
    if shorter.last() == Some(&b'$') && at + length == value.len() {
        return;
    }
    let [compiled, _] = Dialect::Rfc9309.row().compile(pattern.record.kind, &shorter);
    let rival = compiled.and_then(|compiled| pattern.rivals.of(pattern.record.line, compiled.length));
    let is_alone = rival.is_none();
    let rival = rival.map(|rival| {
        let line = Context::number(rival.record.line);
        format!(", unless it should outrank {} on line {line}", shown_rule(context, rival.record))
    });
    let help = format!("write {}{}", quoted(&shorter), rival.unwrap_or_default());
    let fix = is_alone.then(|| Fix::new(Decisions::Settled)).and_then(|fix| {
        // Parsers remove white space at the end of a value.
        let text = String::from_utf8(shorter).ok().filter(|text| text.trim_end() == text)?;
        Some(fix.replace(pattern.record.value.clone(), text))
    });
    findings.push(pattern.finding(&WILDCARD_NOOP, at, length, message, help).with_fix(fix));
}

fn dollar_inside(pattern: &Pattern<'_, '_>, findings: &mut Findings) {
    let value = pattern.value;
    let Some(at) = memchr::memchr(b'$', value).filter(|at| at + 1 < value.len()) else { return };
    let is_literal =
        value.get(at + 1).is_some_and(|byte| byte.is_ascii_alphanumeric() || b"{[(_-%".contains(byte));
    let severity = if is_literal { Severity::Note } else { Severity::Warning };
    let message = format!("the `$` inside {} is a plain character, not the end of the URL", quoted(value));
    findings.push(
        pattern.finding(&DOLLAR_INSIDE, at, 1, message, DOLLAR_INSIDE.kind.help).with_severity(severity),
    );
}
