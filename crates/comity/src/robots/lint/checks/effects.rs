//! Rules of a group together: what never decides, what changes nothing, what is blocked.
//!
//! Everything here is decided on forms (`forms.rs`). They are sorted once a group, so the cost stays near linear in the
//! file.

use std::collections::HashSet;

use crate::robots::extent::Access;
use crate::robots::lint::catalogue::Lint;
use crate::robots::lint::context::{Context, Findings, Group, Record, agent_name, shown, shown_rule};
use crate::robots::lint::forms::Rule;
use crate::robots::matching::pattern::Effect;
use crate::robots::read::directive::DirectiveKind;
use crate::severity::Severity;

pub(super) fn check(
    context: &Context<'_>,
    findings: &mut Findings,
    groups: &[Vec<Rule<'_>>],
    is_shared: &HashSet<usize>,
) {
    for (index, (group, rules)) in context.groups.iter().zip(groups).enumerate() {
        let deciding = same_form(context, findings, rules);
        if !is_shared.contains(&index) {
            redundant(context, findings, &deciding);
        }
        assets(context, findings, group, rules);
    }
    everything(context, findings, groups);
}

/// A rule that decides.
struct Deciding<'r, 'c> {
    rule: &'r Rule<'c>,
    /// It outranks a rule of the other effect and the same form, which would decide in its stead.
    is_needed: bool,
}

/// Reports the rules that another one of the same form makes idle; returns the others.
fn same_form<'r, 'c>(
    context: &Context<'_>,
    findings: &mut Findings,
    rules: &'r [Rule<'c>],
) -> Vec<Deciding<'r, 'c>> {
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
    for (rule, winner) in idle {
        if rule.effect == winner.effect {
            duplicate(context, findings, rule, winner);
        } else {
            shadowed(context, findings, rule, winner);
        }
    }
    deciding
}

fn duplicate(context: &Context<'_>, findings: &mut Findings, rule: &Rule<'_>, winner: &Rule<'_>) {
    let (value, other) = (context.value(rule.record), context.value(winner.record));
    let line = Context::number(winner.record.line);
    let message = if value == other {
        format!("{} stands on line {line} already", shown_rule(context, rule.record))
    } else {
        format!("{} matches the same URLs as {} on line {line}", shown(value), shown(other))
    };
    let finding =
        context.droppable(Lint::DuplicateRule, rule.record.line, whole(rule.record), message, "drop it");
    findings.add(finding.with_related(context.related(winner.record, "the rule that says so already")));
}

fn shadowed(context: &Context<'_>, findings: &mut Findings, rule: &Rule<'_>, winner: &Rule<'_>) {
    let line = Context::number(winner.record.line);
    let reason = if rule.length == winner.length { "`Allow` wins a tie" } else { "the longer pattern wins" };
    let message = format!(
        "{} never decides: {} on line {line} matches the same URLs, and {reason}",
        shown_rule(context, rule.record),
        shown_rule(context, winner.record)
    );
    let help = "drop it, or make its pattern longer than the other if it is to win";
    let finding = context.droppable(Lint::ShadowedRule, rule.record.line, whole(rule.record), message, help);
    findings.add(finding.with_related(context.related(winner.record, "the rule that wins")));
}

/// Reports plain rules under a shorter one of the same effect, unless one of the other effect may lie between.
fn redundant(context: &Context<'_>, findings: &mut Findings, deciding: &[Deciding<'_, '_>]) {
    let lengths = [Effect::Allow, Effect::Disallow].map(|effect| lengths_of_others(deciding, effect));
    let mut found = Vec::new();
    let mut above: Vec<&Rule<'_>> = Vec::new();
    // In sorted order, the plain rules whose forms start a form stand before it, the shortest first.
    for Deciding { rule, is_needed } in deciding.iter().filter(|deciding| deciding.rule.is_plain()) {
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
            "{} changes nothing beside {} on line {}",
            shown_rule(context, rule.record),
            shown(context.value(top.record)),
            Context::number(top.record.line)
        );
        let finding =
            context.droppable(Lint::RedundantRule, rule.record.line, whole(rule.record), message, "drop it");
        findings.add(finding.with_related(context.related(top.record, "the shorter rule")));
    }
}

/// The lengths of an effect's rules that are not plain, and so may match anywhere; sorted.
fn lengths_of_others(deciding: &[Deciding<'_, '_>], effect: Effect) -> Vec<u32> {
    let others = deciding
        .iter()
        .map(|deciding| deciding.rule)
        .filter(|rule| rule.effect == effect && !rule.is_plain());
    let mut lengths: Vec<u32> = others.map(|rule| rule.length).collect();
    lengths.sort_unstable();
    lengths
}

/// Reports that every crawler without a name in the file is kept out. The engine's extent decides: an `Allow` for
/// `/robots.txt` alone opens nothing.
fn everything(context: &Context<'_>, findings: &mut Findings, groups: &[Vec<Rule<'_>>]) {
    let mut star =
        context.groups.iter().zip(groups).filter(|(group, _)| group.is_star).flat_map(|(_, rules)| rules);
    let Some(rule) = star.find(|rule| rule.matches_everything() && rule.effect == Effect::Disallow) else {
        return;
    };
    if context.rules_for_everyone().extent().access() != Access::Disallowed {
        return;
    }
    let lets_somebody_in = context.groups.iter().zip(groups).any(|(group, rules)| {
        !group.is_star
            && !rules.iter().any(|rule| rule.matches_everything() && rule.effect == Effect::Disallow)
    });
    let (severity, message) = if lets_somebody_in {
        (Severity::Note, "the whole site is forbidden to every crawler that has no group of its own")
    } else {
        (Severity::Warning, "the whole site is forbidden to every crawler")
    };
    let help = "if the site is to be found, forbid the parts that are not, or write an empty `Disallow:`";
    let finding =
        context.finding(Lint::BlocksEverything, rule.record.line, whole(rule.record), message, help);
    findings.add(finding.severity_of(severity));
}

/// Style sheets and scripts that a search engine may not fetch.
fn assets(context: &Context<'_>, findings: &mut Findings, group: &Group, rules: &[Rule<'_>]) {
    let is_search_engine = || {
        context.records_at(&group.agents).any(|(_, agent)| {
            matches!(agent_name(context.value(agent)).as_slice(), b"googlebot" | b"bingbot")
        })
    };
    let forbids_all = rules.iter().any(|rule| rule.matches_everything() && rule.effect == Effect::Disallow);
    if forbids_all || !(group.is_star || is_search_engine()) {
        return;
    }
    let allows = |word: &[u8]| {
        let of_group = context.records_at(&group.rules).filter(|(_, rule)| rule.kind == DirectiveKind::Allow);
        of_group
            .map(|(_, rule)| context.value(rule).to_ascii_lowercase())
            .any(|value| memchr::memmem::find(&value, word).is_some())
    };
    let (allows_css, allows_js) = (allows(b"css"), allows(b"js"));
    for (_, rule) in context.records_at(&group.rules).filter(|(_, rule)| rule.kind == DirectiveKind::Disallow)
    {
        let Some((asset, severity)) = asset(context.value(rule)) else { continue };
        if (asset == Asset::Styles && allows_css) || (asset == Asset::Scripts && allows_js) {
            continue;
        }
        let what = if asset == Asset::Styles { "style sheets" } else { "scripts" };
        let message = format!(
            "{} keeps {what} from search engines, which render pages with them",
            shown(context.value(rule))
        );
        let help = "allow the files that pages need, or take the rule out to open all that it closes";
        let finding = context.finding(Lint::BlocksAssets, rule.line, whole(rule), message, help);
        findings.add(finding.severity_of(severity));
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Asset {
    Styles,
    Scripts,
}

/// Returns whether a pattern is about all style sheets or scripts of a place: `/*.js$`, `/css/`. Deep inside a site it
/// may well be something else.
fn asset(value: &[u8]) -> Option<(Asset, Severity)> {
    let value = value.strip_suffix(b"$").unwrap_or(value).to_ascii_lowercase();
    let stem = value.get(..value.len() - value.iter().rev().take_while(|byte| **byte == b'*').count())?;
    if memchr::memmem::find(stem, b"admin").is_some() {
        return None;
    }
    let depth = stem.iter().filter(|byte| **byte == b'/').count();
    for (file, asset) in [(&b"*.css"[..], Asset::Styles), (b"*.js", Asset::Scripts)] {
        if stem.rsplit(|byte| *byte == b'/').next() == Some(file) {
            return Some((asset, if depth <= 1 { Severity::Warning } else { Severity::Note }));
        }
    }
    let folder = stem.strip_suffix(b"/")?;
    let name = folder.rsplit(|byte| *byte == b'/').next()?;
    let asset = match name {
        b"css" | b"stylesheets" => Asset::Styles,
        b"js" | b"javascript" | b"javascripts" => Asset::Scripts,
        _ => return None,
    };
    Some((asset, if depth <= 2 { Severity::Warning } else { Severity::Note }))
}

fn whole(record: &Record) -> std::ops::Range<usize> {
    record.key.start..record.value.end
}
