//! `repeated-agent`: the same crawler is named by several groups.

use crate::finding::{Channel, Finding, Findings, Kind, Reader, Severity, Shown, quoted};
use crate::robots::lint::context::{Context, LocatedRecord, agent_name};
use crate::robots::lint::name::{Before, Name};
use crate::robots::lint::{Check, Lint};

pub(super) static LINT: Lint = Lint {
    kind: Kind {
        reader: Reader::RobotsTxt,
        code: "repeated-agent",
        severity: Severity::Warning,
        summary: "The same crawler is named by several groups.",
        why: "By RFC 9309 \u{a7}2.2.1 the groups count as one. Parsers older than that take only the first. Named twice in one group, \
     it is a note.",
        help: "put all rules for it into one group",
        channel: Channel::RobotsTxt,
        bad: Shown::Text(b"User-agent: GPTBot\nDisallow: /a\n\nUser-agent: CCBot\nDisallow: /\n\nUser-agent: GPTBot\nDisallow: /b\n"),
        good: Shown::Text(b"User-agent: GPTBot\nDisallow: /a\nDisallow: /b\n\nUser-agent: CCBot\nDisallow: /\n"),
    },
    checks: &[Check::Agent(check)],
};

/// A name that an earlier line has too.
fn check(name: &Name<'_, '_>, findings: &mut Findings) {
    let (context, record) = (name.context, name.record);
    let Some(Before { first, last }) = name.before else { return };
    if last.group == record.group {
        findings.push(named_twice(context, record, last));
        return;
    }
    let message = format!(
        "{} has a group already; crawlers merge the two, older parsers take the first",
        quoted(&name.name)
    );
    // Two versions of a crawler are one name here, and perhaps not for their author.
    let is_same_value = context.value(first).eq_ignore_ascii_case(context.value(record));
    let severity = if is_same_value { Severity::Warning } else { Severity::Note };
    let finding = context.finding(&LINT, record.line, record.value.clone(), message, LINT.kind.help);
    findings.push(finding.with_severity(severity).with_related(context.related(first, "named first here")));
}

/// Returns a name that its group has already. The line can go if it has nothing else, and no line between the two speaks
/// to the names above it.
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
        context.droppable(&LINT, line, span, message, "drop it")
    } else {
        let line_to_keep = quoted([b"User-agent: ", &agent_name(value)[..]].concat());
        context.finding(&LINT, line, span, message, format!("keep one line, {line_to_keep}"))
    };
    finding.with_severity(Severity::Note).with_related(context.related(before, "named here, too"))
}
