//! `empty-group`: a group has no rules.

use crate::finding::{Channel, Findings, Kind, Reader, Severity, Shown};
use crate::robots::lint::context::LocatedRecord;
use crate::robots::lint::group::GroupRules;
use crate::robots::lint::key::second_directive;
use crate::robots::lint::{Check, Lint};

pub(super) static LINT: Lint = Lint {
    kind: Kind {
        reader: Reader::RobotsTxt,
        code: "empty-group",
        severity: Severity::Warning,
        summary: "A group has no rules.",
        why: "It allows everything to the crawlers it names, the rules for `*` included (RFC 9309 \u{a7}2.2.1). If that is meant, an \
     empty `Disallow:` says so to everybody; some parsers drop a group without a rule.",
        help: "write an empty `Disallow:` below it if that is meant, else its rules",
        channel: Channel::RobotsTxt,
        bad: Shown::Text(b"User-agent: *\nDisallow: /private/\n\nUser-agent: GPTBot\n"),
        good: Shown::Text(b"User-agent: *\nDisallow: /private/\n\nUser-agent: GPTBot\nDisallow:\n"),
    },
    checks: &[Check::Group(check)],
};

fn check(checked: &GroupRules<'_, '_, '_>, findings: &mut Findings) {
    let (context, group) = (checked.context, checked.group);
    let is_several = |agent: &LocatedRecord| second_directive(context, agent).is_some();
    if context.records_at(&group.agents).any(|(_, agent)| is_several(agent)) {
        return;
    }
    if !group.names_somebody || !group.rules.is_empty() || !group.others.is_empty() {
        return;
    }
    let Some((_, last)) = context.records_at(&group.agents).last() else { return };
    let message = format!("the group for {} has no rules, so everything is allowed", context.names(group));
    let span = last.key.start..last.value.end;
    findings.push(context.finding(&LINT, last.line, span, message, LINT.kind.help));
}
