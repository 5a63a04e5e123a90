//! Lints for the start and the end of groups.

use super::star_rules_dropped::STAR_RULES_DROPPED;
use crate::finding::{Decisions, Finding, Findings, Fix, Severity, quoted};
use crate::robots::lint::context::{Context, LineContent, LocatedRecord, agent_name};
use crate::robots::lint::group::{GroupRules, joins};
use crate::robots::lint::key::second_directive;
use crate::robots::lint::name::{Before, Name};
use crate::robots::read::directive::RecordKind;

crate::robots::lint::table! {
    RULE_OUTSIDE_GROUP "rule-outside-group" Error, File(rule_outside_group);
    "A rule is before the first user-agent line.",
    "Such a rule applies to no crawler and is skipped (RFC 9309 \u{a7}2.2.2). Other directives of groups, such as \
    `Crawl-delay`, are reported as warnings.",
    "write a user-agent line above it, with `*` or the name of a crawler",
    bad(b"Disallow: /private/\n\nUser-agent: *\nDisallow: /search\n"),
    good(b"User-agent: *\nDisallow: /private/\nDisallow: /search\n");

    BLANK_LINE_IN_GROUP "blank-line-in-group" Warning, File(blank_line_in_group);
    "There is a blank line between user-agent lines and their rules.",
    "In RFC 9309, blank lines have no meaning. In older specifications, a blank line ends the group: for Python's \
    `urllib.robotparser` before 2026, the crawlers named above it have no rules, and Yandex reports an error. A blank \
    line between rules is reported once per file, as a note, because such parsers skip the rules below it.",
    "delete the blank line",
    bad(b"User-agent: *\n\nDisallow: /private/\n"),
    good(b"User-agent: *\nDisallow: /private/\n");

    JOINED_GROUPS "joined-groups" Warning, File(joined_groups);
    "A group without rules is joined with the next group.",
    "Only `Allow` and `Disallow` end the list of a group's names (RFC 9309 \u{a7}2.2.4): after a `Crawl-delay`, the next \
    user-agent line adds its name to the same group, so the rules below apply to both.",
    "end the group above with a rule, such as an empty `Disallow:`, if the two should not share rules",
    bad(b"User-agent: bingbot\nCrawl-delay: 10\n\nUser-agent: SemrushBot\nDisallow: /\n"),
    good(b"User-agent: bingbot\nCrawl-delay: 10\nDisallow:\n\nUser-agent: SemrushBot\nDisallow: /\n");

    CONTENT_USAGE_AMONG_AGENTS "content-usage-among-agents" Warning, File(content_usage_among_agents);
    "There is a `Content-Usage` line between user-agent lines.",
    "In RFC 9309 \u{a7}2.2.4, only `Allow` and `Disallow` end the list of a group's names. Comity follows RFC 9309, so \
    the names above and below the line share their rules. In draft-ietf-aipref-attach-05, `Content-Usage` is a rule, \
    too, and the names below it start a new group.",
    "end the group above with a rule, such as an empty `Disallow:`, if the two should not share rules",
    bad(b"User-agent: GPTBot\nContent-Usage: train-ai=n\nUser-agent: CCBot\nDisallow: /\n"),
    good(b"User-agent: GPTBot\nContent-Usage: train-ai=n\nDisallow:\n\nUser-agent: CCBot\nDisallow: /\n");

    REPEATED_AGENT "repeated-agent" Warning, Agent(repeated_agent);
    "Several groups name one crawler.",
    "In RFC 9309 \u{a7}2.2.1, the groups count as one. Older parsers use only the first group. A name that occurs \
    twice in one group is reported as a note.",
    "write all rules for the crawler in one group",
    bad(b"User-agent: GPTBot\nDisallow: /a\n\nUser-agent: CCBot\nDisallow: /\n\nUser-agent: GPTBot\nDisallow: /b\n"),
    good(b"User-agent: GPTBot\nDisallow: /a\nDisallow: /b\n\nUser-agent: CCBot\nDisallow: /\n");

    EMPTY_GROUP "empty-group" Warning, Group(empty_group);
    "A group has no rules.",
    "Such a group allows everything to the crawlers that it names, since the rules for `*` do not apply to them (RFC \
    9309 \u{a7}2.2.1). Some parsers drop a group without rules; every parser understands an empty `Disallow:`.",
    "write rules below it, or an empty `Disallow:` to allow everything",
    bad(b"User-agent: *\nDisallow: /private/\n\nUser-agent: GPTBot\n"),
    good(b"User-agent: *\nDisallow: /private/\n\nUser-agent: GPTBot\nDisallow:\n");

    STAR_RULES_DROPPED;
}

/// Reports all rules before the first user-agent line in one finding, and each other directive of groups there in its
/// own finding.
fn rule_outside_group(context: &Context<'_>, findings: &mut Findings) {
    let outside = || context.records.iter().filter(|record| record.group.is_none());
    let mut rules = outside().filter(|record| record.kind.is_rule());
    if let Some(first) = rules.next() {
        let message = match rules.count() {
            0 => "a rule is before the first user-agent line, so it applies to no crawler".to_owned(),
            more => format!(
                "{} rules are before the first user-agent line, so they apply to no crawler",
                more + 1
            ),
        };
        findings.push(context.finding(
            &RULE_OUTSIDE_GROUP,
            first.line,
            first.whole(),
            message,
            RULE_OUTSIDE_GROUP.kind.help,
        ));
    }
    for record in outside() {
        let is_grouped = matches!(
            record.kind,
            RecordKind::CrawlDelay
                | RecordKind::RequestRate
                | RecordKind::VisitTime
                | RecordKind::ContentSignal
                | RecordKind::ContentUsage
                | RecordKind::Noindex
        );
        if is_grouped {
            let message =
                format!("`{}` is before the first user-agent line, so it applies to no crawler", record.kind);
            let finding = context.finding(
                &RULE_OUTSIDE_GROUP,
                record.line,
                record.whole(),
                message,
                RULE_OUTSIDE_GROUP.kind.help,
            );
            findings.push(finding.with_severity(Severity::Warning));
        }
    }
}

/// Simulates parsers for which a blank line ends a group.
fn blank_line_in_group(context: &Context<'_>, findings: &mut Findings) {
    let mut agent: Option<&LocatedRecord> = None;
    let mut in_rules = false;
    let mut blank: Option<usize> = None;
    let mut is_reported = false;
    for (index, line) in context.lines.iter().enumerate() {
        let record = match line.content {
            LineContent::Blank if line.full_span().is_empty() => {
                blank = blank.or(Some(index));
                continue;
            }
            LineContent::Record(record) => context.records.get(record as usize),
            _ => None,
        };
        let Some(record) = record else { continue };
        let is_agent = record.kind == RecordKind::UserAgent;
        let is_rule = record.kind.is_rule() || record.kind == RecordKind::CrawlDelay;
        if !is_agent && !is_rule {
            continue;
        }
        match (blank, agent) {
            (Some(_), Some(agent)) if !in_rules => findings.push(split_from_rules(context, record, agent)),
            (Some(_), Some(_)) if is_rule && !is_reported => {
                is_reported = true;
                let message = "parsers for which a blank line ends a group skip the rules below it";
                let finding = context.finding(
                    &BLANK_LINE_IN_GROUP,
                    record.line,
                    record.whole(),
                    message,
                    BLANK_LINE_IN_GROUP.kind.help,
                );
                findings.push(finding.with_severity(Severity::Note));
            }
            _ => {}
        }
        blank = None;
        in_rules = is_rule;
        if is_agent {
            agent = Some(record);
        }
    }
}

fn split_from_rules(context: &Context<'_>, record: &LocatedRecord, agent: &LocatedRecord) -> Finding {
    let message = format!(
        "there is a blank line above; for parsers that end a group there, {} has no rules",
        quoted(context.value(agent))
    );
    let finding = context.finding(
        &BLANK_LINE_IN_GROUP,
        record.line,
        record.whole(),
        message,
        BLANK_LINE_IN_GROUP.kind.help,
    );
    let is_blank = |line: &usize| context.lines.get(*line).is_some_and(|line| line.full_span().is_empty());
    let blank = (agent.line..record.line).filter(is_blank).filter_map(|line| context.with_end(line));
    let fix = blank.fold(Fix::new(Decisions::Settled), Fix::delete);
    finding.with_related(context.related(agent, "the group starts here")).with_fix(fix)
}

fn joined_groups(context: &Context<'_>, findings: &mut Findings) {
    joins(context, |record, agent, content| {
        if content.kind != RecordKind::ContentUsage {
            let (name, kind) = (quoted(context.value(record)), content.kind.label());
            let message = format!("{name} joins the group above, since `{kind}` does not end it");
            let finding = context.finding(
                &JOINED_GROUPS,
                record.line,
                record.whole(),
                message,
                JOINED_GROUPS.kind.help,
            );
            findings.push(finding.with_related(context.related(agent, "the group it joins")));
        }
    });
}

fn content_usage_among_agents(context: &Context<'_>, findings: &mut Findings) {
    joins(context, |record, agent, content| {
        if content.kind == RecordKind::ContentUsage {
            let name = quoted(context.value(record));
            let message = format!(
                "{name} joins the group above in RFC 9309; in draft-ietf-aipref-attach, `Content-Usage` ends that group"
            );
            let finding = context.finding(
                &CONTENT_USAGE_AMONG_AGENTS,
                record.line,
                record.whole(),
                message,
                CONTENT_USAGE_AMONG_AGENTS.kind.help,
            );
            findings.push(finding.with_related(context.related(agent, "the group it joins")));
        }
    });
}

/// Reports a name that an earlier line has too.
fn repeated_agent(name: &Name<'_, '_>, findings: &mut Findings) {
    let (context, record) = (name.context, name.record);
    let Some(Before { first, last }) = name.before else { return };
    if last.group == record.group {
        findings.push(named_twice(context, record, last));
        return;
    }
    let message = format!(
        "{} already has a group; crawlers merge the two, older parsers use the first",
        quoted(&name.name)
    );
    // Two versions of a crawler have the same name here. The author may have meant them as different crawlers.
    let is_same_value = context.value(first).eq_ignore_ascii_case(context.value(record));
    let severity = if is_same_value { Severity::Warning } else { Severity::Note };
    let finding = context.finding(
        &REPEATED_AGENT,
        record.line,
        record.value.clone(),
        message,
        REPEATED_AGENT.kind.help,
    );
    findings.push(finding.with_severity(severity).with_related(context.related(first, "named first here")));
}

/// Returns a finding for a name that occurs twice in a group. The second line can be removed if both lines have the
/// same value, and if no line between the two lines applies to the names above it.
fn named_twice(context: &Context<'_>, record: &LocatedRecord, before: &LocatedRecord) -> Finding {
    let value = context.value(record);
    let message = format!("{} is named twice in this group", quoted(value));
    let (line, span) = (record.line, record.value.clone());
    let others = record.group.and_then(|group| context.groups.get(group)).map(|group| &group.others[..]);
    let is_before = |&other: &usize| context.records.get(other).is_some_and(|other| other.line < before.line);
    let next = others.and_then(|others| others.get(others.partition_point(is_before)));
    let is_apart =
        next.and_then(|&next| context.records.get(next)).is_some_and(|next| next.line < record.line);
    let finding = if !is_apart && value.eq_ignore_ascii_case(context.value(before)) {
        context.droppable(&REPEATED_AGENT, line, span, message, "drop it")
    } else {
        let line_to_keep = quoted([b"User-agent: ", &agent_name(value)[..]].concat());
        context.finding(&REPEATED_AGENT, line, span, message, format!("keep one line, {line_to_keep}"))
    };
    finding.with_severity(Severity::Note).with_related(context.related(before, "named here, too"))
}

fn empty_group(checked: &GroupRules<'_, '_, '_>, findings: &mut Findings) {
    let (context, group) = (checked.context, checked.group);
    let is_several = |agent: &LocatedRecord| second_directive(context, agent).is_some();
    if context.records_at(&group.agents).any(|(_, agent)| is_several(agent)) {
        return;
    }
    if !group.has_name || !group.rules.is_empty() || !group.others.is_empty() {
        return;
    }
    let Some((_, last)) = context.records_at(&group.agents).last() else { return };
    let message = format!("the group for {} has no rules, so everything is allowed", context.names(group));
    let span = last.key.start..last.value.end;
    findings.push(context.finding(&EMPTY_GROUP, last.line, span, message, EMPTY_GROUP.kind.help));
}
